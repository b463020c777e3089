"""A call on one line, as a person reads it: no credentials, nothing that moves a cursor."""

from __future__ import annotations

import json
from typing import cast

from callkey import ToolCall

from .discretion import mask, mask_input


def describe(call: ToolCall) -> str:
    """Return what a call was: a command as it is, other arguments as JSON.

    >>> describe(ToolCall("bash", {"command": "ls"})), describe(ToolCall("search", {"token": "t"}))
    ('ls', '{"token": "***"}')
    """
    match call.input:
        case {"command": str() as text, **rest} | {"cmd": str() as text, **rest} if "path" not in rest:
            return printable(mask(text))
        case {"command": [*words]} if all(isinstance(word, str) for word in words):
            return printable(mask(" ".join(cast("list[str]", words))))
        case str() as text:
            return printable(mask(text))
        case given:
            return printable(_json(given))


def _json(given: object) -> str:
    try:
        return json.dumps(mask_input(given), ensure_ascii=False, default=repr)
    except RecursionError:
        return "(nested too deeply to show)"


def printable(text: str) -> str:
    r"""Spell out what would move the cursor or colour the terminal.

    >>> printable("a\n\x1b[31mb")
    'a\\n\\x1b[31mb'
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text)
