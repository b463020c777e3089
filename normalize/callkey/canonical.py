"""Command text -> canonical texts: parse, rules, printing, composed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NewType

from .differences import first_difference
from .errors import ParseError
from .fast_path import print_plain
from .introspection import reads_itself
from .parse import parse
from .printing import print_script
from .rewrite import Rewriter, exact_rules, rewrite_script
from .rules import EXACT_RULES, Rule
from .showing import means_what_it_says, shows_errors, texts
from .syntax import Command, Pipeline, Script, Statement, Text, Word
from .words import literal

CanonicalText = NewType("CanonicalText", str)
"""Text that this module made: the type says that it need not be normalized again."""

MAX_LENGTH = 200_000
"""Characters; longer commands are keyed raw."""


@dataclass(frozen=True, slots=True)
class Canonical:
    """The canonical forms of one command.

    ``exact`` is a runnable command that does the same. ``text`` also went through the lossy rules; it makes the key.
    ``view`` is the dropped display stages (``""`` if none). ``notes`` names what changed something, in order:
    ``spelling`` for quotes, blanks and the like, then rules. Equal ``text`` and ``view``: the same call; equal
    ``text`` alone: the same work, shown in another form.
    ``problem`` says why the command was not taken apart (``""`` if it was); then all texts are the command itself.
    """

    exact: CanonicalText
    text: CanonicalText
    view: str = ""
    notes: tuple[str, ...] = ()
    problem: str = ""

    @property
    def raw(self) -> bool:
        """Whether the command was left as it is."""
        return bool(self.problem)


def canonicalize(command: str, rules: Sequence[Rule] | None = None) -> Canonical:
    """Return the canonical forms of a bash command, by all rules or by those given. Raises nothing for any string.

    >>> found = canonicalize('''curl -s "https://h/x?b=2&a=1" | jq .id   # the name''')
    >>> found.exact
    "curl -s 'https://h/x?b=2&a=1' | jq .id"
    >>> found.text, found.view
    ("curl 'https://h/x?a=1&b=2'", 'jq .id')
    """
    if rules is None and len(command) <= _MAX_REMEMBERED:
        return _remembered(command)
    return _canonical(command, rules)


_MAX_REMEMBERED = 4096
"""Characters; longer commands are not kept in memory."""


@lru_cache(maxsize=1024)
def _remembered(command: str) -> Canonical:
    return _canonical(command, None)


def forget_all() -> None:
    """Empty the memory of recent commands, to measure without it."""
    _remembered.cache_clear()


def _canonical(command: str, rules: Sequence[Rule] | None) -> Canonical:
    try:
        return _canonicalize(command, rules)
    except ParseError as error:
        return _raw(command, str(error))
    except RecursionError:
        return _raw(command, "nested too deeply")


def _raw(command: str, problem: str) -> Canonical:
    return Canonical(CanonicalText(command), CanonicalText(command), problem=problem)


def _canonicalize(command: str, rules: Sequence[Rule] | None) -> Canonical:
    if len(command) > MAX_LENGTH:
        return _raw(command, f"longer than {MAX_LENGTH} characters")
    if rules is None:
        plain = print_plain(command)
        if plain is not None:
            text = CanonicalText(plain)
            return Canonical(text, text, notes=() if plain == command else _SPELLING)
    using = Rewriter(_EXACT if rules is None else exact_rules(rules), {})
    script = rewrite_script(using, parse(command))
    exact = print_script(script)
    if reads_itself(script, exact):
        return _raw(command, "it reads its own spelling")
    notes = () if exact == command else (*_SPELLING, *using.notes)
    if not any(name in exact for name in _LOSSY):
        return Canonical(CanonicalText(exact), CanonicalText(exact), notes=notes)
    return _lose(script, exact, notes, rules)


_SPELLING = ("spelling",)
_EXACT = exact_rules(EXACT_RULES)

_LOSSY = ("curl", "wget", "jq", "json.tool")
"""What the exact text of every command holds that a lossy rule may change."""


def _lose(script: Script, exact: str, notes: tuple[str, ...], rules: Sequence[Rule] | None) -> Canonical:
    """Apply the lossy rules."""
    from .rules.lossy import LOSSY_RULES  # noqa: PLC0415  # a tenth of the time that importing callkey takes

    rules = LOSSY_RULES if rules is None else [rule for rule in rules if not rule.exact]
    unchanged = Canonical(CanonicalText(exact), CanonicalText(exact), notes=notes)
    if not means_what_it_says(script):
        return unchanged
    views: tuple[Command, ...] = ()
    view_rule = next((rule for rule in rules if rule.on is Script), None)
    if view_rule is not None:
        script, views = view_rule.apply(script)
    programs = Rewriter({}, {})
    programs.rules[Command] = [Rule(Command, _program_rule(script, programs, rules), exact=False)]
    script = rewrite_script(programs, script)
    programs.notes.pop("rewrite", None)
    lossy = (*programs.notes, *([view_rule.name] if views and view_rule else []))
    if not lossy:
        return unchanged
    view = print_script(Script((Statement((Pipeline(tuple(views)),)),))) if views else ""
    return Canonical(CanonicalText(exact), CanonicalText(print_script(script)), view, notes + lossy)


def _program_rule(script: Script, using: Rewriter, rules: Sequence[Rule]) -> Callable[[Command], Command]:
    """Make the rule that rewrites the arguments of programs that we know."""
    # Its tables are for the few commands that have a URL.
    from .programs import PROGRAMS, canonical_arguments  # noqa: PLC0415
    from .request import Request  # noqa: PLC0415

    requests = tuple(rule.apply for rule in rules if rule.on is Request)

    def rewrite(command: Command) -> Command:
        words = texts(command) if command.words and literal(command.words[0]) in PROGRAMS else None
        if not words:
            return command
        found = canonical_arguments(words[0], words[1:], stderr_shown=shows_errors(script), rules=requests)
        if found is None:
            return command
        arguments, notes = found
        using.notes.update(dict.fromkeys(notes))
        return replace(command, words=(command.words[0], *(Word((Text(value),)) for value in arguments)))

    return rewrite


@dataclass(frozen=True, slots=True)
class Explanation:
    """Whether two commands are one (``same``), and why, in sentences for a person."""

    same: bool
    sentence: str


def explain(a: str, b: str, rules: Sequence[Rule] | None = None) -> Explanation:
    """Say whether two commands are one and why.

    >>> explain("ls -l", "ls  '-l'").sentence
    'The same: they differ only in quotes, blanks and the like.'
    >>> explain("ls *.py", "ls '*.py'").sentence
    "Different: argument 1 is `*.py` in the first and `'*.py'` in the second."
    """
    left, right = canonicalize(a, rules), canonicalize(b, rules)
    if left.text == right.text and left.problem == right.problem:
        return Explanation(same=True, sentence=_why_same(a == b, left, right, rules))
    for name, side in (("first", left), ("second", right)):
        if side.problem:
            return Explanation(
                same=False, sentence=f"Different: the {name} is compared letter by letter ({side.problem})."
            )
    return Explanation(same=False, sentence=f"Different: {first_difference(parse(left.text), parse(right.text))}.")


def _why_same(alike: bool, left: Canonical, right: Canonical, rules: Sequence[Rule] | None) -> str:  # noqa: FBT001
    if alike:
        return "The same: they are written alike."
    shown = ""
    if left.view != right.view:
        first, second = (f"through `{side.view}`" if side.view else "as it comes" for side in (left, right))
        shown = f" The first shows the result {first}, the second {second}."
    if left.exact == right.exact:
        return "The same: they differ only in quotes, blanks and the like." + shown
    from .rules.lossy import RULES  # noqa: PLC0415  # as above

    used = {*left.notes, *right.notes}
    reasons = [f"{rule.name} ({rule.sentence})" for rule in rules or RULES if rule.name in used and not rule.exact]
    return f"The same work, by {', '.join(reasons)}." + shown
