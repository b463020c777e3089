"""What commands do: the table of kinds, the domains, the shell's own state, and that every string has an effect."""

from __future__ import annotations

import json
import timeit
from collections.abc import Callable
from pathlib import Path

import pytest
from callkey import Effect, ToolCall, effects, tool_effect
from callkey.effects import UNKNOWN
from callkey.footprints import awk, sed
from callkey.footprints.tables import programs
from hypothesis import given
from hypothesis import strategies as st

TABLE = Path(__file__).parents[1] / "cases" / "effects.table"
LABELLED = Path(__file__).parents[3] / "shared" / "data" / "commands" / "effects_dippy.jsonl"


def _rows() -> list[tuple[str, str]]:
    rows: list[tuple[str, str]] = []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        kind, _, command = line.partition(" ")
        if kind.isupper():
            rows.append((kind.lower(), command.replace(r"\n", "\n")))
    return rows


@pytest.mark.parametrize(("kind", "command"), _rows())
def test_the_kind_of_a_command(kind: str, command: str) -> None:
    assert effects(command).kind == kind


def test_the_table_is_large_enough_to_mean_something() -> None:
    kinds = [kind for kind, _ in _rows()]
    assert kinds.count("write") > 400
    assert len(programs()) > 150


@pytest.mark.parametrize(
    ("command", "depends", "changes"),
    [
        ("echo hello", "", ""),
        ("echo $HOME", "w", ""),
        ("cat f", "w", ""),
        ("date", "w", ""),
        ("curl -s https://example.org", "n", ""),
        ("curl -s http://localhost:8000", "nw", ""),
        ("curl -s 127.0.0.1:8000", "nw", ""),
        ("curl -s http://[::1]/", "nw", ""),
        ("curl -s http://printer.local", "nw", ""),
        ("curl -s http://db/", "nw", ""),
        ("curl -s http://192.168.1.1/", "nw", ""),
        ("curl -s http://172.20.0.2/", "nw", ""),
        ("curl -s http://172.40.0.2/", "n", ""),
        ('curl -s "https://$host"', "nw", ""),
        ('curl -s "$url"', "nw", "nw"),
        ("curl -X POST https://example.org", "n", "n"),
        ("curl -X POST http://localhost:8000", "nw", "nw"),
        ('curl -X POST "https://$host/"', "nw", "nw"),
        ("curl -o f https://example.org", "nw", "w"),
        ("curl -d a=1 -o f https://example.org", "nw", "nw"),
        ("wget https://example.org/f", "nw", "w"),
        ("ls > f", "w", "w"),
        ("echo x > f", "", "w"),
        ("rm f", "w", "w"),
        ("git commit -m x", "w", "w"),
        ("git fetch", "nw", "w"),
        ("git pull", "nw", "w"),
        ("git push", "nw", "nw"),
        ("git ls-remote origin", "n", ""),
        ("pip list", "w", ""),
        ("pip list --outdated", "nw", ""),
        ("npm outdated", "nw", ""),
        ("go list -m -u all", "nw", ""),
        ("docker manifest inspect app", "nw", ""),
        ("terraform plan", "nw", ""),
        ("gh pr view 5", "n", ""),
        ("gh pr create", "nw", "n"),
        ("gh repo clone o/r", "nw", "w"),
        ("gh api -X POST repos/o/r/issues", "nw", "n"),
        ("pip install x", "nw", "w"),
        ("npm install", "nw", "w"),
        ("npm publish", "nw", "n"),
        ("apt-get install x", "nw", "w"),
        ("aws s3 rm s3://b/k", "nw", "n"),
        ("aws s3 cp a s3://b/k", "nw", "nw"),
        ("aws ec2 describe-instances", "n", ""),
        ("kubectl get pods", "n", ""),
        ("kubectl apply -f f", "nw", "n"),
        ("docker ps", "w", ""),
        ("make", "nw", "nw"),
        ("make && curl https://example.org", "nw", "nw"),
        ("cd d", "w", "w"),
        ("sleep 5", "", ""),
        ("sleep 5 && ./status", "nw", "nw"),
        ("cd d && docker ps", "w", "w"),
    ],
)
def test_the_domains_of_a_command(command: str, depends: str, changes: str) -> None:
    effect = effects(command)
    assert (_letters(effect.depends), _letters(effect.changes)) == (depends, changes)


def _letters(domains: frozenset[str]) -> str:
    return "".join(sorted(domain[0] for domain in domains))


@pytest.mark.parametrize(
    "command",
    [
        "sleep 5",
        "tail --pid=1 -f /dev/null",
        "timeout 60 tail -f f",
        "tail --foll f",
        "journalctl -f -u app",
        "kubectl rollout status deploy/x",
        "kubectl get pods -w",
        "kubectl wait --for=condition=Ready pod/x",
        "gh pr checks 5 --watch",
        "gh run watch 5",
        "docker compose logs -f",
        "docker logs --follow app",
        "docker events",
        "docker stats",
        "docker wait app",
        "ping -c 30 h",
        "ping h",
        "curl --retry 30 --retry-delay 1 --retry-connrefused http://localhost:8000/",
        "vmstat 5 3",
        "sar 1 5",
        "top -d 5",
        "netstat -c",
        "dmesg -w",
        "aws logs tail g --follow",
        "pm2 logs",
    ],
)
def test_what_lets_time_pass_waits(command: str) -> None:
    assert effects(command).waits


