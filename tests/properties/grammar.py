"""Hypothesis strategies that construct commands: nothing is filtered, and everything shrinks to something plain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from .model import (
    Active,
    AndOr,
    AnyRedirect,
    Arith,
    ArithCommand,
    Assign,
    Atom,
    Both,
    Case,
    Clause,
    Fixed,
    For,
    Function,
    Group,
    HereDoc,
    If,
    Lit,
    Loop,
    Param,
    Pipeline,
    ProcSub,
    Redirect,
    Script,
    Simple,
    Stage,
    Sub,
    Subshell,
    Test,
    Word,
)
from .spelling import render
from .vocabulary import (
    ALPHABET,
    ARITHMETIC,
    EXPANDING_LINES,
    EXPANSIONS,
    FIXED_COMMANDS,
    GLOBS,
    LITERAL_LINES,
    NAMES,
    SPECIAL,
    TESTS,
    TEXTS,
    TILDES,
)

_P = ParamSpec("_P")
_T = TypeVar("_T")


def named(make: Callable[_P, SearchStrategy[_T]]) -> Callable[_P, SearchStrategy[_T]]:
    """Make a strategy once for each argument, and let it be called by its name: the whole grammar is no good repr."""
    made: dict[tuple[object, ...], SearchStrategy[_T]] = {}

    @wraps(make)
    def deferred(*args: _P.args, **kwargs: _P.kwargs) -> SearchStrategy[_T]:
        return made.setdefault((*args, *kwargs.items()), st.deferred(lambda: make(*args, **kwargs)))

    return deferred


DEPTH = 2  # compound commands and substitutions inside each other

# --- words ----------------------------------------------------------------------------------------------------------


@named
def texts() -> SearchStrategy[Lit]:
    """Draw text of any kind: every character that means something to bash is in it."""
    return st.builds(Lit, st.sampled_from(TEXTS) | st.text(ALPHABET, max_size=6))


@named
def parameters() -> SearchStrategy[Param]:
    """Draw ``$name``, quoted or not."""
    return st.builds(Param, st.sampled_from(NAMES + SPECIAL), st.booleans())


@named
def atoms(depth: int) -> SearchStrategy[Atom]:
    """Draw a part of a word; below depth 0 there are substitutions."""
    flat: tuple[SearchStrategy[Atom], ...] = (
        texts(),
        texts(),
        parameters(),
        st.builds(Active, st.sampled_from(GLOBS)),
        st.builds(Fixed, st.sampled_from(EXPANSIONS), st.booleans()),
        st.builds(Arith, st.sampled_from(ARITHMETIC), st.booleans()),
    )
    return st.one_of(*flat, st.builds(Sub, bodies(depth - 1), st.booleans())) if depth > 0 else st.one_of(flat)


@named
def words(depth: int) -> SearchStrategy[Word]:
    """Draw a word: mostly one part, sometimes several, sometimes a tilde prefix or a process substitution."""
    parts = st.lists(atoms(depth), min_size=1, max_size=3).map(_one_text)
    kinds: list[SearchStrategy[Word]] = [
        st.builds(lambda lit: Word((lit,)), texts()),
        st.builds(Word, parts),
        st.builds(Word, parts),
        st.builds(lambda source: Word((Active(source),)), st.sampled_from(TILDES)),
    ]
    if depth > 0:
        kinds.append(st.builds(lambda script: Word((ProcSub(script),)), bodies(0)))
    return st.one_of(kinds)


def _one_text(parts: Sequence[Atom]) -> tuple[Atom, ...]:
    """Join neighbouring texts, so that equal words are equal models."""
    joined: list[Atom] = []
    for part in parts:
        if joined and isinstance(part, Lit) and isinstance(joined[-1], Lit):
            joined[-1] = Lit(joined[-1].text + part.text)
        else:
            joined.append(part)
    return tuple(joined)


# --- simple commands ------------------------------------------------------------------------------------------------


def _lits(*values: str) -> SearchStrategy[Word]:
    return st.sampled_from([Word((Lit(value),)) for value in values])


@named
def files() -> SearchStrategy[Word]:
    """Draw where a redirect goes: a name in the directory, or an expansion that may be no single name."""
    return st.one_of(_lits("f", "g", "a.t", "c d", "new"), st.builds(lambda p: Word((p, Lit("f"))), parameters()))


@named
def here_documents() -> SearchStrategy[HereDoc]:
    """Draw lines that would mean something outside the document, too."""
    fd = st.sampled_from(("", "", "3"))
    return st.one_of(
        st.builds(HereDoc, fd, st.lists(st.sampled_from(LITERAL_LINES), max_size=3).map(tuple), st.just(value=False)),
        st.builds(HereDoc, fd, st.lists(st.sampled_from(EXPANDING_LINES), max_size=3).map(tuple), st.just(value=True)),
    )


@named
def redirects() -> SearchStrategy[AnyRedirect]:
    """Draw every form of redirect."""
    fd = st.sampled_from(("", "", "2", "3", "{fd}"))
    kinds: tuple[SearchStrategy[AnyRedirect], ...] = (
        st.builds(Redirect, st.sampled_from(("", "", "2", "3")), st.sampled_from((">", ">>", ">|", "<>")), files()),
        st.builds(Redirect, fd, st.just("<"), files()),
        st.builds(Redirect, st.sampled_from(("2", "", "3")), st.just(">&"), _lits("1", "2", "-", "3")),
        st.builds(Redirect, st.sampled_from(("", "3")), st.just("<&"), _lits("0", "3", "-")),
        st.builds(Redirect, st.sampled_from(("", "3")), st.just("<<<"), words(0)),
        st.builds(Both, st.booleans(), _lits("f", "g", "c d")),
        here_documents(),
    )
    return st.one_of(kinds)


@named
def assignments(depth: int) -> SearchStrategy[Assign]:
    """Draw ``name=value`` and arrays, with the tilde forms that only assignments have."""
    tilde = _active_words("~", "~/a", "a:~", "~:~/b")
    plain = st.builds(Assign, st.sampled_from(NAMES), st.sampled_from(("=", "=", "+=")), words(min(depth, 1)) | tilde)
    return st.one_of(
        *(plain, plain, plain, plain),
        st.builds(Assign, st.just("arr"), st.sampled_from(("=", "+=")), st.lists(words(0), max_size=2).map(tuple)),
        st.builds(Assign, st.just("arr[1]"), st.just("="), words(0)),
    )


def _active_words(*sources: str) -> SearchStrategy[Word]:
    return st.sampled_from([Word((Active(source),)) for source in sources])


def _command(head: tuple[str, ...], arguments: SearchStrategy[list[Word]]) -> SearchStrategy[tuple[Word, ...]]:
    prefix = tuple(Word((Lit(text),)) for text in head)
    return arguments.map(lambda found: (*prefix, *found))


@named
def command_words(depth: int) -> SearchStrategy[tuple[Word, ...]]:
    """Draw a program or a builtin with arguments; the programs are recorders, the builtins are real."""
    some, one = st.lists(words(depth), max_size=3), st.lists(words(depth), min_size=1, max_size=1)
    programs = [_command((name,), some) for name in ("p", "p", "q", "r")]
    builtins = [
        *(
            _command(head, some)
            for head in (("echo",), ("printf", "<%s>"), ("set", "--"), ("[",), ("command", "p"), ("env",))
        ),
        *(_command(head, one) for head in (("cd",), ("eval",), ("test", "-n"), ("export",), ("read",), ("printf",))),
        *(_command(head, st.just([])) for head in FIXED_COMMANDS),
    ]
    return st.one_of(st.one_of(programs), st.one_of(programs), st.one_of(builtins))


@named
def simple_commands(depth: int) -> SearchStrategy[Simple]:
    """Draw assignments, words and redirects; each may be missing."""
    no_assignments: SearchStrategy[tuple[Assign, ...]] = st.just(())
    no_words: SearchStrategy[tuple[Word, ...]] = st.just(())
    some_assignments = st.lists(assignments(depth), min_size=1, max_size=2).map(tuple)
    some_redirects = st.lists(redirects(), min_size=1, max_size=2).map(tuple)
    plain = st.builds(Simple, no_assignments, command_words(depth))
    redirected = st.builds(Simple, no_assignments, command_words(depth), some_redirects)
    return st.one_of(
        *(plain, plain, plain, redirected, redirected, redirected),
        st.builds(Simple, some_assignments, command_words(depth), some_redirects),
        st.builds(Simple, some_assignments),
        st.builds(Simple, no_assignments, no_words, some_redirects),
        st.builds(Simple, no_assignments, _commit_words()),
        *([] if depth < 1 else [st.builds(Simple, no_assignments, command_words(0), _fed(depth)).map(_awaited)]),
    )


def _awaited(command: Simple) -> Simple:
    """Take the input from what ends the shell: whether a process substitution still gets to speak then is chance."""
    ends = command.words[0].atoms in {(Lit("exit"),), (Lit("exec"),)}
    return replace(command, redirects=()) if ends else command


@named
def _fed(depth: int) -> SearchStrategy[tuple[AnyRedirect, ...]]:
    """Draw input from a substitution: ``< <(…)`` or ``<<<"$(…)"``, the only redirect of its command."""
    body = bodies(depth - 1)
    process = st.builds(lambda script: Redirect("", "<", Word((ProcSub(script),))), body)
    text = st.builds(lambda script, quoted: Redirect("", "<<<", Word((Sub(script, quoted),))), body, st.booleans())
    return st.one_of(process, text).map(lambda redirect: (redirect,))


@named
def _commit_words() -> SearchStrategy[tuple[Word, ...]]:
    """Draw ``p -m "$(q <<'E' …)"``: a here-document inside a substitution, alone on its command."""

    def command(document: HereDoc, *, quoted: bool) -> tuple[Word, ...]:
        inner = Script((AndOr((Pipeline((Simple((), (Word((Lit("q"),)),), (document,)),)),)),))
        return Word((Lit("p"),)), Word((Lit("-m"),)), Word((Sub(inner, quoted),))

    return st.builds(command, here_documents(), quoted=st.booleans())


# --- compound commands ----------------------------------------------------------------------------------------------


@named
def compounds(depth: int) -> SearchStrategy[Stage]:
    """Draw every kind of compound command, its bodies one level less deep."""
    body = scripts(depth - 1)
    after: SearchStrategy[tuple[AnyRedirect, ...]] = st.one_of(
        st.just(()), st.lists(redirects(), max_size=1).map(tuple)
    )
    one_word = words(0)
    clause = st.builds(
        Clause,
        st.lists(one_word, min_size=1, max_size=2).map(tuple),
        body,
        st.sampled_from((";;", ";;", ";&", ";;&")),
    )
    return st.one_of(
        st.builds(Group, body, after),
        st.builds(Subshell, body, after),
        st.builds(If, st.lists(st.tuples(body, body), min_size=1, max_size=2).map(tuple), st.none() | body, after),
        st.builds(Loop, st.sampled_from(("while", "until")), body, body.map(_breaking), after),
        st.builds(
            For, st.just("for"), st.just("i"), st.none() | st.lists(one_word, max_size=2).map(tuple), body, after
        ),
        st.builds(
            For, st.just("select"), st.just("x"), st.lists(one_word, max_size=2).map(tuple), body.map(_breaking), after
        ),
        st.builds(Case, one_word, st.lists(clause, max_size=2).map(tuple), after),
        st.sampled_from(TESTS).map(Test),
        st.sampled_from(ARITHMETIC).map(ArithCommand),
        st.builds(Function, st.just("f"), st.builds(Group, body, after) | st.builds(Subshell, body, after)),
    )


def _breaking(body: Script) -> Script:
    """End a loop after one round."""
    return Script((*body.statements, AndOr((Pipeline((Simple((), (Word((Lit("break"),)),)),)),))))


# --- lists ----------------------------------------------------------------------------------------------------------


@named
def stages(depth: int) -> SearchStrategy[Stage]:
    """Draw a simple command, or a compound one where there is depth left."""
    simple = simple_commands(depth)
    return st.one_of(simple, simple, compounds(depth)) if depth > 0 else simple


_SELDOM = st.sampled_from((False,) * 7 + (True,))


@named
def pipelines(depth: int) -> SearchStrategy[Pipeline]:
    """Draw one to three stages."""

    def build(found: list[Stage], merged: tuple[bool, bool], *, inverted: bool, timed: bool) -> Pipeline:
        # Right after `time`, and inside a substitution, bash takes an array for a syntax error
        arrays = isinstance(found[0], Simple) and any(isinstance(a.value, tuple) for a in found[0].assigns)
        return Pipeline(tuple(found), merged[: len(found) - 1], inverted, timed and not arrays)

    flags = st.tuples(_SELDOM, _SELDOM)
    one = st.builds(lambda stage: Pipeline((stage,)), stages(depth))
    several = st.lists(stages(min(depth, 1)), min_size=1, max_size=3)
    return st.one_of(one, one, st.builds(build, several, flags, inverted=_SELDOM, timed=_SELDOM))


@named
def statements(depth: int) -> SearchStrategy[AndOr]:
    """Draw one or two pipelines, seldom in the background."""

    def build(found: list[Pipeline], operator: str, *, background: bool) -> AndOr:
        return AndOr(tuple(found), (operator,) * (len(found) - 1), background)

    one = st.builds(lambda pipeline: AndOr((pipeline,)), pipelines(depth))
    several = st.lists(pipelines(depth), min_size=1, max_size=2)
    return st.one_of(one, one, st.builds(build, several, st.sampled_from(("&&", "||")), background=_SELDOM))


@named
def scripts(depth: int = DEPTH) -> SearchStrategy[Script]:
    """Draw one to three statements; inside something else mostly one."""
    one = st.builds(lambda statement: Script((statement,)), statements(depth))
    several = st.lists(statements(depth), min_size=1, max_size=3 if depth == DEPTH else 2)
    many = several.map(lambda found: Script(tuple(found)))
    return many if depth == DEPTH else st.one_of(one, one, many)


def bodies(depth: int) -> SearchStrategy[Script]:
    """Draw what stands in a substitution, without here-documents beside anything else.

    bash 5.2 writes the body of a substitution out again before it runs it, and gets lost where such a document ends.
    """
    return scripts(depth).map(_without_documents)


def _without_documents(node: Any) -> Any:
    """Put here-strings in the place of here-documents."""
    if isinstance(node, tuple):
        return tuple(map(_without_documents, node))
    if isinstance(node, HereDoc):
        return Redirect(node.fd, "<<<", Word((Lit("\n".join(node.lines)),)))
    if not is_dataclass(node) or isinstance(node, type):
        return node
    return replace(node, **{field.name: _without_documents(getattr(node, field.name)) for field in fields(node)})


def choices() -> SearchStrategy[bytes]:
    """Draw what ``render`` picks; zeros are the plainest spelling."""
    return st.binary(min_size=64, max_size=128)


def commands() -> SearchStrategy[str]:
    """Draw the source of a valid command."""
    return st.builds(render, scripts(), choices())


def small_commands() -> SearchStrategy[str]:
    """Draw from so few words that two draws often nearly meet."""
    texts_: list[Atom] = [Lit("a"), Lit("A"), Lit("a b"), Lit(""), Lit("*"), Lit("$x"), Lit("~"), Active("*")]
    parameters_: list[Atom] = [Param(name, quoted) for name in ("x", "e", "@") for quoted in (True, False)]
    parts = st.lists(st.sampled_from([*texts_, *parameters_]), min_size=1, max_size=2).map(_one_text)
    words_ = _command(("p",), st.lists(st.builds(Word, parts) | _active_words("~"), max_size=2))
    to, merged = Word((Lit("f"),)), Redirect("2", ">&", Word((Lit("1"),)))
    files_ = [Redirect("", ">", to), Redirect("2", ">", to), merged, Both(append=False, target=to)]
    simple = st.builds(Simple, st.just(()), words_, st.lists(st.sampled_from(files_), max_size=2).map(tuple))
    script = simple.map(lambda command: Script((AndOr((Pipeline((command,)),)),)))
    return st.builds(render, script, choices())
