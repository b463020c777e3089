"""The words that generated commands are made of: tables, each with what bash might take for something else."""

from __future__ import annotations

# No text begins with a slash and no value holds one: a generated command cannot name a file outside its directory.
TEXTS = (
    *("a", "b", "ab", "a.t", "2", "-n", "--x=y", "x y", "a  b", "", "it's", 'say "hi"', "*", "?", "*.t", "[ab]*", "~"),
    *(
        "{a,b}",
        "{}",
        "{1..3}",
        "$x",
        "${x}",
        "$(p a)",
        "`p`",
        "$",
        "\\",
        "\\n",
        "a\\",
        "a\tb",
        "a\nb",
        "#a",
        "a#b",
        "!",
    ),
    *(
        "!x",
        "A=2",
        "a;b",
        "a&&b",
        "|",
        "&",
        ">",
        "<f",
        "(",
        ")",
        "[a",
        "]",
        "'",
        '"',
        "\\$x",
        "do",
        "fi",
        "{",
        "}",
        "é",
    ),
    *(
        "\u00a0",
        "a\r",
        "%s\n",
        "A",
        "AB",
        "a:~",
        "=",
        ":",
        "^",
        ",",
        "a/b",
        "@(a|b)",
        "!(a)",
        "x=~",
        "%",
        "-",
        "--",
        "1",
    ),
)

ALPHABET = "ab2 *?~$'\"\\#{},!\n\t;|&<>()[]=é-"

NAMES = ("x", "y", "e", "u", "A", "B")

SPECIAL = ("1", "@", "*", "#", "?", "_", "-", "0", "10")

GLOBS = (
    "*",
    "?",
    "*.t",
    "[ab]*",
    "a*",
    "?.t",
    "[!a]*",
    "[[:alpha:]]",
    "d/*",
    "{a,b}",
    "{1..3}",
    "a{,.t}",
    "{a,$x}",
    "{'a b',c}",
)

TILDES = ("~", "~+", "~nobody1", "~/a", "~+/a", "~-/a")

EXPANSIONS = (
    *(
        "${x:-a b}",
        "${e:-d}",
        '${u:-"a  b"}',
        "${u-*}",
        "${x:+y}",
        "${e:+y}",
        "${u=v w}",
        "${#x}",
        "${x#a}",
        "${x%%b*}",
    ),
    *(
        "${x/a/b}",
        "${x//[ab]/\\}}",
        "${x^^}",
        "${x:1}",
        "${x:1:2}",
        "${@:1}",
        "${!u}",
        "${u:-'q w'}",
        "${x@Q}",
        "${x:-$y}",
    ),
    *(
        "${e:-$(p a)}",
        "${arr[0]}",
        "${arr[@]}",
        "${#arr[@]}",
        "${u:-{a,b}}",
        "${u:-~}",
        "${u:-a}b",
        "${@}",
        "${x/\\//-}",
    ),
)

ARITHMETIC = (
    *(
        ("1", "+", "2"),
        ("A",),
        ("A", "*", "2"),
        ("(", "1", "+", "2", ")", "*", "3"),
        ("1", "-", "-1"),
        ("!", "u"),
        ("A", "<<", "2"),
    ),
    *(
        ("A", "++"),
        ("A", "==", "2"),
        ("A", ">", "1", "?", "5", ":", "6"),
        ("B", "=", "3"),
        ("A", "&&", "0"),
        ("x1", ",", "7"),
    ),
)

FIXED_COMMANDS = (
    *(
        ("true",),
        ("false",),
        (":",),
        ("pwd",),
        ("cd", "d"),
        ("shift",),
        ("read", "x"),
        ("f",),
        (".", "./script"),
        ("return", "2"),
    ),
    *(
        ("set", "-e"),
        ("set", "-f"),
        ("set", "-u"),
        ("set", "-C"),
        ("set", "-o", "pipefail"),
        ("exit", "3"),
        ("unset", "x"),
    ),
    *(
        ("export", "A"),
        ("break",),
        ("exec", "p"),
        ("shopt", "-s", "nullglob"),
        ("wait",),
        ("eval", "p $x"),
        ("local", "x"),
    ),
)

PLAIN_LINES = ("abc", "", "a  b", "it's", 'a "b', "# c", "E2", " E", "x y  ", "\ta", "p | q", "&& ) } done")
LITERAL_LINES = (*PLAIN_LINES, "$x", "`p`", "$(p a)", "a\\", "\\$x", "${", "$((", "EOF ")
EXPANDING_LINES = (
    *PLAIN_LINES,
    "$x",
    "${x:-d}",
    "$(p a)",
    "`p a`",
    "\\$x",
    "\\\\",
    "$((A+1))",
    '"$x"',
    "'$x'",
    "$(p 'a b')",
    "\\a",
)

TESTS = (
    *(
        ("-n", "$x"),
        ("$x", "==", "a*"),
        ("$x", "==", '"a*"'),
        ("!", "-e", "f"),
        ("a", "=~", "^[ab]$"),
        ("-f", "a.t", "&&", "-d", "d"),
    ),
    *(("(", "a", "=", "b", ")", "||", "$e", "<", "z"), ("$x", "!=", "'$x'"), ("2", "-gt", "A")),
)
