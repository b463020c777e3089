"""The tools of a run under one roof: bash, any pydantic-ai toolset, and what a recording has results for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias, cast

from callkey import ToolCall
from pydantic import ValidationError
from pydantic_ai import RunContext
from pydantic_ai.exceptions import ModelRetry, ToolFailed
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, FunctionToolset, ToolsetTool

from ..errors import RunError, ToolFailedError
from ..options import EffectKind
from ..recordings import RecordedCall
from .bash import DESCRIPTION, SCHEMA, Bash, run_command
from .mcp import is_lost, prefix_of

Context: TypeAlias = RunContext[None]
Tools: TypeAlias = Callable[..., Any] | AbstractToolset[None]
Begin: TypeAlias = Callable[[], None]
Execute: TypeAlias = Callable[[dict[str, Any], Begin], Awaitable[object]]
"""Takes the arguments, and what to call when nothing keeps the tool from running any more."""

_LOST = "Error: {}. It is not known whether the call took effect."


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: what the model is told of it, and how it runs. ``effect`` where the tool itself declares one."""

    definition: ToolDefinition
    execute: Execute
    effect: EffectKind | None = None


@dataclass(frozen=True, slots=True)
class Toolbox:
    """All tools by name, and the recorded results by call id."""

    tools: Mapping[str, Tool]
    recorded: Mapping[str, RecordedCall]

    async def run(self, call: ToolCall, begin: Begin) -> object:
        """Return a call's result. Raises ``ToolFailedError``, or whatever a function tool raises."""
        held = self.recorded.get(call.id or "")
        if held is not None:
            if held.outcome != "denied":
                begin()
            return _played(held)
        tool = self.tools.get(call.name)
        if tool is None:
            raise ToolFailedError(f"Error: there is no tool {call.name!r}. Tools: {', '.join(self.tools) or 'none'}.")
        arguments: object = call.input
        if not isinstance(arguments, dict):
            raise ToolFailedError("Error: the arguments are not a JSON object.")
        return await tool.execute(cast("dict[str, Any]", arguments), begin)


async def open_toolbox(
    stack: AsyncExitStack,
    tools: Iterable[tuple[str, Tools]],
    bash: Bash | None,
    recorded: Mapping[str, RecordedCall],
    context: Context,
) -> Toolbox:
    """Start every toolset, on ``stack``, and list its tools. Raises ``RunError`` with the name of one that fails."""
    found = [] if bash is None else [_bash(bash)]
    for called, given in tools:
        found += await _open(stack, called, given, context)
    named: dict[str, Tool] = {}
    for tool in found:
        if tool.definition.name in named:
            raise RunError(f"two tools are named {tool.definition.name}")
        named[tool.definition.name] = tool
    return Toolbox(named, recorded)


async def _open(stack: AsyncExitStack, called: str, given: Tools, context: Context) -> list[Tool]:
    toolset: AbstractToolset[None]
    if isinstance(given, AbstractToolset):
        toolset = cast("AbstractToolset[None]", given)  # isinstance cannot tell which dependencies it takes
    else:
        toolset = FunctionToolset[None]([given])
    try:
        await stack.enter_async_context(toolset)
        tools = await toolset.get_tools(context)
    except Exception as error:  # noqa: BLE001 - a server may fail to start in any way
        raise RunError(f"{called}: {error or type(error).__name__}") from None
    prefix = prefix_of(toolset)
    return [
        Tool(
            replace(tool.tool_def, name=prefix + name),
            partial(_call, name, tool, context, remote=bool(prefix)),
            _declared(tool.tool_def),
        )
        for name, tool in tools.items()
    ]


async def _call(  # noqa: PLR0913 - one parameter for each thing that a call needs
    name: str, tool: ToolsetTool[None], context: Context, arguments: dict[str, Any], begin: Begin, *, remote: bool
) -> object:
    try:
        checked = tool.args_validator.validate_python(arguments)
        begin()
        return await tool.toolset.call_tool(name, checked, context, tool)
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, part['loc']))}: {part['msg']}" for part in error.errors())
        raise ToolFailedError(f"Error: {wrong}") from None
    except (ToolFailed, ModelRetry) as error:
        if not is_lost(error):
            raise ToolFailedError(f"Error: {error.message}") from None
        raise ToolFailedError(_LOST.format(error.message), "unknown") from None
    except Exception as error:
        if not remote:
            raise
        raise ToolFailedError(_LOST.format(f"{type(error).__name__}: {error}"), "unknown") from None


def _declared(definition: ToolDefinition) -> EffectKind | None:
    """Return what an MCP server says its tool does: a hint, but the server is the user's own choice."""
    match definition.metadata:
        case {"annotations": {"readOnlyHint": bool() as reads}}:
            return "read" if reads else "write"
        case _:
            return None


def _bash(bash: Bash) -> Tool:
    async def execute(arguments: dict[str, Any], begin: Begin) -> object:
        command = arguments.get("command")
        if not isinstance(command, str):
            raise ToolFailedError("Error: command: a text is needed")
        return await run_command(bash, command, begin)

    return Tool(ToolDefinition(name="bash", description=DESCRIPTION, parameters_json_schema=SCHEMA), execute)


def _played(held: RecordedCall) -> object:
    if held.outcome == "succeeded":
        return held.result
    raise ToolFailedError(held.result, held.outcome)
