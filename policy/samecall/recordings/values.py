"""Reading JSON whose shape nobody promised: what is not there, or of another type, reads as empty."""

from __future__ import annotations

import json
import math
import re
from datetime import datetime
from typing import TypeAlias, cast

from ..decisions import Outcome

Json: TypeAlias = dict[str, object]


def obj(value: object) -> Json:
    """Return an object, an empty one in place of anything else."""
    return cast("Json", value) if isinstance(value, dict) else {}


def items(value: object) -> list[Json]:
    """Return the objects of a list, none in place of anything else."""
    parts = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("Json", part) for part in parts if isinstance(part, dict)]


def string(value: object) -> str:
    """Return a text, ``""`` in place of anything else."""
    return value if isinstance(value, str) else ""


def strings(value: object) -> list[str]:
    """Return the texts of a list, none in place of anything else."""
    parts = cast("list[object]", value) if isinstance(value, list) else []
    return [part for part in parts if isinstance(part, str)]


def kind(record: Json) -> str:
    """Return the ``type`` of a record."""
    return string(record.get("type"))


def identity(value: object) -> str | None:
    """Return an id, ``None`` where there is none."""
    return value if isinstance(value, str) and value else None


def words(content: object) -> str:
    """Return the text of a message: a string, or the text blocks of a list; other JSON as it is."""
    match content:
        case None:
            return ""
        case str():
            return content
        case {"text": str() as text}:  # one block without its list
            return text
        case list():
            blocks = cast("list[object]", content)
            return "\n".join(block if isinstance(block, str) else string(obj(block).get("text")) for block in blocks)
        case _:
            try:
                return json.dumps(content)
            except RecursionError:  # just deep enough to be read
                return ""


def arguments(value: object) -> object:
    """Return a call's arguments, which are often JSON in a string; what is not JSON stays text."""
    if not isinstance(value, str):
        return {} if value is None else value
    try:
        return json.loads(value) if value.strip() else {}
    except (ValueError, RecursionError):
        return value


def instant(value: object, unit: float = 1.0) -> float | None:
    """Return a time in seconds since 1970: an ISO 8601 text, or a number of ``unit`` seconds.

    >>> instant("1970-01-01T00:01:00Z"), instant(60_000, 0.001), instant("60000", 0.001), instant("yesterday")
    (60.0, 60.0, 60.0, None)
    """
    if isinstance(value, bool):
        return None
    try:
        if isinstance(value, str) and not value.isdecimal():
            moment = datetime.fromisoformat(value)
            # Without a zone it is the local time of a machine that we do not know.
            return None if moment.tzinfo is None else moment.timestamp()
        found = float(value) * unit if isinstance(value, str | int | float) else math.nan
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


_EXIT = re.compile(
    r"(?:exit(?:ed with)? code:?|\[Command finished with exit code|<returncode>)\s*(-?\d{1,10})\b", re.IGNORECASE
)
_ERROR = re.compile(r"\s*(?:\w{0,80}Error\b|\w{0,80}Exception\b|Traceback \(most recent call last\))")


def outcome_of(text: str) -> Outcome:
    """Read from a result's text how a call ended, where the format does not say: an exit status, an error's name.

    >>> outcome_of("Exit code: 1"), outcome_of("Error: user not found"), outcome_of("3 errors were fixed")
    ('failed', 'failed', 'succeeded')
    """
    status = _EXIT.search(text[:400]) or _EXIT.search(text[-200:])
    if status is not None:
        return "succeeded" if int(status[1]) == 0 else "failed"
    return "failed" if _ERROR.match(text) else "succeeded"


def flagged(failed: object) -> Outcome:
    """Read a failure flag; an absent one means success."""
    return "failed" if failed is True else "succeeded"


def by_status(status: object, text: str) -> Outcome:
    """Read an exit status; where there is none, the text says."""
    return outcome_of(text) if not isinstance(status, int) or isinstance(status, bool) else flagged(status != 0)
