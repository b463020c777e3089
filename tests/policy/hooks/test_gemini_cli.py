"""Gemini CLI and its hook: no ids of calls or turns."""

import pytest

from tests.policy.hooks.agent import Agent, Reply

SHELL = "run_shell_command"


class Gemini(Agent):
    """A session, in the words of Gemini CLI."""

    def ask(self, command: str) -> Reply:
        return self.send("BeforeTool", tool_name=SHELL, tool_input={"command": command})

    def did(self, command: str, shown: str = "Output: a.txt\nProcess Group PGID: 77") -> Reply:
        result = {"llmContent": shown, "returnDisplay": "a.txt"}
        return self.send("AfterTool", tool_name=SHELL, tool_input={"command": command}, tool_response=result)

    def run(self, command: str, shown: str = "Output: a.txt\nProcess Group PGID: 77") -> bool:
        allowed = self.ask(command).answer is None
        if allowed:
            self.did(command, shown)
        return allowed


@pytest.fixture
def gemini(here: dict[str, str]) -> Gemini:
    return Gemini(
        "gemini-cli",
        here,
        common={"transcript_path": "/home/ann/.gemini/tmp/x.json", "cwd": "/repo", "timestamp": "2026-11-02T10:00:00Z"},
        here=True,
    )


def test_a_repeated_call_is_refused(gemini: Gemini) -> None:
    assert gemini.run("ls -la")
    reply = gemini.ask("ls  -la")
    assert reply.status == 0
    assert reply.answer is not None
    assert reply.answer["decision"] == "deny"
    assert reply.answer["reason"].startswith("Duplicate tool call suppressed")


def test_a_turn_begins_with_a_prompt_and_not_without_one(gemini: Gemini) -> None:
    gemini.policy = ("--max-tool-calls", "1")
    gemini.send("BeforeAgent", prompt="Look around.")
    assert gemini.run("ls")
    gemini.send("BeforeAgent", prompt="")
    assert not gemini.run("pwd")
    gemini.send("BeforeAgent", prompt="And now?")
    assert gemini.run("pwd")


@pytest.mark.parametrize(
    "shown",
    [
        "Output: no rule\nExit Code: 2\nProcess Group PGID: 77",
        "Command: make\nDirectory: (root)\nOutput: no rule\nError: (none)\nExit Code: 2\nSignal: (none)",
        "<untrusted_context>\nOutput: no rule\nExit Code: 2\n</untrusted_context>",
        "Output: (empty)\nSignal: 9",
        "Command was cancelled by user before it could complete.",
        "The build has no rule for the target.",
    ],
)
def test_what_did_not_certainly_succeed_may_be_repeated(gemini: Gemini, shown: str) -> None:
    assert gemini.run("make", shown)
    assert gemini.run("make", shown)


def test_a_success_in_the_older_words_is_one(gemini: Gemini) -> None:
    shown = "Command: make\nDirectory: (root)\nOutput: ok\nError: (none)\nExit Code: 0\nSignal: (none)"
    assert gemini.run("make", shown)
    assert not gemini.run("make", shown)


def test_a_tools_own_error_is_a_failure(gemini: Gemini) -> None:
    read = {"tool_name": "read_file", "tool_input": {"file_path": "/repo/a.txt"}}
    failed = {"llmContent": "", "returnDisplay": "", "error": {"message": "no such file", "type": "file_not_found"}}
    for _ in range(2):
        assert gemini.send("BeforeTool", **read).answer is None
        gemini.send("AfterTool", **read, tool_response=failed)


def test_a_warning_comes_with_the_result(gemini: Gemini) -> None:
    gemini.policy = ("--dedupe-tool-calls", "--on-duplicate-tool-call", "warn")
    gemini.run("ls")
    assert gemini.ask("ls").answer is None
    answer = gemini.did("ls").answer
    assert answer is not None
    assert "use what you have" in answer["hookSpecificOutput"]["additionalContext"]
