"""Sessions to report on, short to write down."""

from collections.abc import Iterable
from typing import Any

from callkey import ToolCall
from samecall import ToolPolicy
from samecall.decisions import Outcome
from samecall.recordings import RecordedCall, Recording, Turn
from samecall.replay import SessionReplay, replay_session

DEDUPE = ToolPolicy(dedupe_tool_calls=True, dedupe_scope="session", effects={"*": "read"})


def bash(command: str, result: str | None = "ok", outcome: Outcome = "succeeded") -> RecordedCall:
    return tool("bash", {"command": command}, result, outcome)


def tool(name: str, given: Any, result: str | None = "ok", outcome: Outcome = "succeeded") -> RecordedCall:
    return RecordedCall(ToolCall(name, given), outcome, result)


def session(
    *calls: RecordedCall, title: str = "a.json", policy: ToolPolicy = DEDUPE, form: str = "test"
) -> SessionReplay:
    return turns([calls], title=title, policy=policy, form=form)


def turns(
    found: Iterable[Iterable[RecordedCall]], *, title: str = "a.json", policy: ToolPolicy = DEDUPE, form: str = "test"
) -> SessionReplay:
    recorded = tuple(
        Turn(
            tuple(
                (RecordedCall(ToolCall(call.call.name, call.call.input, f"c{turn}-{n}"), call.outcome, call.result),)
                for n, call in enumerate(calls)
            ),
            "done",
        )
        for turn, calls in enumerate(found)
    )
    return replay_session(title, Recording(form, "s", recorded), policy)
