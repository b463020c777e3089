"""A coding agent as its hook sees it: a process for each event, JSON in, an answer out."""

import json
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Any

from samecall.hooks.process import answer


@dataclass(frozen=True, slots=True)
class Reply:
    """What a hook's process did."""

    status: int
    answer: dict[str, Any] | None
    error: str


@dataclass(slots=True)
class Agent:
    """Starts the hook of one session, as the agent does."""

    name: str
    environment: dict[str, str]
    session: str = "5d0f8a8e-70f1-4c39-9f0e-0d2b1c7f7a11"
    policy: tuple[str, ...] = ("--max-tool-calls", "6", "--dedupe-tool-calls")
    common: dict[str, Any] = field(default_factory=dict[str, Any])
    here: bool = False
    """Answer in this process, which has the environment already: tables would start hundreds."""

    def start(self) -> "subprocess.Popen[bytes]":
        """Start a hook that waits for its event."""
        # The command is this interpreter and our own module.
        return subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", "samecall", "hook", self.name, *self.policy],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environment,
        )

    def event(self, kind: str, **fields: object) -> bytes:
        """Return an event as it stands on standard input."""
        return json.dumps({"session_id": self.session, "hook_event_name": kind, **self.common, **fields}).encode()

    def send(self, kind: str, **fields: object) -> Reply:
        """Send an event and wait for the answer."""
        if self.here:
            return Reply(0, answer([self.name, *self.policy], self.event(kind, **fields)), "")
        return finish(self.start(), self.event(kind, **fields))

    def tell(self, data: bytes) -> Reply:
        """Send anything at all."""
        return finish(self.start(), data)


def finish(process: "subprocess.Popen[bytes]", data: bytes) -> Reply:
    """Give a waiting hook its event and take its answer."""
    out, error = process.communicate(data, timeout=60)
    return Reply(process.returncode, json.loads(out) if out else None, error.decode())
