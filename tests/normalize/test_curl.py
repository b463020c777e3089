"""curl's arguments: what is read, what is left alone, and the rules that can be left out."""

from __future__ import annotations

import pytest
from callkey.programs import canonical_arguments
from callkey.programs.curl import to_arguments, to_request
from callkey.request import Request
from callkey.rules.requests import REQUEST_RULES
from callkey.rules.sort_query import sort_query


def text(line: str, *, stderr_shown: bool = False) -> str:
    """Return canonical arguments as one line, the given ones if they are left alone."""
    args = tuple(line.split())
    found = canonical_arguments("curl", args, stderr_shown=stderr_shown)
    return " ".join(args if found is None else found[0])


@pytest.mark.parametrize(
    "line",
    [
        "",
        "-s",
        "--help all",
        "-V",
        "-h",
        "-sK config http://h/",
        "http://h/ --next http://h/",
        "-s: http://h/",
        "--variable a=b http://h/",
        "--expand-data {{a}} http://h/",
        "--stderr - -s http://h/",
        "--libcurl f -s http://h/",
        "--engine list -s http://h/",
        "--remote-name-all -s http://h/",
        "--no-remote-name -s http://h/",
        "--silen http://h/",
        "--SILENT http://h/",
        "--data=a http://h/",
        "-s @urls",
        "-s --url @urls",
        "-s -",
        "-vv http://h/",
        "-svv http://h/",
        "-d @- -H @- http://h/",
        "-d @/dev/stdin -F a=@- http://h/",
        "http://h/ -o",
        "http://h/ -so",
    ],
)
def test_what_would_have_to_be_guessed_is_left_alone(line: str) -> None:
    assert to_request(line.split()) is None


@pytest.mark.parametrize(
    ("line", "canonical"),
    [
        ("-s h -o f", "--output f http://h/"),
        ("-Nh", "-Nh"),
        ("-N http://h/", "--no-buffer http://h/"),
        ("-i http://h/", "--include http://h/"),
        ("-q -i http://h/", "--disable --include http://h/"),
        ("-i -q http://h/", "--include http://h/"),
        ("-- -x", "-- -x"),
        ("-- -x http://h/ --", "-- -x http://h/ --"),
        ("-s --url -x", "-- -x"),
        ("-d @f -d a -d b http://h/", "--data @f --data a&b http://h/"),
        ("-d a --data-raw @b http://h/", "--data a&@b http://h/"),
        ("--data-raw @b -d a http://h/", "--data-raw @b&a http://h/"),
        ("--data-urlencode =@a http://h/", "--data-urlencode =@a http://h/"),
        ("--json a -d b http://h/", "--json a --data b http://h/"),
        ("-g h/?b[]=1&a=2", "--globoff http://h/?a=2&b[]=1"),
        ("-H B:1 -H A:2 smtp://h/", "--header B:1 --header A:2 smtp://h/"),
        ("-H B:1 -H A:2 --aws-sigv4 x http://h/", "--aws-sigv4 x --header B:1 --header A:2 http://h/"),
    ],
)
def test_canonical_arguments(line: str, canonical: str) -> None:
    assert text(line) == canonical
    assert text(canonical) == canonical


def test_messages_count_where_standard_error_is_shown() -> None:
    assert text("-sS http://h/", stderr_shown=True) == "--show-error --silent http://h/"
    assert text("-v -X GET http://h/", stderr_shown=True) == "--request GET --verbose http://h/"


def test_json_from_a_file_is_a_binary_body() -> None:
    found = canonical_arguments("curl", ("--json", "@f", "-H", "accept: x", "http://h/"), stderr_shown=False)
    assert found is not None
    expected = ("--data-binary", "@f", "--header", "accept: x", "--header", "content-type: application/json")
    assert found[0] == (*expected, "http://h/")


def test_arguments_of_a_request_read_as_that_request() -> None:
    request = to_request(["-qsN", "-d", "a", "--", "-x"])
    assert request is not None
    assert to_request(to_arguments(request)) == request


def test_each_rule_can_be_left_out() -> None:
    args = ("-X", "GET", "-s", "-m", "3", "-H", "B:1", "-H", "A:1", "HTTP://h/?b=1&a=2")
    whole = canonical_arguments("curl", args, stderr_shown=False)
    for rule in REQUEST_RULES:
        rest = tuple(other for other in REQUEST_RULES if other is not rule)
        found = canonical_arguments("curl", args, stderr_shown=False, rules=rest)
        assert found is not None
        assert rule.__name__ not in found[1]
        if whole is not None and rule.__name__ in whole[1]:
            assert found != whole


def test_without_rules_nothing_changes() -> None:
    assert canonical_arguments("curl", ("-s", "H"), stderr_shown=False, rules=()) is None


def test_one_rule_alone_does_its_own_work() -> None:
    found = canonical_arguments("curl", ("-s", "http://H/?b=1&a=2"), stderr_shown=False, rules=(sort_query,))
    assert found == (("--silent", "http://H/?a=2&b=1"), ("sort_query",))


def test_notes_name_what_changed() -> None:
    found = canonical_arguments("curl", ("--include", "http://h/"), stderr_shown=False)
    assert found is None
    found = canonical_arguments("curl", ("-i", "http://h/"), stderr_shown=False)
    assert found == (("--include", "http://h/"), ("order_curl_options",))
    found = canonical_arguments("curl", ("-s", "http://h/"), stderr_shown=False)
    assert found == (("http://h/",), ("drop_quiet_options",))


@pytest.mark.parametrize("rule", REQUEST_RULES)
def test_rules_leave_an_empty_request_itself(rule: object) -> None:
    request = Request((), ("http://h/",))
    assert callable(rule)
    assert rule(request) is request


@pytest.mark.parametrize("line", ["-q http://h/", "-O f http://h/ --recursive", "-O - --input-file f", "-O"])
def test_wget_is_left_alone_unless_it_writes_to_one_file(line: str) -> None:
    assert canonical_arguments("wget", tuple(line.split()), stderr_shown=False) is None


def test_wget_urls_are_spelt_alike() -> None:
    found = canonical_arguments("wget", ("-qO-", "http://H?b=1&a=2"), stderr_shown=False)
    assert found is not None
    assert found[0] == ("--quiet", "--output-document=-", "http://h/?a=2&b=1")
    assert canonical_arguments("wget", found[0], stderr_shown=False) is None


def test_other_programs_are_left_alone() -> None:
    assert canonical_arguments("ls", ("-l", "-a"), stderr_shown=False) is None
