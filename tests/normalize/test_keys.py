"""Keys of tool calls: every input has one, and what is one call has one digest."""

from __future__ import annotations

from typing import Any

import pytest
from callkey import KEY_VERSION, CallkeyError, ToolCall, UnknownStrategyError, key, register_strategy
from callkey.keys import check_strategy


def _digest(name: str, given: Any, strategy: Any = "normalized") -> str:
    made = key(ToolCall(name, given), strategy)
    assert made is not None
    return made.digest


SAME = [
    ("Key order and the spelling of numbers", ("search", {"q": "x", "n": 1}), ("search", {"n": 1.0, "q": "x"})),
    ("Remarks of a shell tool", ("Bash", {"command": "ls"}), ("Bash", {"command": "ls", "description": "list"})),
    ("Quotes in a command", ("Bash", {"command": "ls  'a'"}), ("Bash", {"command": "ls a"})),
    (
        "Quotes in an argv's script",
        ("shell", {"command": ["bash", "-lc", "ls  a"]}),
        ("shell", {"command": ["bash", "-lc", "ls a"]}),
    ),
    ("The spelling of a path", ("Read", {"file_path": "./src//a.py"}), ("Read", {"file_path": "src/a.py"})),
    ("The order of a query", ("WebFetch", {"url": "https://h/?b=1&a=2"}), ("WebFetch", {"url": "https://h/?a=2&b=1"})),
]

OTHER = [
    (
        "Blanks in a value",
        ("write_file", {"path": "f", "content": "a  b"}),
        ("write_file", {"path": "f", "content": "a b"}),
    ),
    ("Case in a value", ("search", {"q": "Python"}), ("search", {"q": "python"})),
    ("A missing value and null", ("search", {"q": "x"}), ("search", {"q": "x", "n": None})),
    ("True and one", ("search", {"all": True}), ("search", {"all": 1})),
    ("A number and its text", ("search", {"n": 1}), ("search", {"n": "1"})),
    ("Two tools", ("Bash", {"command": "ls"}), ("bash", {"command": "ls"})),
    ("A remark of another tool", ("think", {"thought": "a"}), ("think", {"thought": "b"})),
    (
        "The retry after a denial",
        ("exec_command", {"cmd": "ls"}),
        ("exec_command", {"cmd": "ls", "sandbox_permissions": "require_escalated"}),
    ),
    (
        "How much comes back",
        ("exec_command", {"cmd": "ls", "max_output_tokens": 10}),
        ("exec_command", {"cmd": "ls", "max_output_tokens": 9999}),
    ),
    ("Another shell", ("shell", {"command": ["bash", "-c", "ls"]}), ("shell", {"command": ["sh", "-c", "ls"]})),
    ("A script and its words", ("shell", {"command": ["bash", "-c", "ls"]}), ("shell", {"command": "ls"})),
    (
        "Keystrokes and a command",
        ("execute_bash", {"command": "ls"}),
        ("execute_bash", {"command": "ls", "is_input": "true"}),
    ),
    ("Another range of a file", ("Read", {"file_path": "a", "offset": 1}), ("Read", {"file_path": "a", "offset": 9})),
    ("A folder and a file", ("Read", {"file_path": "a/"}), ("Read", {"file_path": "a"})),
    ("A home and a folder of its name", ("Read", {"file_path": "./~/a"}), ("Read", {"file_path": "~/a"})),
    ("A marker and what it marks", ("Read", {"file_path": {"path": "a"}}), ("Read", {"file_path": "a"})),
    ("A marker and a command", ("Bash", {"command": {"bash": "ls"}}), ("Bash", {"command": "ls"})),
    ("Routes of a page", ("WebFetch", {"url": "https://h/#/a"}), ("WebFetch", {"url": "https://h/#/b"})),
    ("A list and its text", ("search", [1, 2]), ("search", "[1,2]")),
]


@pytest.mark.parametrize(("reason", "first", "second"), SAME, ids=[row[0] for row in SAME])
def test_one_call_has_one_key(reason: str, first: tuple[str, Any], second: tuple[str, Any]) -> None:
    assert _digest(*first) == _digest(*second), reason


