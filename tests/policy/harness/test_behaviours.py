"""Five ways in which models waste tool calls, each through the gate: bounded work, a final answer, a valid history."""

from collections.abc import Sequence

import pytest
from samecall import ToolRejected
from samecall.harness import RunResult, run_agent

from tests.policy.harness.provider import Provider, Say, bash

ANSWER = "Yes: the paper adopted the allegation as true (2021-417, paragraph 31)."


def research(provider: Provider, *batches: Sequence[str]) -> RunResult:
    steps = list[Say]()
    for batch in batches:
        steps.append(bash(*(command.replace("HOST", provider.url) for command in batch), first=10 * len(steps)))
    provider.play(*steps, answer=ANSWER)
    return run_agent(
        "Can he sue?",
        model="openai:scripted",
        base_url=provider.base_url,
        maxToolCalls=6,
        dedupeToolCalls=True,
        toolCallKey="normalized",
        onDuplicateToolCall="reject",
    )


def refusals(result: RunResult) -> list[tuple[str, int | None]]:
    return [
        (event.reason, event.duplicate_of if event.duplicate_of is not None else event.tool_call_count)
        for event in result.events
        if isinstance(event, ToolRejected)
    ]


def test_one_search_and_one_read_are_repeated(provider: Provider) -> None:
    result = research(
        provider,
        ["curl -s 'HOST/search?q=defamation&court=appeal'"],
        ["curl -s 'HOST/judgments/2021-417?format=json&include=paragraphs'"],
        ["curl --silent 'HOST/search?court=appeal&q=defamation'"],
        ["curl -sS -X GET 'HOST/judgments/2021-417?include=paragraphs&format=json'"],
    )
    assert (result.text, result.complete) == (ANSWER, True)
    assert provider.read == {"/search": 1, "/judgments/2021-417": 1}
    assert refusals(result) == [("duplicate_tool_call", 1), ("duplicate_tool_call", 2)]


def test_a_search_is_repeated_until_the_harness_ends_it(provider: Provider) -> None:
    spellings = ["curl -s 'HOST/search?q=a'", 'curl  --silent "HOST/search?q=a"', "curl 'HOST/search?q=a' -s"]
    result = research(provider, *([spellings[n % 3]] for n in range(40)))
    assert (result.text, result.complete) == (ANSWER, True)
    assert provider.read == {"/search": 1}
    assert (result.counts.executed, result.counts.rejected) == (1, 10)
    assert [request.get("tool_choice") for request in provider.requests][-1] == "none"


def test_every_source_is_verified_over_and_over(provider: Provider) -> None:
    sources = [f"curl -s HOST/judgments/{number}" for number in range(9)]
    result = research(provider, *([source] for source in sources))
    assert (result.text, result.complete) == (ANSWER, True)
    assert provider.read.total() == 6
    assert refusals(result) == [("max_tool_calls", 6)]
    assert result.model_calls == 8
    refused = provider.requests[-1]["messages"][-1]["content"]
    assert "Tool-call budget exhausted: 6/6. Write the best answer from gathered sources." in refused


def test_one_judgment_is_read_nine_times_in_other_spellings(provider: Provider) -> None:
    result = research(
        provider,
        ["curl -s 'HOST/judgments/2021-417?a=1&b=2'"],
        ["curl -s 'HOST/judgments/2021-417?b=2&a=1'"],
        ["curl --silent 'HOST/judgments/2021-417?a=1&b=2'"],
        ['curl -sS "HOST/judgments/2021-417?a=1&b=2"'],
        ["curl -X GET -s 'HOST/judgments/2021-417?a=1&b=2'"],
        ["curl --request GET 'HOST/judgments/2021-417?a=1&b=2' -s"],
        ["curl --url 'HOST/judgments/2021-417?a=1&b=2'"],
        ["curl -s 'HOST/judgments/./2021-417?a=1&b=2'"],
        ["curl -s  'HOST/judgments/2021-417?a=1&b=2#paragraph-31'"],
    )
    assert (result.text, result.complete) == (ANSWER, True)
    assert provider.read == {"/judgments/2021-417": 1}
    assert refusals(result) == [("duplicate_tool_call", 1)] * 8


def test_slow_calls_come_with_repeats_in_the_same_batch(provider: Provider) -> None:
    result = research(
        provider,
        ["curl -s HOST/slow", "curl -s HOST/judgments/1", "curl --silent HOST/judgments/1"],
        [
            "curl -s HOST/judgments/1",
            "curl -s HOST/judgments/2",
            "curl -s HOST/judgments/3",
            "curl -s HOST/judgments/4",
        ],
        ["curl -s HOST/judgments/5", "curl -s HOST/judgments/6", "curl -s HOST/judgments/7"],
    )
    assert (result.text, result.complete) == (ANSWER, True)
    assert result.counts.executed == 6
    assert max(provider.read.values()) == 1
    assert {reason for reason, _ in refusals(result)} == {"duplicate_tool_call", "max_tool_calls"}


@pytest.mark.parametrize("size", [7, 20])
def test_a_batch_over_the_limit_runs_in_part_and_in_order(provider: Provider, size: int) -> None:
    result = research(provider, [f"curl -s HOST/judgments/{number}" for number in range(size)])
    assert (result.text, result.complete) == (ANSWER, True)
    assert sorted(provider.read) == [f"/judgments/{number}" for number in range(6)]
    assert len(refusals(result)) == size - 6
