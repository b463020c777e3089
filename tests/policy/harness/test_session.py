"""A turn comes to its end whatever the model, the tools or the provider do, and the history stays valid."""

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from samecall import Event, ModelCallFinished, PolicyError, ToolCallFinished, TurnFinished
from samecall.errors import RunError
from samecall.harness import Bash, RunResult, Setup, arun_agent, run_agent, session

from tests.policy.harness.provider import Fail, Provider, Say, bash
from tests.policy.harness.test_bash import wait_for

Run = Callable[..., RunResult]


@pytest.fixture
def run(provider: Provider) -> Run:
    def run(prompt: str = "Go.", **options: object) -> RunResult:
        given = {"model": "openai:scripted", "base_url": provider.base_url, "maxToolCalls": 6, **options}
        return run_agent(prompt, **given)  # type: ignore[arg-type]

    return run


def outcomes(result: RunResult) -> list[str]:
    return [event.outcome for event in result.events if isinstance(event, ToolCallFinished)]


def last_results(provider: Provider) -> list[str]:
    return [message["content"] for message in provider.requests[-1]["messages"] if message["role"] == "tool"]


def test_an_answer_without_tools_is_one_model_call(provider: Provider, run: Run) -> None:
    result = run()
    assert (result.text, result.complete, result.error, result.model_calls) == ("The answer.", True, None, 1)
    assert result.usage is not None
    assert (result.usage.input_tokens, result.usage.output_tokens) == (10, 5)
    assert [event.type for event in result.events] == [
        "turn_started",
        "model_call_started",
        "model_call_finished",
        "turn",
    ]
    assert provider.requests[0]["tools"][0]["function"]["name"] == "bash"


def test_usage_that_the_provider_does_not_count_is_not_known(provider: Provider, run: Run) -> None:
    provider.play(Say("Short.", usage=False))
    assert run().usage is None


def test_options_come_in_either_spelling(run: Run) -> None:
    assert run(dedupe_tool_calls=True, onDuplicateToolCall="warn").complete
    with pytest.raises(PolicyError, match="maxToolCals"):
        run(maxToolCals=1)


def test_instructions_reach_the_model(provider: Provider, run: Run) -> None:
    run(instructions="Be brief.")
    assert provider.requests[0]["messages"][0] == {"role": "system", "content": "Be brief."}


def test_a_model_that_never_stops_is_ended(provider: Provider, run: Run) -> None:
    provider.play(bash("echo 1"), deaf=True)
    result = run(dedupeToolCalls=True)
    assert (result.complete, result.error) == (False, "the model does not stop calling tools")
    assert result.counts.executed == 1
    off, absent = provider.requests[-2:]
    assert off["tool_choice"] == "none"
    assert "tools" not in absent


