"""From a command line or an address to the tools of an MCP server."""

from __future__ import annotations

import os
import re
import shlex
from typing import TYPE_CHECKING, Any

from ..errors import RunError

if TYPE_CHECKING:
    from pydantic_ai.mcp import MCPToolset  # loaded for those who name a server

_START_SECONDS = 60.0
"""A server may have to be downloaded first."""

_CALL_SECONDS = 300.0

# JSON-RPC 2.0, section 5.1: the request could not be read, or asked for what is not there. Nothing ran.
_NOT_RUN = {-32700, -32600, -32601, -32602}


def open_server(server: str) -> MCPToolset[Any]:
    """Return the tools of a server: ``https://…`` is where it listens, anything else the command that starts it.

    Raises ``RunError`` for what is neither.
    """
    from fastmcp.client.transports import StdioTransport  # noqa: PLC0415 - a second, for those who name a server
    from pydantic_ai.mcp import MCPToolset  # noqa: PLC0415 - the same

    try:
        words = shlex.split(server)
    except ValueError as error:
        raise RunError(f"MCP server {server!r}: {error}") from None
    if not words:
        raise RunError("an MCP server needs a command or an address")
    listens = server.startswith(("http://", "https://"))
    return MCPToolset(
        server if listens else StdioTransport(words[0], words[1:], env=dict(os.environ)),
        tool_error_behavior="failed",
        init_timeout=_START_SECONDS,
        read_timeout=_CALL_SECONDS,
    )


def prefix_of(toolset: object) -> str:
    """Return what stands before the names of a server's tools: two servers may each have a ``search``.

    >>> prefix_of(object())
    ''
    """
    info = getattr(toolset, "server_info", None)
    name = getattr(info, "name", None)
    return f"mcp__{re.sub(r'[^A-Za-z0-9-]+', '_', name)[:24]}__" if isinstance(name, str) else ""


def is_lost(error: BaseException) -> bool:
    """Say whether nobody knows if a call took effect: the connection broke, or the server itself failed."""
    code = getattr(getattr(error.__cause__, "error", None), "code", None)
    return code is not None and code not in _NOT_RUN
