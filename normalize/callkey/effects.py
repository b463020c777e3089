"""What a command or a tool call may change, and what its result depends on.

Three decisions stand behind ``Effect``:

* ``kind`` says what a repetition means: of a read the same answer, of a write the same thing done again, of a
  volatile call perhaps another answer, though nobody did anything. ``changes`` says what everybody else must forget.
  A command that waits (``sleep 30 && ./status``) is volatile, and changes what ``./status`` may change.
* ``cd``, ``export`` and the like alter the shell, not the files. A persistent shell hands them on to the next call,
  whose ``cat notes`` is then another file: so ``cd repo && grep x f`` is a write to the workspace. Repeated at once it
  is a duplicate all the same, since no call makes its own result stale; the price is a missed duplicate where other
  calls stand between. In a subshell, a pipeline, ``bash -c`` or a tool that starts a shell for each call, nothing is
  handed on and nothing is paid.
* What is not understood is a write to every domain.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, TypeAlias

from .footprints.footprint import BOTH, EVERYTHING, WORKSPACE, Domain, Footprint
from .tools import PROFILES, Profile, ToolCall, profile_of, shell_command

__all__ = ["Domain", "Effect", "effects", "tool_effect"]


Kind: TypeAlias = Literal["read", "write", "volatile"]


@dataclass(frozen=True, slots=True)
class Effect:
    """What a call does to the world: ``kind``, the domains whose state its result depends on, those it may change.

    ``waits`` says that the call lets time pass so that others may change something (``sleep 30``): it changes nothing
    itself, but what was read before it may be read again. ``lingers`` says that the call leaves something running
    (``make > log &``), which may go on writing after the call has ended.
    """

    kind: Kind
    depends: frozenset[Domain]
    changes: frozenset[Domain]
    waits: bool = False
    lingers: bool = False


UNKNOWN = Effect("write", BOTH, BOTH)
"""The effect of what is not understood."""


def effects(command: str, *, persistent: bool = True) -> Effect:
    """Return the effect of a bash command. Total: what is not understood is a write to every domain.

    ``persistent`` says that the next command runs in the same shell.

    >>> effects("cd repo && grep -n x f").kind, effects("(cd repo && grep -n x f)").kind
    ('write', 'read')
    """
    footprint, left = _remembered(command) if len(command) <= _MAX_REMEMBERED else _look(command)
    return replace(_effect(footprint, persistent=persistent), lingers=left)


_MAX_REMEMBERED = 4096
"""Characters; the effects of longer commands are not kept in memory."""


def _look(command: str) -> tuple[Footprint, bool]:
    """Return the footprint of a command, and whether it leaves something running."""
    # Not before the first call: a program that only keys calls needs no tables of programs.
    from .canonical import MAX_LENGTH  # noqa: PLC0415

    if len(command) > MAX_LENGTH:  # data: nothing is known of it
        return EVERYTHING, True
    from .footprints.tree import footprint_of  # noqa: PLC0415
    from .lingering import leaves_running  # noqa: PLC0415

    footprint = footprint_of(command)
    return footprint, bool(footprint.changes) and leaves_running(command)


_remembered = lru_cache(maxsize=1024)(_look)


def tool_effect(call: ToolCall, profiles: Sequence[Profile] = PROFILES) -> Effect:
    """Return the effect of a tool call: a shell tool's command through ``effects``, else by the tool's name.

    >>> tool_effect(ToolCall("exec_command", {"cmd": "cd repo && grep -n x f"})).kind
    'read'
    """
    from .toolnames import TYPING, footprint_of_tool  # noqa: PLC0415  # as above

    profile = profile_of(call, profiles)
    if profile is None or not profile.command:
        return _effect(footprint_of_tool(call), persistent=True)
    command = shell_command(call, profile)
    left = any(call.input.get(name) in (True, "true", "True") for name in _LEAVES)
    if command is None or _runs_more(call.input):
        return replace(UNKNOWN, lingers=left)
    if not command.strip() or str(call.input.get(profile.typing)).lower() in {"true", "1", "yes"}:
        return _effect(TYPING, persistent=True)
    # A list is the argv of a process of its own.
    effect = effects(command, persistent=profile.persistent and isinstance(call.input[profile.command], str))
    return replace(effect, lingers=True) if left else effect


_LEAVES = ("run_in_background", "is_background", "background", "detach", "detached")
"""Arguments of shell tools that let the command go on after the call: Claude Code, Gemini CLI and others."""

_SHELLS = re.compile(r"(?:(?:/usr(?:/local)?)?/bin/)?(?:ba|da|k|z)?sh")


def _runs_more(arguments: Mapping[str, object]) -> bool:
    """Say whether arguments beside the command decide what runs."""
    shell = arguments.get("shell")
    if isinstance(shell, str) and _SHELLS.fullmatch(shell) is None:
        return True
    if sum(name in arguments for name in ("cmd", "command", "commands")) > 1:
        return True
    return any(arguments.get(name) for name in ("args", "arguments", "argv", "env", "environment", "stdin", "restart"))


def _effect(footprint: Footprint, *, persistent: bool) -> Effect:
    changes = footprint.changes
    volatile = footprint.waits or (footprint.varies and not changes)
    if footprint.session and persistent:
        changes |= WORKSPACE
    kind: Kind = "volatile" if volatile else "write" if changes else "read"
    return Effect(kind, footprint.depends, changes, footprint.waits)