def test_a_call_that_comes_while_tools_are_off_does_not_run(provider: Provider, run: Run, tmp_path: Path) -> None:
    provider.play(Say(), bash(f"touch {tmp_path}/x"), deaf=True)
    result = run(bash=Bash(approve=lambda _: True))
    assert result.error == "the model does not stop calling tools"
    assert outcomes(result) == ["denied", "denied"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("maximum", [None, 6])
def test_calls_that_come_to_nothing_end_the_turn(provider: Provider, run: Run, maximum: int | None) -> None:
    provider.play(*[bash("touch x", first=n) for n in range(100)])
    result = run(maxToolCalls=maximum)
    assert (result.text, result.complete) == ("The answer.", True)
    assert outcomes(result) == ["denied"] * 10
    assert result.counts.executed == 0
    assert result.model_calls == 11


def test_a_tool_that_is_exempt_and_not_there_does_not_go_on_for_ever(provider: Provider, run: Run) -> None:
    provider.play(*[Say(calls=[("think", {"thought": str(n)}, f"c{n}")]) for n in range(100)])
    assert (run().text, len(provider.requests)) == ("The answer.", 11)


def test_ids_that_come_again_are_told_apart(provider: Provider, run: Run) -> None:
    provider.play(
        bash("echo 1", "echo 2", first=0), bash("echo 3", first=0), Say(calls=[("bash", {"command": "echo 4"}, "")])
    )
    result = run()
    assert result.complete
    assert last_results(provider) == ["1\n", "2\n", "3\n", "4\n"]


def test_two_calls_of_a_batch_may_share_an_id(provider: Provider, run: Run) -> None:
    provider.play(Say(calls=[("bash", {"command": f"echo {n}"}, "same") for n in range(3)]))
    assert run().complete
    assert last_results(provider) == ["0\n", "1\n", "2\n"]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (("nothing", {}, "c"), "there is no tool 'nothing'. Tools: bash."),
        (("", {}, "c"), "there is no tool ''"),
        (("bash", '{"command": "ec', "c"), "the arguments are not a JSON object"),
        (("bash", "[1]", "c"), "the arguments are not a JSON object"),
        (("bash", "", "c"), "a text is needed"),
        (("bash", {"command": 1}, "c"), "a text is needed"),
        (("bash", {"command": "echo a\0b"}, "c"), "null byte"),
        (("bash", "[" * 100_000, "c"), "the arguments are not a JSON object"),
    ],
)
def test_a_call_that_cannot_run_is_answered(
    provider: Provider, run: Run, call: tuple[str, str, str], told: str
) -> None:
    provider.play(Say(calls=[call]))
    result = run(bash=Bash(approve=lambda _: True))
    assert (result.complete, outcomes(result)) == (True, ["failed"])
    assert told in last_results(provider)[0]


def test_a_failed_command_is_readable_and_may_be_repeated(provider: Provider, run: Run) -> None:
    provider.play(*[bash("cat /nowhere/at/all", first=n) for n in range(4)])
    result = run(dedupeToolCalls=True)
    assert outcomes(result) == ["failed"] * 3
    assert last_results(provider)[0].endswith("[exit status 1]")
    assert "This call failed" in last_results(provider)[3]


def test_a_warning_is_read_beside_the_result(provider: Provider, run: Run) -> None:
    provider.play(bash("echo 1"), bash("echo  1", first=2))
    run(dedupeToolCalls=True, onDuplicateToolCall="warn")
    assert last_results(provider)[1].startswith("1\n\n\nCall 1 (bash) did the same")


def test_an_earlier_result_is_given_again(provider: Provider, run: Run) -> None:
    provider.play(bash("echo 1", "echo  1"), bash("echo '1'", first=3))
    result = run(dedupeToolCalls=True, onDuplicateToolCall="reuse")
    assert last_results(provider) == ["1\n"] * 3
    assert (result.counts.executed, result.counts.reused) == (1, 2)


def test_results_that_are_given_again_for_ever_end_the_turn(provider: Provider, run: Run) -> None:
    provider.play(*[bash("echo 1", first=n) for n in range(100)])
    result = run(dedupeToolCalls=True, onDuplicateToolCall="reuse")
    assert (result.text, result.model_calls) == ("The answer.", 12)


def test_calls_of_a_batch_run_in_order_where_one_changes_something(
    provider: Provider, run: Run, tmp_path: Path
) -> None:
    provider.play(bash("sleep 0.2; echo 1 > f", "cat f", "echo 2 > f", "cat f", "cat f; true"))
    run(bash=Bash(tmp_path, approve=lambda _: True))
    assert last_results(provider) == ["(no output)", "1\n", "(no output)", "2\n", "2\n"]


