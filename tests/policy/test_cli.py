"""The command line: readable output, clean pipes, and one line on stderr for whatever is wrong."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from samecall import schema

from tests.policy.terminals import COMMAND, on_terminal, run

EXAMPLE = str(Path(__file__).parents[2] / "benchmarks" / "sessions" / "defamation.json")
MISSION = ["--max-tool-calls", "6", "--dedupe-tool-calls"]


class TestReplay:
    """``samecall replay``."""

    def test_it_prints_a_row_for_each_call_and_the_totals(self) -> None:
        done = run("replay", EXAMPLE, *MISSION)
        lines = done.stdout.splitlines()
        assert (done.returncode, done.stderr) == (0, "")
        assert lines[1].split() == ["call", "tool", "what", "it", "was", "decision", "reason", "of", "result"]
        assert [line.split()[0] for line in lines[2:13]] == [str(number) for number in range(1, 12)]
        assert lines[13] == "11 calls: 6 run, 5 refused (4 duplicate_tool_call, 1 max_tool_calls)"
        assert "1 had the earlier call's result, 3 another view of it, 0 another result, 0 not known" in lines[14]

    def test_a_pipe_gets_whole_lines_without_colours(self) -> None:
        text = run("replay", EXAMPLE, *MISSION, COLUMNS="40").stdout
        assert "\x1b" not in text
        assert "https://api.caselaw.example/v1/judgments/2016-880" in text
        assert not any(line != line.rstrip() for line in text.splitlines())

    @pytest.mark.parametrize("width", [80, 120])
    def test_a_terminal_gets_lines_that_fit(self, width: int) -> None:
        lines = on_terminal("replay", EXAMPLE, *MISSION, width=width).splitlines()
        rows = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines[1:13]]
        assert len(rows) == 12
        assert all(len(row) <= width for row in rows)

    def test_no_color_means_no_colour(self) -> None:
        assert "\x1b[3" not in on_terminal("replay", EXAMPLE, *MISSION, width=80, NO_COLOR="1")
        assert "\x1b[3" in on_terminal("replay", EXAMPLE, *MISSION, width=80)

    def test_json_is_events_that_fit_the_schema(self) -> None:
        validator = Draft202012Validator(schema())
        events = [json.loads(line) for line in run("replay", EXAMPLE, *MISSION, "--json").stdout.splitlines()]
        for event in events:
            validator.validate(event)
        assert events[0]["type"] == "turn_started"
        assert events[-1]["type"] == "turn"
        assert events[-1]["counts"] == {"attempted": 11, "executed": 6, "rejected": 5, "reused": 0}

    def test_many_files_have_totals_of_all(self) -> None:
        done = run("replay", EXAMPLE, EXAMPLE, *MISSION, "--totals")
        assert done.stdout.splitlines()[0] == (
            "all 2 sessions: 22 calls: 12 run, 10 refused (8 duplicate_tool_call, 2 max_tool_calls)"
        )

    def test_a_folder_is_its_files_without_those_that_are_no_recordings(self, tmp_path: Path) -> None:
        (tmp_path / "a.json").write_text(Path(EXAMPLE).read_text(encoding="utf-8"), encoding="utf-8")
        (tmp_path / "notes.txt").write_text("hello", encoding="utf-8")
        done = run("replay", str(tmp_path), *MISSION, "--totals")
        assert done.returncode == 0
        assert done.stdout.startswith("11 calls: 6 run")
        assert done.stderr.startswith("samecall: left out: ")
        assert len(done.stderr.splitlines()) == 1

    def test_a_folder_without_recordings_is_an_error(self, tmp_path: Path) -> None:
        done = run("replay", str(tmp_path))
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"samecall: {tmp_path}: no recorded session in this folder\n"

    def test_the_totals_of_one_session(self) -> None:
        assert run("replay", EXAMPLE, *MISSION, "--totals").stdout.startswith("11 calls: 6 run, 5 refused")

    def test_the_other_answers(self) -> None:
        assert " run with a warning" in run("replay", EXAMPLE, *MISSION, "--on-duplicate-tool-call", "warn").stdout
        assert (
            "5 refused (5 max_tool_calls)"
            in run("replay", EXAMPLE, *MISSION, "--on-duplicate-tool-call", "allow").stdout
        )
        assert (
            "answered with an earlier result"
            in run("replay", EXAMPLE, "--dedupe-tool-calls", "--on-duplicate-tool-call", "reuse").stdout
        )

    def test_credentials_and_control_characters_are_not_shown(self, tmp_path: Path) -> None:
        command = {"command": "curl -u ann:hunter2 https://h/\n\x1b[31m"}
        call = {"id": "1", "function": {"name": "bash", "arguments": json.dumps(command)}}
        path = tmp_path / "s.json"
        path.write_text(json.dumps([{"role": "assistant", "tool_calls": [call]}]), encoding="utf-8")
        text = run("replay", str(path)).stdout
        assert r"curl -u *** https://h/\n\x1b[31m" in text

    def test_a_reader_that_goes_away_is_no_error(self) -> None:
        # The pipeline is ours.
        done = subprocess.run(  # noqa: S603
            ["/bin/sh", "-c", '"$@" | head -1', "sh", *COMMAND, "replay", *[EXAMPLE] * 60],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.stderr == ""

    def test_an_interrupt_ends_it_without_a_traceback(self) -> None:
        process = subprocess.Popen(  # noqa: S603 - our own command, waiting for its input
            [*COMMAND, "key"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("ls\n")
        process.stdin.flush()
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        assert process.returncode == 130
        assert "Traceback" not in errors


class TestKey:
    """``samecall key``."""

    def test_it_prints_the_text_and_the_digest(self) -> None:
        text, digest = run("key", "ls   -la").stdout.splitlines()
        assert text == "ls -la"
        assert len(digest) == 32

    def test_json_says_everything(self) -> None:
        body = json.loads(run("key", 'curl -s "https://h.example/x?b=2&a=1" | jq .id', "--json").stdout)
        assert set(body) == {"exact", "text", "view", "notes", "key", "effect"}
        assert body["view"]
        assert body["effect"]["kind"] == "read"
        assert body["key"]["strategy"] == "normalized"

    def test_it_reads_commands_and_calls_from_standard_input(self) -> None:
        lines = [
            "ls  -la",
            '{"cmd": "ls -la"}',
            '{"command": "ls -la", "note": 1}',
            '{"name": "bash", "input": {"command": "ls -la"}}',
            "{ ls; }",
            "",
        ]
        for arguments in (["key"], ["key", "-"]):
            found = run(*arguments, given="\n".join(lines)).stdout.splitlines()
            assert len(found) == 5
            assert len({line.split()[0] for line in found[:3]}) == 1
        bodies = [json.loads(line) for line in run("key", "--json", given="\n".join(lines)).stdout.splitlines()]
        assert len(bodies) == 5

    def test_a_text_of_many_lines_stays_on_one(self) -> None:
        found = run("key", given=json.dumps({"cmd": "cat <<E\na\nE\n"})).stdout
        assert len(found.splitlines()) == 1


class TestExplain:
    """``samecall explain``."""

    def test_equal_commands(self) -> None:
        done = run("explain", "echo hello", "echo 'hello'")
        assert done.returncode == 0
        assert done.stdout.strip()

    def test_a_terminal_gets_whole_words_and_a_pipe_one_line(self) -> None:
        commands = ("curl -s 'https://h/x?b=2&a=1' -m 5", "curl 'https://h/x?a=1&b=2' --retry 3")
        shown = on_terminal("explain", *commands, width=80).replace("\r", "")
        assert max(map(len, shown.splitlines())) <= 80
        assert run("explain", *commands).stdout == shown.rstrip("\n").replace("\n", " ") + "\n"

    def test_different_commands(self) -> None:
        done = run("explain", "echo hello", "echo 'hel lo'")
        assert done.returncode == 1
        assert done.stdout.strip()


def test_the_schema_that_is_printed_describes_every_event() -> None:
    printed = json.loads(run("schema").stdout)
    Draft202012Validator.check_schema(printed)
    ours = [event for event in schema()["oneOf"] if event["title"] != "TurnFinished"]  # a run's last event says more
    assert [event for event in ours if event not in printed["oneOf"]] == []


BAD = [
    ["replay"],
    ["replay", "no-such-file"],
    ["replay", __file__],
    ["replay", EXAMPLE, "--no-such-option"],
    ["replay", EXAMPLE, "--max-tool-calls", "-1"],
    ["replay", EXAMPLE, "--max-tool-calls", "six"],
    ["replay", EXAMPLE, "--tool-call-key", "fuzzy"],
    ["replay", EXAMPLE, "--on-duplicate-tool-call", "warn"],
    ["explain", "a"],
    ["schema", "extra"],
    ["no-such-command"],
]


@pytest.mark.parametrize("arguments", BAD, ids=" ".join)
def test_bad_input_is_one_line_on_stderr_and_status_two(arguments: list[str]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("samecall: ")
    assert len(done.stderr.splitlines()) == 1


def test_a_line_that_is_no_call_is_named() -> None:
    done = run("key", given='{"cmd": "ls"}\n{"x": 1}\npwd\n')
    assert done.returncode == 2
    assert done.stderr == 'samecall: line 2: needs "cmd", "command", or "name" and "input"\n'
    assert [line.split()[1] for line in done.stdout.splitlines()] == ["ls", "pwd"]


def test_importing_the_library_loads_no_terminal_and_no_engine() -> None:
    heavy = "click rich bashlex redis sqlite3 asyncio".split()
    code = f"import sys, samecall; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "[]"