@pytest.mark.parametrize(
    "command",
    [
        "tail -n 5 f",
        "journalctl -n 5",
        "kubectl get pods",
        "kubectl apply -f f",
        "gh pr checks 5",
        "docker logs app",
        "docker ps -f name=x",
        "docker stats --no-stream",
        "ping -c 1 h",
        "curl https://example.org",
        "curl --retry 3 -X POST https://example.org",
        "vmstat",
        "top -b -n 1",
    ],
)
def test_what_looks_once_does_not_wait(command: str) -> None:
    assert not effects(command).waits


class TestPersistence:
    """What a command does to its shell matters only where another command follows in it."""

    @pytest.mark.parametrize(
        "command",
        ["cd d && ls", "export A=1; ls", "A=1", "set -e; ls", "f() { ls; }; f", "for x in a b; do cat $x; done"],
    )
    def test_a_shell_that_ends_hands_nothing_on(self, command: str) -> None:
        """Where no command follows in the shell, its state is nobody's."""
        assert effects(command).kind == "write"
        assert effects(command, persistent=False).kind == "read"

    @pytest.mark.parametrize(
        "command",
        ["(cd d && ls)", "cd d | cat", "echo $(cd d && ls)", "bash -c 'cd d && ls'", "cd d & ls", "{ cd d; } | cat"],
    )
    def test_neither_does_a_subshell(self, command: str) -> None:
        """A subshell takes its state along when it ends."""
        assert effects(command).kind == "read"

    def test_a_file_written_is_written_all_the_same(self) -> None:
        """Files outlive shells."""
        assert effects("(cd d && ls > f)", persistent=False).kind == "write"


class TestFunctions:
    """A function is what its body does, from its definition on."""

    def test_a_call_before_the_definition_is_of_another_program(self) -> None:
        """Order counts."""
        assert effects("(f; f() { ls; })") == UNKNOWN

    def test_a_definition_that_may_not_happen_defines_nothing(self) -> None:
        """So does whether the definition is sure to happen."""
        assert effects("(false && f() { ls; }; f)") == UNKNOWN

    def test_a_name_defined_in_a_subshell_ends_with_it(self) -> None:
        """So does the shell in which it happens."""
        assert effects("((f() { ls; }); f)") == UNKNOWN


class TestTools:
    """What a tool call does, by its name and by what its arguments ask for."""

    @pytest.mark.parametrize(
        ("name", "arguments", "kind"),
        [
            ("fetch", {"url": "https://h/x"}, "read"),
            ("fetch", {"url": "https://h/x", "method": "get"}, "read"),
            ("fetch", {"url": "https://h/x", "method": "DELETE"}, "write"),
            ("fetch_url", {"url": "https://h/x", "body": "x"}, "write"),
            ("mcp__fetch__fetch", {"url": "https://h/x", "method": "POST"}, "write"),
            ("fetch_json", {"url": "https://h/x", "method": "PUT"}, "write"),
            ("get", {"op": "delete"}, "write"),
            ("browse", {"action": "click"}, "write"),
            ("issue_read", {"method": "get_comments"}, "read"),
            ("query", {"query": "select 1 from t"}, "read"),
            ("query", {"query": "select current_timestamp"}, "volatile"),
            ("run_query", {"sql": "select date('now')"}, "write"),
            ("list_rows", {"sql": "select date('now')"}, "volatile"),
            ("search_docs", {"query": "what is new today"}, "read"),
            ("query", {"query": "DELETE FROM t"}, "write"),
            ("read_query", {"query": "drop table t"}, "write"),
            ("db_query", {"q": "update t set a = 1"}, "write"),
            ("query_database", {"query": ["select 1", "truncate table t"]}, "write"),
            ("graphql_query", {"query": "mutation{deleteUser(id:1){id}}"}, "write"),
            ("graphql_query", {"query": "{user(id:1){id}}"}, "read"),
            ("find_rows", {"query": "insert into t values (1)"}, "write"),
            ("search_issues", {"query": "how to create a branch"}, "read"),
            ("WebSearch", {"query": "delete from a set in python"}, "read"),
            ("git_fetch", {}, "write"),
            ("mcp__git__fetch", {}, "write"),
            ("task_tracker", {"command": "view"}, "volatile"),
            ("TodoRead", {}, "volatile"),
            ("get_terminal_output", {"id": "1"}, "volatile"),
            ("shell_view", {"id": "1"}, "volatile"),
            ("list_processes", {}, "volatile"),
            ("read_page", {"tab": 1}, "volatile"),
            ("mcp__playwright__browser_snapshot", {}, "volatile"),
            ("get_next_task", {}, "volatile"),
            ("get_updates", {}, "volatile"),
            ("retrieve_message_and_ack", {}, "write"),
            ("find_or_new", {}, "write"),
            ("find_and_email", {}, "write"),
            ("get_email", {}, "read"),
            ("get_rid_of_file", {}, "write"),
            ("getAndset", {}, "write"),
            ("open_url", {}, "write"),
            ("conversations_open", {}, "write"),
            ("show_toast", {}, "write"),
            ("list_item_for_sale", {}, "write"),
            ("get_mcp__delete__list", {}, "write"),
        ],
    )
    def test_the_kind_of_a_tool_call(self, name: str, arguments: dict[str, object], kind: str) -> None:
        """In doubt it writes."""
        assert tool_effect(ToolCall(name, arguments)).kind == kind

    @pytest.mark.parametrize(
        "call",
        [
            ToolCall("execute_command", {"command": "find", "args": [".", "-delete"]}),
            ToolCall("bash", {"command": "ls", "restart": True}),
            ToolCall("bash", {"command": "ls", "env": {"LD_PRELOAD": "x"}}),
            ToolCall("bash", {"command": "cat", "stdin": "x"}),
            ToolCall("bash", {"command": "ls", "cmd": "rm x"}),
            ToolCall("exec_command", {"cmd": "ls", "shell": "./evil"}),
            ToolCall("shell", {"command": ["./sh", "-c", "ls"]}),
        ],
        ids=repr,
    )
    def test_arguments_beside_a_command_may_be_more_of_it(self, call: ToolCall) -> None:
        """A command is not all that such a call runs."""
        assert tool_effect(call) == UNKNOWN

    def test_a_page_of_this_machine_is_made_of_the_workspace(self) -> None:
        """An edit changes what a local server answers."""
        assert _letters(tool_effect(ToolCall("WebFetch", {"url": "http://localhost:3000"})).depends) == "nw"
        assert _letters(tool_effect(ToolCall("WebFetch", {"url": "https://example.org"})).depends) == "n"


