r"""The tables in ``tests/cases``: commands that are one, commands that are not, and why.

A block is comment lines with the reason, a base command, ``=`` lines that are the same command and ``!=`` lines that
are another one. A line that starts with ``|`` goes on in the line above, after a newline; ``\t``, ``\r`` and ``\u``
escapes are written out, since editors lose such characters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from callkey import canonicalize, explain

CASES = Path(__file__).parent.parent / "cases"
LOSSY = {"curl", "urls", "views"}
"""Tables of what the lossy rules make one; in all others the exact texts must agree."""
_CONTROL = re.compile(r"\\(t|r|u00a0)")
_CHARACTERS = {"t": "\t", "r": "\r", "u00a0": "\u00a0"}


@dataclass(frozen=True)
class Case:
    """One line of a table against the base of its block."""

    table: str
    line: int
    reason: str
    base: str
    sign: str
    command: str


def _read(path: Path) -> list[Case]:
    cases: list[Case] = []
    reason = base = ""
    lines: list[tuple[int, str]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("|"):
            at, before = lines[-1]
            lines[-1] = (at, f"{before}\n{line[1:]}")
        else:
            lines.append((number, line))
    for number, line in lines:
        if line.startswith("#"):
            reason, base = (line[2:], "") if base else (f"{reason} {line[2:]}".strip(), "")
            continue
        if not line:
            continue
        sign, _, command = line.partition(" ")
        written = command.lstrip(" ") if sign in ("=", "!=") else line
        text = _CONTROL.sub(lambda match: _CHARACTERS[match[1]], written)
        if sign in ("=", "!="):
            cases.append(Case(path.stem, number, reason, base, sign, "" if text == "(nothing)" else text))
        else:
            base = "" if text == "(nothing)" else text
    return cases


ALL = [case for path in sorted(CASES.glob("*.cases")) for case in _read(path)]


def _parameters(cases: list[Case]) -> list[object]:
    return [pytest.param(case, id=f"{case.table}.cases:{case.line}") for case in cases]


def _is_same(case: Case) -> bool:
    base, other = canonicalize(case.base), canonicalize(case.command)
    if case.sign == "=" and case.table not in LOSSY:
        return base.exact == other.exact
    return base.text == other.text


@pytest.mark.parametrize("case", _parameters([case for case in ALL if case.table != "known_gaps"]))
def test_case(case: Case) -> None:
    """Every line of every table holds."""
    assert _is_same(case) == (case.sign == "="), f"{case.reason}: {explain(case.base, case.command).sentence}"


@pytest.mark.xfail(strict=True)
@pytest.mark.parametrize("case", _parameters([case for case in ALL if case.table == "known_gaps"]))
def test_known_gap(case: Case) -> None:
    """A gap that is closed moves to another table."""
    assert _is_same(case) == (case.sign == "=")


@pytest.mark.parametrize("path", sorted(CASES.glob("*.cases")), ids=lambda path: path.name)
def test_every_block_has_a_near_miss(path: Path) -> None:
    """A block that only says what is equal would pass with an engine that makes everything equal."""
    if path.stem == "known_gaps":
        return
    signs: dict[tuple[str, str], set[str]] = {}
    for case in _read(path):
        signs.setdefault((case.reason, case.base), set()).add(case.sign)
    assert [block for block, found in signs.items() if "!=" not in found] == []


@pytest.mark.parametrize("case", _parameters([case for case in ALL if case.table != "known_gaps"]))
def test_texts_are_fixed_points(case: Case) -> None:
    """Canonical text is its own canonical text."""
    for command in (case.base, case.command):
        found = canonicalize(command)
        assert canonicalize(found.exact).exact == found.exact
        assert canonicalize(found.text).text == found.text
