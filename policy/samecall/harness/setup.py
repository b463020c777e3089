"""What a session is made of, as the caller gave it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import RunError
from ..events import Sink
from ..options import PolicyOptions
from .bash import Bash
from .mcp import open_server

if TYPE_CHECKING:
    from pydantic_ai.models import Model  # importing samecall must not load pydantic-ai

    from .toolbox import Tools

MODEL_TIMEOUT = 300.0


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that ``arun_agent`` takes besides the prompt; see there."""

    model: str | Model
    policy: PolicyOptions
    tools: tuple[Tools, ...] = ()
    mcp: tuple[str, ...] = ()
    bash: Bash | None = None
    base_url: str | None = None
    instructions: str = ""
    model_timeout: float = MODEL_TIMEOUT
    include_input: bool = False
    on_event: Sink | None = None
    on_begin: Callable[[str], None] | None = None
    """Told the id of each call when nothing keeps it from running any more: an admitted call may wait for a person."""

    def toolsets(self) -> Iterator[tuple[str, Tools]]:
        """Return the tools, those of the MCP servers last, each with what to call it in a message."""
        for tools in self.tools:
            yield f"tools of {getattr(tools, 'label', None) or getattr(tools, '__name__', tools)}", tools
        for server in self.mcp:
            yield f"MCP server {server!r}", open_server(server)


def check(setup: Setup) -> Setup:
    """Return the setup. Raises ``RunError`` for what cannot work."""
    if setup.bash is not None and not Path(setup.bash.directory).is_dir():
        raise RunError(f"{setup.bash.directory}: not a directory")
    return setup
