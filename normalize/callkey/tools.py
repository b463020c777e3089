"""Tool calls, and profiles that say which argument of a tool means what."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as the model emitted it: the tool's name, its input (JSON), and the call id if there is one."""

    name: str
    input: Any = field(default_factory=dict)
    id: str | None = None
