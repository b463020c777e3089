"""run_agent: a prompt, a model, tools behind the gate, one answer."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Unpack

from ..errors import RunError
from ..events import Sink
from ..options import PolicyOptions
from .bash import Bash
from .result import RunResult
from .setup import MODEL_TIMEOUT, Setup, check

if TYPE_CHECKING:
    from pydantic_ai.models import Model  # importing samecall must not load pydantic-ai

    from .session import Session
    from .toolbox import Tools

_BASH = Bash()


def run_agent(  # noqa: PLR0913 - independent settings, by keyword
    prompt: str,
    *,
    model: str | Model,
    tools: Sequence[Tools] = (),
    mcp: Sequence[str] = (),
    bash: Bash | None = _BASH,
    base_url: str | None = None,
    instructions: str = "",
    model_timeout: float = MODEL_TIMEOUT,
    on_event: Sink | None = None,
    **policy: Unpack[PolicyOptions],
) -> RunResult:
    """Do what ``arun_agent`` does, and wait for it. Not for use inside an event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        raise RunError("an event loop is running: await arun_agent instead")
    return asyncio.run(
        arun_agent(
            prompt,
            model=model,
            tools=tools,
            mcp=mcp,
            bash=bash,
            base_url=base_url,
            instructions=instructions,
            model_timeout=model_timeout,
            on_event=on_event,
            **policy,
        )
    )


async def arun_agent(  # noqa: PLR0913 - independent settings, by keyword
    prompt: str,
    *,
    model: str | Model,
    tools: Sequence[Tools] = (),
    mcp: Sequence[str] = (),
    bash: Bash | None = _BASH,
    base_url: str | None = None,
    instructions: str = "",
    model_timeout: float = MODEL_TIMEOUT,
    on_event: Sink | None = None,
    **policy: Unpack[PolicyOptions],
) -> RunResult:
    """Take ``prompt`` to an answer, with every tool call behind a gate, and return it whatever happens on the way.

    ``model`` is a name that pydantic-ai knows (``openai:…``, ``anthropic:…``), one of its models, or ``replay:FILE``;
    ``base_url`` is where an OpenAI-compatible server listens. ``tools`` are functions and pydantic-ai toolsets,
    ``mcp`` commands or addresses of MCP servers, ``bash`` says where and how commands run (``None``: no bash).
    ``model_timeout`` is in seconds, for one request. All other options are those of ``ToolPolicy``, in either spelling.

    Raises ``PolicyError`` and ``RunError`` before anything runs.
    """
    setup = Setup(
        model=model,
        policy=policy,
        tools=tuple(tools),
        mcp=tuple(mcp),
        bash=bash,
        base_url=base_url,
        instructions=instructions,
        model_timeout=model_timeout,
        on_event=on_event,
    )
    async with session(setup) as opened:
        return await opened.turn(prompt)


@asynccontextmanager
async def session(setup: Setup) -> AsyncGenerator[Session]:
    """Open a session of many turns: ``await opened.turn(prompt)``. Raises ``PolicyError`` and ``RunError``."""
    check(setup)
    if importlib.util.find_spec("pydantic_ai") is None:
        raise RunError("pydantic-ai is not installed: pip install 'samecall[run]'")
    from .session import open_session  # noqa: PLC0415 - pydantic-ai is loaded for those who run an agent

    async with open_session(setup) as opened:
        yield opened
