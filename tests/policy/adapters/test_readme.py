"""The README's examples for frameworks run as they are printed."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.policy.adapters.harness import FINAL_TEXT, need_framework

README = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")


def _example(title: str) -> str:
    """Return the first Python example under a heading of the section."""
    section = README.partition("## In your framework\n")[2].partition("\n## ")[0]
    example = re.search(rf"^### {re.escape(title)}\n.*?^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert example, title
    return example[1]


def _run(title: str, **given: Any) -> dict[str, Any]:
    names: dict[str, Any] = dict(given)
    exec(_example(title), names)  # noqa: S102 - the README is ours
    return names


def search(query: str) -> str:
    """Search the library."""
    return f"nothing about {query}"


def test_langchain() -> None:
    need_framework("langchain")
    from langchain_core.language_models import FakeListChatModel  # noqa: PLC0415

    class Model(FakeListChatModel):
        def bind_tools(self, *_: Any, **__: Any) -> "Model":
            return self

    state = _run("LangChain", model=Model(responses=[FINAL_TEXT]), search=search)["state"]
    assert state["messages"][-1].content == FINAL_TEXT


def test_pydantic_ai() -> None:
    need_framework("pydantic_ai")
    from pydantic_ai.models.test import TestModel  # noqa: PLC0415

    result = _run("pydantic-ai", model=TestModel(custom_output_text=FINAL_TEXT), search=search)["result"]
    assert result.output == FINAL_TEXT


def test_openai_agents() -> None:
    need_framework("agents")
    from agents import function_tool, set_tracing_disabled  # noqa: PLC0415
    from agents.testing import ScriptedModel, assistant_message  # noqa: PLC0415

    set_tracing_disabled(True)
    model = ScriptedModel([[assistant_message(FINAL_TEXT)]])
    result = _run("OpenAI Agents SDK", model=model, search=function_tool(search))["result"]
    assert result.final_output == FINAL_TEXT


def test_mcp() -> None:
    need_framework("mcp")
    assert _run("MCP", search=search)["server"].name == "library"


def test_claude_agent_sdk() -> None:
    need_framework("claude_agent_sdk")
    assert "PreToolUse" in _run("Claude Agent SDK")["options"].hooks


def test_sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = _run("Sessions that last, and subagents")
    assert names["helper"].policy.max_tool_calls == 5
    assert names["helper"].gate("one").counts() is not None
