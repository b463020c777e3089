"""A session while it is being read: turns are handed over as soon as they are over."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from callkey import ToolCall

from ..decisions import Outcome
from .recording import Batch, RecordedCall, Turn

REMEMBERED = 100_000
"""How many ids of calls are remembered, to know a call that is written twice: what keeps memory flat."""


@dataclass(slots=True)
class _Call:
    call: ToolCall
    started: float | None
    outcome: Outcome = "unknown"
    result: str | None = None
    seconds: float | None = None
    ended: bool = False


@dataclass(slots=True)
class _Turn:
    batches: list[list[_Call]] = field(default_factory=list[list[_Call]])
    text: str = ""
    ids: list[tuple[str, _Call]] = field(default_factory=list[tuple[str, _Call]])

    def answered(self) -> bool:
        return all(call.ended for batch in self.batches for call in batch)

    def done(self) -> Turn:
        return Turn(tuple(_freeze(batch) for batch in self.batches if batch), self.text)


def _freeze(batch: list[_Call]) -> Batch:
    return tuple(RecordedCall(made.call, made.outcome, made.result, made.started, made.seconds) for made in batch)


class Ids:
    """The latest ids of calls. One that comes with another tool's name is another call's, whoever made it."""

    def __init__(self) -> None:
        """Know none."""
        self._known: dict[str, str] = {}

    def __contains__(self, call_id: str) -> bool:
        """Say whether the id is known."""
        return call_id in self._known

    def has(self, call_id: str, name: str) -> bool:
        """Say whether the id is known, and as that of a call of this tool."""
        return self._known.get(call_id) == name

    def add(self, call_id: str, name: str) -> None:
        """Remember an id, and forget the oldest where there are too many."""
        self._known[call_id] = name
        if len(self._known) > REMEMBERED:
            del self._known[next(iter(self._known))]


class Draft:
    """One session. Results may come later than the next call, or never."""

    def __init__(self, session: str) -> None:
        """Begin before the first turn."""
        self.session = session
        self.over = False
        """No more will come."""
        self.ready: deque[Turn] = deque()
        """Turns that are over, to be taken from the left."""
        self.waiting: list[str] = []
        """For formats whose calls have no id: the calls whose results come next, in the order of the calls."""
        self._open: list[_Turn] = []
        self._calls: dict[str, _Call] = {}
        self._ids = Ids()
        self._count = 0
        self._batch_id: object = None
        self._turn_id = ""

    def turn(self) -> None:
        """Start a turn. The one before is over, but for a call without result: it has until the next turn's end."""
        self._hand_over(1)
        if self._open and self._open[0].answered():
            self._hand_over(0)
        self._open.append(_Turn())
        self._batch_id = None
        self.waiting.clear()

    def turn_of(self, turn_id: str) -> None:
        """Start a turn unless the latest one has this id."""
        if not self._open or turn_id != self._turn_id:
            self.turn()
            self._turn_id = turn_id

    def batch(self, batch_id: object = None) -> None:
        """Start a batch: the next calls are one model response's. The id of the latest batch goes on with that."""
        if batch_id is None or batch_id != self._batch_id or not self._current().batches:
            self._current().batches.append([])
        self._batch_id = batch_id

    def text(self, words: str) -> None:
        """Note what the model said."""
        if words.strip():
            self._current().text = words

    def call(
        self,
        name: str,
        arguments: object,
        call_id: str | None = None,
        *,
        started: float | None = None,
        reuses_ids: bool = False,
    ) -> str:
        """Add a call and return its id, a made-up one where the recording has none.

        A call with a known id is the same call, written again; where the format ``reuses_ids``, it is another one.
        """
        self._count += 1
        known = call_id is not None and call_id in self._ids
        if call_id is not None and not reuses_ids and self._ids.has(call_id, name):
            return call_id
        turn = self._current()
        if not turn.batches:
            turn.batches.append([])
        name_id = f"{call_id or 'call'}#{self._count}" if known or call_id is None else call_id
        made = _Call(ToolCall(name, arguments, name_id), started)
        # An id that comes again belongs to another call: from here on results with it are the new one's.
        for known_as in {name_id, call_id or name_id}:
            self._calls[known_as] = made
            self._ids.add(known_as, name)
            turn.ids.append((known_as, made))
        turn.batches[-1].append(made)
        return name_id

    def has(self, call_id: str) -> bool:
        """Say whether a call with this id was added."""
        return call_id in self._ids

    def result(
        self,
        call_id: str,
        words: str | None,
        outcome: Outcome,
        *,
        ended: float | None = None,
        seconds: float | None = None,
    ) -> None:
        """Say how a call ended, when, or after how long. The first word counts; one of an unknown call is left out."""
        made = self._calls.get(call_id)
        if made is None:
            return
        if made.result is None:
            made.result = words
        if made.ended:
            return
        made.outcome, made.ended = outcome, True
        if seconds is None and ended is not None and made.started is not None:
            seconds = ended - made.started
        made.seconds = seconds if seconds is not None and seconds >= 0 else None

    def end(self) -> None:
        """Hand over what there is."""
        self._hand_over(0)
        self.over = True

    def _current(self) -> _Turn:
        if not self._open:
            self.turn()
        return self._open[-1]

    def _hand_over(self, keep: int) -> None:
        while len(self._open) > keep:
            turn = self._open.pop(0)
            for call_id, made in turn.ids:
                if self._calls.get(call_id) is made:  # the id may be a later call's by now
                    del self._calls[call_id]
            self.ready.append(turn.done())


class Drafts:
    """The sessions of one file, and what they share."""

    def __init__(self, name: str = "", ids: Ids | None = None, *, many: bool = False) -> None:
        """Begin without any. ``name`` is the session's that has no other; ``ids`` are shared with other files.

        ``many``: it is known that the file has several whole sessions, so the first one needs a number, too.
        """
        self.name = name
        self._many = many
        self.ids = Ids() if ids is None else ids
        """Ids of calls that are the same call in whatever session they stand."""
        self.new: deque[Draft] = deque()
        """Sessions that nobody has taken yet."""
        self.names: set[str] = set()
        """The names of all sessions so far."""
        self.sessions: dict[str, str] = {}
        """Which session something belongs to, for formats that do not say it in each record."""
        self._drafts: dict[str, Draft] = {}
        self._count = 0

    def get(self, session: str | None = None) -> Draft:
        """Return a session that goes on, or a new one."""
        name = self.name if session is None else session
        draft = self._drafts.get(name)
        if draft is None:
            draft = self._drafts[name] = Draft(name)
            self.new.append(draft)
            self.names.add(name)
        return draft

    def next(self, session: str | None = None) -> Draft:
        """End all sessions and start one. Without a name it gets its number; one that is alone has none."""
        self.end()
        self._count += 1
        return self.get(session or (str(self._count) if self._many or self._count > 1 else None))

    def close(self) -> None:
        """End all sessions for good: a file of our formats that says nothing is one session."""
        if not self.names:
            self.get()
        self.end()

    def end(self) -> None:
        """End all sessions."""
        for draft in self._drafts.values():
            draft.end()
        self._drafts.clear()
