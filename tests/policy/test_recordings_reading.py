"""Sessions are read turn by turn, from any source, whatever is broken; a call that is written twice is one call."""

import gzip
import io
import json
import os
import threading
import tracemalloc
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samecall import RecordingError
from samecall.recordings import FORMATS, Recording, find, parse, read
from samecall.recordings import lines as text_lines

from tests.policy.recorded import LS, RECORDED, lines, span


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
    (tmp_path / "s1.jsonl").write_text(lines(_user("go"), _use("t1")), encoding="utf-8")
    folder = tmp_path / "s1" / "subagents"
    folder.mkdir(parents=True)
    agent = folder / "agent-a1.jsonl"
    agent.write_text(lines(_user("look", isSidechain=True), _use("t1"), _use("t2")), encoding="utf-8")
    assert list(find([str(tmp_path)])) == [tmp_path / "s1.jsonl"]
    assert [(r.session, _ids(r)) for r in read(tmp_path / "s1.jsonl")] == [("", ["t1"]), ("s1/a1", ["t2"])]


def test_an_agent_that_the_sessions_file_tells_of_is_no_second_empty_session(tmp_path: Path) -> None:
    told: dict[str, Any] = {"isSidechain": True, "agentId": "a1", "sessionId": "s1"}
    more = {**told, "agentId": "a2"}
    talk = lines(_user("look", **told))
    main = tmp_path / "s1.jsonl"
    main.write_text(lines(_user("go"), _use("t1"), _use("t2", **told), _use("t3", **more)), encoding="utf-8")
    folder = tmp_path / "s1" / "subagents"
    folder.mkdir(parents=True)
    (folder / "agent-a1.jsonl").write_text(lines(_user("look", **told), _use("t2", **told)), encoding="utf-8")
    (folder / "agent-a2.jsonl").write_text(lines(_use("t3"), _user("and"), _use("t4"), _user("so")), encoding="utf-8")
    (folder / "agent-a3.jsonl").write_text(talk, encoding="utf-8")
    assert [(r.session, _ids(r)) for r in read(main)] == [
        ("", ["t1"]), ("s1/a1", ["t2"]), ("s1/a2", ["t3"]), ("s1/a2", ["t4"]), ("s1/a3", []),
    ]  # fmt: skip


@pytest.mark.parametrize("together", [True, False], ids=["one export", "a span a line"])
def test_a_tools_span_belongs_to_the_conversation_of_its_trace(together: bool) -> None:  # noqa: FBT001 - a row
    asked = [{"role": "assistant", "parts": [{"type": "tool_call", "id": "1", "name": "bash", "arguments": LS}]}]
    chat = span("1", conversation_id="c", operation_name="chat", output_messages=json.dumps(asked))
    tool = span("2", operation_name="execute_tool", tool_name="bash", tool_call_id="1")
    exports = [{"resourceSpans": [{"scopeSpans": [{"spans": [tool, chat]}]}]}] if together else [chat, tool]
    assert [(r.session, _ids(r)) for r in parse(lines(*exports))] == [("c", ["1"])]


TEXT = lines(_user("go"), _use("t1"), _result("t1", "a"))


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]) -> None:
    data = io.BufferedReader(io.BytesIO(pack(TEXT.encode())))
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=data))
    assert [path.name for path in find(["-"])] == ["-"]
    assert [_ids(recording) for recording in read("-")] == [["t1"]]


def test_a_pipe_is_read_but_not_looked_for_in_a_folder(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert list(find([str(tmp_path)])) == []
    assert list(find([str(pipe)])) == [pipe]
    writer = threading.Thread(target=pipe.write_text, args=(TEXT,), daemon=True)
    writer.start()
    assert [_ids(recording) for recording in read(pipe)] == [["t1"]]
    writer.join(10)


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("*.jsonl", ["a.jsonl", "b.jsonl"]),
        ("**/*.jsonl", ["a.jsonl", "b.jsonl", "deep/c.jsonl"]),
        ("de*", ["deep/c.jsonl", "deep/d.json.gz"]),
        ("[ab].jsonl", ["a.jsonl", "b.jsonl"]),
        ("[1].json", ["[1].json"]),
        ("missing", ["missing"]),
        ("", ["[1].json", "a.jsonl", "b.jsonl", "deep/c.jsonl", "deep/d.json.gz"]),
    ],
)
def test_folders_globs_and_names_are_files(tmp_path: Path, pattern: str, names: list[str]) -> None:
    (tmp_path / "deep").mkdir()
    for name in ("b.jsonl", "a.jsonl", "[1].json", "deep/d.json.gz", "deep/c.jsonl"):
        (tmp_path / name).touch()
    assert [path.relative_to(tmp_path).as_posix() for path in find([f"{tmp_path}/{pattern}"])] == names


