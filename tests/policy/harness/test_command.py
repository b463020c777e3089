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
from samecall import schema

from tests.policy.harness.person import Person
from tests.policy.harness.provider import Fail, Provider, Say, bash

SAMECALL = (sys.executable, "-m", "samecall")
SESSION = Path(__file__).parents[3] / "benchmarks/sessions/defamation.json"


def arguments(provider: Provider, *more: str) -> list[str]:
    return ["run", "--model", "openai:scripted", "--base-url", provider.base_url, "--max-tool-calls", "600", *more]


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
    assert turns[1]["error"] == "the recording has 1 turn, and this is one more"


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
    ("command", "told"),
    [
        (
            ("--model", "nope"),
            "model nope: no such model; give PROVIDER:NAME, for example openai:gpt-5, or replay:FILE",
        ),
        (("--model", "openai:x"), "model openai:x: set the environment variable OPENAI_API_KEY"),
        (("--model", "replay:"), "replay: names no recording; give replay:FILE"),
        (("--model", f"replay:{SESSION}", "--base-url", "http://h/"), "base URL: only a model openai:NAME has one"),
        (
            ("--model", "openai:x", "--base-url", "h"),
            "base URL: must begin with http:// or https:// and a host, not h",
        ),
        (
            ("--model", f"replay:{SESSION}", "--mcp", "/nowhere -v"),
            "MCP server '/nowhere -v': Client failed to connect: [Errno 2] No such file or directory: '/nowhere'",
        ),
        (
            ("--model", f"replay:{SESSION}", "--on-duplicate-tool-call", "reuse"),
            "--on-duplicate-tool-call: has no effect unless --dedupe-tool-calls is on",
        ),
    ],
)
def test_what_cannot_work_is_told_in_the_words_of_the_command_line(command: tuple[str, ...], told: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")}
    done = run("run", *command, "Go.", env=environment)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"samecall: {told}\n")


@pytest.mark.parametrize(
    "command",
    [
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
        assert outcomes == ["cancelled", "denied"]
        assert told[-1]["counts"]["executed"] == 1  # the second never began
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
    assert "$ touch x" not in person.screen
    person.types(typed)
    assert person.leaves() == 0
    assert (folder / "x").exists() == runs
    assert ("  1 run    $ touch x" if runs else "  1 denied $ touch x") in person.screen


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
    assert person.leaves() == 1  # one turn has no answer
    assert "2 tool calls: 1 run, 1 model call" in person.screen
    assert "run    $ touch x" not in person.screen
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
        '  1 failed nothing {"a": 1}',
        "  2 run    $ exit 3",
        "  2 failed",
        "2 tool calls: 2 run, 2 model calls, 20 tokens in, 10 out",
    ]


def test_calls_are_shown_in_their_order_when_they_begin(provider: Provider, tmp_path: Path) -> None:
    provider.play(bash("touch x", "ls", "ls", "echo 1"))
    done = run(*arguments(provider, "--dedupe-tool-calls", "-C", str(tmp_path), "Go."))
    assert done.stderr.splitlines() == [
        "  1 denied $ touch x",
        "  2 run    $ ls",
        "  3 refuse $ ls  duplicate of call 2",
        "  4 run    $ echo 1",
        "4 tool calls: 2 run, 1 refused, 2 model calls, 20 tokens in, 10 out",
        "denied: a command that may change something runs with --yolo, or where a person can be asked",
    ]


def test_a_run_without_a_policy_says_so(provider: Provider) -> None:
    done = run("run", "--model", "openai:scripted", "--base-url", provider.base_url, "--json", "Go.")
    assert done.returncode == 0
    assert done.stderr == "samecall: every call may run: no --max-tool-calls, no --dedupe-tool-calls\n"


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_an_answer_that_cannot_be_written_is_no_success(provider: Provider, form: tuple[str, ...]) -> None:
    provider.play(*[bash(f"echo {n}", first=n) for n in range(200)])
    with Path("/dev/full").open("w", encoding="ascii") as full:
        done = run(*arguments(provider, *form, *(() if form else ("--max-tool-calls", "3")), "Go."), stdout=full)
    told = [line for line in done.stderr.splitlines() if line.startswith("samecall")]
    assert (done.returncode, told) == (1, ["samecall: cannot write the output: No space left on device"])
    assert len(provider.requests) < 200
    assert done.stderr.count("\n") == 1 or not form


def test_without_standard_output_nothing_begins(provider: Provider) -> None:
    # The line is ours.
    done = subprocess.run(  # noqa: S603
        ["/bin/sh", "-c", '"$@" >&-', "sh", *SAMECALL, *arguments(provider, "Go.")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (2, "samecall: standard output is closed\n")
    assert provider.requests == []


def test_a_provider_that_is_not_there_is_named_once() -> None:
    address = "http://127.0.0.1:9/v1"
    command = ("run", "--model", "openai:x", "--base-url", address, "--max-tool-calls", "1", "Go.")
    assert run(*command).stderr.splitlines() == [
        "0 tool calls: 0 run, 1 model call",
        f"no final answer: no answer from {address}/: Connection error.",
    ]
