"""What reading and printing alone make one, before any rule is tried: a table for people and for a test."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spelling:
    """A respelling that bash itself does not see: a sentence, a command, and its exact text."""

    sentence: str
    command: str
    exact: str


SPELLINGS: tuple[Spelling, ...] = (
    Spelling("Quotes have one style, and go where they quote nothing", "echo \"a b\" 'c'", "echo 'a b' c"),
    Spelling("ANSI-C quotes are decoded where the result is ASCII", r"printf $'a\tb'", "printf 'a\tb'"),
    Spelling("Blanks between words are single", "ls   -l", "ls -l"),
    Spelling("Comments go", "ls # all", "ls"),
    Spelling("Continued lines are joined", "ls \\\n  -l", "ls -l"),
    Spelling("Commands are separated by `;`", "cd src\nls", "cd src; ls"),
    Spelling("`|&` is `2>&1 |`", "make |& tail", "make 2>&1 | tail"),
    Spelling("Redirects follow the words, in their order", ">f 2>&1 make all", "make all >f 2>&1"),
    Spelling("Backticks are `$(…)`", "ls `pwd`", "ls $(pwd)"),
    Spelling("`${x}` is `$x`", "ls ${x}", "ls $x"),
    Spelling("A value needs no quotes to stay whole, and gets them", "A=$x make", 'A="$x" make'),
    Spelling("Functions have one form", "function f { ls; }; f", "f() { ls; }; f"),
    Spelling("Optional tokens of `case` are written", "case a in b) ls; esac", "case a in (b) ls ;; esac"),
    Spelling("Loops have `do` and `done`", "for x in a; { ls; }", "for x in a; do ls; done"),
    Spelling("A here-document has one delimiter, quoted where that counts", "cat <<'X'\na\nX", "cat <<EOF\na\nEOF"),
    Spelling("`<<-` is `<<` without the tabs", "cat <<-X\n\ta\n\tX", "cat <<EOF\na\nEOF"),
    Spelling("Blanks in arithmetic go where they separate nothing", "echo $[ 1 + 2 ]", "echo $((1+2))"),
    Spelling("Blanks between the words of `[[` are single", "[[  -f   a ]]", "[[ -f a ]]"),
)
