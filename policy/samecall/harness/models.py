"""From a name to a model: a provider's, any that speaks OpenAI's chat API, or the model's side of a recording."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, infer_model
from pydantic_ai.settings import ModelSettings

from ..errors import RunError
from ..recordings import RecordedCall, Turn, read

REPLAY = "replay:"
_OPENAI = ("openai:", "openai-chat:")


@dataclass(frozen=True, slots=True)
class OpenModel:
    """A model, and the calls whose results a recording holds, by call id: they are answered from there."""

    model: Model
    recorded: Mapping[str, RecordedCall] = field(default_factory=dict[str, RecordedCall])


def open_model(model: str | Model, base_url: str | None = None) -> OpenModel:
    """Find the model that a name stands for. Raises ``RunError`` for one that is unknown or has no credentials.

    ``base_url`` is where an OpenAI-compatible server listens; ``OPENAI_BASE_URL`` says the same for ``openai:``.
    """
    speaks_openai = isinstance(model, str) and model.startswith(_OPENAI)
    if base_url is not None:
        _check_address(base_url, speaks_openai=speaks_openai)
    if not isinstance(model, str):
        return OpenModel(model)
    if model.startswith(REPLAY):
        return _replay(model.removeprefix(REPLAY))
    address = base_url or os.environ.get("OPENAI_BASE_URL")
    try:
        if address and speaks_openai:
            return OpenModel(_compatible(model.split(":", 1)[1], address))
        return OpenModel(infer_model(model))
    except (UserError, ImportError, ValueError) as error:
        raise RunError(f"model {model}: {_trouble(str(error))}") from None


def _check_address(base_url: str, *, speaks_openai: bool) -> None:
    if not speaks_openai:
        raise RunError("base URL: only a model openai:NAME has one")
    if not re.match(r"https?://[^/\s]+(/|$)", base_url):
        raise RunError(f"base URL: must begin with http:// or https:// and a host, not {base_url}")


def _trouble(text: str) -> str:
    """Return what a caller of ours can do about it: pydantic-ai speaks of classes of its own.

    >>> _trouble("Set the `OPENAI_API_KEY` environment variable or pass it via `OpenAIProvider(api_key=...)` to …")
    'set the environment variable OPENAI_API_KEY'
    """
    variable = re.search(r"[Ss]et the `(\w+)` environment variable", text)
    if variable:
        return f"set the environment variable {variable[1]}"
    if text.startswith("Unknown model"):
        return "no such model; give PROVIDER:NAME, for example openai:gpt-5, or replay:FILE"
    return text.splitlines()[0]


def _compatible(name: str, base_url: str) -> Model:
    """Return a model behind OpenAI's chat API, the one that every compatible server speaks."""
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415 - half a second, for this provider only
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415 - the same

    return OpenAIChatModel(name, provider=OpenAIProvider(base_url=base_url))


def _replay(file: str) -> OpenModel:
    if not file:
        raise RunError("replay: names no recording; give replay:FILE")
    recordings = [tuple(recording.turns) for recording in read(file)]
    if len(recordings) != 1:
        raise RunError(f"{file}: holds {len(recordings)} sessions; one is needed")
    turns = recordings[0]
    calls = [recorded for turn in turns for batch in turn.batches for recorded in batch]
    results = {recorded.call.id: recorded for recorded in calls if recorded.call.id and recorded.result is not None}
    return OpenModel(ReplayModel(turns), results)


class ReplayModel(Model):
    """Says what the model said in a recording: a turn for each prompt, a batch of calls for each request.

    It does not listen. Where tools are off, it goes to the turn's final answer at once.
    """

    def __init__(self, turns: Sequence[Turn]) -> None:
        """Begin before the first turn."""
        super().__init__()
        self._turns = turns
        self._turn = -1
        self._batch = 0

    @property
    def model_name(self) -> str:
        """Name what is replayed."""
        return "replay"

    @property
    def system(self) -> str:
        """Name the provider."""
        return "samecall"

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Return the next batch of calls, or the final answer."""
        del model_request_parameters
        latest = messages[-1]
        if isinstance(latest, ModelRequest) and any(isinstance(part, UserPromptPart) for part in latest.parts):
            self._turn, self._batch = self._turn + 1, 0
        if self._turn >= len(self._turns):
            turns = len(self._turns)
            raise RunError(f"the recording has {turns} turn{'' if turns == 1 else 's'}, and this is one more")
        turn = self._turns[self._turn]
        tools_off = (model_settings or {}).get("tool_choice") == "none"
        if tools_off or self._batch >= len(turn.batches):
            return ModelResponse(parts=[TextPart(turn.text)] if turn.text else [])
        batch = turn.batches[self._batch]
        self._batch += 1
        return ModelResponse(
            parts=[
                ToolCallPart(recorded.call.name, json.dumps(recorded.call.input), recorded.call.id or "")
                for recorded in batch
            ]
        )
