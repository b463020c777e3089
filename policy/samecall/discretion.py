"""Hide credentials in text that a person or a log will see."""

from __future__ import annotations

import re
from typing import Any, cast

MASK = "***"

# Names of secrets. Repetition is bounded everywhere: a megabyte of base64 must not take minutes.
_NAMES = (
    "token|secret|passwo?r?d|api[_-]?key|access[_-]?key|credential|signature|"
    "auth(?!or(?!iz))|"  # authorization, not author
    "cookies?2?"
)
_NAME = rf"(?:{_NAMES})[\w.-]{{0,40}}"
_VALUE = r"""(?:"[^"]*"|'[^']*'|[^\s&;|'"]+)"""
_PATTERNS = (
    # Authorization: Bearer …, Cookie: …, X-Api-Key: …  up to the closing quote or the end of the line
    (re.compile(rf"(?i)({_NAME}\s*:\s*)[^\"'\n]+"), rf"\1{MASK}"),
    # a JSON member: "password": "…"
    (re.compile(rf'(?i)("[\w.-]{{0,40}}{_NAME}"\s*:\s*)"(?:[^"\\]|\\.)*"'), rf'\1"{MASK}"'),
    # curl -u user:password, --user, --proxy-user, -b cookies, --oauth2-bearer; not docker -u 1000:1000
    (
        re.compile(
            r"(?<![\w-])(--(?:proxy-)?user|--oauth2-bearer|--cookie|--(?:proxy-)?pass|-[A-Za-z]{0,8}[ubU])"
            r"(=|\s*)(?!\d+:\d+\b)"
            r"""("[^"]*"|'[^']*'|[^\s:=]+[:=]\S*)"""
        ),
        rf"\1\2{MASK}",
    ),
    # scheme://user:password@host
    (re.compile(r"(?i)\b([a-z][a-z0-9+.-]{0,20}://)[^\s/@'\"]+@"), rf"\1{MASK}@"),
    # ?api_key=…, TOKEN=…, --password=…
    (re.compile(rf"(?i)({_NAME}=){_VALUE}"), rf"\1{MASK}"),
    (re.compile(rf"(?i)(--[\w-]{{0,30}}{_NAME}\s+){_VALUE}"), rf"\1{MASK}"),
    (re.compile(r"(?i)(--oauth2-bearer\s+|\b(?:bearer|basic)\s+)[\w.~+/=-]{6,}"), rf"\1{MASK}"),
    # Well-known shapes: OpenAI, GitHub, Slack, AWS, JSON web tokens
    (re.compile(r"\b(?:sk-[\w-]{8,}|gh[pousr]_\w{8,}|xox[abprs]-[\w-]{8,}|AKIA[0-9A-Z]{12,}|eyJ\w{10,}[\w.-]*)"), MASK),
)
_NAMED = re.compile(rf"(?i)[\w.-]{{0,40}}{_NAME}$")


def mask(text: str) -> str:
    """Return ``text`` with what looks like a credential replaced. When in doubt, it is replaced.

    >>> mask("curl -u ann:pw https://h/?api_key=abc&q=1")
    'curl -u *** https://h/?api_key=***&q=1'
    """
    for pattern, replacement in _PATTERNS:
        text = pattern.sub(replacement, text)
    return text


def mask_input(value: Any) -> Any:
    """Return a JSON value with credentials hidden in its strings, and whole under names that mean a secret.

    >>> mask_input({"password": "hunter2", "n": 1})
    {'password': '***', 'n': 1}
    """
    match value:
        case str():
            return mask(value)
        case dict():
            items = cast("dict[object, object]", value).items()
            return {name: MASK if _NAMED.match(str(name)) else mask_input(part) for name, part in items}
        case list() | tuple():
            return [mask_input(part) for part in cast("list[object]", value)]
        case _:
            return value
