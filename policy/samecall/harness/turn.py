"""One turn's events: they are kept, and passed on as they come."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from pydantic_ai.usage import RequestUsage

from ..events import Event, ModelCallFinished, ModelCallStarted, Sink, TurnFinished, Usage
from ..records import Counters

log = logging.getLogger("samecall")


@dataclass(frozen=True, slots=True)
class Ending:
    """How a turn ended: with an answer, or with ``error`` and the last that the model said."""

    text: str
    error: str | None = None


class TurnLog:
    """Collects what happens in a turn."""

    def __init__(self, session_id: str, sink: Sink | None, clock: Callable[[], float] = time.time) -> None:
        """Begin without events; pass each on to ``sink``."""
        self.number = 0
        self.said = ""
        self.model_calls = 0
        self.usage: Usage | None = None
        self.events: list[Event] = []
        self._session_id = session_id
        self._sink = sink
        self._clock = clock

    def tell(self, event: Event) -> None:
        """Keep an event, and pass it on; what the sink raises stays here."""
        self.events.append(event)
        if self._sink is not None:
            try:
                self._sink(event)
            except Exception as error:  # noqa: BLE001 - a broken sink must not reach the agent
                log.warning("event sink failed (%s)", type(error).__name__)

    def asked(self, *, tools: bool) -> None:
        """Note that the model is asked."""
        self.model_calls += 1
        self.tell(
            ModelCallStarted(
                model_call=self.model_calls,
                tools=tools,
                ts=self._clock(),
                session_id=self._session_id,
                turn=self.number,
            )
        )

    def answered(self, tool_calls: int = 0, usage: RequestUsage | None = None, error: str | None = None) -> None:
        """Note what came of it, and add up the tokens, where the provider counts them."""
        counted = None
        if usage is not None and (usage.input_tokens or usage.output_tokens):
            counted, known = Usage(usage.input_tokens, usage.output_tokens), self.usage or Usage(0, 0)
            self.usage = Usage(
                known.input_tokens + counted.input_tokens,
                known.output_tokens + counted.output_tokens,
            )
        self.tell(
            ModelCallFinished(
                model_call=self.model_calls,
                tool_calls=tool_calls,
                usage=counted,
                error=error,
                ts=self._clock(),
                session_id=self._session_id,
                turn=self.number,
            )
        )

    def report(self, ending: Ending, counts: Counters) -> None:
        """Tell how the turn ended."""
        self.tell(
            TurnFinished(
                text=ending.text,
                complete=ending.error is None,
                error=ending.error,
                ts=self._clock(),
                session_id=self._session_id,
                turn=self.number,
                counts=counts,
                model_calls=self.model_calls,
                usage=self.usage,
            )
        )
