"""Claude Code and its hook: the events of a session, one process each."""

from typing import Any

import pytest

from tests.policy.hooks.agent import Agent, Reply

SEEN = {"stdout": "README.md\n", "stderr": "", "interrupted": False, "isImage": False}


class Claude(Agent):
    """A session, in the words of Claude Code."""

    def ask(self, call_id: str, command: str, **fields: object) -> Reply:
        return self.send("PreToolUse", **bash(call_id, command), **fields)

    def did(self, call_id: str, command: str, result: object = SEEN, **fields: object) -> Reply:
        return self.send("PostToolUse", **bash(call_id, command), tool_response=result, duration_ms=12, **fields)

    def failed(self, call_id: str, command: str, **fields: object) -> Reply:
        error = "Command exited with non-zero status code 1"
        return self.send(
            "PostToolUseFailure", **bash(call_id, command), error=error, **{"is_interrupt": False} | fields
        )

    def prompt(self, **fields: object) -> Reply:
        return self.send("UserPromptSubmit", prompt="What is in here?", **fields)

    def run(self, call_id: str, command: str, **fields: object) -> bool:
        """Let a call run, if it may."""
        allowed = self.ask(call_id, command, **fields).answer is None
        if allowed:
            self.did(call_id, command, **fields)
        return allowed


def bash(call_id: str, command: str) -> dict[str, Any]:
    return {
        "tool_name": "Bash",
        "tool_input": {"command": command, "description": "Look around"},
        "tool_use_id": call_id,
    }


def reason(reply: Reply) -> str:
    assert reply.status == 0
    assert reply.answer is not None
    said = reply.answer["hookSpecificOutput"]
    assert said["hookEventName"] == "PreToolUse"
    assert said["permissionDecision"] == "deny"
    text: str = said["permissionDecisionReason"]
    return text


@pytest.fixture
def claude(environment: dict[str, str]) -> Claude:
    return Claude(
        "claude-code",
        environment,
        common={
            "transcript_path": "/home/ann/.claude/projects/-repo/5d0f.jsonl",
            "cwd": "/repo",
            "permission_mode": "default",
        },
    )


def test_a_call_runs_in_silence(claude: Claude) -> None:
    assert claude.ask("toolu_01", "ls -la") == Reply(0, None, "")
    assert claude.did("toolu_01", "ls -la") == Reply(0, None, "")


def test_a_repeated_call_is_refused_however_it_is_spelled(claude: Claude) -> None:
    claude.run("toolu_01", "curl -s 'https://example.org/?b=1&a=2'")
    refused = claude.ask("toolu_02", 'curl --silent "https://example.org/?a=2&b=1"')
    assert reason(refused).startswith("Duplicate tool call suppressed; use the previous result. Call 1 (Bash)")


def test_the_budget_is_the_turns(claude: Claude) -> None:
    claude.policy = ("--max-tool-calls", "2")
    assert [claude.run(f"toolu_0{n}", f"cat {n}.txt") for n in range(2)] == [True, True]
    assert reason(claude.ask("toolu_03", "cat 3.txt")).startswith("Tool-call budget exhausted: 2/2.")
    claude.prompt()
    assert claude.run("toolu_04", "cat 3.txt")


def test_a_turn_has_the_prompts_id_where_there_is_one(claude: Claude) -> None:
    claude.policy = ("--max-tool-calls", "1")
    claude.prompt(prompt_id="p1")
    assert claude.run("toolu_01", "ls", prompt_id="p1")
    assert reason(claude.ask("toolu_02", "pwd", prompt_id="p1"))
    assert claude.run("toolu_03", "pwd", prompt_id="p2")


def test_a_failed_call_may_be_repeated(claude: Claude) -> None:
    for attempt in range(3):
        assert claude.ask(f"toolu_0{attempt}", "make").answer is None
        claude.failed(f"toolu_0{attempt}", "make")
    assert "failed 3 times" in reason(claude.ask("toolu_09", "make"))


def test_an_edit_makes_older_results_stale(claude: Claude) -> None:
    claude.run("toolu_01", "pytest -q")
    edit = {"tool_name": "Edit", "tool_input": {"file_path": "/repo/a.py", "old_string": "1", "new_string": "2"}}
    claude.send("PreToolUse", **edit, tool_use_id="toolu_02")
    claude.send("PostToolUse", **edit, tool_use_id="toolu_02", tool_response={"filePath": "/repo/a.py"})
    assert claude.run("toolu_03", "pytest -q")


def test_a_call_that_an_interrupt_cut_short_is_no_result(claude: Claude) -> None:
    claude.ask("toolu_01", "cat big.log")
    claude.did("toolu_01", "cat big.log", SEEN | {"interrupted": True})
    claude.ask("toolu_02", "cat more.log")
    claude.failed("toolu_02", "cat more.log", is_interrupt=True)
    assert claude.run("toolu_03", "cat big.log")
    assert claude.run("toolu_04", "cat more.log")


