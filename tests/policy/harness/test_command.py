"""``samecall run`` as programs and people start it: a real process, its streams, its signals, its terminal."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from samecall.harness import schema

from tests.policy.harness.person import Person
from tests.policy.harness.provider import Fail, Provider, Say, bash

SAMECALL = (sys.executable, "-m", "samecall")
SESSION = Path(__file__).parents[3] / "benchmarks/sessions/defamation.json"


def arguments(provider: Provider, *more: str) -> list[str]:
    return ["run", "--model", "openai:scripted", "--base-url", provider.base_url, *more]


@contextmanager
def start(*command: str, **options: Any) -> Iterator[subprocess.Popen[str]]:
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    # The arguments are ours.
    with subprocess.Popen([*SAMECALL, *command], **{**pipes, **options}) as process:  # noqa: S603
        try:
            yield process
        finally:
            process.kill()


def run(*command: str, given: str | None = None, **options: Any) -> subprocess.CompletedProcess[str]:
    with start(*command, **({"stdin": subprocess.PIPE} if given is not None else {}), **options) as process:
        out, error = process.communicate(given, timeout=60)
    return subprocess.CompletedProcess(command, process.returncode, out, error)


def events(output: str) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in output.splitlines()]
    check = jsonschema.Draft202012Validator(schema())
    for event in found:
        check.validate(event)
    return found


def test_the_stream_of_a_run(provider: Provider) -> None:
    provider.play(bash("echo 1", "echo  1"), bash("echo 2", first=3))
    more = ("--json", "--max-tool-calls", "1", "--dedupe-tool-calls", "Go.")
    done = run(*arguments(provider, *more))
    told = events(done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    assert [event["type"] for event in told] == [
        "turn_started",
        "model_call_started",
        "model_call_finished",
        "tool_call_started",
        "tool_rejected",
        "tool_call_finished",
        "model_call_started",
        "model_call_finished",
        "turn",
    ]
    last = told[-1]
    assert (last["text"], last["complete"]) == ("The answer.", True)
    assert last["counts"] == {"attempted": 2, "executed": 1, "rejected": 1, "reused": 0}
    assert last["usage"] == {"input_tokens": 20, "output_tokens": 10}
    assert (told[4]["reason"], told[4]["limit"], told[4]["tool_call_count"]) == ("max_tool_calls", 1, 1)
    assert "input" not in told[3]


def test_the_model_may_come_from_a_recording() -> None:
    more = ("--json", "--max-tool-calls", "6", "--dedupe-tool-calls", "Can he sue?")
    told = events(run("run", "--model", f"replay:{SESSION}", *more).stdout)
    assert told[-1]["complete"]
    assert told[-1]["counts"]["executed"] == 6
    assert {event["reason"] for event in told if event["type"] == "tool_rejected"} == {
        "duplicate_tool_call",
        "max_tool_calls",
    }


def test_a_recorded_call_without_a_result_runs(tmp_path: Path) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": '{"command": "echo here > f"}'}}
    messages = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "assistant", "content": "Done."},
    ]
    (tmp_path / "session.json").write_text(json.dumps(messages))
    command = ("run", "--json", "--yolo", "-C", str(tmp_path), "--model", f"replay:{tmp_path}/session.json")
    told = events(run(*command, given='{"type": "user", "text": "One."}\n{"type": "user", "text": "Two."}').stdout)
    turns = [event for event in told if event["type"] == "turn"]
    assert (tmp_path / "f").read_text() == "here\n"
    assert [(turn["text"], turn["complete"]) for turn in turns] == [("Done.", True), ("", False)]
    assert "the recording has 1 turns" in turns[1]["error"]


def test_each_line_on_standard_input_is_a_turn(provider: Provider) -> None:
    lines = ['{"type": "user", "text": "One."}', "", '{"type": "user", "text": "Zwei \\u00e4."}\r']
    done = run(*arguments(provider, "--json"), given="\n".join(lines))
    turns = [event["turn"] for event in events(done.stdout) if event["type"] == "turn"]
    assert (done.returncode, turns) == (0, [1, 2])
    assert [m["content"] for m in provider.requests[-1]["messages"] if m["role"] == "user"] == ["One.", "Zwei ä."]


def test_a_turn_ends_before_the_next_line_is_there(provider: Provider) -> None:
    with start(*arguments(provider, "--json"), stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in (1, 2):
            process.stdin.write('{"type": "user", "text": "Go."}\n')
            process.stdin.flush()
            while json.loads(process.stdout.readline())["type"] != "turn":
                pass
            assert len(provider.requests) == number
        process.communicate(timeout=30)
        assert process.returncode == 0


def test_lines_may_come_from_a_file(provider: Provider, tmp_path: Path) -> None:
    (tmp_path / "turns").write_text('{"type": "user", "text": "Go."}\n' * 2)
    with (tmp_path / "turns").open() as turns:
        done = run(*arguments(provider, "--json"), stdin=turns)
    assert [event["type"] for event in events(done.stdout)].count("turn") == 2


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("", "no prompt"),
        ("plain text\n", "standard input, line 1"),
        ('{"type": "user"}\n', "standard input, line 1"),
        ("[" * 100_000, "standard input, line 1"),
        ('{"type": "user", "text": " "}\n', "standard input, line 1"),
    ],
)
def test_input_that_is_no_prompt_is_refused(provider: Provider, given: str, told: str) -> None:
    done = run(*arguments(provider, "--json"), given=given)
    assert (done.returncode, done.stdout, provider.requests) == (2, "", [])
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "command",
    [
        ("--model", "nope", "Go."),
        ("--model", "replay:/nowhere", "Go."),
        ("--model", "openai:x", "--base-url", "http://127.0.0.1:9/v1", " "),
        ("--model", "openai:x", "--base-url", "http://127.0.0.1:9/v1", "-C", "/nowhere", "Go."),
        ("--model", "openai:x", "--base-url", "http://127.0.0.1:9/v1", "--mcp", "/nowhere", "Go."),
        ("--model", "openai:x", "--base-url", "http://127.0.0.1:9/v1", "--dedupe-scope", "session", "Go."),
    ],
)
def test_what_cannot_work_is_one_line_and_status_2(command: tuple[str, ...]) -> None:
    done = run("run", "--json", *command)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-1].startswith("samecall: ")
    assert "Traceback" not in done.stderr


def test_a_provider_that_fails_still_ends_in_a_turn(provider: Provider) -> None:
    provider.play(bash("echo 1"), Fail(400, b'{"error": {"message": "no credit"}}'))
    done = run(*arguments(provider, "--json", "Go."))
    last = events(done.stdout)[-1]
    assert (done.returncode, last["type"], last["complete"]) == (1, "turn", False)
    assert "no credit" in last["error"]


def test_a_command_that_may_change_something_is_refused_without_a_terminal(provider: Provider, tmp_path: Path) -> None:
    provider.play(bash("touch x", "ls"))
    done = run(*arguments(provider, "--json", "-C", str(tmp_path), "Go."))
    outcomes = [event["outcome"] for event in events(done.stdout) if event["type"] == "tool_call_finished"]
    assert outcomes == ["denied", "succeeded"]
    assert events(done.stdout)[-1]["counts"]["executed"] == 1
    provider.play(bash("touch x", "ls"))
    run(*arguments(provider, "--json", "--yolo", "-C", str(tmp_path), "Go."))
    assert (tmp_path / "x").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_settles_reports_and_leaves_nothing_running(
    provider: Provider, tmp_path: Path, number: signal.Signals
) -> None:
    beat = tmp_path / "beat"
    provider.play(
        bash("trap '' INT TERM HUP; (while :; do date +%N > beat; sleep 0.05; done) & wait", "echo never > f")
    )
    with start(*arguments(provider, "--json", "--yolo", "-C", str(tmp_path), "Go.")) as process:
        end = time.monotonic() + 30
        while not beat.exists():
            assert time.monotonic() < end
            time.sleep(0.02)
        process.send_signal(number)
        out, error = process.communicate(timeout=30)
        told = events(out)
        assert (process.returncode, error) == (128 + number, "")
        outcomes = [event["outcome"] for event in told if event["type"] == "tool_call_finished"]
        assert outcomes == ["cancelled", "cancelled"]
        assert (told[-1]["type"], told[-1]["complete"], told[-1]["error"]) == ("turn", False, "cancelled")
        before = beat.read_bytes()
        time.sleep(0.3)
        assert beat.read_bytes() == before
        assert not (tmp_path / "f").exists()


def test_an_interrupt_while_the_model_thinks(provider: Provider) -> None:
    provider.play(delay=5)
    with start(*arguments(provider, "--json", "Go.")) as process:
        assert provider.asked.wait(30)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=30)
        assert (process.returncode, error) == (130, "")
        assert [event["type"] for event in events(out)][-2:] == ["model_call_finished", "turn"]


def test_an_interrupt_between_turns(provider: Provider) -> None:
    with start(*arguments(provider, "--json"), stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write('{"type": "user", "text": "Go."}\n')
        process.stdin.flush()
        while json.loads(process.stdout.readline())["type"] != "turn":
            pass
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        process.communicate()


def test_nobody_reads_any_more(provider: Provider) -> None:
    provider.play(*[bash(f"echo {n}", first=n) for n in range(200)])
    with start(*arguments(provider, "--json", "Go.")) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(30) == 141
        assert process.stderr is not None
        assert process.stderr.read() == ""
        process.stderr.close()
        assert len(provider.requests) < 200


def test_piped_the_answer_is_alone_on_standard_output(provider: Provider) -> None:
    provider.play(bash("echo 1", "echo  1"), answer="# Yes\n\n* one")
    done = run(*arguments(provider, "--dedupe-tool-calls", "Go."))
    assert done.stdout == "# Yes\n\n* one\n"
    assert done.stderr.splitlines() == [
        "  1 run    $ echo 1",
        "  2 refuse $ echo  1  duplicate of call 1",
        "2 tool calls: 1 run, 1 refused, 2 model calls, 20 tokens in, 10 out",
    ]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_at_a_terminal_every_line_fits(provider: Provider) -> None:
    provider.play(bash("echo " + "wide 漢字 " * 40, 'echo "\x1b[2Jgone"'), answer="word " * 60 + "\x1b[2J\tend")
    person = Person(*SAMECALL, *arguments(provider, "Go."))
    assert person.leaves() == 0
    assert "…" in person.screen
    assert "\x1b[2J" not in person.raw
    assert max(map(width, person.screen.splitlines())) <= 80
    assert "2 tool calls: 2 run" in person.screen


def width(line: str) -> int:
    return sum(2 if letter >= "\u2e80" else 1 for letter in line)


def test_without_colours_there_are_none(provider: Provider) -> None:
    provider.play(bash("echo 1", "echo 1"))
    person = Person(*SAMECALL, *arguments(provider, "--dedupe-tool-calls", "Go."), NO_COLOR="1")
    assert person.leaves() == 0
    assert "\x1b[3" not in person.raw


@pytest.mark.parametrize(("typed", "runs"), [("y\n", True), ("n\n", False), ("\n", False), ("\x04", False)])
def test_a_person_is_asked(provider: Provider, folder: Path, typed: str, *, runs: bool) -> None:
    provider.play(bash("touch x"))
    person = Person(*SAMECALL, *arguments(provider, "Go."))
    person.waits_for("Run it? [y/N]")
    assert "\n    touch x\n" in person.screen
    person.types(typed)
    assert person.leaves() == 0
    assert (folder / "x").exists() == runs


def test_what_was_typed_before_the_question_does_not_answer_it(provider: Provider, folder: Path) -> None:
    provider.play(bash("touch x"), delay=0.5)
    person = Person(*SAMECALL, *arguments(provider, "Go."))
    assert provider.asked.wait(30)
    person.types("y\n")
    person.waits_for("Run it? [y/N]")
    person.types("\n")
    assert person.leaves() == 0
    assert not (folder / "x").exists()


def test_a_conversation_goes_on_after_an_interrupt(provider: Provider, folder: Path) -> None:
    provider.play(bash("sleep 30", "touch x"), answer="Second.")
    person = Person(*SAMECALL, *arguments(provider))
    person.waits_for("> ")
    person.types("One.\n")
    person.waits_for("run    $ sleep 30")
    person.types("\x03")
    person.waits_for("no final answer: cancelled")
    person.types("Two.\n")
    person.waits_for("Second.")
    person.types("\x04")
    assert person.leaves() == 0
    assert not (folder / "x").exists()


def test_ctrl_c_at_the_prompt_leaves(provider: Provider) -> None:
    person = Person(*SAMECALL, *arguments(provider))
    person.waits_for("> ")
    person.types("\x03")
    assert person.leaves() == 130


def test_ctrl_c_at_a_question_leaves(provider: Provider, folder: Path) -> None:
    provider.play(bash("touch x"))
    person = Person(*SAMECALL, *arguments(provider, "Go."))
    person.waits_for("Run it? [y/N]")
    person.types("\x03")
    assert person.leaves() == 130
    assert not (folder / "x").exists()


def test_importing_samecall_does_not_load_the_framework() -> None:
    script = "import sys, samecall, samecall.harness; sys.exit('pydantic_ai' in sys.modules)"
    # The script is ours.
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0  # noqa: S603


def test_without_the_extra_it_is_named(tmp_path: Path) -> None:
    script = (
        "import sys, importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'pydantic_ai' else find(name, *rest)\n"
        "from samecall.cli import main; sys.argv = ['samecall', 'run', '--model', 'openai:x', 'Go.']; main()"
    )
    # The script is ours.
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True, cwd=tmp_path)  # noqa: S603
    assert (done.returncode, done.stderr) == (
        2,
        "samecall: pydantic-ai is not installed: pip install 'samecall[run]'\n",
    )


def test_help_fits_a_terminal() -> None:
    environment = {**os.environ, "COLUMNS": "80"}
    assert max(map(len, run("run", "--help", env=environment).stdout.splitlines())) <= 80


def test_a_batch_is_shown_with_what_came_of_it(provider: Provider) -> None:
    provider.play(Say(calls=[("nothing", {"a": 1}, "1"), ("bash", {"command": "exit 3"}, "2")]))
    done = run(*arguments(provider, "Go."))
    assert done.stderr.splitlines()[:4] == [
        '  1 run    nothing {"a": 1}',
        "  2 run    $ exit 3",
        "  1 failed",
        "  2 failed",
    ]
