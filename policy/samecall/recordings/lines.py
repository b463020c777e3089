"""Bytes to JSON values: JSON Lines, one document, or several, told apart by the first lines. Memory has a bound."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TypeAlias, cast

from .recording import BrokenLine, Skipped
from .values import Json

LINE = 64 << 20
"""A longer line, in bytes, is a broken line: no session's is, but a pipe's or a binary file's may be."""
DOCUMENT = 256 << 20
"""The longest document of several lines, in bytes. It is held whole, and its objects take several times that."""
SKIP = 1 << 30
"""After so many bytes of one line nobody waits for its end."""

Value: TypeAlias = Json | None
"""A record, or ``None`` in place of what was counted as skipped: whoever waits for a record sees that time passes."""

_DECODER = json.JSONDecoder()


def values(chunks: Iterator[bytes], file: str, skipped: Skipped) -> Iterator[Value]:
    """Return the records of a file: the objects on its lines, or of its document.

    A list is its objects where it is the whole file; as one of several values it is the messages of a conversation.
    """
    lines = _numbered(chunks, file, skipped)
    first = next(((number, line) for number, line in lines if not _is_blank(line)), None)
    if first is None:
        return
    found = _decoded(first[1])
    if found is None:
        # Not a value by itself: the first line of a document, or a broken one.
        yield from _document(first, lines, file, skipped)
        return
    second = next(((number, line) for number, line in lines if not _is_blank(line)), None)
    yield from _records(found, skipped, alone=second is None)
    if second is not None:
        yield from _line(*second, file, skipped)
        yield from _each(lines, file, skipped)


def _document(
    first: tuple[int, bytes | None], lines: Iterator[tuple[int, bytes | None]], file: str, skipped: Skipped
) -> Iterator[Value]:
    """Hold lines until it is clear that they are no document: two objects in a row have no comma between them."""
    held, size, was_whole = [first], len(first[1] or b""), False
    for number, line in lines:
        held.append((number, line))
        size += len(line or b"")
        whole = not _is_blank(line) and _decoded(line) is not None
        if (whole and was_whole) or size > DOCUMENT or line is None:
            break
        was_whole = whole or (was_whole and _is_blank(line))
    else:
        found = _decoded(b"\n".join(line or b"" for _, line in held))
        if found is not None:
            yield from _records(found, skipped, alone=True)
            return
    yield from _each(iter(held), file, skipped)
    del held
    yield from _each(lines, file, skipped)


def _each(lines: Iterator[tuple[int, bytes | None]], file: str, skipped: Skipped) -> Iterator[Value]:
    for number, line in lines:
        if not _is_blank(line):
            yield from _line(number, line, file, skipped)


def _line(number: int, line: bytes | None, file: str, skipped: Skipped) -> Iterator[Value]:
    found, why = _split(line)
    yield from _records(found, skipped, alone=False)
    if why:
        skipped.add(BrokenLine(file, number, why))
        yield None


def _records(found: list[object], skipped: Skipped, *, alone: bool) -> Iterator[Value]:
    if alone and len(found) == 1 and isinstance(found[0], list) and found[0]:
        found = cast("list[object]", found[0])
    for value in found:
        match value:
            case dict():
                yield cast("Json", value)
            case list() if value:
                yield {"messages": cast("list[object]", value)}
            case _:
                skipped.records += 1
                yield None


def _is_blank(line: bytes | None) -> bool:
    return line is not None and not line.strip()


def _decoded(line: bytes | None) -> list[object] | None:
    """Return the values of a text that has nothing else in it and at least one of them an object or a list."""
    found, why = _split(line)
    return found if not why and any(isinstance(value, dict | list) for value in found) else None


def _split(line: bytes | None) -> tuple[list[object], str]:
    """Return the values at the beginning of a line, and what is wrong with the rest.

    >>> _split(b'{"a": 1}{"b": 2} {"c"')
    ([{'a': 1}, {'b': 2}], 'not JSON')
    """
    if line is None:
        return [], f"longer than {LINE >> 20} MB"
    text = line.decode(errors="replace").removeprefix("\ufeff").strip(" \t\r\n")
    found: list[object] = []
    place = 0
    while place < len(text):
        try:
            value, place = _DECODER.raw_decode(text, place)
        except RecursionError:
            return found, "nested too deeply"
        except ValueError:
            return found, "not JSON"
        found.append(value)
        while text[place : place + 1] in {" ", "\t", "\r", "\n"}:
            place += 1
    return found, ""


def _numbered(chunks: Iterator[bytes], file: str, skipped: Skipped) -> Iterator[tuple[int, bytes | None]]:
    """Return lines by number; ``None`` for one that is too long. What cannot be read is a broken line, the last."""
    number, parts, size = 1, list[bytes](), 0
    while True:
        try:
            chunk = next(chunks, b"")
        except (OSError, EOFError) as error:
            skipped.add(BrokenLine(file, number, str(error) or type(error).__name__))
            chunk = b""
        if not chunk:
            break
        *ends, rest = chunk.split(b"\n")
        for end in ends:
            yield number, None if size + len(end) > LINE else b"".join((*parts, end))
            number, parts, size = number + 1, [], 0
        size += len(rest)
        if size > LINE:
            parts = []
            if size > SKIP:
                break
        else:
            parts.append(rest)
    if size:
        yield number, None if size > LINE else b"".join(parts)