def test_a_call_that_somebody_else_denied_is_not_counted(claude: Claude) -> None:
    claude.policy = ("--max-tool-calls", "1", "--dedupe-tool-calls")
    claude.ask("toolu_01", "rm -r build")
    claude.send("PermissionDenied", **bash("toolu_01", "rm -r build"), reason="Auto mode denied")
    assert claude.run("toolu_02", "rm -r build")
    assert reason(claude.ask("toolu_03", "ls"))


def test_a_call_that_runs_is_refused_a_second_time(claude: Claude) -> None:
    claude.ask("toolu_01", "cat a.txt")
    assert "still runs" in reason(claude.ask("toolu_02", "cat a.txt"))


def test_another_hook_may_rewrite_the_input(claude: Claude) -> None:
    claude.ask("toolu_01", "cat a.txt")
    claude.failed("toolu_01", "wrapper cat a.txt")
    assert claude.ask("toolu_02", "cat a.txt").answer is None
    claude.did("toolu_02", "wrapper cat a.txt")
    assert "did the same" in reason(claude.ask("toolu_03", "cat a.txt"))


def test_a_call_may_end_in_the_next_turn(claude: Claude) -> None:
    claude.policy = ("--dedupe-tool-calls", "--dedupe-scope", "session")
    claude.ask("toolu_01", "cat a.txt", prompt_id="p1")
    claude.prompt(prompt_id="p2")
    claude.did("toolu_01", "cat a.txt", prompt_id="p2")
    assert "did the same" in reason(claude.ask("toolu_02", "cat a.txt", prompt_id="p2"))


@pytest.mark.parametrize(
    ("source", "forgotten"), [("compact", True), ("clear", True), ("resume", False), ("startup", False)]
)
def test_what_the_model_no_longer_sees_may_be_asked_for_again(claude: Claude, source: str, *, forgotten: bool) -> None:
    claude.policy = ("--dedupe-tool-calls", "--max-tool-calls", "2")
    claude.run("toolu_01", "cat a.txt")
    assert claude.send("SessionStart", source=source) == Reply(0, None, "")
    assert claude.run("toolu_02", "cat a.txt") is forgotten
    claude.run("toolu_03", "cat b.txt")
    assert reason(claude.ask("toolu_04", "cat c.txt")).startswith("Tool-call budget exhausted: 2/2.")


def test_a_subagent_has_its_own_history_and_shares_the_budget(claude: Claude) -> None:
    claude.policy = ("--dedupe-tool-calls", "--max-tool-calls", "3")
    assert claude.run("toolu_01", "cat a.txt")
    assert claude.run("toolu_02", "cat a.txt", agent_id="a1", agent_type="Explore")
    assert claude.run("toolu_03", "cat a.txt", agent_id="a2", agent_type="Explore")
    assert reason(claude.ask("toolu_04", "cat a.txt", agent_id="a1")).startswith("Tool-call budget exhausted: 3/3.")


def test_a_warning_reaches_the_model_and_gives_no_permission(claude: Claude) -> None:
    claude.policy = ("--dedupe-tool-calls", "--on-duplicate-tool-call", "warn")
    claude.run("toolu_01", "cat a.txt")
    answer = claude.ask("toolu_02", "cat a.txt").answer
    assert answer is not None
    assert set(answer["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}
    assert "use what you have" in answer["hookSpecificOutput"]["additionalContext"]


def test_a_call_without_an_id_is_told_by_its_input(claude: Claude) -> None:
    call = {"tool_name": "Read", "tool_input": {"file_path": "/repo/a.txt"}}
    assert claude.send("PreToolUse", **call).answer is None
    claude.send("PostToolUseFailure", **call, error="File does not exist.")
    assert claude.send("PreToolUse", **call).answer is None
    claude.send("PostToolUse", **call, tool_response={"type": "text"})
    assert "did the same" in reason(claude.send("PreToolUse", **call))


def test_two_hooks_at_one_event_agree(claude: Claude) -> None:
    claude.policy = ("--max-tool-calls", "1")
    assert claude.ask("toolu_01", "ls").answer is None
    assert claude.ask("toolu_01", "ls").answer is None
    assert reason(claude.ask("toolu_02", "pwd"))


@pytest.mark.parametrize("kind", ["Stop", "SubagentStop", "Notification", "PreCompact", "SomethingNew"])
def test_other_events_mean_nothing(claude: Claude, kind: str) -> None:
    assert claude.send(kind, stop_hook_active=False) == Reply(0, None, "")
