"""Write one model in many ways that bash reads as one.

Every choice is taken from a list of small integers; an exhausted list gives the plainest spelling, so a shrunken
example is a plain one. Each ``pick`` is one line of the list of meaning-preserving respellings.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from enum import Enum, auto
from typing import TypeAlias

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

_BARE = re.compile(r"(?:--[\w-]+=)?[\w/.:@%+,^-]+", re.ASCII)  # means the same in and out of quotes, at any place
_NAME = re.compile(r"[A-Za-z0-9_\[]|\\\n")  # what would join the name of a parameter before it
_BINDS = re.compile(r"(?:^|[\s&|;<>])\d+$|[}&<>|]$")  # what a redirect without a blank would take for its descriptor
_SIGNS = tuple("+-*<>=&|!")
_MAY_FAIL = re.compile(r"Arith|Fixed|Test|value=\(|arr\[|\{a,\$x|'(?:\.|builtin|command|eval|local|shopt)'")
_COMMENTS = (" # then", ' # it\'s "odd" $(x `y', " #")


def render(script: Script, choices: Sequence[int] = (), *, quotes_only: bool = False) -> str:
    """Return the script as bash source, spelled as ``choices`` say.

    ``quotes_only`` keeps to the choices that bash's own pretty-printer undoes up to quotes.
    """
    return _Renderer(choices, quotes_only=quotes_only).whole(script)


class Kind(Enum):
    """How a piece of a word ends: what may stand next to it, and what it may grow together with."""

    PLAIN = auto()
    NAME = auto()  # $name
    DOUBLE = auto()  # "…"
    DOUBLE_NAME = auto()  # "…$name"


_DOUBLE = {Kind.DOUBLE, Kind.DOUBLE_NAME}
_OPEN = {Kind.NAME, Kind.DOUBLE_NAME}
_Piece: TypeAlias = tuple[str, Kind]


class _Renderer:
    def __init__(self, choices: Sequence[int], *, quotes_only: bool, fixed: bool = False) -> None:
        self._fixed = fixed
        self._choices = iter(choices)
        self._bodies: list[str] = []  # here-documents that the next newline owes
        self._one_line = False
        self._inside = 0  # how many substitutions are open
        self._flat = 0  # > 0: inside something that has to stay on its line
        self._loose = not quotes_only

    # --- choices ---

    def pick(self, *options: str) -> str:
        return options[next(self._choices, 0) % len(options)]

    def choose(self, *pieces: _Piece) -> _Piece:
        return pieces[next(self._choices, 0) % len(pieces)]

    def flip(self) -> bool:
        return bool(next(self._choices, 0) % 2)

    def shape(self) -> bool:
        """Choose another shape of the same meaning, where shapes may vary."""
        return self._loose and self.flip()

    def gap(self) -> str:
        return self.pick(" ", "  ", "\t", " \\\n ", "   ")

    def newline(self) -> str:
        bodies, self._bodies = self._bodies, []
        return "\n" + "".join(bodies)

    def may_break(self) -> bool:
        return not self._flat

    def end(self, *, closed: bool = False, top: bool = False) -> str:
        """End a statement; ``closed`` where ``&`` ended it already, ``top`` outside all compound commands."""
        if self._bodies:
            return self.pick("", *_COMMENTS) + self.newline()
        mark = " " if closed else self.pick("; ", ";", " ; ")
        if not self.may_break() or (top and self._one_line) or not self.flip():
            return mark
        return self.pick("", " ", "" if closed else ";", *_COMMENTS) + self.pick(
            "\n", "\n\n", "\n  # alone\n\n", "\n\t"
        )

    def after_operator(self) -> str:
        if self._bodies:
            return self.newline()
        if self.may_break():
            return self.pick(" ", "", "\n", " # so\n ", " \\\n")
        return self.pick(" ", "")

    def after_keyword(self) -> str:
        if self._bodies:
            return self.newline()
        return self.pick(" ", "  ", "\n", "\n  # do\n") if self.may_break() else " "

    # --- words ---

    def word(self, word: Word) -> str:
        # What stands beside `[…]` or `{…}` may be part of it: such a word has one spelling here
        if not self._fixed and any(isinstance(atom, Active) and set("[{") & set(atom.source) for atom in word.atoms):
            return _Renderer((), quotes_only=not self._loose, fixed=True).word(word)
        lists = any(isinstance(atom, Param | Fixed) and re.search(r"[@*]", repr(atom)) for atom in word.atoms)
        pieces = [piece for i, atom in enumerate(word.atoms) for piece in self.atom(atom, first=i == 0)]
        text, kind = "", Kind.PLAIN
        for piece, piece_kind in pieces:
            inside = piece[1:] if piece_kind in _DOUBLE else piece
            joins = kind in _OPEN and bool(_NAME.match(inside))
            # `"$e""$@"` is a word where `"$e$@"` may be none
            if kind in _DOUBLE and piece_kind in _DOUBLE and not joins and not lists and self.flip():
                text = text[:-1] + inside
            elif kind is Kind.NAME and joins and piece_kind not in _DOUBLE:
                head, _, name = text.rpartition("$")
                text = f"{head}${{{name}}}{piece}"
            else:
                text += piece
            kind = piece_kind
        return text

    def atom(self, atom: Atom, *, first: bool) -> list[_Piece]:
        kind, quoted_kind = Kind.PLAIN, Kind.DOUBLE
        match atom:
            case Lit(text):
                return self.literal(text, first=first)
            case Active(source):
                return [(source, Kind.PLAIN)]
            case Param(name, quoted):
                body = f"${name}"
                if (len(name) > 1 and name.isdigit()) or self.shape():
                    body = f"${{{name}}}"
                elif name.isidentifier():
                    kind, quoted_kind = Kind.NAME, Kind.DOUBLE_NAME
            case Fixed(body, quoted):
                pass
            case Arith(tokens, quoted):
                body = f"$(({self.tokens(tokens)}))"
                if self._loose and not re.search(r"[][()]", body[3:-2]) and self.pick("((", "((", "[") == "[":
                    body = f"$[{body[3:-2]}]"
            case Sub(script, quoted):
                body = self.substitution("$(", script, quoted=quoted)
            case ProcSub(script):
                return [(self.substitution("<(", script, quoted=True), Kind.PLAIN)]
        return [(f'"{body}"', quoted_kind) if quoted else (body, kind)]

    def substitution(self, opening: str, script: Script, *, quoted: bool) -> str:
        self._inside += 1
        body = self.script(script)
        self._inside -= 1
        plain = not self._bodies and not re.search(r'[\\`\n"]' if quoted else r"[\\`\n]", body)
        if opening == "$(" and plain and self.shape():
            return f"`{body}`"
        first = " " if body.startswith("(") else self.pick("", " ")
        last = self.newline() if self._bodies else self.pick("", " ")
        return f"{opening}{first}{body}{last})"

    def tokens(self, tokens: tuple[str, ...]) -> str:
        text = self.pick("", " ") if self._loose else ""
        for before, token in itertools.pairwise(("", *tokens)):
            joins = before[-1:] in _SIGNS and token[0] in _SIGNS  # `1 - -1` is not `1--1`
            blank = " " if joins else ""
            text += (self.pick(blank, " ", "\t") if self._loose else blank) + token
        return text + (self.pick("", " ") if self._loose else "")

    def literal(self, text: str, *, first: bool) -> list[_Piece]:
        """Spell text, perhaps in two pieces of other quotes, perhaps with an empty quote beside it."""
        cut = next(self._choices, 0) % (len(text) + 1) if len(text) > 1 else 0
        pieces = [self.chunk(part) for part in (text[:cut], text[cut:]) if part] or [self.empty()]
        if text and not (first and text[0] == "~") and self.pick("", "", "", "more"):
            pieces.append(self.empty())
        return pieces

    def empty(self) -> _Piece:
        return self.choose(("''", Kind.PLAIN), ('""', Kind.DOUBLE), ("$''", Kind.PLAIN))

    def chunk(self, text: str) -> _Piece:
        ways = [(self.bare(text), Kind.PLAIN)] if _BARE.fullmatch(text) else []
        if "'" not in text:
            ways.append((f"'{text}'", Kind.PLAIN))
        ways.append((self.double(text), Kind.DOUBLE))
        if "\n" not in text:
            ways.append((re.sub(r"([^\w/.:@%+,^-])", r"\\\1", text, flags=re.ASCII), Kind.PLAIN))
        if text.isascii():
            ways.append((self.ansi_c(text), Kind.PLAIN))
        return self.choose(*ways)

    def bare(self, text: str) -> str:
        return f"{text[0]}\\\n{text[1:]}" if len(text) > 1 and self.shape() and self.flip() else text

    def double(self, text: str) -> str:
        body = re.sub(r'([$`"\\])', r"\\\1", text)
        if re.fullmatch(r'[^$`"]*\\[^$`"\\\n][^$`"\\]*', text) and self.flip():
            body = text  # a backslash before any other character stands for itself
        return f'"\\\n{body}"' if self.shape() and self.flip() else f'"{body}"'

    def ansi_c(self, text: str) -> str:
        spelled = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
        return "$'" + "".join(spelled.get(c) or self.pick(c, f"\\x{ord(c):02x}", f"\\{ord(c):03o}") for c in text) + "'"

    # --- simple commands ---

    def simple(self, command: Simple) -> str:
        self._flat += any(isinstance(redirect, HereDoc) for redirect in command.redirects)
        tokens = [self.assign(a) for a in command.assigns]
        tokens += [self.word(w) if i else self.name(w) for i, w in enumerate(command.words)]
        self._flat -= any(isinstance(redirect, HereDoc) for redirect in command.redirects)
        redirects = [self.redirect(redirect) for redirect in command.redirects]
        at = len(tokens)
        # An array is one only before the first redirect
        least = max(
            (i + 1 for i, a in enumerate(command.assigns) if isinstance(a.value, tuple) or "[" in a.name), default=0
        )
        if any("\n" in token for token in tokens) and any(
            isinstance(redirect, HereDoc) for redirect in command.redirects
        ):
            least = len(tokens)  # a body begins at the next newline, wherever that is
        places = [at := at - (next(self._choices, 0) % (at - least + 1) if self._loose else 0) for _ in redirects][::-1]
        text = ""
        for index in range(len(tokens) + 1):
            for place, redirect in zip(places, redirects, strict=True):
                if place == index:
                    glued = text and redirect[0] in "<>" and not _BINDS.search(text) and self.flip()
                    text += ("" if glued or not text else self.gap()) + redirect
            text += (self.gap() if text else "") + tokens[index] if index < len(tokens) else ""
        return text

    def name(self, word: Word) -> str:
        match word.atoms:
            case (Lit("."),) if self._loose:
                return self.pick(".", "source")
            case (Lit(text),) if text.isalpha():
                # Without a backslash: `\p` would also dodge an alias.
                return self.pick(text, f"'{text}'", f'"{text}"', f"{text[:1]}''{text[1:]}")
            case (Lit(text),):
                return text
            case _:
                return self.word(word)

    def assign(self, assign: Assign) -> str:
        if isinstance(assign.value, tuple):
            # The words of an array have one spelling here: the engine keeps the source of an array
            plain = _Renderer((), quotes_only=False)
            return f"{assign.name}{assign.operator}({' '.join(map(plain.word, assign.value))})"
        value = self.word(assign.value) if assign.value.atoms != (Lit(""),) else self.pick("", "''", '""')
        return f"{assign.name}{assign.operator}{value}"

    def redirect(self, redirect: AnyRedirect) -> str:
        match redirect:
            case Redirect(fd, operator, target):
                default = "0" if operator[0] == "<" else "1"
                prefix = fd or self.pick("", default)
                blank = " " if isinstance(target.atoms[0], ProcSub) else self.pick("", " ", "\t")
                # bash reads `>&-` before it looks for a word, so `>&-''` is two things: no quotes there
                plain = operator in {">&", "<&"}
                word = _Renderer((), quotes_only=False).word(target) if plain else self.word(target)
                return f"{prefix}{operator}{blank}{word}"
            case Both(append, target):
                word = self.word(target)
                ways = [f"&>>{word}", f">>{word} 2>&1"] if append else [f"&>{word}", f">{word} 2>&1", f">&{word}"]
                return self.pick(*ways) if self._loose else ways[1]
            case HereDoc():
                return self.here_document(redirect)

    def here_document(self, document: HereDoc) -> str:
        name = self.pick("E", "EOF", "END_1", "x")
        quoted = self.pick(
            f"'{name}'", f'"{name}"', f"\\{name}", f"{name[0]}''{name[1:]}" if self._loose else f"'{name}'"
        )
        literal = not document.expands
        if literal and not re.search(r"[$`\\]", "".join(document.lines)) and self.shape():
            quoted = name
        dash = self._loose and not any(line.startswith("\t") for line in document.lines) and self.flip()
        tab = "\t" if dash else ""
        body = "".join(f"{self.pick('', tab)}{line}\n" for line in document.lines) + f"{self.pick('', tab)}{name}\n"
        self._bodies.append(body)
        operator = f"{document.fd or self.pick('', '0')}<<{'-' if dash else ''}{self.pick('', ' ')}"
        return operator + (quoted if literal else name)

    def redirects(self, redirects: tuple[AnyRedirect, ...]) -> str:
        return "".join(f"{self.gap()}{self.redirect(redirect)}" for redirect in redirects)

    # --- compound commands ---

    def stage(self, stage: Stage) -> str:
        match stage:
            case Simple():
                return self.simple(stage)
            case Group(body, redirects):
                return self.group(body) + self.redirects(redirects)
            case Subshell(body, redirects):
                return self.parenthesized(body) + self.redirects(redirects)
            case If(branches, otherwise, redirects):
                return self.conditional(branches, otherwise) + self.redirects(redirects)
            case Loop(keyword, condition, body, redirects):
                head = f"{keyword}{self.after_keyword()}{self.closed(condition)}"
                return head + self.do_done(body) + self.redirects(redirects)
            case For(_, _, _, _, redirects):
                return self.loop_over(stage) + self.redirects(redirects)
            case Case(_, _, redirects):
                return self.choice(stage) + self.redirects(redirects)
            case Test(tokens):
                # A pattern may hold parentheses of its own, so blanks may matter there
                free = self._loose and not {"(", "=~"} & set(tokens)
                return (
                    "[[ "
                    + "".join(f"{token}{self.pick(' ', '  ', chr(9)) if free else ' '}" for token in tokens)
                    + "]]"
                )
            case ArithCommand(tokens):
                return f"(({self.tokens(tokens)}))"
            case Function(name, body):
                return self.function(name, body)

    def group(self, body: Script) -> str:
        return f"{{{self.after_keyword()}{self.closed(body)}}}"

    def parenthesized(self, body: Script) -> str:
        text = self.script(body)
        last = (
            self.newline()
            if self._bodies
            else self.pick("", " ", *("\n", ";") * self.may_break() * (not body.statements[-1].background))
        )
        return f"({' ' if text.startswith('(') else self.pick('', ' ')}{text}{last})"

    def closed(self, body: Script) -> str:
        return self.script(body) + self.end(closed=body.statements[-1].background)

    def do_done(self, body: Script) -> str:
        return f"do{self.after_keyword()}{self.closed(body)}done"

    def conditional(self, branches: tuple[tuple[Script, Script], ...], otherwise: Script | None) -> str:
        text = ""
        for condition, body in branches:
            text += f"{'elif' if text else 'if'}{self.after_keyword()}{self.closed(condition)}"
            text += f"then{self.after_keyword()}{self.closed(body)}"
        if otherwise:
            text += f"else{self.after_keyword()}{self.closed(otherwise)}"
        return f"{text}fi"

    def loop_over(self, loop: For) -> str:
        head = f"{loop.keyword} {loop.name}"
        if loop.words is None:
            head += ' in "$@"' if self.shape() else ""
        else:
            head += "".join(f"{self.gap()}{part}" for part in ("in", *map(self.word, loop.words)))
        head += self.pick("; ", *("\n", " ;\n ") * self.may_break()) if not self._bodies else self.newline()
        if loop.keyword == "for" and self.shape():
            return head + self.group(loop.body)
        return head + self.do_done(loop.body)

    def choice(self, case: Case) -> str:
        text = f"case {self.word(case.word)} in{self.after_keyword()}"
        for index, clause in enumerate(case.clauses):
            bar = self.pick("|", " | ")
            text += self.pick("", "(") if self._loose else ""
            text += bar.join(map(self.word, clause.patterns)) + self.pick(")", " )")
            text += self.after_keyword() + self.script(clause.body)
            last = index == len(case.clauses) - 1
            if last and clause.end == ";;" and self.shape():
                text += self.end(closed=clause.body.statements[-1].background)
                continue
            text += (self.newline() if self._bodies else self.pick(" ", "", "\n" * self.may_break())) + clause.end
            text += self.after_keyword()
        return f"{text}esac"

    def function(self, name: str, body: Group | Subshell) -> str:
        head = self.pick(f"{name}()", f"{name} ()", f"{name} ( )")
        if isinstance(body, Group) and self._loose:
            head = self.pick(head, f"function {name}", f"function {name}()", f"function {name} ()")
        return f"{head} {self.stage(body)}"

    # --- lists ---

    def pipeline(self, pipeline: Pipeline) -> str:
        text = "time " if pipeline.timed else ""
        text += "! " * pipeline.inverted
        if self._loose and not pipeline.timed:
            text += self.pick("", "", "", "! ! ")
        for index, stage in enumerate(pipeline.stages):
            if index:
                merged = pipeline.merged[index - 1]
                text += (self.merge(text) if merged else f"{self.pick(' ', '')}|") + self.after_operator()
            text = _next_to(text, self.stage(stage))
        return text

    def merge(self, before: str) -> str:
        # `2>&1` belongs to the command before the pipe, so a function definition may not end here
        return self.pick(" |&", " 2>&1 |", "  2>&1|") if before and self._loose else " |&"

    def statement(self, statement: AndOr) -> str:
        text = self.pipeline(statement.pipelines[0])
        for operator, pipeline in zip(statement.operators, statement.pipelines[1:], strict=True):
            text += f"{self.pick(' ', '')}{operator}{self.after_operator()}{self.pipeline(pipeline)}"
        return f"{text} &" if statement.background else text

    def script(self, script: Script, *, top: bool = False) -> str:
        text = ""
        for before, statement in itertools.pairwise((None, *script.statements)):
            assert statement is not None
            text += self.end(closed=before.background, top=top) if before else ""
            # bash 5.2 forgets the end of a here-document in a group in a substitution
            steady = not (self._inside and "HereDoc(" in repr(statement)) and not (top and self._one_line)
            alone = self._loose and steady and _may_stand_in_braces(statement) and self.pick("", "", "", "braces")
            text = _next_to(text, self.group(Script((statement,))) if alone else self.statement(statement))
        return text

    def whole(self, script: Script) -> str:
        # An expansion that fails takes the rest of its line along, so a newline may be more than a semicolon
        self._one_line = bool(_MAY_FAIL.search(repr(script)))
        text = self.pick("", "", " ", "# first\n", "\n\n") + self.script(script, top=True)
        closed = script.statements[-1].background
        if self._bodies:
            return text + self.newline()
        return text + self.pick("", "", " ", " # last", "\n", "" if closed else ";", "\n# last\n\n")


def _next_to(before: str, after: str) -> str:
    """Keep ``;`` and ``|`` away from ``&>``: bash would read ``;&`` and ``|&``."""
    return f"{before} {after}" if before.endswith((";", "|")) and after.startswith("&") else before + after


def _may_stand_in_braces(statement: AndOr) -> bool:
    """Say whether braces say nothing; `$({ <f; })` is not `$(<f)`."""
    stage = statement.pipelines[0].stages[0]
    return not statement.background and (not isinstance(stage, Simple) or bool(stage.words or stage.assigns))
