"""Tool calls, and profiles that say which argument of a tool means what."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, cast


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as the model emitted it: the tool's name, its input (JSON), and the call id if there is one."""

    name: str
    input: Any = field(default_factory=dict[str, Any])
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Profile:
    """What the arguments of some tools mean. ``names`` are globs; ``command``, where given, must be an argument.

    ``command`` holds a bash command: its text, an argv list, or (``lines``) a list of commands. ``directory`` is where
    it runs; ``persistent`` says that directory and variables live on for the next call. ``typing`` is the argument
    that turns the command into keystrokes for a running program. ``urls`` and ``paths`` are what they say.
    ``remarks`` change neither what is done nor what comes back of it.
    """

    names: tuple[str, ...]
    command: str = ""
    directory: str = ""
    persistent: bool = True
    lines: bool = False
    typing: str = ""
    urls: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    remarks: frozenset[str] = frozenset()


# Not remarks, whatever they look like: `sandbox_permissions` (the retry after a denial), `run_in_background`, `login`.
# Nor what decides how much of the output comes back (`max_output_tokens`, `yield_time_ms`): more of it is no repeat.
_CODEX = frozenset({"justification", "timeout_ms", "prefix_rule"})

PROFILES: tuple[Profile, ...] = (
    # Claude Code: the directory persists, the variables do not.
    Profile(("Bash",), "command", remarks=frozenset({"description", "timeout"})),
    # Codex starts a shell for each call.
    Profile(("exec_command",), "cmd", "workdir", persistent=False, remarks=_CODEX),
    Profile(("shell_command",), "command", "workdir", persistent=False, remarks=_CODEX),
    Profile(("local_shell", "container.exec"), "command", "workdir", persistent=False, remarks=_CODEX),
    # Gemini CLI, and Qwen Code after it
    Profile(("run_shell_command",), "command", "dir_path", persistent=False, remarks=frozenset({"description"})),
    # OpenHands
    Profile(
        ("execute_bash", "cmd_run"),
        "command",
        typing="is_input",
        remarks=frozenset({"security_risk", "timeout", "thought"}),
    ),
    # LangChain: `commands` is a text or a list of them
    Profile(("terminal", "Terminal"), "commands", lines=True),
    Profile(
        ("terminal",), "command", "cwd", typing="is_input", remarks=frozenset({"security_risk", "timeout", "thought"})
    ),
    # SWE-agent, mini-swe-agent, Anthropic's bash tool, codegraff, and everything that calls its shell by that name
    Profile(("bash", "shell"), "command", "workdir", remarks=_CODEX | {"description", "timeout"}),
    Profile(("bash", "shell"), "cmd", "workdir", remarks=_CODEX | {"description", "timeout"}),
    # Cursor, Windsurf, Cline, Roo, Factory
    Profile(
        ("run_terminal_cmd", "run_terminal", "run_command", "execute_command", "shell_exec"),
        "command",
        "cwd",
        remarks=frozenset({"explanation"}),
    ),
    Profile(("Execute", "Shell"), "command", "workdir", remarks=frozenset({"description", "timeout"})),
    # What fetches a page by its address
    Profile(
        (
            "WebFetch",
            "web_fetch",
            "webfetch",
            "fetch",
            "fetch_url",
            "fetch_page",
            "read_url",
            "http_get",
            "mcp__fetch__fetch",
        ),
        urls=("url",),
    ),
    # What names a file
    Profile(("Read", "Write", "Edit", "MultiEdit"), paths=("file_path",)),
    Profile(("NotebookEdit", "NotebookRead"), paths=("notebook_path",)),
    Profile(("LS", "Grep", "Glob"), paths=("path",)),
    Profile(
        ("read_file", "write_file", "edit_file", "list_directory", "list_dir"), paths=("path", "file_path", "dir_path")
    ),
    Profile(
        ("str_replace_editor", "str_replace_based_edit_tool", "file_editor"),
        paths=("path",),
        remarks=frozenset({"security_risk"}),
    ),
)
"""Looked through in order: the first that fits says what a call means."""


def arguments_of(call: ToolCall) -> Mapping[str, object]:
    """Return the arguments by name, none where the input is no object."""
    arguments: object = call.input
    return cast("Mapping[str, object]", arguments) if isinstance(arguments, Mapping) else {}


def profile_of(call: ToolCall, profiles: Sequence[Profile] = PROFILES) -> Profile | None:
    """Return the first profile that fits a call: its name, and the argument that should hold a command.

    >>> profile_of(ToolCall("exec_command", {"cmd": "ls"})).directory
    'workdir'
    >>> profile_of(ToolCall("str_replace_editor", {"command": "view", "path": "f"})).command
    ''
    """
    arguments = arguments_of(call)
    for profile in profiles:
        named = any(fnmatchcase(call.name, name) for name in profile.names)
        if named and (not profile.command or profile.command in arguments):
            return profile
    return None


_SHELL = re.compile(r"(?:(?:/usr(?:/local)?|/opt/homebrew)?/bin/)?(?:ba|da|k)?sh")
_RUNS_TEXT = re.compile(r"-[el]*c")


def shell_command(call: ToolCall, profile: Profile) -> str | None:
    """Return the bash text that a call runs; ``None`` where its argument holds something else.

    >>> call = ToolCall("shell", {"command": ["bash", "-lc", "ls *.py"]})
    >>> shell_command(call, profile_of(call))
    'ls *.py'
    >>> shell_command(ToolCall("shell", {"command": ["ls", "*.py"]}), profile_of(call))
    "ls '*.py'"
    """
    value = arguments_of(call).get(profile.command)
    if isinstance(value, str):
        return value
    if not isinstance(value, list | tuple):
        return None
    words = cast("Sequence[object]", value)
    if not all(isinstance(word, str) for word in words):
        return None
    argv = cast("Sequence[str]", words)
    if profile.lines:
        return "\n".join(argv)
    if len(argv) == 3 and _SHELL.fullmatch(argv[0]) and _RUNS_TEXT.fullmatch(argv[1]):  # noqa: PLR2004  # shell, option, text
        return argv[2]
    return shlex.join(argv)
