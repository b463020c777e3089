"""One conversation with a model whose tool calls pass the gate. The last event of a turn is always its report."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Literal, TypeAlias

from callkey import ToolCall, tool_effect
from pydantic_ai import RunContext
from pydantic_ai.direct import model_request
from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage

from ..decisions import Answer, Outcome, Reject
from ..discretion import mask
from ..errors import RunError, SamecallError, ToolFailedError
from ..events import Event
from ..gate import ToolCallGate
from ..options import EffectKind, ToolPolicy
from ..records import Counters
from .models import open_model
from .result import RunResult
from .setup import Setup
from .toolbox import Toolbox, open_toolbox
from .turn import Ending, TurnLog
from .wire import returned, text_of, tool_call, with_own_ids

Tools: TypeAlias = Literal["on", "off", "absent"]
"""Whether the model may call: ``off`` keeps the definitions, which some providers need beside earlier calls."""

_FRUITLESS = 10
"""Model responses in a row of which no call ran, where no limit ends the turn before."""

_SPENT = {"max_tool_calls", "max_tool_calls_per_session", "max_rejections"}
_TOOLS_OFF = "Not run: tool calls are over in this turn. Write the best answer from gathered sources."
_CUT_OFF = {
    "length": "the answer was cut off at the model's output limit",
    "content_filter": "the answer was stopped by the provider's content filter",
    "error": "the provider reported an error",
}


@asynccontextmanager
async def open_session(setup: Setup) -> AsyncGenerator[Session]:
    """Start the model and the tools of a session, and end them after it. Raises ``RunError`` or ``PolicyError``."""
    policy = ToolPolicy(**setup.policy)
    opened = open_model(setup.model, setup.base_url)
    async with AsyncExitStack() as stack:
        context: RunContext[None] = RunContext(deps=None, model=opened.model, usage=RunUsage())
        toolbox = await open_toolbox(stack, setup.toolsets(), setup.bash, opened.recorded, context)
        declared: dict[str, EffectKind] = {
            name: tool.effect for name, tool in toolbox.tools.items() if tool.effect is not None
        }
        yield Session(setup, opened.model, toolbox, policy.with_effects(declared))


class Session:
    """A model, its tools, a gate, and the messages so far. One turn at a time."""

    def __init__(self, setup: Setup, model: Model, toolbox: Toolbox, policy: ToolPolicy) -> None:
        """Begin without messages."""
        self._setup = setup
        self._model = model
        self._toolbox = toolbox
        self._policy = policy
        self._messages: list[ModelMessage] = []
        self._call_ids: set[str] = set()
        self._begun: set[str | None] = set()
        self._gate = ToolCallGate(policy, on_event=self._tell, include_input=setup.include_input)
        self._turn = TurnLog(self._gate.session_id, setup.on_event)

    async def turn(self, prompt: str) -> RunResult:
        """Take a prompt to its final answer. Whatever the model or the provider does comes back as a result.

        Cancelled, it settles what runs, reports the turn, and raises ``CancelledError``.
        """
        self._turn = TurnLog(self._gate.session_id, self._setup.on_event)
        self._turn.number = self._gate.new_turn() or 0
        # Lone surrogates cannot be sent.
        self._say(UserPromptPart(prompt.encode(errors="replace").decode()))
        try:
            ending = await self._converse()
        except asyncio.CancelledError:
            self._report(Ending(self._turn.said, "cancelled"))
            raise
        except Exception as error:  # noqa: BLE001 - a provider may fail in any way: the turn ends in a report all the same
            ending = Ending(self._turn.said, _describe(error))
        return self._report(ending)

    async def _converse(self) -> Ending:
        fruitless = 0
        while fruitless < max(_FRUITLESS, self._policy.max_rejections or 0):
            response = await self._ask("on")
            if not response.tool_calls:
                if text_of(response) or response.finish_reason in _CUT_OFF:
                    return _ending(response)
                break  # not a word: ask for the answer
            executed = self._counts().executed
            answers = await self._answer(response.tool_calls)
            if any(_is_over(answer) for answer in answers):
                break
            fruitless = 0 if self._counts().executed > executed else fruitless + 1
        return await self._conclude()

    async def _conclude(self) -> Ending:
        """Ask for the final answer. A server that ignores ``tool_choice`` is asked again without tools."""
        ways: tuple[Tools, ...] = ("off", "absent")
        for tools in ways:
            response = await self._ask(tools)
            if not response.tool_calls:
                return _ending(response)
            await self._answer(response.tool_calls, allowed=False)
        return Ending(self._turn.said, "the model does not stop calling tools")

    async def _ask(self, tools: Tools) -> ModelResponse:
        """Ask the model once, and keep what it says."""
        definitions = [] if tools == "absent" else [tool.definition for tool in self._toolbox.tools.values()]
        self._turn.asked(tools=tools == "on")
        try:
            response = await self._request(
                ModelSettings(tool_choice="none") if tools == "off" else ModelSettings(),
                ModelRequestParameters(function_tools=definitions),
            )
        except BaseException as error:
            self._turn.answered(error=_describe(error))
            raise
        response = with_own_ids(response, self._call_ids)
        self._turn.answered(len(response.tool_calls), response.usage)
        text = text_of(response)
        if text or response.tool_calls:  # an empty message would make the history invalid
            self._messages.append(response)
        self._turn.said = text or self._turn.said
        return response

    async def _request(self, settings: ModelSettings, parameters: ModelRequestParameters) -> ModelResponse:
        seconds = self._setup.model_timeout
        try:
            async with asyncio.timeout(seconds):
                return await model_request(
                    self._model, self._messages, model_settings=settings, model_request_parameters=parameters
                )
        except TimeoutError:
            raise TimeoutError(f"no answer within {seconds:g} seconds") from None
        except ModelHTTPError:
            raise
        except ModelAPIError as error:  # of the connection, which speaks of no address
            raise RunError(f"no answer from {self._model.base_url or self._model.system}: {error.message}") from None

    async def _answer(self, parts: Sequence[ToolCallPart], *, allowed: bool = True) -> list[Answer]:
        """Give each call of a response its one result: admitted in their order, those that only read run together."""
        calls = [tool_call(part) for part in parts]
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
                    self._gate.settle(call, self._stopped(call))
            self._say(*(returned(call, answers.get(call.id)) for call in calls))
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
        def begin() -> None:
            self._begun.add(call.id)
            if self._setup.on_begin is not None:
                self._setup.on_begin(call.id or "")

        async def execute(_: object) -> object:
            if not allowed:
                raise ToolFailedError(_TOOLS_OFF, "denied")
            try:
                return await self._toolbox.run(call, begin)
            except asyncio.CancelledError:
                self._gate.settle(call, self._stopped(call))  # the gate takes the first word
                raise

        answers[call.id] = await self._gate.arun(call.name, call.input, execute, call_id=call.id)

    def _stopped(self, call: ToolCall) -> Outcome:
        """Return how a call ended that an interrupt kept from ending by itself."""
        return "cancelled" if call.id in self._begun else "denied"

    def _say(self, *parts: UserPromptPart | ToolReturnPart) -> None:
        self._messages.append(ModelRequest(parts=list(parts), instructions=self._setup.instructions or None))

    def _counts(self) -> Counters:
        counts = self._gate.counts()
        return counts.turn if counts else Counters()

    def _report(self, ending: Ending) -> RunResult:
        turn, counts = self._turn, self._counts()
        turn.report(ending, counts)
        return RunResult(
            text=ending.text,
            complete=ending.error is None,
            error=ending.error,
            counts=counts,
            model_calls=turn.model_calls,
            usage=turn.usage,
            events=tuple(turn.events),
            messages=tuple(self._messages),
        )

    def _tell(self, event: Event) -> None:
        self._turn.tell(event)


def _is_over(answer: Answer) -> bool:
    """Say whether no further call would run in this turn."""
    told = answer.decision
    return isinstance(told, Reject) and (told.stop or told.reason in _SPENT)


def _ending(response: ModelResponse) -> Ending:
    text, error = text_of(response), _CUT_OFF.get(response.finish_reason or "")
    return Ending(text, error if text or error else "the model gave no answer")


def _describe(error: BaseException) -> str:
    """Say what went wrong on one line, without credentials."""
    if isinstance(error, asyncio.CancelledError):
        return "cancelled"
    name = "" if isinstance(error, SamecallError) else f"{type(error).__name__}: "
    return mask(" ".join(f"{name}{error}".split()))[:500]
