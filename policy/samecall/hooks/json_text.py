"""Change a JSON document as text: what is not touched keeps every blank, every escape and its order."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

# In a document that is known to be JSON, these are all the tokens there are.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


@dataclass(frozen=True, slots=True)
class Value:
    """A value's place in the text, and what it holds: ``name`` is a member's, ``None`` in an array."""

    start: int
    end: int
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Part:
    """A member of an object with its name, or an element of an array. It starts where its name does."""

    name: str | None
    start: int
    value: Value


def locate(text: str) -> Value:
    """Return where the values of a document are. The document must be JSON.

    >>> [part.name for part in locate('{"a": [1], "b": 2}').parts]
    ['a', 'b']
    """
    return _value(list(_TOKEN.finditer(text)), 0)[0]


def append(text: str, container: Value, name: str | None, value: object) -> str:
    r"""Return the document with a last part in an object (with ``name``) or an array, laid out as its neighbours are.

    >>> append('{\n  "a": 1\n}', locate('{\n  "a": 1\n}'), "b", [])
    '{\n  "a": 1,\n  "b": []\n}'
    """
    unit = _unit(text)
    if container.parts:
        last = container.parts[-1]
        before = container.parts[-2].value.end + 1 if len(container.parts) > 1 else container.start + 1
        gap = re.sub(r"\S+", "", text[before : last.start])
        at, comma, closing = last.value.end, ",", ""
    else:
        margin = _margin(text, container.start)
        gap = "" if unit is None else f"{_newline(text)}{margin}{unit}"
        at, comma, closing = container.start + 1, "", "" if unit is None else f"{_newline(text)}{margin}"
        text = text[:at] + text[container.end - 1 :]
    indent = unit if "\n" in gap else None
    said = (
        json.dumps(value, indent=indent) if name is None else f"{json.dumps(name)}: {json.dumps(value, indent=indent)}"
    )
    if indent is not None:
        said = said.replace("\n", _newline(text) + gap.rpartition("\n")[2])
    return text[:at] + comma + gap + said + closing + text[at:]


def remove(text: str, container: Value, place: int) -> str:
    """Return the document without one part of an object or an array: what ``append`` put there is gone whole.

    >>> remove('[1, 2, 3]', locate('[1, 2, 3]'), 1)
    '[1, 3]'
    """
    parts = container.parts
    if len(parts) == 1:
        return text[: container.start + 1] + text[container.end - 1 :]
    if place == len(parts) - 1:
        return text[: parts[place - 1].value.end] + text[parts[place].value.end :]
    return text[: parts[place].start] + text[parts[place + 1].start :]


def _value(tokens: Sequence[re.Match[str]], at: int) -> tuple[Value, int]:
    """Return the value that begins with a token, and the number of the token after it."""
    first = tokens[at]
    if first[0] not in {"{", "["}:
        return Value(first.start(), first.end()), at + 1
    parts: list[Part] = []
    at += 1
    while tokens[at][0] not in {"}", "]"}:
        if tokens[at][0] == ",":
            at += 1
        start, name = tokens[at].start(), None
        if first[0] == "{":
            name = json.loads(tokens[at][0])
            at += 2  # the name and its colon
        value, at = _value(tokens, at)
        parts.append(Part(name, start, value))
    return Value(first.start(), tokens[at].end(), tuple(parts)), at + 1


def _unit(text: str) -> str | None:
    """Return the indentation of one level, ``None`` for a document on one line."""
    found = re.match(r"\s*[{\[]\s*?\n([ \t]+)", text)
    if found is not None:
        return found[1]
    return None if locate(text).parts else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _margin(text: str, at: int) -> str:
    """Return the blanks that the line of this place begins with."""
    line = text.rfind("\n", 0, at) + 1
    return text[line : len(text) - len(text[line:].lstrip(" \t"))]
