"""The option reader: what a table explains is taken apart, the rest is left alone."""

from __future__ import annotations

import pytest
from callkey.options import Invocation, Option, Unread, read, table

ROWS = (
    Option("all", "a"),
    Option("output", "o", value=True),
    Option("color", "c", optional=True),
    Option("buffer", "N", negatable=True, off=True),
    Option(short="x"),
)
KNOWN = table(ROWS)


def summary(args: list[str]) -> list[tuple[str, str | None, bool]]:
    """Return name, value and state of each option."""
    found = read(args, KNOWN)
    assert isinstance(found, Invocation)
    return [(given.option.long or given.option.short, given.value, given.on) for given in found.options]


@pytest.mark.parametrize(
    "args",
    [["-ao", "f"], ["-aof"], ["-a", "--output", "f"], ["--all", "--output=f"]],
    ids=" ".join,
)
def test_spellings_of_options_read_alike(args: list[str]) -> None:
    assert summary(args) == [("all", None, True), ("output", "f", True)]


def test_an_optional_value_counts_only_when_attached() -> None:
    assert summary(["--color", "-cred", "--color=never", "-c"]) == [
        ("color", None, True),
        ("color", "red", True),
        ("color", "never", True),
        ("color", None, True),
    ]


def test_a_letter_can_mean_the_opposite_of_its_long_name() -> None:
    assert summary(["-N", "--buffer", "--no-buffer"]) == [
        ("buffer", None, False),
        ("buffer", None, True),
        ("buffer", None, False),
    ]


def test_a_value_may_look_like_an_option() -> None:
    assert summary(["-o", "--", "--output", "-a", "-o", ""]) == [
        ("output", "--", True),
        ("output", "-a", True),
        ("output", "", True),
    ]


def test_operands_lie_between_options_until_a_double_dash() -> None:
    found = read(["x", "-a", "-", "--", "-a", "--"], KNOWN)
    assert isinstance(found, Invocation)
    assert found.operands == ("x", "-", "-a", "--")
    assert found.places == (0, 2, 4, 5)


def test_the_first_operand_ends_the_options_of_some_programs() -> None:
    found = read(["-a", "run", "-a"], table(ROWS, mixed=False))
    assert isinstance(found, Invocation)
    assert (len(found.options), found.operands) == (1, ("run", "-a"))


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (["--al"], "unknown option"),
        (["-ay"], "unknown option"),
        (["--no-all"], "an option that has no opposite"),
        (["--all=yes"], "an option without a value"),
        (["--output"], "its value is missing"),
        (["-ao"], "its value is missing"),
    ],
)
def test_what_the_table_does_not_explain_ends_the_reading(args: list[str], reason: str) -> None:
    assert read(args, KNOWN) == Unread(args[-1], reason)


def test_a_program_may_not_know_attached_long_values() -> None:
    assert read(["--output=f"], table(ROWS, equals=False)) == Unread("--output=f", "unknown option")