def test_functions_are_tools(provider: Provider, run: Run) -> None:
    def search(query: str, pages: int = 1) -> dict[str, object]:
        """Search the reports."""
        return {"query": query, "pages": pages}

    def broken() -> str:
        raise OSError("the index is gone")

    provider.play(
        Say(
            calls=[
                ("search", {"query": "a"}, "1"),
                ("search", {"pages": "many"}, "2"),
                ("broken", {}, "3"),
            ]
        )
    )
    result = run(tools=[search, broken], bash=None)
    assert [tool["function"]["name"] for tool in provider.requests[0]["tools"]] == ["search", "broken"]
    right, wrong, gone = last_results(provider)
    assert json.loads(right) == {"query": "a", "pages": 1}
    assert "query: Field required" in wrong
    assert "OSError: the index is gone" in gone
    assert sorted(outcomes(result)) == ["failed", "failed", "succeeded"]


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (Fail(400, b'{"error": {"message": "bad key sk-abcdefghijklmnop"}}'), "bad key ***"),
        (Fail(200, b"<html>not an API</html>"), ""),
        (Fail(200, b"{}"), ""),
        (Fail(200, b'{"id": "chatcmpl-1", "choices": [{"mess', missing=200), ""),
        (Fail(seconds=2), "no answer within 0.5 seconds"),
    ],
)
def test_a_provider_that_fails_ends_the_turn_and_not_the_program(
    provider: Provider, run: Run, fault: Fail, told: str
) -> None:
    provider.play(Say("Let me look.", bash("echo 1").calls), fault, fault, fault)
    result = run(model_timeout=0.5 if fault.seconds else 60.0)
    assert (result.text, result.complete) == ("Let me look.", False)
    assert told in (result.error or "")
    assert result.error
    finished = [event for event in result.events if isinstance(event, ModelCallFinished)]
    assert [event.error for event in finished] == [None, result.error]
    assert result.events[-1].type == "turn"


def test_a_status_500_is_tried_again_and_then_ends_the_turn(provider: Provider, run: Run) -> None:
    provider.play(*[Fail(500, b'{"error": {"message": "overloaded"}}')] * 9)
    result = run()
    assert not result.complete
    assert "500" in (result.error or "")
    assert len(provider.requests) == 3


def test_a_server_that_is_not_there_is_an_error_of_the_turn(run: Run) -> None:
    result = run(base_url="http://127.0.0.1:9/v1", model_timeout=5.0)
    assert (result.complete, result.events[-1].type) == (False, "turn")


@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_an_answer_that_was_cut_off_is_not_complete(provider: Provider, run: Run, reason: str) -> None:
    provider.play(Say("Yes, bec", finish_reason=reason))
    result = run()
    assert (result.text, result.complete) == ("Yes, bec", False)
    assert result.error


def test_a_model_without_a_word_is_asked_once_more(provider: Provider, run: Run) -> None:
    provider.play(Say())
    assert run().text == "The answer."
    provider.play(Say(), answer="")
    result = run()
    assert (result.complete, result.error) == (False, "the model gave no answer")


def test_turns_share_a_history_and_not_a_budget(provider: Provider) -> None:
    async def talk() -> list[RunResult]:
        setup = Setup(
            "openai:scripted",
            {"maxToolCalls": 1, "dedupeToolCalls": True},
            bash=Bash(),
            base_url=provider.base_url,
        )
        results = []
        async with session(setup) as opened:
            provider.play(bash("echo 1", "echo 2"))
            results.append(await opened.turn("One."))
            provider.play(Fail(400))
            results.append(await opened.turn("Two."))
            provider.play(bash("echo 1"), answer="Third.")
            results.append(await opened.turn("Three. \ud83d"))
        return results

    first, second, third = asyncio.run(talk())
    assert [result.complete for result in (first, second, third)] == [True, False, True]
    assert (first.counts.executed, third.counts.executed) == (1, 1)
    assert third.text == "Third."
    said = [message["content"] for message in provider.requests[-1]["messages"] if message["role"] == "user"]
    assert said == ["One.", "Two.", "Three. ?"]
    assert [event.turn for event in (first.events[-1], second.events[-1], third.events[-1])] == [1, 2, 3]


def test_a_cancelled_turn_is_settled_and_reported(provider: Provider, tmp_path: Path) -> None:
    events: list[Event] = []

    async def cancel() -> None:
        command = f"touch {tmp_path}/up; sleep 30"
        provider.play(Say(calls=[("bash", {"command": c}, f"c{n}") for n, c in enumerate([command, "echo 2 > f"])]))
        setup = Setup(
            "openai:scripted",
            {},
            bash=Bash(tmp_path, approve=lambda _: True),
            base_url=provider.base_url,
            on_event=events.append,
        )
        async with session(setup) as opened:
            running = asyncio.create_task(opened.turn("Go."))
            await asyncio.to_thread(wait_for, tmp_path / "up")
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            # The conversation can go on: each call has its result.
            provider.play()
            assert (await opened.turn("And now?")).text == "The answer."

    asyncio.run(cancel())
    assert not (tmp_path / "f").exists()
    assert [event.outcome for event in events if isinstance(event, ToolCallFinished)] == ["cancelled", "denied"]
    assert [event.error for event in events if isinstance(event, TurnFinished)] == ["cancelled", None]
    assert last_results(provider) == ["Cancelled by the user before there was a result."] * 2


