"""From a command line or an address to the tools of an MCP server."""

from __future__ import annotations

import os
import re
import shlex
from typing import TYPE_CHECKING, Any

from ..errors import RunError

if TYPE_CHECKING:
    from pydantic_ai.mcp import MCPToolset  # loaded for those who name a server


def open_server(server: str) -> MCPToolset[Any]:
    """Return the tools of a server: ``https://…`` is where it listens, anything else the command that starts it.

    Raises ``RunError`` for what is neither.
    """
    from fastmcp.client.transports import StdioTransport  # noqa: PLC0415 - a second, for those who name a server
    from pydantic_ai.mcp import MCPToolset  # noqa: PLC0415 - the same

    if server.startswith(("http://", "https://")):
        return MCPToolset(server, tool_error_behavior="failed")
    try:
        words = shlex.split(server)
    except ValueError as error:
        raise RunError(f"MCP server {server!r}: {error}") from None
    if not words:
        raise RunError("an MCP server needs a command or an address")
    return MCPToolset(StdioTransport(words[0], words[1:], env=dict(os.environ)), tool_error_behavior="failed")


def prefix_of(toolset: object) -> str:
    """Return what stands before the names of a server's tools: two servers may each have a ``search``.

    >>> prefix_of(object())
    ''
    """
    info = getattr(toolset, "server_info", None)
    name = getattr(info, "name", None)
    return f"mcp__{re.sub(r'[^A-Za-z0-9-]+', '_', name)[:24]}__" if isinstance(name, str) else ""
