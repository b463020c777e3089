"""Two curl commands with one text send one request and leave the same behind. curl is the judge."""

from __future__ import annotations

import random
import shutil
from dataclasses import dataclass

import pytest
from callkey.programs import canonical_arguments
from callkey.programs.curl import to_request
from hypothesis import assume, given
from hypothesis import strategies as st

from .curl_oracle import run

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is the judge")

Arguments = tuple[str, ...]


def canonical(args: Arguments) -> Arguments:
    """Return what callkey makes of curl's arguments, themselves where it leaves them alone."""
    found = canonical_arguments("curl", args, stderr_shown=False)
    return args if found is None else found[0]


def same(a: Arguments, b: Arguments) -> bool:
    """Let curl do both."""
    return run(a) == run(b)


# --- what commands are made of --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Part:
    """One option: ``family`` names what it is about, and parts of one family keep their order."""

    family: str
    short: str
    long: str
    value: str | None = None


def _flags(rows: str) -> list[Part]:
    return [Part(*row.split()) for row in rows.strip().splitlines()]


FLAGS = _flags(
    """
    quiet s silent
    errors S show-error
    include i include
    include I head
    redirect L location
    fail f fail
    get G get
    glob g globoff
    tls k insecure
    buffer N no-buffer
    cookies j junk-session-cookies
    http 0 http1.0
    time R remote-time
    """
)
VALUES = {
    Part("method", "X", "request"): ("GET", "POST", "PUT", "post", ""),
    Part("body", "d", "data"): ("a=1", "b=2", "", "@f", "@g", "@-", "a b"),
    Part("form", "F", "form"): ("a=1", "b=2", "a=@f"),
    Part("header", "H", "header"): ("A: 1", "A:2", "B: 1", "Accept:", "A;", "Content-Type: x/y", "@h.txt", "Host: x"),
    Part("agent", "A", "user-agent"): ("x", "y", ""),
    Part("referer", "e", "referer"): ("x", "y;auto"),
    Part("user", "u", "user"): ("a:b", "c:d"),
    Part("cookie", "b", "cookie"): ("a=1", "b=2", "f"),
    Part("output", "o", "output"): ("out", "-", "f"),
    Part("format", "w", "write-out"): ("%{http_code}", "%{url_effective}", "x"),
    Part("range", "r", "range"): ("0-3",),
    Part("limit", "m", "max-time"): ("9", "10", "soon"),
    Part("upload", "T", "upload-file"): ("f", "-"),
    Part("headers", "D", "dump-header"): ("-", "heads"),
}
LONG = (
    ("--json", "{}"),
    ("--json", "@f"),
    ("--data-raw", "@f"),
    ("--data-binary", "@f"),
    ("--data-urlencode", "a=1"),
    ("--data-urlencode", "a b"),
    ("--url-query", "q=1"),
    ("--compressed",),
    ("--no-compressed",),
    ("--path-as-is",),
    ("--fail-with-body",),
    ("--no-head",),
    ("--retry", "1"),
    ("--connect-timeout", "5"),
    ("--remote-name",),
    ("--remote-name-all",),
    ("--http1.1",),
    ("--next",),
    ("--no-silent",),
    ("--post302",),
    ("-vv",),
    ("--max-redirs", "0"),
    ("--unknown",),
)
URLS = (
    "http://h/",
    "HTTP://H:80",
    "h?a=1",
    "http://h/p?b=2&a=1",
    "http://h/p?a=1&b=2",
    "http://h/p?a=2&b=1&a=1",
    "http://h/p?a=1&b=1&a=2",
    "http://h/p?a&b=",
    "http://h/p?a=&b",
    "http://h/p?a[]=1&b=1",
    "http://h/p?b=2;a=1",
    "http://h/%70?a=%7e",
    "http://h/x/../p?a=~",
    "http://h/x/%2e%2e/p",
    "http://h//p/",
    "http://@h/#f",
    "http://h/moved",
    "http://h/missing",
    "http://h/{a,b}",
)

parts = st.sampled_from(FLAGS) | st.sampled_from(
    [Part(part.family, part.short, part.long, value) for part, values in VALUES.items() for value in values]
)
words = (
    st.builds(lambda part: (f"-{part.short}", *([] if part.value is None else [part.value])), parts)
    | st.sampled_from(LONG)
    | st.sampled_from(URLS).map(lambda url: (url,))
)
commands = st.builds(
    lambda before, url, after: tuple(word for group in (*before, (url,), *after) for word in group),
    st.lists(words, max_size=3),
    st.sampled_from(URLS),
    st.lists(words, max_size=2),
)


@st.composite
def spellings(draw: st.DrawFn) -> tuple[Arguments, Arguments]:
    """Write one list of options and URLs in two ways."""
    chosen = draw(st.lists(parts, max_size=5))
    urls = draw(st.lists(st.sampled_from(URLS), min_size=1, max_size=2))
    return _spelled(draw, chosen, urls), _spelled(draw, chosen, urls)


def _spelled(draw: st.DrawFn, chosen: list[Part], urls: list[str]) -> Arguments:
    """Mix families and URLs, the order within each kept; choose short or long, apart or attached or in a cluster."""
    groups: dict[str, list[Part | str]] = {"": [*urls]}
    for each in chosen:
        groups.setdefault(each.family, []).append(each)
    order = [name for name, members in groups.items() for _ in members]
    written: list[str] = []
    cluster = False  # whether the last word may take another letter
    for name in draw(st.permutations(order)):
        part = groups[name].pop(0)
        if isinstance(part, str):
            written += [part] if draw(st.booleans()) else ["--url", part]
            cluster = False
            continue
        letters = f"-{part.short}"
        if cluster and draw(st.booleans()):
            letters = written.pop() + part.short
        cluster = False
        if part.value is None:
            long = draw(st.booleans()) and letters == f"-{part.short}"
            written.append(f"--{part.long}" if long else letters)
            cluster = not long
        elif letters == f"-{part.short}" and draw(st.booleans()):
            written += [f"--{part.long}", part.value]
        elif part.value and draw(st.booleans()):
            written.append(letters + part.value)
        else:
            written += [letters, part.value]
    return tuple(written)


