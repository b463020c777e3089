"""The block in an agent's settings that starts our hook: where it is, what it says, in and out again."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from ..errors import SettingsError
from . import json_text


@dataclass(frozen=True, slots=True)
class Host:
    """An agent whose settings we change. ``folder`` is beside the project and in the user's home.

    ``moved`` is the environment variable that names another folder for the user. ``timeout`` is in the agent's unit.
    ``strict`` says that an exit status other than 0 and 1 refuses the call: a hook that is not found must not end so.
    """

    agent: str
    title: str
    folder: str
    file: str
    events: tuple[str, ...]
    timeout: int
    moved: str = ""
    strict: bool = False


# Events that an older program does not know are left out, even where they would help: Claude Code skips the whole
# file for one unknown name (PermissionDenied came with 2.1.88, PostToolBatch with 2.1.118).
HOSTS = {
    host.agent: host
    for host in (
        Host(
            "claude-code",
            "Claude Code",
            ".claude",
            "settings.json",
            ("PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SessionStart"),
            timeout=10,
            moved="CLAUDE_CONFIG_DIR",
        ),
        Host(
            "codex",
            "Codex",
            ".codex",
            "hooks.json",
            ("PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart"),
            timeout=10,
            moved="CODEX_HOME",
        ),
        Host(
            "gemini-cli",
            "Gemini CLI",
            ".gemini",
            "settings.json",
            ("BeforeTool", "AfterTool", "BeforeAgent", "SessionStart"),
            timeout=10_000,
            strict=True,
        ),
    )
}


def settings_file(host: Host, *, user: bool) -> Path:
    """Return the user's settings file, or that of the project in the current directory. Links are followed."""
    moved = os.environ.get(host.moved) if host.moved else None
    folder = (Path(moved) if moved else Path.home() / host.folder) if user else Path.cwd() / host.folder
    return (folder / host.file).resolve()


def command_line(host: Host, arguments: Sequence[str]) -> str:
    """Return what the agent runs: our command where it is on the path, else this interpreter."""
    ours = ["samecall"] if shutil.which("samecall") else [sys.executable, "-m", "samecall"]
    line = shlex.join([*ours, "hook", host.agent, *arguments])
    return f"{line} || exit 1" if host.strict and os.name != "nt" else line


def install(text: str, host: Host, command: str) -> str:
    """Return the settings with our hook at each of its events, and no other of ours. Raises ``SettingsError``."""
    _read(text)
    wanted = [(event, command, host.timeout) for event in host.events]
    if sorted(_installed(text, host)) == sorted(wanted):
        return text
    text = uninstall(text, host)
    for event in host.events:
        text = _add(text, event, {"hooks": [{"type": "command", "command": command, "timeout": host.timeout}]})
    return text


def uninstall(text: str, host: Host) -> str:
    """Return the settings without our hook, and without what is empty then. Raises ``SettingsError``."""
    while (path := next(_paths(text, host), None)) is not None:
        text = _cut(text, path)
    return text


def commands(text: str, host: Host) -> tuple[str, ...]:
    """Return the command lines of our hook in these settings, each once. Raises ``SettingsError``."""
    return tuple(dict.fromkeys(command for _, command, _ in _installed(text, host)))


def _installed(text: str, host: Host) -> list[tuple[str, str, object]]:
    document = _read(text)
    found: list[tuple[str, str, object]] = []
    for _, event, group, _, place in _paths(text, host):
        entry = document["hooks"][event][group]["hooks"][place]
        found.append((str(event), entry["command"], entry.get("timeout")))
    return found


def _ours(host: Host) -> re.Pattern[str]:
    return re.compile(rf"""(?:^|[\s/\\"'])samecall(?:\.exe)?["']?\s+hook\s+{host.agent}(?:\s|$)""")


def _paths(text: str, host: Host) -> Iterator[tuple[str | int, ...]]:
    """Yield the way to each of our entries: ``hooks``, event, group, ``hooks``, entry. Other shapes are not ours."""
    ours = _ours(host)
    for event, groups in _items(_read(text).get("hooks")):
        for at, group in _items(groups):
            for place, entry in _items(_field(group, "hooks")):
                if ours.search(str(_field(entry, "command"))):
                    yield "hooks", event, at, "hooks", place


def _field(value: object, name: str) -> object:
    return cast("dict[str, object]", value).get(name) if isinstance(value, dict) else None


def _items(value: object) -> Iterator[tuple[Any, object]]:
    if isinstance(value, dict):
        yield from cast("dict[str, object]", value).items()
    elif isinstance(value, list):
        yield from enumerate(cast("list[object]", value))


def _add(text: str, event: str, group: object) -> str:
    root = json_text.locate(text)
    hooks = _part(root, "hooks")
    if hooks is None:
        return json_text.append(text, root, "hooks", {event: [group]})
    events = _part(hooks, event)
    if events is None:
        return json_text.append(text, hooks, event, [group])
    return json_text.append(text, events, None, group)


def _cut(text: str, path: tuple[str | int, ...]) -> str:
    """Remove a part, and every container on the way to it that holds nothing else."""
    steps: list[tuple[json_text.Value, int]] = []
    value = json_text.locate(text)
    for step in path:
        place = step if isinstance(step, int) else [part.name for part in value.parts].index(step)
        steps.append((value, place))
        value = value.parts[place].value
    # Of a group only its list of hooks decides: a matcher without hooks matches for nobody.
    while len(steps) > 1 and (len(steps[-1][0].parts) == 1 or len(steps) == len(path) - 1):
        steps.pop()
    return json_text.remove(text, *steps[-1])


def _part(container: json_text.Value, name: str) -> json_text.Value | None:
    return next((part.value for part in container.parts if part.name == name), None)


def _read(text: str) -> dict[str, Any]:
    """Return the settings where they have the shape that the agents read. Raises ``SettingsError``."""
    try:
        document: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"is not JSON ({error})") from None
    if not isinstance(document, dict):
        raise SettingsError("holds no JSON object")
    settings = cast("dict[str, Any]", document)
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        raise SettingsError('"hooks" is no JSON object')
    for event, groups in cast("dict[str, Any]", hooks).items():
        if not isinstance(groups, list):
            raise SettingsError(f'"hooks.{event}" is no list')
    return settings
