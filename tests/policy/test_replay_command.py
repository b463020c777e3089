"""``samecall replay`` as a person meets it: comparison, exports, what cannot be read or written, and Ctrl-C."""

import csv
import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.policy.terminals import COMMAND, on_terminal, run

EXAMPLE = str(Path(__file__).parents[2] / "benchmarks" / "sessions" / "defamation.json")
MISSION = ["--max-tool-calls", "6", "--dedupe-tool-calls"]
NAMES = ["off", "exact", "normalized", "normalized, no invalidation", "graff"]


def _write(path: Path, *calls: tuple[str, str]) -> str:
    messages: list[dict[str, Any]] = []
    for number, (command, result) in enumerate(calls):
        function = {"name": "bash", "arguments": json.dumps({"command": command})}
        messages.append({"role": "assistant", "tool_calls": [{"id": f"c{number}", "function": function}]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": result})
    path.write_text(json.dumps(messages), encoding="utf-8")
    return str(path)


@pytest.fixture
def stale(tmp_path: Path) -> str:
    """Return a session in which a file is read, changed and read again."""
    return _write(tmp_path / "stale.json", ("cat f", "old|<b>"), ("echo >f", ""), ("cat f", "=new\nline"))


class TestCompare:
    """``--compare``."""

    def test_a_pipe_gets_a_policy_a_line_after_what_is_lost(self, stale: str) -> None:
        lines = run("replay", stale, "--compare").stdout.splitlines()
        assert lines[0] == "Refused, though the recorded result is not the earlier call's"
        assert lines[1] == f"normalized, no invalidation: call 3 refused for call 1, turn 1 of {stale}"
        assert [line.split("\t")[0] for line in lines[-6:]] == ["policy", *NAMES]
        assert not any(line != line.rstrip() for line in lines)

    def test_json_is_an_object_a_line_losses_first(self, stale: str) -> None:
        found = [json.loads(line) for line in run("replay", stale, "--compare", "--json").stdout.splitlines()]
        assert [body["type"] for body in found] == ["false_refusal"] * 2 + ["policy"] * 5
        assert (found[0]["result"], found[0]["earlier_result"]) == ("=new\\nline", "old|<b>")
        assert [body["policy"] for body in found[2:]] == NAMES
        assert [body["refused"] for body in found[2:]] == [0, 0, 0, 1, 1]

    @pytest.mark.parametrize("width", [80, 120])
    def test_a_terminal_gets_lines_that_fit_and_every_figure(self, stale: str, width: int) -> None:
        shown = on_terminal("replay", stale, "--compare", width=width)
        lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in shown.splitlines()]
        assert all(len(line) <= width for line in lines)
        assert ["another", "result", "0", "0", "0", "1", "1"] in [line.split() for line in lines]

    def test_no_color_means_no_colour(self, stale: str) -> None:
        assert "\x1b[3" not in on_terminal("replay", stale, "--compare", width=80, NO_COLOR="1")

    def test_totals_are_all_that_it_prints(self, stale: str) -> None:
        done = run("replay", stale, "--compare", "--totals")
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)