# --- laws -----------------------------------------------------------------------------------------------------------


class TestOneTextOneRequest:
    """Commands with one text send the same, print the same, end the same, and write the same files."""

    @given(commands)
    def test_canonical_arguments_do_the_same(self, args: Arguments) -> None:
        """Hold a command against what is made of it."""
        assume(canonical(args) != args)
        assert same(args, canonical(args))

    @given(st.lists(words, max_size=2), st.sampled_from(URLS), st.integers(0, 2**20))
    def test_permutations_with_one_text_do_the_same(self, some: list[Arguments], url: str, seed: int) -> None:
        """Order the words of one command in two ways: where the texts meet, so do the requests."""
        groups = [*some, (url,), *some[:1]]
        a = tuple(word for group in groups for word in group)
        random.Random(seed).shuffle(groups)  # noqa: S311  # an order, not a secret
        b = tuple(word for group in groups for word in group)
        assume(a != b and canonical(a) == canonical(b))
        assert same(a, b)


class TestSpelling:
    """How a command is written says nothing."""

    @given(spellings())
    def test_spellings_of_one_command_have_one_text(self, pair: tuple[Arguments, Arguments]) -> None:
        """Cluster, attach, spell long, and mix options and URLs."""
        assume(to_request(pair[0]) is not None)
        assert canonical(pair[0]) == canonical(pair[1])

    @given(commands)
    def test_canonical_arguments_are_canonical(self, args: Arguments) -> None:
        """Read what was written."""
        assert canonical(canonical(args)) == canonical(args)

    @given(st.lists(st.text(max_size=12) | st.sampled_from([word for group in LONG for word in group]), max_size=8))
    def test_any_arguments_are_read_or_left_alone(self, args: list[str]) -> None:
        """Raise nothing, for curl and for wget."""
        assert canonical(canonical(tuple(args))) == canonical(tuple(args))
        canonical_arguments("wget", tuple(args), stderr_shown=True)


# --- near misses ----------------------------------------------------------------------------------------------------

NEAR_MISSES = """
-X POST h                        | -d '' h
-X post h                        | -X POST h
-X POST -d a -L h/moved          | -d a -L h/moved
-d a -d b h                      | -d b -d a h
-d @f h                          | --data-binary @f h
-d @f h                          | --data-raw @f h
--data-urlencode a=b+c h         | -d a=b+c h
-d a h                           | --json a h
-F a=1 h                         | -d a=1 h
-F a=1 -F b=2 h                  | -F b=2 -F a=1 h
-F a=@f h                        | -F a=<f h
-T f h/x                         | -T f h/y
-G -d a h                        | -d a h
-I h                             | -X HEAD h
-I h                             | -I --no-head h
-i h                             | h
-o x h                           | h
-o x h                           | -o y h
-o x h/a h/b                     | -o x h/b h/a
-O h/a -o x h/b                  | -o x h/a -O h/b
-O h/%61                         | -O h/a
--remote-name-all h/a            | h/a --remote-name-all
-w %{url} h/%61                  | -w %{url} h/a
-H A:1 -H A:2 h                  | -H A:2 -H A:1 h
-H A: h                          | -H A; h
-H Accept: h                     | h
-b a=1 -b b=2 h                  | -b b=2 -b a=1 h
-b a=1 h                         | -b a h
-m 5 h                           | -m soon h
-f h/missing                     | h/missing
-L h/moved                       | h/moved
--http1.0 --http1.1 h            | --http1.1 --http1.0 h
--compressed h                   | h
--path-as-is h/a/../b            | h/a/../b
-g h/{a,b}                       | h/{a,b}
h/a h/b                          | h/b h/a
h/a --next -d x h/b              | h/a -d x h/b
h/?a=1&a=2                       | h/?a=2&a=1
h/?a                             | h/?a=
h/?a=%2F                         | h/?a=/
h/?a=+                           | h/?a=%20
h/?                              | h/
h/x                              | h/x/
h/x                              | h/X
h//x                             | h/x
http://@h/                       | http://h/
http://h:81/                     | http://h/
-vv h                            | -unknown h
"""


def _near_misses() -> list[tuple[Arguments, Arguments]]:
    rows = [row.split("|") for row in NEAR_MISSES.strip().splitlines()]
    return [(_words(a), _words(b)) for a, b in rows]


def _words(text: str) -> Arguments:
    return tuple("" if word == "''" else word for word in text.split())


class TestNearMisses:
    """What looks nearly the same and is not has another text."""

    @pytest.mark.parametrize(("a", "b"), _near_misses(), ids=" ".join)
    def test_curl_shows_a_difference_and_so_does_the_text(self, a: Arguments, b: Arguments) -> None:
        """Let curl do both, so that the table itself is true."""
        assert not same(a, b)
        assert canonical(a) != canonical(b)

    def test_a_wrong_text_is_found_out(self) -> None:
        """Sorted words are no canonical form, and curl can tell."""
        assert not same(("-d", "a", "-d", "b", "h"), tuple(sorted(("-d", "b", "-d", "a", "h"))))