class TestGrowth:
    """Reading a script of a program takes time in proportion to its length."""

    @pytest.mark.parametrize(
        ("only_prints", "unit", "around"),
        [
            (awk.only_prints, "[:a:]", "/[{}x"),
            (awk.only_prints, "[[:", "/{}"),
            (awk.only_prints, "(1 / 2) ", "{{ print {}}}"),
            (awk.only_prints, "/x/ / ", "{}"),
            (sed.only_prints, "[[:", "/{}/p"),
            (sed.only_prints, "[[:a:]", "/{}/p"),
            (sed.only_prints, "[[:a:]]", "/{}/p"),
            (sed.only_prints, "p;", "{}"),
        ],
    )
    def test_eight_times_the_script_does_not_take_the_square(
        self, only_prints: Callable[[str], bool], unit: str, around: str
    ) -> None:
        """The square would be sixty-four times."""
        short, long = (
            min(timeit.repeat(lambda: only_prints(around.format(unit * count)), number=1, repeat=5))  # noqa: B023  # run at once
            for count in (2_000, 16_000)
        )
        assert long < 30 * short + 1e-3


class TestTotal:
    """Every string has an effect."""

    @given(st.text())
    def test_any_text(self, text: str) -> None:
        """Whatever the characters are."""
        assert isinstance(effects(text), Effect)

    @given(
        st.lists(
            st.sampled_from(
                [
                    *"ls rm cat find -exec {} ; \\; | > < ( ) $( ` ' \" { } && || $x *.py -- -c bash sed".split(),
                    "\n",
                ]
            )
        )
    )
    def test_any_shuffle_of_shell_words(self, words: list[str]) -> None:
        """Whatever the order of words that mean something is."""
        assert isinstance(effects(" ".join(words)), Effect)

    @pytest.mark.parametrize(
        "command",
        [
            "",
            "   ",
            "# comment",
            "\0",
            "\ud800",
            "ls \ud800",
            "env " * 5000,
            "$(" * 5000,
            "(" * 5000,
            "bash -c " * 50 + "ls",
        ],
        ids=repr,
    )
    def test_odd_texts(self, command: str) -> None:
        """Texts that break parsers."""
        assert isinstance(effects(command), Effect)

    @pytest.mark.parametrize("value", [None, 5, "text", [], {}, {"command": None}, {"command": [1]}, {"command": {}}])
    def test_odd_inputs_of_tools(self, value: object) -> None:
        """Inputs that no schema allows."""
        for name in ("Bash", "shell", "Read", "terminal", "str_replace_editor", ""):
            assert isinstance(tool_effect(ToolCall(name, value)), Effect)


@pytest.mark.skipif(not LABELLED.exists(), reason="the labelled commands are not part of the project")
def test_few_labelled_writers_are_called_readers() -> None:
    rows = [json.loads(line) for line in LABELLED.read_text(encoding="utf-8").splitlines()]
    writers = [effects(row["cmd"]).kind for row in rows if not row["read_only"]]
    readers = [effects(row["cmd"]).kind for row in rows if row["read_only"]]
    assert writers.count("read") <= 0.005 * len(writers)
    assert readers.count("write") <= 0.2 * len(readers)
