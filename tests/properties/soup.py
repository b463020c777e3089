"""Strings that need not be commands at all, and commands of any size: what must still get a key."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from .grammar import commands

_FRAGMENTS = (
    *(
        "a",
        "p",
        " ",
        "  ",
        "\t",
        "\n",
        "\r\n",
        "'",
        '"',
        "\\",
        "\\\n",
        "`",
        "$",
        "$(",
        "${",
        "$((",
        "$[",
        "$'",
        '$"',
        "))",
        "((",
        "(",
        ")",
    ),
    *(
        "{",
        "}",
        "[",
        "]",
        "[[",
        "]]",
        "|",
        "||",
        "|&",
        "&",
        "&&",
        "&>",
        ";",
        ";;",
        ";&",
        "<",
        "<<",
        "<<-",
        "<<<",
        ">",
        ">>",
        ">|",
        ">&",
        "<(",
    ),
    *(
        ">(",
        "#",
        " # ",
        "!",
        "! ",
        "~",
        "*",
        "?",
        "=",
        "a=",
        "a+=(",
        "E",
        "\nE\n",
        "<<E\n",
        "<<'E'\n",
        "2>&1",
        "{fd}>",
        "1",
        "-",
        "\0",
        "\x01",
    ),
    *(
        "\x7f",
        "é",
        "\ud800",
        "\u2028",
        "\ufeff",
        " if ",
        " then ",
        " fi",
        " do ",
        " done",
        " for ",
        " in ",
        " case ",
        " esac",
        " while ",
    ),
    *(
        " until ",
        " select ",
        " function ",
        " time ",
        " coproc ",
        "curl ",
        " -X POST",
        " http://h/?b&a",
        " | jq .",
        "f()",
        "${x:-",
        "${'",
        "%",
    ),
)


def soup() -> SearchStrategy[str]:
    """Draw fragments of shell in any order."""
    return st.lists(st.sampled_from(_FRAGMENTS), max_size=30).map("".join)


def any_text() -> SearchStrategy[str]:
    """Draw any string at all, lone surrogates and NUL among it, or bytes that are no text."""
    return st.one_of(
        st.text(st.characters(codec=None, exclude_categories=())),
        st.binary().map(lambda found: found.decode("utf-8", "surrogateescape")),
        st.binary().map(lambda found: found.decode("latin-1")),
    )


def mutated() -> SearchStrategy[str]:
    """Draw a command in which something was cut out, put in or said twice."""

    def mutate(command: str, start: int, length: int, put: str, *, twice: bool) -> str:
        start %= len(command) + 1
        cut = command[start : start + length]
        return command[:start] + put + (cut * 2 if twice else "") + command[start + length :]

    numbers = st.integers(0, 200), st.integers(0, 8)
    return st.builds(mutate, commands(), *numbers, st.sampled_from(("", *_FRAGMENTS)), twice=st.booleans())


SHAPES: Mapping[str, Callable[[int], str]] = {
    "one long word": lambda n: "a" * n,
    "one long quoted word": lambda n: "p '" + "a b" * n + "'",
    "one long double-quoted word": lambda n: 'p "' + "a \\$ $x" * n + '"',
    "words": lambda n: "p" + " a" * n,
    "quoted words": lambda n: "p" + " 'a b' \"$x\"" * n,
    "pieces of one word": lambda n: "p " + "'a'\"b\"\\c$x" * n,
    "blanks": lambda n: "p" + " " * n + "a",
    "continuations": lambda n: "p" + " \\\n" * n + "a",
    "comment": lambda n: "p # " + "a'" * n,
    "comments": lambda n: "# a\n" * n + "p",
    "statements": lambda n: "p a;" * n,
    "lines": lambda n: "p a\n" * n,
    "pipeline": lambda n: "p" + " | q" * n,
    "merged pipeline": lambda n: "p" + " |& q" * n,
    "list": lambda n: "p" + " && q || r" * n,
    "background": lambda n: "p & " * n,
    "assignments": lambda n: "a=1 " * n + "p",
    "array": lambda n: "a=(" + "x " * n + ")",
    "redirects": lambda n: "p" + " 2>f >&2" * n,
    "here-documents": lambda n: "q" + " <<E" * n + "\n" + "a\nE\n" * n,
    "here-document": lambda n: "q <<E\n" + "a $x\n" * n + "E\n",
    "quoted here-document": lambda n: "q <<'E'\n" + "a $x\n" * n + "E\n",
    "unfinished here-documents": lambda n: "q" + " <<E" * n,
    "substitutions": lambda n: "p" + " $(q a)" * n,
    "quoted substitutions": lambda n: 'p "' + "$(q a)" * n + '"',
    "backticks": lambda n: "p" + " `q a`" * n,
    "parameters": lambda n: "p " + "${x:-a}$y" * n,
    "arithmetic": lambda n: "p $((" + "1+" * n + "1))",
    "tests": lambda n: "[[ " + "a && " * n + "a ]]",
    "ifs": lambda n: "if p; then q; fi;" * n,
    "elifs": lambda n: "if p; then q; " + "elif p; then q; " * n + "fi",
    "cases": lambda n: "case x in " + "a) p;; " * n + "esac",
    "functions": lambda n: "f() { p; };" * n,
    "braces": lambda n: "p " + "{a,b}" * n,
    "globs": lambda n: "p " + "*?[a]" * n,
    "not": lambda n: "! " * n + "p",
    "nested substitutions": lambda n: "p " + "$(q " * n + ")" * n,
    "nested quoted substitutions": lambda n: "p " + '"$(q ' * n + ')"' * n,
    "nested process substitutions": lambda n: "p " + "<(q " * n + ")" * n,
    "nested parameters": lambda n: "p " + "${x:-" * n + "}" * n,
    "nested quoted parameters": lambda n: "p " + '"${x:-' * n + '}"' * n,
    "nested arithmetic": lambda n: "p $((" + "(" * n + "1" + ")" * n + "))",
    "nested arithmetic substitutions": lambda n: "p " + "$((1+" * n + "1" + "))" * n,
    "nested subshells": lambda n: "( " * n + "p" + " )" * n,
    "nested groups": lambda n: "{ " * n + "p" + "; }" * n,
    "nested ifs": lambda n: "if p; then " * n + "q" + "; fi" * n,
    "nested loops": lambda n: "for i in a; do " * n + "q" + "; done" * n,
    "nested cases": lambda n: "case x in a) " * n + "q" + ";; esac" * n,
    "open substitutions": lambda n: "$(" * n,
    "open arithmetic": lambda n: "$((" * n,
    "open arithmetic commands": lambda n: "((" * n,
    "open parentheses": lambda n: "(" * n,
    "open parameters": lambda n: "${" * n,
    "open quotes": lambda n: '"$(' * n,
    "open backticks": lambda n: "`\\`" * n,
    "open process substitutions": lambda n: "p <(" * n,
    "open ifs": lambda n: "if " * n,
    "backslashes": lambda n: "\\" * n,
    "single quotes": lambda n: "'" * n,
    "dollars": lambda n: "$" * n,
    "semicolons": lambda n: ";" * n,
    "curl headers": lambda n: "curl" + " -H 'A: 1'" * n + " http://h/",
    "curl data": lambda n: "curl" + " -d a=1" * n + " http://h/",
    "query": lambda n: "curl 'http://h/?" + "b=1&a=2&" * n + "'",
    "path": lambda n: "curl 'http://h" + "/a/.." * n + "'",
    "percent": lambda n: "curl 'http://h/" + "%41%2f" * n + "'",
    "views": lambda n: "curl http://h/" + " | jq ." * n,
    "bash -c": lambda n: "bash -c '" + "p a;" * n + "'",
    "find": lambda n: "find . " + "-name a -o " * n + "-print",
}
"""Commands that grow with n: everything that repeats, and everything that nests."""
