"""Change one thing of a model so that it looks nearly the same, and may be another command.

The traps: quotes that matter, order that matters, operators and wrappers that matter. Whether bash shows a difference
is for bash to say.
"""

from __future__ import annotations

import dataclasses
import itertools
import string
from collections.abc import Iterator
from typing import Any, NamedTuple

from .model import (
    Active,
    AndOr,
    Arith,
    Assign,
    Both,
    Case,
    Clause,
    Fixed,
    For,
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
    Sub,
    Subshell,
    Word,
)


class NearMiss(NamedTuple):
    """What was changed, and the changed model."""

    change: str
    script: Script


def near_misses(script: Script) -> list[NearMiss]:
    """Return every command that is one near miss away."""
    return [NearMiss(change, changed) for change, changed in _everywhere(script) if isinstance(changed, Script)]


def _everywhere(node: Any) -> Iterator[tuple[str, Any]]:
    """Change each node below, then the node itself: quotes come first, whole lists last."""
    if isinstance(node, tuple):
        for index, item in enumerate(node):
            for change, changed in _everywhere(item):
                yield change, (*node[:index], changed, *node[index + 1 :])
    elif dataclasses.is_dataclass(node) and not isinstance(node, type):
        for field in dataclasses.fields(node):
            for change, changed in _everywhere(getattr(node, field.name)):
                yield change, dataclasses.replace(node, **{field.name: changed})
        yield from _changes(node)


def _changes(node: Any) -> Iterator[tuple[str, Any]]:
    match node:
        case Lit() | Active() | Param() | Fixed() | Arith() | Sub() | ProcSub():
            yield from _atom_changes(node)
        case Word(atoms):
            yield from _word_changes(atoms)
        case Simple():
            yield from _simple_changes(node)
        case Assign(name, operator, value) if isinstance(value, Word):
            yield "+= for =", Assign(name, "=" if operator == "+=" else "+=", value)
        case Redirect() | Both() | HereDoc():
            yield from _redirect_changes(node)
        case Pipeline() | AndOr() | Script():
            yield from _list_changes(node)
        case _:
            yield from _compound_changes(node)


def _atom_changes(atom: Any) -> Iterator[tuple[str, Any]]:
    match atom:
        case Lit(text):
            yield from (("text", Lit(other)) for other in _text_changes(text))
            if text in {"*", "?", "*.t", "[ab]*", "{a,b}", "{1..3}", "~"}:
                yield "quotes off", Active(text)
            if text in {"$x", "${x}"}:
                yield "quotes off", Param("x", quoted=False)
                yield "double quotes", Param("x", quoted=True)
        case Active(source):
            yield "quotes on", Lit(source)
        case Param(name, quoted):
            yield "quotes of a parameter", Param(name, not quoted)
            yield "single quotes", Lit(f"${name}")
        case Fixed(source, quoted):
            yield "quotes of an expansion", Fixed(source, not quoted)
            yield "single quotes", Lit(source)
        case Arith(tokens, quoted):
            yield "quotes of arithmetic", Arith(tokens, not quoted)
            yield "$A in arithmetic", Arith(tuple(f"${t}" if t.isidentifier() else t for t in tokens), quoted)
        case Sub(body, quoted):
            yield "quotes of a substitution", Sub(body, not quoted)
            yield "process substitution", ProcSub(body)
        case ProcSub(body):
            yield "command substitution", Sub(body, quoted=False)


def _text_changes(text: str) -> Iterator[str]:
    yield from {
        " ".join(text.split(" ")).replace("  ", " "),
        text.replace(" ", "\u00a0"),
        text.lower(),
        text.swapcase(),
        text.replace("\\", ""),
        text.replace("\n", " "),
        text.replace("\n", "\\n"),
        text.rstrip("\n"),
        f"{text}\r",
        f"{text} ",
        f"{text}#a",
        "".join(c for c in text if c not in "\"'"),
        text.translate(str.maketrans("", "", string.whitespace)),
    } - {text}


def _word_changes(atoms: tuple[Any, ...]) -> Iterator[tuple[str, Word]]:
    if not any(isinstance(atom, Lit) for atom in atoms):
        yield "empty quotes at the end", Word((*atoms, Lit("")))
    for index, (before, after) in enumerate(itertools.pairwise(atoms)):
        yield "two parts swapped", Word((*atoms[:index], after, before, *atoms[index + 2 :]))


def _simple_changes(command: Simple) -> Iterator[tuple[str, Any]]:
    assigns, words, redirects = command.assigns, command.words, command.redirects
    replace = dataclasses.replace
    for index, assign in enumerate(assigns):
        rest = (*assigns[:index], *assigns[index + 1 :])
        if isinstance(assign.value, Word):
            quoted = Word((Lit(f"{assign.name}{assign.operator}"), *assign.value.atoms))
            yield "assignment as a word", replace(command, assigns=rest, words=(quoted, *words))
        yield "assignments in another order", replace(command, assigns=(assign, *rest))
    for index in range(1, len(words)):
        rest_words = (*words[:index], *words[index + 1 :])
        yield "argument left out", replace(command, words=rest_words)
        yield "argument moved to the end", replace(command, words=(*rest_words, words[index]))
        yield "empty argument", replace(command, words=(*words[:index], Word((Lit(""),)), *words[index:]))
    if len(words) > 2:
        joined = Word((*words[-2].atoms, Lit(" "), *words[-1].atoms))
        yield "two arguments as one", replace(command, words=(*words[:-2], joined))
    if words:
        for wrapper in ("command", "env", "exec", "eval", "builtin"):
            yield f"after {wrapper}", replace(command, words=(Word((Lit(wrapper),)), *words))
        yield "-- first", replace(command, words=(words[0], Word((Lit("--"),)), *words[1:]))
        yield "2>&1", replace(command, redirects=(*redirects, Redirect("2", ">&", Word((Lit("1"),)))))
        yield "errors to a file", replace(command, redirects=(*redirects, Redirect("2", ">", Word((Lit("f"),)))))
    for index, redirect in enumerate(redirects):
        rest_redirects = (*redirects[:index], *redirects[index + 1 :])
        yield "redirects in another order", replace(command, redirects=(redirect, *rest_redirects))
        yield "redirect left out", replace(command, redirects=rest_redirects)
        if isinstance(redirect, Redirect) and redirect.fd.isdigit():
            bare = replace(redirect, fd="")
            number = Word((Lit(redirect.fd),))
            moved = (*redirects[:index], bare, *redirects[index + 1 :])
            yield "descriptor as a word", replace(command, words=(*words, number), redirects=moved)


