"""Deliver events in order. A sink that fails loses none: they wait, and are tried again with the next one."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Iterable

from .events import Event, Sink

log = logging.getLogger("samecall")


class Teller:
    """Hands events to a sink, one at a time among threads."""

    def __init__(self, sink: Sink | None) -> None:
        """Tell ``sink``, or nobody."""
        self._sink = sink
        self._lock = threading.RLock()
        self._waiting: deque[Event] = deque()

    def tell(self, events: Iterable[Event]) -> None:
        """Deliver what waits, then ``events``; whatever the sink raises stays here."""
        if self._sink is None:
            return
        with self._lock:
            self._waiting.extend(events)
            while self._waiting:
                try:
                    self._sink(self._waiting[0])
                except Exception as error:  # noqa: BLE001 - a broken sink must not reach the agent
                    log.warning("event sink failed (%s); %d events wait", type(error).__name__, len(self._waiting))
                    return
                self._waiting.popleft()

    @property
    def waiting(self) -> tuple[Event, ...]:
        """The events that the sink has not taken yet."""
        return tuple(self._waiting)
