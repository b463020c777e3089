"""Stages at the end of a pipeline that only show their input in another shape."""

from __future__ import annotations

import re

# jq 1.7, `jq --help`: options about the shape of the output.
_JQ_LETTERS = frozenset("rcMCSja")
_JQ_LONG = frozenset(
    {
        "--raw-output",
        "--compact-output",
        "--monochrome-output",
        "--color-output",
        "--sort-keys",
        "--join-output",
        "--ascii-output",
        "--unbuffered",
        "--tab",
    }
)
_JQ_VALUES = {"--indent": 1, "--arg": 2, "--argjson": 2}
"""Options with values, and how many."""

# Names in a filter that read more than the input, stop jq with a status of their own, or write elsewhere. A name after
# a dot is a field and one after a dollar sign a variable.
_JQ_REFUSED = re.compile(
    r"(?<![.\w$@])"
    r"(?:inputs?|input_filename|input_line_number|env|halt|halt_error|error|debug|stderr|import|include"
    r"|modulemeta|get_search_list)\b"
    r"|\$ENV\b"
)
_JQ_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"?', re.DOTALL)

_PYTHONS = frozenset({"python", "python3"})
# Python 3.11, `python -m json.tool --help`
_JSON_TOOL_FLAGS = frozenset({"--sort-keys", "--no-ensure-ascii", "--json-lines", "--tab", "--no-indent", "--compact"})


def is_view(words: tuple[str, ...]) -> bool:
    """Say whether a command, all its words text, reads standard input and does no more than reshape it.

    >>> is_view(("jq", "-r", ".items[].id")), is_view(("jq", "-e", ".ok")), is_view(("jq", ".", "f.json"))
    (True, False, False)
    """
    if words[:1] == ("jq",):
        return _is_jq_view(words[1:])
    return bool(words) and words[0] in _PYTHONS and words[1:3] == ("-m", "json.tool") and _is_json_tool_view(words[3:])


def _is_jq_view(words: tuple[str, ...]) -> bool:
    filters: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in _JQ_VALUES:
            values = [value for _, value in zip(range(_JQ_VALUES[word]), rest, strict=False)]
            if len(values) < _JQ_VALUES[word] or (word == "--indent" and not re.fullmatch("[0-7]", values[0])):
                return False
        elif not word.startswith("-"):
            filters.append(word)
        elif word not in _JQ_LONG and not (len(word) > 1 and _JQ_LETTERS.issuperset(word[1:])):
            return False
    # a second operand is a file, which jq reads instead of its input
    return len(filters) <= 1 and not any(_JQ_REFUSED.search(_without_strings(text)) for text in filters)


def _without_strings(text: str) -> str:
    """Empty the strings of a filter, which hold no names; all stay where interpolations or comments blur them."""
    return text if "\\(" in text or "#" in text else _JQ_STRING.sub('""', text)


def _is_json_tool_view(words: tuple[str, ...]) -> bool:
    rest = iter(words)
    return all(word in _JSON_TOOL_FLAGS or (word == "--indent" and next(rest, "").isdecimal()) for word in rest)
