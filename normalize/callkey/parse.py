"""Turn source text into our syntax tree. The only module that knows bashlex."""

# bashlex ships no types, and its nodes are attribute bags.
# pyright: basic

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from .errors import ParseError
from .lines import shows_lines
from .mask import Skeleton, mask
from .plain import PREFIXES, assemble_plain, is_plain, merge_errors, stage_of
from .regions import MAX_DEPTH, Source, fail, unsupported
from .syntax import (
    ArithmeticFor,
    Command,
    For,
    Function,
    Group,
    If,
    Pipeline,
    Redirect,
    Script,
    Stage,
    Statement,
    Subshell,
    While,
    Word,
)
from .tokens import ArithmeticHead, Operator, Reserved, Token, tokenize
from .words import literal


def parse(text: str) -> Script:
    """Read commands.

    Raises:
        ParseError: the text is not bash, or (``UnsupportedSyntaxError``) more of it than we model.

    """
    if "\0" in text:
        raise ParseError("a NUL", source=text, span=(text.index("\0"), text.index("\0") + 1))
    script = read_commands(Source(text, -1, read_commands), 0, "")[0]
    if script.lines and script.lines[-1] == len(script.statements) - 1:
        script = Script(script.statements, script.lines[:-1])  # after the last line, nothing is left to give up
    return script if shows_lines(script, text) else Script(script.statements)


def read_commands(source: Source, start: int, closing: str) -> tuple[Script, int, str]:
    """Read commands up to what closes them, one level deeper than ``source``; see ``tokens.tokenize``."""
    if source.depth >= MAX_DEPTH:
        raise unsupported(source, start, "too many substitutions inside one another")
    inner = Source(source.text, source.depth + 1, read_commands)
    tokens, end, closer = tokenize(inner, start, closing=closing)
    script = assemble(inner, tokens)
    # Inside another command, lines are not read by themselves.
    return script if closing == "" else Script(script.statements), end, closer


def assemble(source: Source, tokens: list[Token]) -> Script:
    """Build the tree of tokens, by the short way where it can."""
    return assemble_plain(source, tokens) if is_plain(tokens) else assemble_masked(source, tokens)


def assemble_masked(source: Source, tokens: list[Token]) -> Script:
    """Build the tree of tokens with bashlex, which sees only their skeleton."""
    if not tokens:
        return Script((), ())
    skeleton = mask(source, tokens, PREFIXES)
    import bashlex  # noqa: PLC0415  # 0.3 s at import (it builds its tables), which most commands never need

    builder = _Builder(source, tokens, skeleton, set())
    try:
        script = _script(builder, bashlex.parse(skeleton.text), top=True)
    except ParseError:
        raise
    except Exception as error:  # noqa: BLE001  # bashlex raises six kinds, and its trees have shapes of their own
        raise fail(source, 0, f"no structure found ({type(error).__name__})") from None
    if builder.used | _implied(tokens) != set(range(len(tokens))):
        # bashlex drops text that it does not understand without a word
        raise fail(source, 0, "not every word found its place")
    return script


def _implied(tokens: list[Token]) -> set[int]:
    """Indexes of tokens that say how others belong together, and so need not be seen in a tree themselves."""
    implied = {Operator.OPEN, Operator.CLOSE, Operator.SEMICOLON, Operator.NEWLINE}
    return {
        index
        for index, token in enumerate(tokens)
        if (isinstance(token, Operator) and token in implied)
        or (isinstance(token, Reserved) and token.word not in PREFIXES)
    }


@dataclass(frozen=True, slots=True)
class _Builder:
    """What building needs, and the indexes of the tokens that found their place in the tree."""

    source: Source
    tokens: list[Token]
    skeleton: Skeleton
    used: set[int]

    def index(self, node: Any) -> int:
        index = self.skeleton.index_at.get(node.pos[0])
        if index is None:
            raise fail(self.source, 0, "a node that is no token")
        return index

    def take(self, node: Any) -> Token:
        index = self.index(node)
        self.used.add(index)
        return self.tokens[index]


def _script(builder: _Builder, nodes: list[Any], *, top: bool = False) -> Script:
    """Build from the nodes of one list, nested lists flattened; only at the ``top`` are ends of lines noted."""
    statements: list[Statement] = []
    lines: list[int] = []
    pipelines: list[Pipeline] = []
    operators: list[str] = []
    for node in _flat(nodes):
        if node.kind != "operator":
            pipelines.append(_pipeline(builder, node))
            continue
        if node.op in ("&&", "||"):
            builder.take(node)
            operators.append(node.op)
            continue
        # The mask writes some semicolons of its own, which are no token.
        token = builder.take(node) if node.pos[0] in builder.skeleton.index_at else Operator.SEMICOLON
        if token in (Operator.NEWLINE, Operator.BACKGROUND_NEWLINE):
            lines.append(len(statements))
        if len(pipelines) != len(operators) + 1:
            raise fail(builder.source, 0, "an operator without a command")
        statements.append(Statement(tuple(pipelines), tuple(operators), node.op == "&"))
        pipelines, operators = [], []
    if pipelines:
        statements.append(Statement(tuple(pipelines), tuple(operators)))
    return Script(tuple(statements), tuple(lines) if top else None)


