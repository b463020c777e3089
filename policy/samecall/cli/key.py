"""``samecall key``."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from typing import Any, cast

import click
from callkey import Effect, Key, ToolCall, canonicalize, effects, key, tool_effect

STDIN = "-"
LEFT_OUT = 2


@click.command("key")
@click.argument("command", default=STDIN)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each command.")
def command(command: str, *, as_json: bool) -> int:
    """Print the canonical text and the digest of COMMAND.

    Without COMMAND, or with "-", read commands from standard input: one a line, plain or as a JSON object with "cmd",
    "command", or "name" and "input". A line that is neither is named and left out.

    Exit status 0: each has its key, 2: a line was left out, or there is no such option.
    """
    if command != STDIN:
        made = _made(command)
        click.echo(_json(command, made) if as_json else f"{visible(_text(command, made))}\n{made.digest}")
        return 0
    left_out = 0
    for number, call in _lines():
        if call is None:
            click.echo(f'samecall: line {number}: needs "cmd", "command", or "name" and "input"', err=True)
            left_out = LEFT_OUT
            continue
        made = _made(call)
        click.echo(_json(call, made) if as_json else f"{made.digest}  {_one_line(visible(_text(call, made)))}")
    return left_out


def _made(call: ToolCall | str) -> Key:
    made = key(call)
    if made is None:  # only a callable strategy says so
        raise click.ClickException("this call has no key")
    return made


def _lines() -> Iterator[tuple[int, ToolCall | str | None]]:
    """Yield each line's number and what it says; ``None``: nothing that has a key."""
    for number, line in enumerate(sys.stdin, 1):
        text = line.rstrip("\r\n")
        if not text.strip():
            continue
        try:
            given = cast("dict[str, object]", json.loads(text)) if text.lstrip().startswith("{") else None
        except (ValueError, RecursionError):
            given = None  # a group of commands in braces
        yield number, text if given is None else _call(given)


def _call(given: dict[str, object]) -> ToolCall | str | None:
    match given:
        case {"cmd": str() as text} | {"command": str() as text}:
            return text
        case {"name": str() as name} if "input" in given:
            return ToolCall(name, given["input"])
        case _:
            return None


def _text(call: ToolCall | str, made: Key) -> str:
    """Return what a person wants to see: of a command its canonical text, without the call around it."""
    return canonicalize(call).text if isinstance(call, str) else made.text


def _json(call: ToolCall | str, made: Key) -> str:
    exact = canonicalize(call).exact if isinstance(call, str) else cast("Key", key(call, "exact")).text
    body: dict[str, Any] = {
        "exact": exact,
        "text": _text(call, made),
        "view": made.view,
        "notes": list(made.notes),
        "key": {"strategy": made.strategy, "version": made.version, "digest": made.digest},
        "effect": _effect(effects(call) if isinstance(call, str) else tool_effect(call)),
    }
    if made.view_digest:
        body["key"]["view_digest"] = made.view_digest
    if made.problem:
        body["problem"] = made.problem
    return json.dumps(body)


def _effect(effect: Effect) -> dict[str, object]:
    return {"kind": effect.kind, "depends": sorted(effect.depends), "changes": sorted(effect.changes)}


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def visible(text: str) -> str:
    r"""Write control characters but tab and newline as escapes: a terminal would obey them, and a pipe would lose them.

    >>> visible("a\x1b[1m")
    'a\\x1b[1m'
    """
    return _CONTROL.sub(lambda match: f"\\x{ord(match.group()):02x}", text)


def _one_line(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n") if "\n" in text else text
