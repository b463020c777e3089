"""Requests: the order of settings, and which of them count."""

from __future__ import annotations

from callkey.request import Request, Setting, in_order, is_on, shows_urls, speaks_http, without


def setting(name: str, value: str | None = None, *, slot: str = "", last: bool = False, on: bool = True) -> Setting:
    """Return a setting that is alone in its slot unless told otherwise."""
    return Setting(name, value, on, slot or name, last)


def test_settings_of_one_slot_keep_their_order() -> None:
    first, second, other = setting("z", slot="m"), setting("a", slot="m"), setting("b")
    assert in_order((first, second, other)) == (other, first, second)


def test_a_setting_gives_way_to_its_successor() -> None:
    old, new = setting("agent", "x", last=True), setting("agent", "y", last=True)
    assert in_order((old, setting("b"), new)) == (new, setting("b"))


def test_a_setting_stays_when_another_of_its_slot_comes_between() -> None:
    settings = (
        setting("http1", slot="http", last=True),
        setting("http2", slot="http", last=True),
        setting("http1", slot="http", last=True),
    )
    assert in_order(settings) == settings


def test_an_empty_value_stays_because_it_is_an_error_by_itself() -> None:
    settings = (setting("agent", "", last=True), setting("agent", "y", last=True))
    assert in_order(settings) == settings


def test_no_settings_have_an_order() -> None:
    assert in_order(()) == ()


def test_the_last_state_of_a_switch_counts() -> None:
    request = Request((setting("get", on=False), setting("get")), ())
    assert is_on(request, "head", "get")
    assert not is_on(request, "head")


def test_leaving_nothing_out_leaves_the_request_itself() -> None:
    request = Request((setting("a"),), ())
    assert without(request, {"b"}) is request
    assert without(request, {"a"}) == Request((), ())


def test_every_url_must_be_http() -> None:
    assert speaks_http(Request((), ("HTTP://h/", "https://h/")))
    assert not speaks_http(Request((), ("http://h/", "h")))


def test_a_format_may_show_urls() -> None:
    assert shows_urls(Request((setting("write-out", "%{json}"),), ()))
    assert shows_urls(Request((setting("write-out", "@format"),), ()))
    assert not shows_urls(Request((setting("write-out", "%{http_code}"),), ()))