def _redirect_changes(redirect: Any) -> Iterator[tuple[str, Any]]:
    match redirect:
        case Redirect(fd, operator, target):
            others = {">": (">>", "<>"), ">>": (">",), "<": ("<>",), "<>": ("<", ">"), ">&": (">",), "<&": ("<",)}
            yield from ((f"{o} for {operator}", Redirect(fd, o, target)) for o in others.get(operator, ()))
            if operator not in {">&", "<&"}:
                yield "another descriptor", Redirect("2" if fd == "" else "", operator, target)
        case Both(append, target):
            yield "append", Both(not append, target)
            yield "only one output", Redirect("", ">>" if append else ">", target)
        case HereDoc(fd, lines, expands):
            yield "quoted delimiter", HereDoc(fd, lines, not expands)
            yield "line left out", HereDoc(fd, lines[1:], expands)
            yield "tabs", HereDoc(fd, tuple(line.lstrip("\t") for line in lines), expands)
            yield "blanks at the end", HereDoc(fd, tuple(line.rstrip() for line in lines), expands)
            if not expands:
                yield "here-string", Redirect(fd, "<<<", Word((Lit("\n".join(lines)),)))


def _list_changes(node: Any) -> Iterator[tuple[str, Any]]:
    match node:
        case Pipeline(stages, merged, inverted, timed):
            yield "!", Pipeline(stages, merged, not inverted, timed)
            if not timed and "value=(" not in repr(stages[0]):
                yield "time", Pipeline(stages, merged, inverted, timed=True)
            for index in range(len(merged)):
                flipped = (*merged[:index], not merged[index], *merged[index + 1 :])
                yield "|& for |", Pipeline(stages, flipped, inverted, timed)
            if len(stages) > 1:
                yield "last stage left out", Pipeline(stages[:-1], merged[:-1], inverted, timed)
            cat = Simple((), (Word((Lit("q"),)),))
            yield "one more stage", Pipeline((*stages, cat), (*merged, False), inverted, timed)
            yield "in a subshell", Pipeline((Subshell(Script((AndOr((node,)),))),))
            yield "in a group", Pipeline((Group(Script((AndOr((node,)),))),))
        case AndOr(pipelines, operators, background):
            yield "&", AndOr(pipelines, operators, not background)
            for index in range(len(operators)):
                other = "||" if operators[index] == "&&" else "&&"
                yield "&& for ||", AndOr(pipelines, (*operators[:index], other, *operators[index + 1 :]), background)
            true = Pipeline((Simple((), (Word((Lit("true"),)),)),))
            yield "|| true", AndOr((*pipelines, true), (*operators, "||"), background)
            yield "&& true", AndOr((*pipelines, true), (*operators, "&&"), background)
            yield "true &&", AndOr((true, *pipelines), ("&&", *operators), background)
        case Script(statements):
            for index, (before, after) in enumerate(itertools.pairwise(statements)):
                swapped = Script((*statements[:index], after, before, *statements[index + 2 :]))
                yield "statements swapped", swapped
                if not before.background:
                    pipelines = before.pipelines + after.pipelines
                    operators = (*before.operators, "&&", *after.operators)
                    one = AndOr(pipelines, operators, after.background)
                    yield "&& for ;", Script((*statements[:index], one, *statements[index + 2 :]))
            if len(statements) > 1:
                yield "last statement left out", Script(statements[:-1])
            true_after = AndOr((Pipeline((Simple((), (Word((Lit(":"),)),)),)),))
            yield "; :", Script((*statements, true_after))


def _compound_changes(node: Any) -> Iterator[tuple[str, Any]]:
    match node:
        case Group(body, redirects):
            yield "subshell for group", Subshell(body, redirects)
        case Subshell(body, redirects):
            yield "group for subshell", Group(body, redirects)
        case If(branches, otherwise, redirects):
            yield "else left out", If(branches, None, redirects)
            yield "condition and body swapped", If(tuple((body, test) for test, body in branches), otherwise, redirects)
        case Loop(keyword, condition, body, redirects):
            yield "until for while", Loop("until" if keyword == "while" else "while", condition, body, redirects)
        case For(keyword, name, words, body, redirects):
            yield "in", For(keyword, name, () if words is None else None, body, redirects)
        case Case(word, clauses, redirects):
            yield "clauses in another order", Case(word, clauses[::-1], redirects)
        case Clause(patterns, body, end):
            yield from (
                (f"{other} for {end}", Clause(patterns, body, other)) for other in (";;", ";&", ";;&") if other != end
            )
            yield "patterns in another order", Clause(patterns[::-1], body, end)