class TestFiles:
    """``--csv`` and ``--md``."""

    def test_csv_has_a_call_a_line(self, tmp_path: Path) -> None:
        assert run("replay", EXAMPLE, *MISSION, "--totals", "--csv", f"{tmp_path}/c.csv").returncode == 0
        with (tmp_path / "c.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        assert [row["call"] for row in rows] == [str(number) for number in range(1, 12)]
        assert rows[2]["decision"] == "reject"
        assert (rows[2]["of"], rows[2]["result"], rows[2]["session"]) == ("1", "same", EXAMPLE)
        assert rows[2]["what it was"].startswith('curl --silent "https://API')

    def test_csv_of_a_comparison_has_a_policy_a_line(self, stale: str, tmp_path: Path) -> None:
        run("replay", stale, "--compare", "--csv", f"{tmp_path}/c.csv")
        with (tmp_path / "c.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        assert [row["policy"] for row in rows] == NAMES
        assert [row["another result"] for row in rows] == ["0", "0", "0", "1", "1"]

    def test_markdown_shows_every_text_as_it_is(self, stale: str, tmp_path: Path) -> None:
        run("replay", stale, "--compare", "--md", f"{tmp_path}/c.md")
        text = (tmp_path / "c.md").read_text(encoding="utf-8")
        assert r"old\|\<b\>" in text
        tables = [line for line in text.splitlines() if line.startswith("| ")]
        assert [line.count(" | ") for line in tables[-6:]] == [12] * 6

    def test_markdown_of_calls_has_a_table_a_session(self, tmp_path: Path) -> None:
        run("replay", EXAMPLE, *MISSION, "--md", f"{tmp_path}/c.md")
        lines = (tmp_path / "c.md").read_text(encoding="utf-8").splitlines()
        assert lines[0] == "# Recorded sessions"
        assert sum(line.startswith("| ") for line in lines) == 12

    @pytest.mark.parametrize("option", ["--csv", "--md"])
    @pytest.mark.parametrize("path", ["/dev/full", "/nowhere/at/all"])
    def test_a_file_that_cannot_be_written_is_one_line(self, option: str, path: str) -> None:
        done = run("replay", EXAMPLE, "--totals", option, path)
        assert done.returncode == 2
        assert done.stderr.startswith(f"samecall: {path}: ")
        assert len(done.stderr.splitlines()) == 1


class TestPage:
    """``--html``."""

    @pytest.mark.parametrize("more", [[], ["--totals"], ["--compare"], ["--json"]])
    def test_the_page_is_written_beside_what_is_printed(self, stale: str, tmp_path: Path, more: list[str]) -> None:
        pytest.importorskip("jinja2")
        pytest.importorskip("vl_convert")
        path = tmp_path / "page.html"
        done = run("replay", EXAMPLE, stale, "--dedupe-tool-calls", *more, "--html", str(path))
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout
        assert "cat f" in path.read_text(encoding="utf-8")


class TestInput:
    """What is read, and what is said of what is not."""

    def test_a_dash_is_standard_input(self) -> None:
        given = Path(EXAMPLE).read_text(encoding="utf-8")
        assert run("replay", "-", *MISSION, "--totals", given=given).stdout.startswith("11 calls: 6 run, 5 refused")

    def test_a_format_that_is_not_there_is_one_line(self) -> None:
        done = run("replay", EXAMPLE, "--format", "nope")
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)

    def test_a_file_that_cannot_be_read_does_not_hide_the_others(self) -> None:
        done = run("replay", EXAMPLE, "no-such-file", EXAMPLE, *MISSION, "--totals")
        assert done.returncode == 2
        assert done.stdout.startswith("all 2 sessions: 22 calls")
        assert "no-such-file" in done.stderr
        assert len(done.stderr.splitlines()) == 1

    def test_the_same_figures_from_two_processes(self, stale: str) -> None:
        files = [EXAMPLE, stale] * 4
        assert run("replay", *files, "--compare", "--jobs", "2").stdout == run("replay", *files, "--compare").stdout

    def test_a_cluster_that_is_not_there_is_one_line(self) -> None:
        pytest.importorskip("distributed")
        done = run("replay", EXAMPLE, "--engine", "dask://127.0.0.1:9")
        assert done.returncode == 2
        assert done.stderr.startswith("samecall: dask://127.0.0.1:9: ")
        assert len(done.stderr.splitlines()) == 1


PRINTING = [
    ["replay", EXAMPLE],
    ["replay", EXAMPLE, "--json"],
    ["replay", EXAMPLE, "--compare"],
    ["schema"],
    ["key", "ls"],
    ["explain", "a", "b"],
]


class TestBroken:
    """Lines that are not JSON, and records that nobody knows."""

    def test_a_broken_line_is_named_and_the_rest_is_read(self, tmp_path: Path) -> None:
        messages = json.loads(Path(_write(tmp_path / "s.json", ("ls", "a"), ("ls", "a"))).read_text(encoding="utf-8"))
        lines = [json.dumps(message) for message in messages]
        path = tmp_path / "s.jsonl"
        path.write_text("\n".join([*lines[:2], '{"role": ', *lines[2:], ""]), encoding="utf-8")
        done = run("replay", str(path), "--dedupe-tool-calls", "--totals")
        assert done.returncode == 0
        assert done.stdout.startswith("2 calls: 1 run, 1 refused")
        assert done.stdout.endswith("left out: 0 records of unknown kinds, 1 broken lines\n")
        assert done.stderr.startswith(f"samecall: {path}: line 3: ")
        assert len(done.stderr.splitlines()) == 1


class TestOutput:
    """What happens where the output cannot go."""

    @pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
    def test_a_full_disk_is_one_line(self, arguments: list[str]) -> None:
        with Path("/dev/full").open("w", encoding="utf-8") as full:
            done = subprocess.run(  # noqa: S603 - our own command
                [*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False
            )
        assert done.returncode == 2
        assert done.stderr == "samecall: output: No space left on device\n"

    @pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
    def test_a_closed_output_is_one_line(self, arguments: list[str]) -> None:
        done = _shell('exec "$@" >&-', *arguments)
        assert (done.returncode, done.stderr) == (2, "samecall: standard output is closed\n")

    @pytest.mark.parametrize("arguments", PRINTING, ids=" ".join)
    def test_a_reader_that_goes_away_is_quiet(self, arguments: list[str]) -> None:
        # The reader is gone before the first word.
        done = _shell('{ sleep 2; "$@"; echo $? >&2; } | true', *arguments)
        assert done.stderr == "141\n"


def _shell(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    # The script is ours.
    return subprocess.run(  # noqa: S603
        ["/bin/sh", "-c", script, "sh", *COMMAND, *arguments], capture_output=True, text=True, timeout=60, check=False
    )


NEEDS_PROC = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="Linux shows its processes there")


@NEEDS_PROC
def test_an_interrupt_ends_all_processes_without_a_traceback(tmp_path: Path) -> None:
    """Ctrl-C reaches the whole process group at a terminal."""
    calls = [(f"grep -n word{number} f", "x") for number in range(2_000)]
    files = [_write(tmp_path / f"{number}.json", *calls) for number in range(8)]
    process = subprocess.Popen(  # noqa: S603 - our own command
        [*COMMAND, "replay", *files, "--compare", "--jobs", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 30
    while len(_members(process.pid)) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (130, "\n")  # the end of the line with ^C
    assert _gone(process.pid)


@NEEDS_PROC
def test_a_parent_that_is_killed_leaves_no_process(tmp_path: Path) -> None:
    calls = [(f"grep -n word{number} f", "x") for number in range(2_000)]
    files = [_write(tmp_path / f"{number}.json", *calls) for number in range(8)]
    process = subprocess.Popen(  # noqa: S603 - our own command
        [*COMMAND, "replay", *files, "--compare", "--jobs", "2"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 30
    while len(_members(process.pid)) < 4 and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(1.5)
    process.kill()
    process.wait()
    assert _gone(process.pid)


def _gone(group: int) -> bool:
    deadline = time.monotonic() + 20
    while _members(group) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not _members(group)


def _members(group: int) -> list[int]:
    """Return the processes of a group that are not over."""
    found: list[int] = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            state, _, members_group, *_ = (place / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        if int(members_group) == group and state != "Z":
            found.append(int(place.name))
    return found