def test_a_glob_without_a_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="no such file"):
        list(find([f"{tmp_path}/*.jsonl"]))


class TestLongLines:
    """A line past the bound is a broken line, and is not held."""

    @pytest.fixture(autouse=True)
    def bound(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(text_lines, "LINE", 1 << 20)

    def test_the_lines_around_it_are_read(self, tmp_path: Path) -> None:
        path = tmp_path / "s.jsonl"
        long = json.dumps(_result("t1", "x" * (1 << 20)))
        path.write_text("\n".join([lines(_user("go"), _use("t1")), long, lines(_use("t2"))]), encoding="utf-8")
        (recording,) = read(path)
        assert _ids(recording) == ["t1", "t2"]
        assert recording.skipped.broken == [(str(path), 3, "longer than 1 MB")]

    def test_one_without_an_end_is_left_after_a_while(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(text_lines, "SKIP", 1 << 21)
        path = tmp_path / "s.jsonl"
        path.write_text(lines(_user("go"), _use("t1")) + "\n" + "x" * (1 << 23), encoding="utf-8")
        tracemalloc.start()
        (recording,) = read(path)
        assert _ids(recording) == ["t1"]
        assert tracemalloc.get_traced_memory()[1] < 1 << 22
        tracemalloc.stop()
        assert recording.skipped.lines == 1

    def test_a_file_of_nothing_else_is_no_recording(self, tmp_path: Path) -> None:
        (tmp_path / "s").write_bytes(b"\0" * (1 << 22))
        with pytest.raises(RecordingError, match="longer than 1 MB"):
            list(read(tmp_path / "s"))


@pytest.mark.parametrize("pack", ["gzip", "zstandard"])
def test_a_compressed_file_that_is_cut_off_is_read_up_to_there(tmp_path: Path, pack: str) -> None:
    text = lines(*(record for n in range(4000) for record in (_user(os.urandom(30).hex()), _use(f"t{n}"))))
    data = pytest.importorskip(pack).compress(text.encode())
    (tmp_path / "s").write_bytes(data[: len(data) // 2])
    (recording,) = read(tmp_path / "s")
    assert 100 < len(_ids(recording)) < 4000
    assert recording.skipped.lines > 0


def test_broken_lines_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    glued = json.dumps(_use("t2")) + json.dumps(_use("t3"))
    path.write_text("\n".join([lines(_user("go"), _use("t1")), "{broken", glued, '{"type": "new"}']), encoding="utf-8")
    (recording,) = read(path)
    assert _ids(recording) == ["t1", "t2", "t3"]
    assert (recording.skipped.records, recording.skipped.lines) == (1, 1)
    assert recording.skipped.broken == [(str(path), 3, "not JSON")]


def test_a_result_may_come_after_the_next_word_of_the_user() -> None:
    (recording,) = parse(lines(_user("a"), _use("t1"), _user("b"), _result("t1", "late"), _use("t2")))
    assert [[c.result for b in turn.batches for c in b] for turn in recording.turns] == [["late"], [None]]


def test_compressed_files_are_read(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    text = lines(_user("go"), _use("t1")).encode()
    for data in (text, gzip.compress(text), zstandard.compress(text)):
        (tmp_path / "s").write_bytes(data)
        assert _ids(next(read(tmp_path / "s"))) == ["t1"]


def test_a_device_without_end_is_refused() -> None:
    with pytest.raises(RecordingError, match="a device"):
        list(read("/dev/zero"))


def test_every_format_has_a_session_here() -> None:
    assert {form for form, _, _ in RECORDED} == set(FORMATS)


def test_a_format_can_be_forced_and_must_exist(tmp_path: Path) -> None:
    (tmp_path / "s").write_text('{"a": 1}', encoding="utf-8")
    for form in FORMATS:
        assert [r.format for r in read(tmp_path / "s", format=form)] == [form]
    with pytest.raises(RecordingError, match="no such format"):
        list(read(tmp_path / "s", format="nothing"))


class TestAnyInput:
    """Whatever a file holds, it is read or ``RecordingError`` says why not."""

    @given(st.binary(max_size=200))
    def test_bytes(self, data: bytes) -> None:
        _read_all(data.decode(errors="replace"))

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
        yield lines(_user("go"), _use(f"t{n}"), _result(f"t{n}", "x" * 2000)) + "\n"


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    short, long = tmp_path / "short.jsonl", tmp_path / "long.jsonl"
    short.write_text("".join(_session(200)), encoding="utf-8")
    long.write_text("".join(_session(2000)), encoding="utf-8")
    assert _peak(long) < 3 * _peak(short)
