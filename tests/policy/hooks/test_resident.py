"""The process that stays: it answers as a hook alone does, nobody waits for it in vain, and it goes when it should."""

import contextlib
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from samecall.hooks import answering, short

from .agent import Agent, finish

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs sockets in the file system")
SHELL = {"tool_name": "Bash", "tool_input": {"command": "grep -rn def src"}}


@pytest.fixture
def home(environment: dict[str, str]) -> Iterator[Path]:
    """Return the folder of the process that stays, for hooks that leave one; it ends with the test."""
    del environment["SAMECALL_RESIDENT"]
    # A short name, as a socket needs; one that just starts may still write.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as state:
        environment["XDG_STATE_HOME"] = state
        folder = Path(state, "samecall/hooks/resident")
        yield folder
        for lock in folder.glob("*.lock"):
            with contextlib.suppress(ProcessLookupError, ValueError):
                os.kill(int(lock.read_text()), signal.SIGKILL)


def until(what: Callable[[], object]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + 30
    while not what():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def listening(home: Path) -> int:
    """Wait for the process that stays and return its id."""
    found: list[int] = []

    def look() -> bool:
        # A lock is empty for a moment while another process takes it.
        told = [lock.read_text().strip() for lock in home.glob("*.lock")]
        found[:] = [int(process) for process in told if process] if any(home.glob("*.socket")) else []
        return bool(found)

    until(look)
    return found[0]


def alive(process: int) -> bool:
    state = Path(f"/proc/{process}/stat")
    return state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z"


def propose(agent: Agent, number: int, **fields: object) -> bool:
    """Propose a call and say whether it may run."""
    reply = agent.send("PreToolUse", prompt_id="p", tool_use_id=f"t{number}", **(SHELL | fields))
    assert (reply.status, reply.error) == (0, "")
    return reply.answer is None


def test_it_answers_what_a_hook_alone_answers(home: Path, environment: dict[str, str], tmp_path: Path) -> None:
    alone = Agent("claude-code", environment | {"SAMECALL_RESIDENT": "off", "XDG_STATE_HOME": str(tmp_path / "alone")})
    asking = Agent("claude-code", environment)
    assert asking.send("UserPromptSubmit", prompt_id="p", prompt="?") == alone.send(
        "UserPromptSubmit", prompt_id="p", prompt="?"
    )
    listening(home)
    call: dict[str, object] = {"prompt_id": "p", "tool_use_id": "t1", **SHELL}
    events: list[tuple[str, dict[str, object]]] = [
        ("PreToolUse", call),
        ("PostToolUse", call | {"tool_response": {"stdout": "1"}}),
        ("PreToolUse", call | {"tool_use_id": "t2"}),
        ("PreToolUse", call | {"tool_use_id": "t3", "tool_name": "Edit", "tool_input": {"file_path": "/a"}}),
        ("Unheard", {}),
        ("PreToolUse", {"tool_name": 5}),
    ]
    said = [asking.send(kind, **fields) for kind, fields in events]
    assert said == [alone.send(kind, **fields) for kind, fields in events]
    assert [reply.status for reply in said] == [0, 0, 0, 0, 0, 1]
    assert [reply.answer is None for reply in said] == [True, True, False, True, True, True]
    assert asking.tell(b"{") == alone.tell(b"{")


def test_hooks_of_both_kinds_share_one_budget(home: Path, environment: dict[str, str]) -> None:
    policy = ("--max-tool-calls", "5")
    asking = Agent("claude-code", environment, policy=policy)
    alone = Agent("claude-code", environment | {"SAMECALL_RESIDENT": "off"}, policy=policy)
    assert propose(asking, 0)
    listening(home)
    waiting = [(asking if number % 2 else alone).start() for number in range(1, 13)]
    events = [asking.event("PreToolUse", prompt_id="p", tool_use_id=f"t{number}", **SHELL) for number in range(1, 13)]
    replies: list[object] = []

    def send(process: "subprocess.Popen[bytes]", event: bytes) -> None:
        replies.append(finish(process, event).answer)

    threads = [threading.Thread(target=send, args=pair) for pair in zip(waiting, events, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert replies.count(None) == 4


def test_hooks_that_begin_at_once_leave_one(home: Path, environment: dict[str, str]) -> None:
    agent = Agent("claude-code", environment)
    waiting = [agent.start() for _ in range(4)]
    for process in waiting:
        assert finish(process, agent.event("UserPromptSubmit", prompt_id="p", prompt="?")).status == 0
    kept = listening(home)
    ours = str(home)

    def staying() -> list[int]:
        lines = {
            int(entry.parent.name): entry.read_bytes()
            for entry in Path("/proc").glob("[0-9]*/cmdline")
            if entry.exists()
        }
        return [process for process, line in lines.items() if ours.encode() in line and b"resident" in line]

    if Path("/proc/self/cmdline").exists():
        until(lambda: staying() == [kept])


def test_one_that_was_killed_is_replaced(home: Path, environment: dict[str, str]) -> None:
    agent = Agent("claude-code", environment, policy=("--max-tool-calls", "2"))
    assert propose(agent, 1)
    first = listening(home)
    os.kill(first, signal.SIGKILL)
    until(lambda: not alive(first))
    assert propose(agent, 2)  # alone
    until(lambda: listening(home) != first)
    assert not propose(agent, 3)  # the books were on disk


def test_newer_code_answers_by_itself(home: Path, environment: dict[str, str], tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(Path(short.__file__).parents[1], copy / "samecall")
    environment["PYTHONPATH"] = str(copy)
    agent = Agent("claude-code", environment)
    assert propose(agent, 1)
    first = listening(home)
    os.utime(copy / "samecall" / "books.py")
    assert not propose(agent, 2)  # alone
    until(lambda: not alive(first))
    agent.send("UserPromptSubmit", prompt_id="q", prompt="?")  # alone or not: it leaves one where there is none
    until(lambda: listening(home) != first)


def test_nothing_of_the_working_directory_is_loaded(
    home: Path, environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("socketserver", "tomllib", "fcntl"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('not ours')\n")
    monkeypatch.chdir(tmp_path)
    script = "from samecall.__main__ import main; main()"
    subprocess.run(  # noqa: S603 - this interpreter, our own text
        [sys.executable, "-P", "-c", script, "hook", "claude-code", "--max-tool-calls", "3"],
        input=Agent("claude-code", environment).event("UserPromptSubmit", prompt_id="p", prompt="?"),
        env=environment,
        check=True,
    )
    assert alive(listening(home))


def test_it_holds_nothing_open_that_the_agent_waits_for(home: Path, environment: dict[str, str]) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as pipe:
        subprocess.run(
            [sys.executable, "-m", "samecall", "hook", "claude-code", "--max-tool-calls", "3"],
            input=Agent("claude-code", environment).event("UserPromptSubmit", prompt_id="p", prompt="?"),
            env=environment,
            pass_fds=[writing],
            check=True,
        )
        os.close(writing)
        listening(home)
        os.set_blocking(reading, False)
        assert pipe.read() == b""  # its end; None were nothing yet


def test_nobody_else_can_connect(home: Path, environment: dict[str, str]) -> None:
    propose(Agent("claude-code", environment), 1)
    listening(home)
    (path,) = home.glob("*.socket")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


def test_a_connection_that_says_nothing_holds_nobody_up(home: Path, environment: dict[str, str]) -> None:
    agent = Agent("claude-code", environment, policy=("--max-tool-calls", "9"))
    propose(agent, 1)
    first = listening(home)
    (path,) = home.glob("*.socket")
    with socket.socket(socket.AF_UNIX) as silent, socket.socket(socket.AF_UNIX) as broken:
        silent.connect(str(path))
        broken.connect(str(path))
        broken.sendall(b"no such words")
        broken.close()
        assert propose(agent, 2)
    assert propose(agent, 3)
    assert listening(home) == first


@pytest.mark.parametrize(
    ("variables", "why"),
    [
        ({"SAMECALL_RESIDENT": "off"}, "switched off"),
        ({"XDG_STATE_HOME": "{tmp}/" + "long/" * 30}, "a path that no socket can have"),
    ],
)
def test_a_hook_works_alone_where_nothing_can_stay(
    home: Path, environment: dict[str, str], tmp_path: Path, variables: dict[str, str], why: str
) -> None:
    del why
    given = {name: value.format(tmp=tmp_path) for name, value in variables.items()}
    agent = Agent("claude-code", environment | given, policy=("--max-tool-calls", "1"))
    assert [propose(agent, 1), propose(agent, 2)] == [True, False]
    assert not home.exists()
    assert not list(tmp_path.rglob("resident"))


@pytest.mark.parametrize(
    ("name", "greeting", "status"),
    [
        ("claude-code", b"", 0),
        ("claude-code", b"+", 0),
        ("codex", b"+0\0", 0),
        ("gemini-cli", b"", 0),
        ("gemini-cli", b"+", 1),
    ],
    ids=["not greeted", "no answer", "half an answer", "not greeted, no ids", "no answer, no ids"],
)
def test_no_call_is_refused_or_booked_twice_where_it_dies(
    home: Path, environment: dict[str, str], name: str, greeting: bytes, status: int
) -> None:
    agent = Agent("claude-code", environment)
    propose(agent, 1, tool_name="Other")
    first = listening(home)
    os.kill(first, signal.SIGKILL)
    until(lambda: not alive(first))
    (path,) = home.glob("*.socket")
    path.unlink()
    agent = Agent(name, environment, policy=("--max-tool-calls", "2"))
    kind = "BeforeTool" if name == "gemini-cli" else "PreToolUse"

    def die() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(greeting)
            while greeting and connection.recv(1 << 16):
                pass

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        thread = threading.Thread(target=die)
        thread.start()
        reply = agent.send(kind, prompt_id="p", turn_id="p", tool_use_id="t", **SHELL)
        thread.join()
    assert (reply.status, reply.answer) == (status, None)
    assert ("not checked" in reply.error) == bool(status)


def test_an_event_that_was_booked_before_it_died_counts_once(home: Path, environment: dict[str, str]) -> None:
    agent = Agent("claude-code", environment, policy=("--max-tool-calls", "2"))
    assert propose(agent, 1)
    assert propose(agent, 1)  # as a hook does that heard nothing
    assert propose(agent, 2)
    assert not propose(agent, 3)
    assert listening(home)


def test_one_that_was_stopped_is_set_aside(home: Path, environment: dict[str, str]) -> None:
    agent = Agent("claude-code", environment, policy=("--max-tool-calls", "3"))
    assert propose(agent, 1)
    first = listening(home)
    os.kill(first, signal.SIGSTOP)
    assert propose(agent, 2)
    until(lambda: listening(home) != first)
    assert propose(agent, 3)
    os.kill(first, signal.SIGCONT)
    until(lambda: not alive(first))
    assert not propose(agent, 4)


def test_an_answer_is_given_though_none_can_be_left(home: Path, environment: dict[str, str]) -> None:
    home.parent.mkdir(parents=True)
    home.write_text("in the way")
    agent = Agent("claude-code", environment, policy=("--max-tool-calls", "1"))
    assert [propose(agent, 1), propose(agent, 2)] == [True, False]


def test_it_goes_when_nobody_asks_or_can(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s"
    with answering.Resident(path) as server:
        assert server.wanted()
        monkeypatch.setattr(answering, "IDLE", 0.0)
        assert not server.wanted()
        monkeypatch.undo()
        path.unlink()
        assert not server.wanted()
