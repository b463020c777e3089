"""Records to sessions: the format is found from the first records, then turns are read while they are walked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from ..errors import RecordingError
from .conversations import are_many
from .draft import Draft, Drafts
from .lines import Value
from .recording import Recording, Skipped, Turn
from .values import Json

_WINDOW = 64
"""So many records are looked at together: the narrow formats recognize themselves late, in a result or a call."""
_FURTHER = 5_000
"""So many lines are looked at when none is recognized. Then the file is none of ours, however long it is."""


@dataclass(frozen=True, slots=True)
class Format:
    """A reader. ``recognizes`` looks at a file's first records; ``read`` takes one and says whether it understood."""

    name: str
    recognizes: Callable[[Sequence[Json]], bool]
    read: Callable[[Json, Drafts], bool]


def reading(records: Iterator[Value], formats: Iterable[Format], skipped: Skipped) -> Reading:
    """Find the format of a file from its first records. Raises ``RecordingError`` for none that we know."""
    formats = tuple(formats)
    seen: list[Value] = []
    tried = 0
    for record in records:
        seen.append(record)
        # Ever longer looks: each costs a walk over what was seen.
        if len(seen) >= max(_WINDOW, 2 * tried):
            tried = len(seen)
            if _first(seen, formats) is not None or tried > _FURTHER:
                break
    form = _first(seen, formats)
    if form is None:
        raise RecordingError(_complaint(seen, skipped))
    drafts = Drafts(many=are_many([record for record in seen if record is not None]))
    return Reading(form, chain(_taken(seen), records), skipped, drafts)


def _taken(seen: list[Value]) -> Iterator[Value]:
    """Return the records, and let go of each."""
    seen.reverse()
    while seen:
        yield seen.pop()


def _first(seen: list[Value], formats: tuple[Format, ...]) -> Format | None:
    known = [record for record in seen if record is not None]
    return next((form for form in formats if form.recognizes(known)), None) if known else None


def _complaint(seen: list[Value], skipped: Skipped) -> str:
    if not seen and not skipped.lines:
        return "empty"
    broken = f"line {skipped.broken[0].line}: {skipped.broken[0].why}" if skipped.broken else ""
    if any(record is not None for record in seen) or not broken:
        return "no format of recorded sessions that we know" + (f" ({broken})" if broken else "")
    return f"neither JSON nor JSON Lines ({broken})"


class Reading:
    """Sessions of one stream of records. Sessions may be mixed: what is not asked for yet is kept."""

    def __init__(self, form: Format, records: Iterator[Value], skipped: Skipped, drafts: Drafts) -> None:
        """Read nothing yet."""
        self.form, self.drafts = form, drafts
        self._records, self._skipped = records, skipped

    def recordings(self) -> Iterator[Recording]:
        """Return the sessions, each when its first record is there."""
        while self.drafts.new or self._step() or self.drafts.new:
            while self.drafts.new:
                draft = self.drafts.new.popleft()
                yield Recording(self.form.name, draft.session, self._turns(draft), self._skipped)

    def _turns(self, draft: Draft) -> Iterator[Turn]:
        while draft.ready or (not draft.over and self._step()) or draft.ready:
            if draft.ready:
                yield draft.ready.popleft()

    def _step(self) -> bool:
        """Read one record; at the end, end the sessions."""
        for record in self._records:
            if record is not None and not self.form.read(record, self.drafts):
                self._skipped.records += 1
            return True
        self.drafts.close()
        return False
