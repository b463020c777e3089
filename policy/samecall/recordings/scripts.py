"""Tool calls in JavaScript, as Codex's ``exec`` writes them: ``await tools.exec_command({"cmd": "ls"})``.

Only what stands there is read. An argument that is computed stays text, and a call in a loop counts once.
"""

from __future__ import annotations

import json
import re

# What a call cannot begin in: comments, and texts with their escapes. A regular expression literal is not known as
# such; a quote in one may hide the calls behind it, and the script is then one call by itself.
_TOKEN = re.compile(
    r"""
      (?P<skip> //[^\n]* | /\*.*?(?:\*/|\Z)
        | "(?:[^"\\]|\\.)*+(?:"|\Z) | '(?:[^'\\]|\\.)*+(?:'|\Z) | `(?:[^`\\]|\\.)*+(?:`|\Z) )
    | (?<![\w$.]) tools \s* (?: \. \s* (?P<name>\w+) | \[ \s* ["'](?P<quoted>\w+)["'] \s* \] ) \s* (?P<call>\()
    | (?P<open>[(\[{]) | (?P<close>[)\]}])
    """,
    re.VERBOSE | re.DOTALL,
)
_SPACE = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_BARE_KEY = re.compile(r"[A-Za-z_$][\w$]*")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,300})(?:\.\d+)?(?:[eE][+-]?\d{1,3})?(?![\w.$])")
_WORDS: dict[str, object] = {"true": True, "false": False, "null": None, "undefined": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
_DEEPEST = 50
_LONGEST, _MOST = 1 << 18, 200
"""A longer script, or one with more calls, is one call by itself: a call's argument may hold the whole rest."""


class _ComputedError(Exception):
    """What stands there is no literal."""


def tool_calls(script: str) -> tuple[tuple[str, object], ...]:
    """Return the names and arguments of the calls in a script, in the order of the text.

    >>> tool_calls("const r = await tools.exec_command({cmd: 'ls', yield_time_ms: 1000}); text(r.output);")
    (('exec_command', {'cmd': 'ls', 'yield_time_ms': 1000}),)
    >>> tool_calls("/* tools.exec_command({}) */ await tools.web__run(query)")
    (('web__run', 'query'),)
    """
    if len(script) > _LONGEST:
        return ()
    found = [token for token in _TOKEN.finditer(script) if token["call"]]
    if len(found) > _MOST:
        return ()
    return tuple((token["name"] or token["quoted"], _argument(script, token.end())) for token in found)


def _argument(script: str, place: int) -> object:
    end = _closing(script, place)
    start = _SPACE.match(script, place)
    begin = start.end() if start else place
    if begin >= end:
        return {}
    try:
        value, after = _literal(script, begin, 0)
    except _ComputedError:
        return script[begin:end].strip()
    return value if _skip(script, after) == end else script[begin:end].strip()


def _closing(script: str, place: int) -> int:
    depth = 0
    for token in _TOKEN.finditer(script, place):
        if token["open"] or token["call"]:
            depth += 1
        elif token["close"]:
            if depth == 0:
                return token.start()
            depth -= 1
    return len(script)


def _skip(script: str, place: int) -> int:
    found = _SPACE.match(script, place)
    return found.end() if found else place


def _literal(script: str, place: int, depth: int) -> tuple[object, int]:
    """Read a literal from its first character, and return where it ends."""
    if depth > _DEEPEST:
        raise _ComputedError
    first = script[place : place + 1]
    if first in {'"', "'", "`"}:
        return _text(script, place)
    if first == "{":
        return _object(script, place + 1, depth)
    if first == "[":
        return _list(script, place + 1, depth)
    number = _NUMBER.match(script, place)
    if number is not None:
        return json.loads(number[0]), number.end()
    word = _BARE_KEY.match(script, place)
    if word is None or word[0] not in _WORDS:
        raise _ComputedError
    return _WORDS[word[0]], word.end()


def _object(script: str, place: int, depth: int) -> tuple[object, int]:
    found: dict[str, object] = {}
    place = _skip(script, place)
    while script[place : place + 1] != "}":
        if script[place : place + 1] in {'"', "'"}:
            key, place = _text(script, place)
        else:
            bare = _BARE_KEY.match(script, place)
            if bare is None:
                raise _ComputedError
            key, place = bare[0], bare.end()
        place = _skip(script, place)
        if script[place : place + 1] != ":":
            raise _ComputedError
        found[key], place = _literal(script, _skip(script, place + 1), depth + 1)
        place = _separator(script, place, "}")
    return found, place + 1


def _list(script: str, place: int, depth: int) -> tuple[object, int]:
    found: list[object] = []
    place = _skip(script, place)
    while script[place : place + 1] != "]":
        value, place = _literal(script, place, depth + 1)
        found.append(value)
        place = _separator(script, place, "]")
    return found, place + 1


def _separator(script: str, place: int, end: str) -> int:
    place = _skip(script, place)
    if script[place : place + 1] == ",":
        return _skip(script, place + 1)
    if script[place : place + 1] != end:
        raise _ComputedError
    return place


_PIECE = re.compile(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))|\$\{", re.DOTALL)
_LAST = 0x10FFFF


def _text(script: str, place: int) -> tuple[str, int]:
    quote = script[place]
    token = _TOKEN.match(script, place)
    if token is None or len(token[0]) < 2 or not token[0].endswith(quote):  # noqa: PLR2004 - a text has two quotes
        raise _ComputedError

    def plain(piece: re.Match[str]) -> str:
        code = piece[1] or piece[2] or piece[3]
        if code:
            if int(code, 16) > _LAST:
                raise _ComputedError
            return chr(int(code, 16))
        if piece[4] is None:
            if quote == "`":
                raise _ComputedError  # a template with a value in it
            return piece[0]
        return _ESCAPES.get(piece[4], piece[4])

    # Characters beyond 16 bits may be written as two escapes.
    joined = _PIECE.sub(plain, token[0][1:-1]).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return joined, token.end()
