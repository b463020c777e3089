"""The short ways through the engine lead where the long way leads."""

from __future__ import annotations

from callkey.errors import ParseError
from callkey.fast_path import print_plain
from callkey.parse import assemble_masked, parse, read_commands
from callkey.plain import assemble_plain, is_plain
from callkey.printing import print_script
from callkey.regions import Source
from callkey.rewrite import Rewriter, exact_rules, rewrite_script
from callkey.rules import EXACT_RULES
from callkey.tokens import tokenize
from hypothesis import event, given
from hypothesis import strategies as st

from benchmarks.corpus import DEFAULT
from benchmarks.corpus import read_commands as corpus

from .grammar import choices, commands, scripts
from .soup import mutated, soup
from .spelling import render

_SOURCES = st.one_of(
    commands(), st.builds(render, scripts(0), choices()), mutated(), soup(), st.sampled_from(corpus(DEFAULT))
)


# What the text way has a branch for, and what looks like it.
_PIECES = (
    *"aEO'\"$?*~;|&<>#=-[]{}\\\t", " ", " ", "\n", "\n", "cat", "x 'y z'", '"$v" ', "HEAD~1", "2>&1", "> f", "&& ",
    "| ", " \\\n ", "\\\n", "$?", "$x", " <<'E'", ' <<"E"\n', " << 'E' > f\n", "<<E\n", "\nE", "\nE\n", "EOF\n", "set",
)  # fmt: skip
_PLAIN_SOUP = st.lists(st.sampled_from(_PIECES), max_size=14).map("".join)
_DOCUMENTS = st.builds(
    "{} <<'E'{}\n{}\nE{}".format,
    st.sampled_from(["cat", "a && cat >f", "a | b", "a; b", "a;", "set", "x 'q'"]),
    st.sampled_from(["", " > f", " 2>&1", " | b", " "]),
    _PLAIN_SOUP,
    st.one_of(st.sampled_from(["", "\n"]), _PLAIN_SOUP.map("\n{}".format)),
)


class TestPlain:
    """What the short way takes, it reads as bashlex reads the masked skeleton."""

    @given(_SOURCES)
    def test_both_ways_build_one_tree(self, command: str) -> None:
        """Assemble the same tokens both ways."""
        source = Source(command, 0, read_commands)
        try:
            tokens = tokenize(source, 0, closing="")[0]
        except ParseError:
            return
        if not tokens or not is_plain(tokens):
            return
        try:
            short = assemble_plain(source, list(tokens))
        except ParseError:
            return
        assert short == assemble_masked(source, list(tokens))


class TestFastPath:
    """What goes from text to text comes out as it does through the tree."""

    @given(st.one_of(_SOURCES, _PLAIN_SOUP, _DOCUMENTS))
    def test_text_to_text_agrees_with_the_tree(self, command: str) -> None:
        """Print the rewritten tree and compare."""
        fast = print_plain(command)
        event("taken" if fast is not None else "left")
        if fast is not None:
            tree = rewrite_script(Rewriter(exact_rules(EXACT_RULES), {}), parse(command))
            assert fast == print_script(tree)
