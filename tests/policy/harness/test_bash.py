"""The bash tool: what it gives back, what it asks about, and what it leaves behind."""

import asyncio
import os
import time
import tracemalloc
from contextlib import suppress
from pathlib import Path

import pytest
from samecall import ToolFailedError
from samecall.harness import Bash
from samecall.harness.bash import run_command
from samecall.harness.output import Tape


def run(command: str, **settings: object) -> str:
    return asyncio.run(run_command(Bash(**{"approve": lambda _: True, **settings}), command))  # type: ignore[arg-type]


def failure(command: str, **settings: object) -> str:
    with pytest.raises(ToolFailedError) as caught:
        run(command, **settings)
    return str(caught.value.result)


def test_output_and_errors_come_back_together(tmp_path: Path) -> None:
    assert run("pwd; echo two >&2", directory=tmp_path) == f"{tmp_path}\ntwo\n"


def test_silence_is_said() -> None:
    assert run("true") == "(no output)"


def test_a_status_is_told_as_bash_tells_it() -> None:
    assert failure("echo no; exit 3") == "no\n\n[exit status 3]"
    assert failure("kill -9 $$") == "[exit status 137]"


def test_a_command_has_no_input() -> None:
    assert run("cat; echo end") == "end\n"


def test_nothing_is_handed_on_to_the_next_command(tmp_path: Path) -> None:
    run("cd /; x=1; export x", directory=tmp_path)
    assert run('pwd; echo "[$x]"', directory=tmp_path) == f"{tmp_path}\n[]\n"


def test_keys_of_model_providers_are_kept_from_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    assert "secret" not in run("env")


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("head -c 5000 /dev/urandom", "[binary data, 5000 bytes]"),
        (r"printf 'a\0b\0'", "a␀b␀"),
        (r"printf 'caf\xe9 au lait'", "caf� au lait"),
    ],
)
def test_what_is_no_text_does_no_harm(command: str, told: str) -> None:
    assert run(command) == told


def test_of_huge_output_the_two_ends_are_kept() -> None:
    text = run("echo first; yes | head -c 50000000; echo last")
    assert text.startswith("first\n")
    assert text.endswith("last\n")
    assert "bytes left out" in text
    assert len(text) < 31_000


@pytest.mark.parametrize("limit", [0, 1, 2, 3])
def test_a_small_limit_is_kept(limit: int) -> None:
    tape, chunk = Tape(limit), b"x" * 100_000
    tracemalloc.start()
    for _ in range(100):
        tape.add(chunk)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    left_out = f"[... {10_000_000 - limit} bytes left out ...]"
    assert tape.text() == f"{'x' * (limit // 2)}\n{left_out}\n{'x' * (limit - limit // 2)}"
    assert peak < 1_000_000


def test_output_that_never_ends_is_ended() -> None:
    assert failure("yes", timeout=0.5).endswith("[ended after 0.5 seconds]")


def test_a_command_that_ignores_sigterm_is_killed() -> None:
    assert "[ended after 0.3 seconds]" in failure("trap '' TERM; echo deaf; while :; do sleep 0.05; done", timeout=0.3)


def test_what_a_command_leaves_running_ends_with_it(tmp_path: Path) -> None:
    run(f"(trap '' TERM HUP; while :; do date +%N > {tmp_path}/beat; sleep 0.05; done) >/dev/null 2>&1 &")
    assert_silent(tmp_path / "beat")


def test_a_process_that_keeps_the_pipe_does_not_hold_the_result(tmp_path: Path) -> None:
    started = time.monotonic()
    assert run(f"setsid sleep 30 & echo $! > {tmp_path}/pid; echo done") == "done\n"
    os.kill(int((tmp_path / "pid").read_text()), 9)
    assert time.monotonic() - started < 25


def test_what_writes_after_bash_is_gone_may_finish(tmp_path: Path) -> None:
    run(f"echo late > >(sleep 0.1; cat > {tmp_path}/log)")
    assert (tmp_path / "log").read_text() == "late\n"


def test_a_cancelled_command_leaves_nothing(tmp_path: Path) -> None:
    async def cancel() -> None:
        bash = Bash(tmp_path, approve=lambda _: True)
        command = "trap '' TERM; (while :; do date +%N > beat; sleep 0.05; done) & wait"
        running = asyncio.create_task(run_command(bash, command))
        await asyncio.to_thread(wait_for, tmp_path / "beat")
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(cancel())
    assert_silent(tmp_path / "beat")


def wait_for(file: Path) -> None:
    end = time.monotonic() + 30
    while not file.exists():
        assert time.monotonic() < end
        time.sleep(0.02)


def assert_silent(beat: Path) -> None:
    """Check that nobody writes to a file any more."""
    before = beat.read_bytes() if beat.exists() else b""
    time.sleep(0.3)
    assert (beat.read_bytes() if beat.exists() else b"") == before


@pytest.mark.parametrize("command", ["ls", "git log -1", "cd / && ls", "date", "curl -s http://localhost:1/x || true"])
def test_a_command_that_changes_nothing_runs_unasked(command: str) -> None:
    with suppress(ToolFailedError):
        run(command, approve=pytest.fail)


@pytest.mark.parametrize(
    "command", ["touch x", "rm -rf build", "echo a > f", "curl -d a=1 http://h/", "unknown-program"]
)
def test_a_command_that_may_change_something_is_asked_about(tmp_path: Path, command: str) -> None:
    def refuse(text: str) -> bool:
        assert text == command
        return False

    for approve, told in ((refuse, "the user refused"), (None, "nobody to ask")):
        with pytest.raises(ToolFailedError) as caught:
            run(command, directory=tmp_path, approve=approve)
        assert caught.value.outcome == "denied"
        assert told in str(caught.value.result)
    assert list(tmp_path.iterdir()) == []


def test_an_answer_may_take_its_time(tmp_path: Path) -> None:
    async def approve(_: str) -> bool:
        await asyncio.sleep(0)
        return True

    run("touch x", directory=tmp_path, approve=approve)
    assert (tmp_path / "x").exists()


@pytest.mark.parametrize("command", ["echo a\0b", "echo \ud800"])
def test_text_that_no_process_takes_is_an_error_of_the_call(command: str) -> None:
    with pytest.raises(ValueError, match=r"null byte|surrogates"):
        run(command)
