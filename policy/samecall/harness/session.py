"""One conversation with a model whose tool calls pass the gate. The last event of a turn is always its report."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias, cast

from callkey import ToolCall, tool_effect
from pydantic_ai import RunContext
from pydantic_ai.direct import model_request
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage

from ..decisions import Answer, Reject
from ..discretion import mask
from ..errors import ToolFailedError
from ..gate import ToolCallGate
from ..options import PolicyOptions, ToolPolicy
from ..records import Counters
from .events import ModelCallFinished, ModelCallStarted, RunEvent, RunSink, TurnReported, Usage
from .models import open_model
from .result import RunResult
from .setup import Setup
from .toolbox import EndedError, Toolbox, open_toolbox

log = logging.getLogger("samecall")

Tools: TypeAlias = Literal["on", "off", "absent"]
"""Whether the model may call: ``off`` keeps the definitions, which some providers need beside earlier calls."""

_FRUITLESS = 10
"""Model responses in a row whose calls all came to nothing, without a limit that would end the turn."""

_SPENT = {"max_tool_calls", "max_tool_calls_per_session", "max_rejections"}
_TOOLS_OFF = "Not run: tool calls are over in this turn. Write the best answer from gathered sources."
_CANCELLED = "Cancelled by the user before there was a result."
_CUT_OFF = {
    "length": "the answer was cut off at the model's output limit",
    "content_filter": "the answer was stopped by the provider's content filter",
    "error": "the provider reported an error",
}


@asynccontextmanager
async def open_session(setup: Setup) -> AsyncIterator[Session]:
    """Start the model and the tools of a session, and end them after it. Raises ``RunError`` or ``PolicyError``."""
    opened = open_model(setup.model, setup.base_url)
    policy = ToolPolicy(**setup.policy)
    async with AsyncExitStack() as stack:
        context: RunContext[None] = RunContext(deps=None, model=opened.model, usage=RunUsage())
        toolbox = await open_toolbox(stack, setup.toolsets(), setup.bash, opened.recorded, context)
        yield Session(setup, opened.model, toolbox, _with_effects(policy, setup.policy, toolbox))


def _with_effects(policy: ToolPolicy, options: PolicyOptions, toolbox: Toolbox) -> ToolPolicy:
    """Add what the tools declare of themselves, where the user declared nothing."""
    declared = {
        name: tool.effect
        for name, tool in toolbox.tools.items()
        if tool.effect is not None and policy.effect_of(name) is None
    }
    merged = {**options, "effects": {**policy.effects, **declared}}
    return ToolPolicy(**cast("PolicyOptions", merged)) if declared else policy


@dataclass(slots=True)
class _Turn:
    """What has happened in the turn that runs."""

    number: int
    events: list[RunEvent] = field(default_factory=list[RunEvent])
    model_calls: int = 0
    usage: Usage | None = None
    said: str = ""


@dataclass(frozen=True, slots=True)
class _Ending:
    text: str
    complete: bool
    error: str | None = None


class Session:
    """A model, its tools, a gate, and the messages so far. One turn at a time."""

    def __init__(self, setup: Setup, model: Model, toolbox: Toolbox, policy: ToolPolicy) -> None:
        """Begin without messages."""
        self._setup = setup
        self._model = model
        self._toolbox = toolbox
        self._policy = policy
        self._sink: RunSink | None = setup.on_event
        self._turn = _Turn(0)
        self._messages: list[ModelMessage] = []
        self._call_ids: set[str] = set()
        self._gate = ToolCallGate(policy, on_event=self._tell, include_input=setup.include_input)

    async def turn(self, prompt: str) -> RunResult:
        """Take a prompt to its final answer. Whatever the model or the provider does comes back as a result.

        Cancelled, it settles what runs, reports the turn, and raises ``CancelledError``.
        """
        self._turn = _Turn(0)
        self._turn.number = self._gate.new_turn() or 0
        # Lone surrogates cannot be sent.
        self._say(UserPromptPart(prompt.encode(errors="replace").decode()))
        try:
            ending = await self._converse()
        except asyncio.CancelledError:
            self._report(_Ending(self._turn.said, complete=False, error="cancelled"))
            raise
        except Exception as error:  # noqa: BLE001 - a provider may fail in any way, and the turn still ends in a report
            ending = _Ending(self._turn.said, complete=False, error=_describe(error))
        return self._report(ending)

    async def _converse(self) -> _Ending:
        fruitless, most = 0, max(_FRUITLESS, self._policy.max_rejections or 0)
        while fruitless < most:
            response = await self._ask("on")
            if not response.tool_calls:
                if _text(response) or response.finish_reason in _CUT_OFF:
                    return _ending(response)
                break  # not a word: ask for the answer
            answers = await self._answer(response.tool_calls)
            if any(isinstance(told, Reject) and (told.stop or told.reason in _SPENT) for told in _decisions(answers)):
                break
            ran = any(answer.error is False or not isinstance(answer.decision, Reject) for answer in answers)
            fruitless = 0 if ran else fruitless + 1
        return await self._conclude()

    async def _conclude(self) -> _Ending:
        """Ask for the final answer. A server that ignores ``tool_choice`` is asked again without tools."""
        ways: tuple[Tools, ...] = ("off", "absent")
        for tools in ways:
            response = await self._ask(tools)
            if not response.tool_calls:
                return _ending(response)
            await self._answer(response.tool_calls, allowed=False)
        return _Ending(self._turn.said, complete=False, error="the model does not stop calling tools")

    async def _ask(self, tools: Tools) -> ModelResponse:
        """Ask the model once, and keep what it says."""
        turn = self._turn
        turn.model_calls += 1
        self._tell(
            ModelCallStarted(
                model_call=turn.model_calls,
                tools=tools == "on",
                ts=time.time(),
                session_id=self._gate.session_id,
                turn=turn.number,
            )
        )
        definitions = [] if tools == "absent" else [tool.definition for tool in self._toolbox.tools.values()]
        settings = ModelSettings(tool_choice="none") if tools == "off" and definitions else ModelSettings()
        try:
            async with asyncio.timeout(self._setup.model_timeout):
                response = await model_request(
                    self._model,
                    self._messages,
                    model_settings=settings,
                    model_request_parameters=ModelRequestParameters(function_tools=definitions),
                )
        except BaseException as error:
            told = error
            if isinstance(error, TimeoutError):
                told = TimeoutError(f"no answer within {self._setup.model_timeout:g} seconds")
            self._answered(0, None, _describe(told))
            if told is error:
                raise
            raise told from None
        response = self._with_own_ids(response)
        usage = response.usage
        counted = Usage(usage.input_tokens, usage.output_tokens) if usage.input_tokens or usage.output_tokens else None
        self._answered(len(response.tool_calls), counted, None)
        text = _text(response)
        if text or response.tool_calls:  # an empty message would make the history invalid
            self._messages.append(response)
        turn.said = text or turn.said
        return response

    def _answered(self, tool_calls: int, usage: Usage | None, error: str | None) -> None:
        turn = self._turn
        if usage is not None:
            known = turn.usage or Usage(0, 0)
            turn.usage = Usage(
                known.input_tokens + usage.input_tokens,
                known.output_tokens + usage.output_tokens,
            )
        self._tell(
            ModelCallFinished(
                model_call=turn.model_calls,
                tool_calls=tool_calls,
                usage=usage,
                error=error,
                ts=time.time(),
                session_id=self._gate.session_id,
                turn=turn.number,
            )
        )

    def _with_own_ids(self, response: ModelResponse) -> ModelResponse:
        """Give each call an id that no other call of the history has: some servers count from zero each time."""
        parts = list(response.parts)
        for place, part in enumerate(parts):
            if isinstance(part, ToolCallPart):
                call_id, number = part.tool_call_id or "call", 2
                while call_id in self._call_ids:
                    call_id, number = f"{part.tool_call_id or 'call'}-{number}", number + 1
                self._call_ids.add(call_id)
                parts[place] = replace(part, tool_call_id=call_id)
        return replace(response, parts=parts)

    async def _answer(self, parts: Sequence[ToolCallPart], *, allowed: bool = True) -> list[Answer]:
        """Give each call of a response its one result: admitted in their order, those that only read run together."""
        calls = [ToolCall(part.tool_name, _arguments(part), part.tool_call_id) for part in parts]
        answers: dict[str | None, Answer] = {}
        self._gate.admit(calls)
        try:
            for group in self._groups(calls):
                async with asyncio.TaskGroup() as tasks:
                    for call in group:
                        tasks.create_task(self._run(call, answers, allowed=allowed))
        finally:
            for call in calls:
                if call.id not in answers:
                    self._gate.settle(call, "cancelled")
            self._say(*(_returned(call, answers.get(call.id)) for call in calls))
        return [answers[call.id] for call in calls]

    def _groups(self, calls: Sequence[ToolCall]) -> Iterator[list[ToolCall]]:
        """Split a batch into what may run at the same time: a call that may change something runs alone."""
        group: list[ToolCall] = []
        for call in calls:
            if (self._policy.effect_of(call.name) or tool_effect(call).kind) == "read":
                group.append(call)
                continue
            if group:
                yield group
            yield [call]
            group = []
        if group:
            yield group

    async def _run(self, call: ToolCall, answers: dict[str | None, Answer], *, allowed: bool) -> None:
        async def execute(_: object) -> object:
            try:
                if not allowed:
                    raise EndedError("denied", _TOOLS_OFF)
                return await self._toolbox.run(call)
            except EndedError as error:
                # Settled here with what is true; the gate takes the first word.
                self._gate.settle(call, error.outcome, error.content)
                raise ToolFailedError(error.content) from None

        answers[call.id] = await self._gate.arun(call.name, call.input, execute, call_id=call.id)

    def _say(self, *parts: UserPromptPart | ToolReturnPart) -> None:
        self._messages.append(ModelRequest(parts=list(parts), instructions=self._setup.instructions or None))

    def _report(self, ending: _Ending) -> RunResult:
        turn, counts = self._turn, self._gate.counts()
        in_turn = counts.turn if counts else Counters()
        self._tell(
            TurnReported(
                text=ending.text,
                complete=ending.complete,
                error=ending.error,
                ts=time.time(),
                session_id=self._gate.session_id,
                turn=turn.number,
                counts=in_turn,
                model_calls=turn.model_calls,
                usage=turn.usage,
            )
        )
        return RunResult(
            text=ending.text,
            complete=ending.complete,
            error=ending.error,
            counts=in_turn,
            model_calls=turn.model_calls,
            usage=turn.usage,
            events=tuple(turn.events),
            messages=tuple(self._messages),
        )

    def _tell(self, event: RunEvent) -> None:
        """Keep an event for the result, and pass it on; what the sink raises stays here."""
        self._turn.events.append(event)
        if self._sink is not None:
            try:
                self._sink(event)
            except Exception as error:  # noqa: BLE001 - a broken sink must not reach the agent
                log.warning("event sink failed (%s)", type(error).__name__)


def _arguments(part: ToolCallPart) -> Any:  # noqa: ANN401 - any JSON
    """Return a call's arguments; what is not JSON stays text, and is keyed and refused as such."""
    if not isinstance(part.args, str):
        return part.args or {}
    try:
        return json.loads(part.args) if part.args.strip() else {}
    except (ValueError, RecursionError):
        return part.args


def _returned(call: ToolCall, answer: Answer | None) -> ToolReturnPart:
    """Return a result as the model reads it."""
    call_id = call.id or ""
    if answer is None:
        return ToolReturnPart(call.name, _CANCELLED, call_id, outcome="interrupted")
    # A tool that reports its own failure says so in its text, which stays readable as it is.
    failed = answer.error and not isinstance(answer.exception, ToolFailedError)
    content = answer.content
    if answer.notice:
        content = f"{content}\n\n{answer.notice}" if isinstance(content, str) else [content, answer.notice]
    return ToolReturnPart(call.name, content, call_id, outcome="failed" if failed else "success")


def _text(response: ModelResponse) -> str:
    return (response.text or "").strip()


def _ending(response: ModelResponse) -> _Ending:
    text, error = _text(response), _CUT_OFF.get(response.finish_reason or "")
    if not text and error is None:
        error = "the model gave no answer"
    return _Ending(text, complete=error is None, error=error)


def _describe(error: BaseException) -> str:
    """Say what went wrong on one line, without credentials."""
    if isinstance(error, asyncio.CancelledError):
        return "cancelled"
    return mask(" ".join(f"{type(error).__name__}: {error}".split()))[:500]
