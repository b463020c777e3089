"""What the adapters share: gates by session, and modules that need their framework only when they are used."""

import pkgutil
import subprocess
import sys

import samecall.adapters
from callkey import ToolCall
from samecall import Event, Execute, MemoryStore, Reject, ToolPolicy
from samecall.adapters import sessions as module
from samecall.adapters.sessions import Sessions, sessions_of

FRAMEWORKS = (
    "agents", "claude_agent_sdk", "crewai", "google.adk", "langchain", "langchain_core", "langgraph", "mcp",
    "pydantic_ai", "smolagents", "strands",
)  # fmt: skip


def _call(number: str, text: str = "cat a.txt") -> ToolCall:
    return ToolCall("bash", {"command": text}, number)


def test_every_adapter_can_be_imported_without_its_framework() -> None:
    modules = [found.name for found in pkgutil.iter_modules(samecall.adapters.__path__)]
    hidden = "; ".join(f"sys.modules[{name!r}] = None" for name in FRAMEWORKS)
    imports = "; ".join(f"import samecall.adapters.{name}" for name in modules)
    # The command is fixed; nothing in it comes from outside.
    subprocess.run([sys.executable, "-c", f"import sys; {hidden}; {imports}"], check=True)  # noqa: S603
    assert {"claude_agent_sdk", "langchain", "mcp", "openai_agents", "pydantic_ai"} <= set(modules)


def test_sessions_do_not_mix() -> None:
    sessions = Sessions(ToolPolicy(maxToolCalls=1))
    assert isinstance(sessions.gate("one").admit([_call("a")])[0], Execute)
    assert isinstance(sessions.gate("two").admit([_call("a")])[0], Execute)
    assert isinstance(sessions.gate("one").admit([_call("b")])[0], Reject)


def test_a_bare_policy_keeps_books_of_its_own() -> None:
    policy = ToolPolicy(maxToolCalls=1)
    for _ in range(2):
        assert isinstance(sessions_of(policy).gate("one").admit([_call("a")])[0], Execute)
    sessions = Sessions(policy)
    assert sessions_of(sessions) is sessions


def test_a_gate_that_is_no_longer_kept_finds_its_books_again() -> None:
    sessions = Sessions(ToolPolicy(maxToolCalls=1))
    sessions.gate("one").admit([_call("a")])
    for number in range(module._KEPT):  # noqa: SLF001 - as many as it takes
        sessions.gate(f"session {number}")
    assert isinstance(sessions.gate("one").admit([_call("b")])[0], Reject)


def test_a_subagent_is_the_same_one_in_every_gate() -> None:
    events: list[Event] = []
    store = MemoryStore()
    for number, expected in (("a", Execute), ("b", Reject)):
        sessions = Sessions(ToolPolicy(), store=store, on_event=events.append).child(1, name="helper")
        assert isinstance(sessions.gate("one").admit([_call(number, f"cat {number}")])[0], expected)
    assert {event.agent for event in events} == {"/helper"}


def test_a_share_of_the_pool_is_the_parents_budget() -> None:
    sessions = Sessions(ToolPolicy(maxToolCalls=1))
    helper = sessions.child("pool", name="helper")
    assert helper.policy.max_tool_calls == 1
    assert isinstance(helper.gate("one").admit([_call("a")])[0], Execute)
    assert isinstance(sessions.gate("one").admit([_call("b")])[0], Reject)
