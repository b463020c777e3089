"""Views: a stage is one only if it reads its input and reshapes it."""

from __future__ import annotations

import shlex

import pytest
from callkey.views import is_view


@pytest.mark.parametrize(
    "command",
    [
        "jq",
        "jq .",
        "jq -r '.items[].id'",
        "jq -rc --tab . ",
        "jq .a -S",
        "jq --indent 2 --arg x 1 --argjson y '{}' '.[$x]'",
        "jq 1",
        "jq '.error.message'",
        "jq '.input, .env, $input'",
        """jq 'select(.type == "error")'""",
        """jq '"a\\"input"'""",
        "jq 'to_entries | map(.value) | limit(3; .[])'",
        "python -m json.tool",
        "python3 -m json.tool --indent 2 --sort-keys",
    ],
)
def test_reshaping_the_input_is_a_view(command: str) -> None:
    assert is_view(tuple(shlex.split(command)))


@pytest.mark.parametrize(
    "command",
    [
        "",
        "cat",
        "/usr/bin/jq .",
        "jq -n 1",
        "jq -e .ok",
        "jq -re .ok",
        "jq --exit-status .ok",
        "jq -s .",
        "jq -R .",
        "jq -f prog.jq",
        "jq . f.json",
        "jq --slurpfile a f .",
        "jq --rawfile a f .",
        "jq --args . a",
        "jq --stream .",
        "jq --version",
        "jq -",
        "jq -- .",
        "jq --indent",
        "jq --indent 99 .",
        "jq . --arg x",
        "jq '[., input]'",
        "jq 'inputs'",
        "jq 'env.HOME'",
        "jq '$ENV.HOME'",
        "jq 'halt_error'",
        "jq '.a // error(\"none\")'",
        "jq '.a | debug'",
        "jq 'input_filename'",
        """jq '"\\(input)"'""",
        """jq '"\\(.a)" | input | "b"'""",
        """jq '. # "\ninput # "'""",
        "jq 'import \"a\" as a; .'",
        "python -m json.tool f.json",
        "python -m json.tool --indent",
        "python -m json.tool - out.json",
        "python -m http.server",
        "python3 -c 1",
    ],
)
def test_anything_else_is_not(command: str) -> None:
    assert not is_view(tuple(shlex.split(command)))
