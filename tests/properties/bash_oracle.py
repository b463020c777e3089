"""Run commands in real bash and say what happened. bash decides what two commands have in common, nobody else.

One bash process judges many cases, each in its own subshell and directory. Nothing is found on ``PATH``: a
``command_not_found_handle`` records each program's arguments, exported variables and standard input, and answers on
both outputs, so that a difference in order or in plumbing shows up somewhere.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

_DRIVER = Path(__file__).with_name("judge.bash")
_SECONDS = 4  # far over what a case takes: a worker that is silent for so long is replaced
_REPETITIONS = 8
_NOBODY = 65534  # as root, the judge gives up its rights


@dataclass(frozen=True, slots=True)
class Environment:
    """Where a case runs: assignments that bash reads first, and the files in its directory."""

    setup: str
    files: Mapping[str, str]


_PROGRAMS = "__p=0 __q=0\n"
_SCRIPT = {"script": 'p sourced "$x"\n'}

ENVIRONMENTS: Mapping[str, Environment] = {
    "plain": Environment(
        _PROGRAMS + "x=ab y=c e= A=1 B=2; unset u; arr=(one two); set -- first second\n",
        {**_SCRIPT, "a.t": "from a\n"},
    ),
    "blanks and globs": Environment(
        _PROGRAMS + "x=' a  b ' y='*' e='' u='$x `p`' A=7 B=A; arr=('o  ne' '?'); export x; set -- '1  2' '*' ''\n",
        {**_SCRIPT, "c d": "with blank\n"},
    ),
    "files": Environment(
        _PROGRAMS + "x='[ab]*' y='~' e= A=2 B=3; unset u; arr=('*.t'); set --\n",
        {**_SCRIPT, "a": "1\n", "b": "2\n", "a.t": "from a\n", "b.t": "from b\n", "f": "old f\n", "d/a": "in d\n"},
    ),
    "failing": Environment(
        "__p=3 __q=1\nx=1 y=-n e= u=x A=0 B=; arr=(); set -- 1 2 3\n",
        {"a.t": "from a\n", "g": "old g\n", "d/b.t": "in d\n"},
    ),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command did. ``runs`` are the programs it started, in no order: pipelines run at once."""

    runs: tuple[str, ...]
    out: str
    errors: tuple[str, ...]
    files: tuple[tuple[str, str], ...]
    state: str


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two commands parted: the environment, what was compared, and the two values."""

    environment: str
    aspect: str
    first: object
    second: object


class JudgeSilentError(Exception):
    """The case did not end in time; the worker is gone."""


def to_bytes(text: str) -> bytes:
    """Encode any string: undecodable bytes as they were, other lone surrogates as if they were characters."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


class Bash:
    """One bash process that runs cases."""

    def __init__(self) -> None:
        """Make the directory of the cases and start the worker."""
        memory = Path("/dev/shm")  # noqa: S108 - only a faster place for a directory that mkdtemp makes
        self._root = Path(tempfile.mkdtemp(prefix="judge-", dir=memory if os.access(memory, os.W_OK) else None))
        self._root.chmod(0o755)
        self._driver = self._root / "judge"
        shutil.copy(_DRIVER, self._driver)
        self._driver.chmod(0o644)
        self._count = 0
        self._worker = self._start()

    def close(self) -> None:
        """End the worker and remove its files."""
        self._stop()
        shutil.rmtree(self._root, ignore_errors=True)

    def _start(self) -> subprocess.Popen[bytes]:
        identity = _NOBODY if os.geteuid() == 0 else None
        return subprocess.Popen(  # noqa: S603 - our own script; the cases come from the grammar
            [shutil.which("bash") or "bash", "--norc", "--noprofile", str(self._driver)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._root,
            env={"LC_ALL": "C.UTF-8"},
            start_new_session=True,
            user=identity,
            group=identity,
            extra_groups=None if identity is None else [],
        )

    def _stop(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._worker.pid, signal.SIGKILL)
        self._worker.communicate()

    def run(self, command: str, environment: Environment) -> Outcome:
        """Run the command from scratch. Raises ``JudgeSilentError`` where it does not end."""
        self._count += 1
        case = self._root / f"{self._count:08}"
        self._prepare(case, command, environment)
        try:
            assert self._worker.stdin is not None
            assert self._worker.stdout is not None
            self._worker.stdin.write(f"{case}\n".encode())
            self._worker.stdin.flush()
            ready, _, _ = select.select([self._worker.stdout], [], [], _SECONDS)
            if not ready or self._worker.stdout.readline() != b"done\n":
                self._stop()
                self._worker = self._start()
                raise JudgeSilentError(command)
            return self._collect(case)
        finally:
            shutil.rmtree(case, ignore_errors=True)

    def _prepare(self, case: Path, command: str, environment: Environment) -> None:
        work = case / "work"
        for directory in (case, case / "log", work, work / "d"):
            directory.mkdir()
            directory.chmod(0o777)
        (case / "command").write_bytes(to_bytes(command))
        (case / "environment").write_text(environment.setup)
        (case / "in").write_text("line one\nline  two\n")
        for name, content in environment.files.items():
            (work / name).write_text(content)
            (work / name).chmod(0o666)

    def _collect(self, case: Path) -> Outcome:
        def read(path: Path) -> str:
            try:
                text = path.read_text("utf-8", "surrogateescape")
            except OSError as error:
                return type(error).__name__
            text = text.replace(str(case), "CASE")
            text = re.sub(r"[^\n]*: write error: Broken pipe\n?", "", text)  # who stops reading first is a race
            # Messages of bash itself quote the source and count its lines
            text = re.sub(r"(\bline[^\w\n]{1,4})\d+:", r"\1N:", text)
            return re.sub(rf"(?:{re.escape(str(self._driver))}: |[^\n]*\bline N: )[^\n]*", "bash complains", text)

        work = case / "work"
        return Outcome(
            tuple(sorted(read(path) for path in (case / "log").iterdir())),
            read(case / "out"),
            tuple(sorted(read(case / "err").splitlines())),
            tuple((str(path.relative_to(work)), read(path)) for path in sorted(work.rglob("*"))),
            read(case / "state"),
        )


@cache
def bash() -> Bash:
    """Return the judge of this process."""
    judge = Bash()
    atexit.register(judge.close)
    return judge


def difference(first: str, second: str) -> Difference | None:
    """Return the first way in which two commands differ in some environment; ``None`` if bash sees none.

    Pipelines race. Only what no repetition of one shows of the other is a difference, and a command that does not
    end differs from nothing.
    """
    for name, environment in ENVIRONMENTS.items():
        ones: list[Outcome] = []
        others: list[Outcome] = []
        aspect: str | None = ""
        try:
            while aspect is not None and len(ones) < _REPETITIONS:
                ones.append(bash().run(first, environment))
                others.append(bash().run(second, environment))
                aspect = _parted(ones, others)
        except JudgeSilentError:
            return None
        if aspect is not None:
            return Difference(name, aspect, getattr(ones[0], aspect), getattr(others[0], aspect))
    return None


def _parted(ones: list[Outcome], others: list[Outcome]) -> str | None:
    """Name an aspect of which the two sides have no value in common."""
    for field in fields(Outcome):
        if {getattr(one, field.name) for one in ones}.isdisjoint(getattr(other, field.name) for other in others):
            return field.name
    return None