def test_a_sink_that_fails_does_not_reach_the_agent(run: Run) -> None:
    def fail(_: object) -> None:
        raise OSError

    result = run(on_event=fail)
    assert (result.complete, len(result.events)) == (True, 4)


@pytest.mark.parametrize("model", ["nope", "openai:gpt", "replay:/nowhere", "foo:bar"])
def test_a_model_that_is_not_there_is_said_before_anything_runs(monkeypatch: pytest.MonkeyPatch, model: str) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(Exception, match=r"nope|OPENAI_API_KEY|nowhere|foo") as caught:
        run_agent("Go.", model=model)
    assert type(caught.value).__name__ in {"RunError", "RecordingError"}


def test_the_address_may_come_from_the_environment(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", provider.base_url)
    assert run_agent("Go.", model="openai:scripted").complete


def test_another_provider_gets_as_valid_a_history(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-none")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", provider.url)
    provider.play(bash("echo 1", "echo  1"), Say("More.", bash("echo 2", "echo 3", first=3).calls))
    result = run_agent("Go.", model="anthropic:scripted", maxToolCalls=2, dedupeToolCalls=True)
    assert (result.text, result.complete) == ("The answer.", True)
    assert (result.counts.executed, result.counts.rejected) == (2, 2)
    assert last_results(provider)[2:] == [
        "2\n",
        "Tool-call budget exhausted: 2/2. Write the best answer from gathered sources.",
    ]


def test_a_directory_that_is_not_there_is_said_before_anything_runs(run: Run) -> None:
    with pytest.raises(RunError, match="not a directory"):
        run(bash=Bash("/nowhere/at/all"))


def test_inside_an_event_loop_the_other_function_is_named(provider: Provider) -> None:
    async def inside() -> str:
        with pytest.raises(RunError, match="arun_agent"):
            run_agent("Go.", model="openai:scripted", base_url=provider.base_url)
        return (await arun_agent("Go.", model="openai:scripted", base_url=provider.base_url)).text

    assert asyncio.run(inside()) == "The answer."


@pytest.mark.parametrize("server", ["", "'", "/nowhere/at/all"])
def test_a_server_that_does_not_start_is_said_before_anything_runs(run: Run, server: str) -> None:
    with pytest.raises(RunError):
        run(mcp=[server])


SERVER = '''
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

server = MCPServer("case law")

@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def run_query(text: str) -> str:
    """Look it up."""
    return f"found {text}"

@server.tool()
def get_page(number: int) -> str:
    """Get a page."""
    raise ToolError("no such page")

@server.tool()
def stop() -> str:
    """End."""
    import os
    os._exit(1)

server.run()
'''


def test_an_mcp_server_lends_its_tools(provider: Provider, run: Run, tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    query, page, stop = "mcp__case_law__run_query", "mcp__case_law__get_page", "mcp__case_law__stop"
    provider.play(
        Say(calls=[(query, {"text": "a"}, "1"), (page, {"number": 1}, "2"), (query, {"text": "a"}, "3")]),
        Say(calls=[(stop, {}, "4")]),
    )
    result = run(mcp=[f"{sys.executable} {tmp_path}/server.py"], dedupeToolCalls=True)
    first, second, third, fourth = last_results(provider)
    assert first == "found a"
    assert second.startswith("Error: ")
    assert "no such page" in second
    assert "Duplicate tool call suppressed" in third
    assert "not known whether the call took effect" in fourth
    assert outcomes(result) == ["succeeded", "failed", "unknown"]
    assert result.complete
