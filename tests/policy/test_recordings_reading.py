"""Sessions are read turn by turn, from any source, whatever is broken; a call that is written twice is one call."""

import gzip
import json
import tracemalloc
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samecall import RecordingError
from samecall.recordings import FORMATS, Recording, find, parse, read

LS = {"command": "ls"}


def _lines(*records: object) -> str:
    return "\n".join(json.dumps(record) for record in records)


def _ids(recording: Recording) -> list[str | None]:
    return [call.call.id for turn in recording.turns for batch in turn.batches for call in batch]


def _user(text: str, **more: object) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": text}, **more}


def _use(call_id: str, **more: object) -> dict[str, Any]:
    block = {"type": "tool_use", "id": call_id, "name": "Bash", "input": LS}
    return {"type": "assistant", "message": {"id": f"m-{call_id}", "role": "assistant", "content": [block]}, **more}


def _result(call_id: str, text: str) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": call_id, "content": text}
    return {"type": "user", "message": {"role": "user", "content": [block]}}


def test_subagents_are_read_with_their_session_and_share_its_calls(tmp_path: Path) -> None:
    (tmp_path / "s1.jsonl").write_text(_lines(_user("go"), _use("t1")), encoding="utf-8")
    folder = tmp_path / "s1" / "subagents"
    folder.mkdir(parents=True)
    agent = folder / "agent-a1.jsonl"
    agent.write_text(_lines(_user("look", isSidechain=True), _use("t1"), _use("t2")), encoding="utf-8")
    assert list(find([str(tmp_path)])) == [tmp_path / "s1.jsonl"]
    assert [(r.session, _ids(r)) for r in read(tmp_path / "s1.jsonl")] == [("", ["t1"]), ("s1/a1", ["t2"])]


def test_broken_lines_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    glued = json.dumps(_use("t2")) + json.dumps(_use("t3"))
    path.write_text("\n".join([_lines(_user("go"), _use("t1")), "{broken", glued, '{"type": "new"}']), encoding="utf-8")
    (recording,) = read(path)
    assert _ids(recording) == ["t1", "t2", "t3"]
    assert (recording.skipped.records, recording.skipped.lines) == (1, 1)
    assert recording.skipped.broken == [(str(path), 3, "not JSON")]


def test_a_result_may_come_after_the_next_word_of_the_user() -> None:
    (recording,) = parse(_lines(_user("a"), _use("t1"), _user("b"), _result("t1", "late"), _use("t2")))
    assert [[c.result for b in turn.batches for c in b] for turn in recording.turns] == [["late"], [None]]


def test_compressed_files_are_read(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    text = _lines(_user("go"), _use("t1")).encode()
    for data in (text, gzip.compress(text), zstandard.compress(text)):
        (tmp_path / "s").write_bytes(data)
        assert _ids(next(read(tmp_path / "s"))) == ["t1"]


def test_a_device_without_end_is_refused() -> None:
    with pytest.raises(RecordingError, match="a device"):
        list(read("/dev/zero"))


def test_a_format_can_be_forced_and_must_exist(tmp_path: Path) -> None:
    (tmp_path / "s").write_text('{"a": 1}', encoding="utf-8")
    for form in FORMATS:
        assert [r.format for r in read(tmp_path / "s", format=form)] == [form]
    with pytest.raises(RecordingError, match="no such format"):
        list(read(tmp_path / "s", format="nothing"))


SPAN = {
    "traceId": "t",
    "spanId": "s",
    "startTimeUnixNano": "1000000000",
    "endTimeUnixNano": "3000000000",
    "attributes": [
        {"key": name, "value": {"stringValue": value}}
        for name, value in {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "bash",
            "gen_ai.tool.call.id": "1",
            "gen_ai.tool.call.arguments": json.dumps(LS),
            "gen_ai.tool.call.result": "a",
        }.items()
    ],
}
SCRIPT = 'const [a, b] = await Promise.all([tools.exec_command({cmd: "ls"}), tools.exec_command({"cmd": "pwd"})]);'
NEW = {
    "opentelemetry": ({"resourceSpans": [{"scopeSpans": [{"spans": [SPAN]}]}]}, [("bash", LS)]),
    "openai_responses": ({"type": "function_call", "call_id": "1", "name": "bash", "arguments": "{}"}, [("bash", {})]),
    "samecall": (
        {"type": "tool_call_started", "session_id": "s", "call_id": "1", "name": "bash", "turn": 1, "ordinal": 1,
         "key": {"digest": "d"}},
        [("bash", {"digest": "d"})],
    ),
    "cline": (
        {"role": "assistant", "content": "<execute_command><command>ls</command></execute_command>"},
        [("execute_command", LS)],
    ),
    "cursor": (
        {"type": "tool_call", "subtype": "started", "call_id": "1", "tool_call": {"shellToolCall": {"args": LS}}},
        [("shell", LS)],
    ),
    "codex": (
        {"type": "response_item",
         "payload": {"type": "custom_tool_call", "name": "exec", "input": SCRIPT, "call_id": "1"}},
        [("exec_command", {"cmd": "ls"}), ("exec_command", {"cmd": "pwd"})],
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", NEW)
def test_more_formats(form: str) -> None:
    record, calls = NEW[form]
    (recording,) = parse(_lines(record))
    assert recording.format == form
    assert [(c.call.name, c.call.input) for t in recording.turns for b in t.batches for c in b] == calls


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)
KEYS = [
    "type",
    "message",
    "content",
    "role",
    "payload",
    "tool_calls",
    "messages",
    "parts",
    "event",
    "key",
    "attributes",
]


class TestAnyInput:
    """Whatever a file holds, it is read or ``RecordingError`` says why not."""

    @given(st.binary(max_size=200))
    def test_bytes(self, data: bytes) -> None:
        _read_all(data.decode(errors="replace"))

    @given(st.sampled_from(sorted(NEW)), st.sampled_from(KEYS), JSON)
    def test_records_with_another_value(self, form: str, key: str, value: object) -> None:
        _read_all(_lines({**NEW[form][0], key: value}, NEW[form][0]))

    @given(st.lists(st.binary(max_size=20).map(lambda data: data.replace(b"\n", b"")), min_size=4, max_size=4))
    def test_unbroken_lines_keep_their_calls(self, noise: list[bytes]) -> None:
        whole = [_use(f"t{n}") for n in range(4)]
        text = "\n".join(
            f"{json.dumps(record)}\n#{junk.decode(errors='replace')}" for record, junk in zip(whole, noise, strict=True)
        )
        assert _ids(parse(text)[0]) == ["t0", "t1", "t2", "t3"]


def _read_all(text: str) -> None:
    try:
        parse(text)
    except RecordingError:
        return


def _peak(path: Path) -> int:
    tracemalloc.start()
    for recording in read(path):
        for _ in recording.turns:
            pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def _session(turns: int) -> Iterable[str]:
    for n in range(turns):
        yield _lines(_user("go"), _use(f"t{n}"), _result(f"t{n}", "x" * 2000)) + "\n"


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    short, long = tmp_path / "short.jsonl", tmp_path / "long.jsonl"
    short.write_text("".join(_session(200)), encoding="utf-8")
    long.write_text("".join(_session(2000)), encoding="utf-8")
    assert _peak(long) < 3 * _peak(short)
