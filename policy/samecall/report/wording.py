"""Text of a recording as the page may show it: without credentials, nothing invisible, and never too long."""

from __future__ import annotations

import json
import os
from typing import cast

from callkey import ToolCall
from callkey.tools import profile_of, shell_command

from ..discretion import mask, mask_input

SEARCHED = 65_536
"""Characters of a text in which credentials are looked for; what comes after them is never shown."""

_BEFORE = 80
"""Characters shown before the first difference of two results: they say where it is."""

_TOO_DEEP = "(nested too deeply to show)"


def shown(text: str, limit: int) -> str:
    r"""Return a text with credentials hidden, control and direction marks spelled out, and no longer than ``limit``.

    Lines and tabs stay.

    >>> shown("curl -u ann:pw h\n\x1b[31m\u202etxt", 40)
    'curl -u *** h\n\\x1b[31m\\u202etxt'
    >>> shown("abcdef", 4)
    'abc…'
    """
    # Credentials go before the text is cut: half of one may no longer look like one.
    return _cut(_spelled(mask(text[:SEARCHED])), limit)


def contrasted(one: str, other: str, limit: int) -> tuple[str, str]:
    """Return two results as ``shown`` does, from shortly before their first difference on.

    >>> contrasted("x" * 900 + "1", "x" * 900 + "2", 100)[1] == "…" + "x" * 80 + "2"
    True
    """
    texts = [_spelled(mask(text[:SEARCHED])) for text in (one, other)]
    start = max(len(os.path.commonprefix(texts)) - _BEFORE, 0)  # noqa: RUF071  # letter by letter is what is meant
    if start == 0 or texts[0] == texts[1]:
        return _cut(texts[0], limit), _cut(texts[1], limit)
    return _cut("…" + texts[0][start:], limit), _cut("…" + texts[1][start:], limit)


def one_line(text: str, limit: int) -> str:
    r"""Return the same on one line.

    >>> one_line("a  b\n\tc", 40)
    'a b ⏎ c'
    """
    lines = [" ".join(line.split()) for line in shown(text, SEARCHED).splitlines()]
    return _cut(" ⏎ ".join(line for line in lines if line), limit)


def arguments(call: ToolCall) -> str:
    r"""Return a call's arguments but its command, one a line, credentials hidden; ``""`` where there are none.

    >>> arguments(ToolCall("bash", {"command": "ls", "timeout": 5, "api_key": "k"}))
    'timeout: 5\napi_key: ***'
    """
    try:
        lines = [f"{name}: {_value(value)}" for name, value in _masked(call).items()]
    except RecursionError:
        return _TOO_DEEP
    # Once more over the whole: the name of an argument can be a credential, too.
    return mask("\n".join(lines)[:SEARCHED])


def _masked(call: ToolCall) -> dict[str, object]:
    profile = profile_of(call)
    given = arguments_of(call)
    hidden = profile.command if profile is not None and shell_command(call, profile) is not None else None
    return cast("dict[str, object]", mask_input({name: value for name, value in given.items() if name != hidden}))


def _value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)


def command_of(call: ToolCall) -> str | None:
    """Return the bash text that a call runs, ``None`` where it runs none."""
    profile = profile_of(call)
    return shell_command(call, profile) if profile is not None and profile.command else None


def arguments_of(call: ToolCall) -> dict[str, object]:
    """Return a call's arguments by name; input that is no object is one argument, ``input``."""
    given: object = call.input
    return cast("dict[str, object]", given) if isinstance(given, dict) else {"input": given}


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _spelled(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(
        letter if letter in "\n\t" or letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in text.replace("\r\n", "\n")
    )
