"""Many hooks at once, as agents with parallel calls start them."""

from concurrent.futures import ThreadPoolExecutor

from tests.policy.hooks.agent import Agent, finish


def ask(agent: Agent, number: int) -> bool:
    """Return whether a call may run."""
    event = agent.event(
        "PreToolUse", tool_name="Read", tool_input={"file_path": f"/repo/{number}"}, tool_use_id=f"toolu_{number}"
    )
    reply = finish(agent.start(), event)
    assert reply.status == 0, reply.error
    return reply.answer is None


def test_fifty_processes_keep_one_limit(environment: dict[str, str]) -> None:
    agent = Agent("claude-code", environment, policy=("--max-tool-calls", "7"))
    processes = [agent.start() for _ in range(50)]
    events = [
        agent.event("PreToolUse", tool_name="Read", tool_input={"file_path": f"/{n}"}, tool_use_id=f"toolu_{n}")
        for n in range(50)
    ]
    with ThreadPoolExecutor(50) as pool:
        replies = list(pool.map(finish, processes, events))
    assert {reply.status for reply in replies} == {0}, {reply.error for reply in replies}
    assert sum(reply.answer is None for reply in replies) == 7


def test_of_equal_calls_at_once_one_runs(environment: dict[str, str]) -> None:
    agent = Agent("claude-code", environment, policy=("--dedupe-tool-calls",))
    processes = [agent.start() for _ in range(8)]
    events = [
        agent.event("PreToolUse", tool_name="Read", tool_input={"file_path": "/repo/a"}, tool_use_id=f"toolu_{n}")
        for n in range(8)
    ]
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(finish, processes, events))
    assert sum(reply.answer is None for reply in replies) == 1


def test_two_sessions_at_once_do_not_see_one_another(environment: dict[str, str]) -> None:
    policy = ("--max-tool-calls", "3", "--dedupe-tool-calls")
    sessions = [Agent("claude-code", environment, session=name, policy=policy) for name in ("one", "two")]
    with ThreadPoolExecutor(4) as pool:
        first, second = ([pool.submit(ask, session, number) for number in range(5)] for session in sessions)
    assert [sum(done.result() for done in calls) for calls in (first, second)] == [3, 3]