@pytest.mark.parametrize(("reason", "first", "second"), OTHER, ids=[row[0] for row in OTHER])
def test_two_calls_have_two_keys(reason: str, first: tuple[str, Any], second: tuple[str, Any]) -> None:
    assert _digest(*first) != _digest(*second), reason


def _deep() -> list[Any]:
    value: list[Any] = []
    for _ in range(100_000):
        value = [value]
    return value


ODD: dict[str, Any] = {
    "not a number": float("nan"),
    "infinity": float("inf"),
    "a large number": 2**200,
    "a lone surrogate": "\ud800",
    "a NUL": "a\0b",
    "a million characters": "x" * 1_000_000,
    "a key that is no text": {1: 2},
    "a set": {"a": {1, 2}},
    "bytes": b"\xff",
    "nothing": None,
    "a deep list": _deep(),
}


@pytest.mark.parametrize("value", ODD.values(), ids=ODD.keys())
@pytest.mark.parametrize("strategy", ["exact", "normalized"])
def test_every_input_has_a_key(value: Any, strategy: str) -> None:
    made = key(ToolCall("tool", value), strategy)
    again = key(ToolCall("tool", value), strategy)
    assert made is not None
    assert made == again
    assert len(made.digest) == 32
    assert made.version == KEY_VERSION


def test_odd_inputs_have_different_keys() -> None:
    digests = {_digest("tool", value) for value in ODD.values()}
    assert len(digests) == len(ODD)


def test_what_holds_itself_is_never_a_duplicate() -> None:
    endless: list[Any] = []
    endless.append(endless)
    assert _digest("tool", endless) != _digest("tool", endless)


def test_an_object_is_never_known_by_its_address() -> None:
    assert _digest("tool", object()) != _digest("tool", object())


def test_a_command_is_the_bash_tool() -> None:
    for command in ("ls  -l", "curl -s h | jq .", "echo 'é'", "echo 'open", "echo '\ud800'"):
        made = key(command)
        assert made == key(ToolCall("bash", {"command": command}))


class TestFunctions:
    """A key function decides for itself, and cannot stop the agent."""

    def test_none_is_never_a_duplicate(self) -> None:
        assert key("ls", lambda _call: None) is None

    def test_text_and_bytes_are_keys(self) -> None:
        assert _digest("a", 1, lambda _call: "x") == _digest("b", 2, lambda _call: "x")
        assert _digest("a", 1, lambda _call: "x") != _digest("a", 1, lambda _call: b"x")

    def test_an_exception_is_told_and_the_key_is_exact(self) -> None:
        def broken(_call: ToolCall) -> str:
            raise RuntimeError("secret")

        made = key("ls", broken)
        assert made is not None
        assert (made.strategy, made.problem) == ("exact", "the key function raised RuntimeError")
        assert made.digest == _digest("bash", {"command": "ls"}, "exact")

    def test_another_result_is_told_as_well(self) -> None:
        made = key("ls", lambda _call: 3)  # type: ignore[arg-type,return-value]
        assert made is not None
        assert made.strategy == "exact"
        assert "int" in made.problem

    def test_a_registered_name_finds_its_function(self) -> None:
        def by_name(call: ToolCall) -> str:
            return call.name

        register_strategy("by name", by_name)
        assert _digest("a", 1, "by name") == _digest("a", 2, "by name")
        with pytest.raises(ValueError, match="there already"):
            register_strategy("by name", lambda _call: "")
        with pytest.raises(ValueError, match="there already"):
            register_strategy("exact", by_name)


def test_an_unknown_strategy_is_named_with_those_that_exist() -> None:
    with pytest.raises(UnknownStrategyError, match="no key strategy named 'exakt'; there are exact, normalized"):
        key("ls", "exakt")
    with pytest.raises(CallkeyError):
        check_strategy("exakt")


def test_a_key_shows_no_argument() -> None:
    assert "secret" not in repr(key("curl -u user:secret https://h/"))