def _flat(nodes: list[Any]) -> list[Any]:
    flat: list[Any] = []
    pending = list(reversed(nodes))
    while pending:
        node = pending.pop()
        if node.kind == "list":
            pending.extend(reversed(node.parts))
        else:
            flat.append(node)
    return flat


def _pipeline(builder: _Builder, node: Any) -> Pipeline:
    parts = node.parts if node.kind == "pipeline" else [node]
    prefix: list[str] = []
    index = builder.index(parts[0])
    while index > 0:
        index -= 1
        token = builder.tokens[index]
        if not isinstance(token, Reserved) or token.word not in PREFIXES:
            break
        builder.used.add(index)
        prefix.insert(0, token.word)
    stages: list[Stage] = []
    for part in parts:
        if part.kind != "pipe":
            stages.append(_stage(builder, part))
        elif builder.take(part) is Operator.PIPE_BOTH:
            stages[-1] = merge_errors(builder.source, stages[-1])
    return Pipeline(tuple(stages), tuple(prefix))


def _stage(builder: _Builder, node: Any) -> Stage:
    if node.kind == "command":
        return stage_of(builder.source, [builder.take(part) for part in node.parts])
    if node.kind == "function":
        return _function(builder, node)
    if node.kind != "compound":
        raise unsupported(builder.source, 0, f"bashlex's {node.kind}")
    stage = _compound(builder, node)
    redirects = tuple(token for part in node.redirects if isinstance(token := builder.take(part), Redirect))
    return replace(stage, redirects=redirects) if redirects else stage


def _compound(builder: _Builder, node: Any) -> Group | Subshell | If | While | For | ArithmeticFor:
    head = node.list[0]
    if head.kind == "reservedword" and head.word == "{":
        return Group(_script(builder, node.list[1:-1]))
    if head.kind == "reservedword" and head.word == "(":
        return Subshell(_script(builder, node.list[1:-1]))
    match head.kind:
        case "if":
            return _if(builder, head.parts)
        case "while" | "until":
            condition, body = _sections(builder, head.parts)
            return While(head.kind, condition[1], body[1])
        case "for":
            return _for(builder, head.parts)
        case _:
            raise unsupported(builder.source, 0, f"bashlex's {head.kind}")


def _sections(builder: _Builder, parts: list[Any]) -> list[tuple[str, Script]]:
    """Cut the parts of an ``if`` or a loop at their reserved words: (word, what follows it)."""
    sections: list[tuple[str, list[Any]]] = []
    for part in _leaves(parts):
        if part.kind == "reservedword" and part.word != ";":
            sections.append((part.word, []))
        elif part.kind != "reservedword":
            sections[-1][1].append(part)
    return [(word, _script(builder, nodes)) for word, nodes in sections if word not in ("fi", "done", "}")]


def _leaves(parts: list[Any]) -> list[Any]:
    """Undo how bashlex hides all that follows a second ``elif``: in the word of a reserved word, as a list."""
    leaves: list[Any] = []
    for part in parts:
        hidden = part.kind == "reservedword" and isinstance(part.word, list)
        leaves.extend(_leaves(part.word) if hidden else [part])
    return leaves


def _if(builder: _Builder, parts: list[Any]) -> If:
    sections = _sections(builder, parts)
    otherwise = sections.pop()[1] if sections[-1][0] == "else" else None
    scripts = [script for _, script in sections]
    return If(tuple(zip(scripts[::2], scripts[1::2], strict=True)), otherwise)


def _for(builder: _Builder, parts: list[Any]) -> For | ArithmeticFor:
    keyword = builder.tokens[builder.index(parts[0])]
    name = builder.take(parts[1])
    opening = next(at for at, part in enumerate(parts) if part.kind == "reservedword" and part.word in ("do", "{"))
    body = _script(builder, parts[opening + 1 : -1])
    if isinstance(name, ArithmeticHead):
        return ArithmeticFor(name.source, body)
    text = literal(name) if isinstance(name, Word) else None
    if text is None or not isinstance(keyword, Reserved):
        raise fail(builder.source, 0, "a loop without a name")
    has_in = any(part.kind == "reservedword" and part.word == "in" for part in parts[:opening])
    taken = [builder.take(part) for part in parts[2:opening] if part.kind == "word"]
    words = tuple(token for token in taken if isinstance(token, Word))
    return For("select" if keyword.word == "select" else "for", text, words if has_in else None, body)


def _function(builder: _Builder, node: Any) -> Function:
    name = builder.take(next(part for part in node.parts if part.kind == "word"))
    text = literal(name) if isinstance(name, Word) else None
    body = _stage(builder, node.parts[-1])
    if text is None or isinstance(body, Command | Function):
        raise fail(builder.source, 0, "a function without a name or a body")
    return Function(text, body)
