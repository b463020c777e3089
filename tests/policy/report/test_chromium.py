"""The page in a real browser: by mouse, by keyboard, wide and narrow, light and dark."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from samecall import ToolPolicy
from samecall.report import write_html

from tests.policy.report.conftest import Visit
from tests.policy.report.recorded import bash, session, tool, turns

POLICY = ToolPolicy(
    dedupe_tool_calls=True, dedupe_scope="session", max_tool_calls=40, tool_limits={"search": 1}, effects={"*": "read"}
)
HOSTILE = "</script></template><img src=x onerror=alert(1)><svg onload=alert(2)>'\"><script>alert(3)</script>"

Open = Callable[..., Visit]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a page with a chip of each common kind, a long session, and texts that try to break out."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    fetch = 'curl -s "https://h/x?b=2&a=1" | jq .id'
    sessions = [
        turns(
            [
                [bash(fetch, "7"), bash("cat README.md", "# Title\n" * 50), bash("curl 'https://h/x?a=1&b=2'", "{7}")],
                [bash("cat README.md", "# Other"), tool("search", {"q": "a"}), tool("search", {"q": "b"})],
            ],
            title="small.json",
            policy=POLICY,
        ),
        session(
            bash(HOSTILE, HOSTILE), bash(HOSTILE, HOSTILE), tool(HOSTILE, {HOSTILE: HOSTILE}), title=HOSTILE,
            policy=POLICY,
        ),
        session(*(bash(f"echo {n}") for n in range(300)), title="long-" * 40 + ".json", policy=POLICY),
        session(bash("pwd"), title="clean.json", policy=POLICY),
    ]  # fmt: skip
    write_html(path, sessions, policy=POLICY)
    return path


@pytest.fixture
def visit(chromium: Any, report: Path) -> Iterator[Open]:
    """Open the page; at the end nothing may have complained, and nothing but the page been asked for."""
    visits: list[Visit] = []

    def begin(width: int = 1400, scheme: str = "light") -> Visit:
        page = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        visits.append(Visit(page, report))
        return visits[-1]

    yield begin
    for found in visits:
        found.page.close()
        assert (found.complaints, found.requests) == ([], [report.as_uri()])


WIDTHS = pytest.mark.parametrize("width", [400, 1400])
SCHEMES = pytest.mark.parametrize("scheme", ["light", "dark"])


class TestLooks:
    @WIDTHS
    @SCHEMES
    def test_the_page_never_scrolls_sideways(self, visit: Open, width: int, scheme: str) -> None:
        page = visit(width, scheme).page
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.click(".timeline .repeated")
        assert page.evaluate("document.querySelector('dialog').scrollWidth") <= width
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    @WIDTHS
    @SCHEMES
    def test_axe_finds_nothing_serious(self, visit: Open, axe: Any, width: int, scheme: str) -> None:
        page = visit(width, scheme).page
        # Off-screen sessions are not painted, so they would not be looked at.
        page.evaluate("document.querySelectorAll('article').forEach(a => { a.style.contentVisibility = 'visible'; })")
        for state in ("closed", "open"):
            if state == "open":
                page.click(".timeline .differs")
            found = axe.run(page).response["violations"]
            grave = [
                (problem["id"], [node["target"] for node in problem["nodes"]][:3])
                for problem in found
                if problem["impact"] in {"serious", "critical"}
            ]
            assert grave == [], state

    @pytest.mark.parametrize(
        ("scheme", "choice", "expected"),
        [
            ("light", "system", "light"),
            ("dark", "system", "dark"),
            ("light", "dark", "dark"),
            ("dark", "light", "light"),
        ],
    )
    def test_the_theme_is_the_systems_or_the_readers(
        self, visit: Open, scheme: str, choice: str, expected: str
    ) -> None:
        page = visit(1400, scheme).page
        page.click(f"label:has(#{choice})")
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert ground == {"light": "rgb(251, 250, 248)", "dark": "rgb(21, 23, 26)"}[expected]
        bar = page.evaluate("getComputedStyle(document.querySelector('figure path[aria-roledescription=bar]')).fill")
        assert bar == {"light": "rgb(179, 90, 31)", "dark": "rgb(227, 154, 98)"}[expected]

    def test_bars_and_their_texts_stay_inside_their_frames(self, visit: Open) -> None:
        page = visit(400).page
        outside = """[...document.querySelectorAll('figure text')].filter(text => {
            const [inner, frame] = [text.getBoundingClientRect(), text.closest('figure').getBoundingClientRect()];
            return inner.left < frame.left || inner.right > frame.right;
        }).map(text => text.textContent)"""
        assert page.evaluate(outside) == []

    def test_kinds_differ_in_letter_and_outline(self, visit: Open) -> None:
        shapes = """[...document.querySelectorAll('.legend .chip')].map(chip => {
            const style = getComputedStyle(chip, '::before');
            return [chip.textContent, style.clipPath + style.borderRadius + style.borderStyle];
        })"""
        found = visit().page.evaluate(shapes)
        assert len(found) == 4
        assert len({letter for letter, _ in found}) == len({shape for _, shape in found}) == 4


class TestTwins:
    def test_a_click_shows_both_calls_and_why_they_are_one(self, visit: Open) -> None:
        page = visit().page
        page.click(".timeline .repeated, .timeline .differs")
        assert page.inner_text("#call-title") == "Call 3 · bash · duplicate tool call"
        sides = [side.bounding_box() for side in page.query_selector_all("dialog .side")]
        assert sides[0]["y"] == sides[1]["y"]
        assert sides[0]["x"] + sides[0]["width"] < sides[1]["x"]
        assert [side.inner_text() for side in page.query_selector_all("dialog .side pre:first-of-type")] == [
            'curl -s "https://h/x?b=2&a=1" | jq .id', "curl 'https://h/x?a=1&b=2'",
        ]  # fmt: skip
        assert "sort_query" in page.inner_text("dialog .why")

    def test_on_a_telephone_they_stand_one_below_the_other(self, visit: Open) -> None:
        page = visit(400).page
        page.click(".timeline .repeated, .timeline .differs")
        sides = [side.bounding_box() for side in page.query_selector_all("dialog .side")]
        assert sides[0]["x"] == sides[1]["x"]
        assert sides[0]["y"] + sides[0]["height"] <= sides[1]["y"]

    def test_a_call_that_is_kept_shows_itself(self, visit: Open) -> None:
        page = visit().page
        page.click(".timeline .kept >> nth=1")
        assert page.inner_text("#call-body") == "cat README.md"

    def test_nothing_of_a_recording_runs(self, visit: Open) -> None:
        page = visit().page
        page.click("article:has-text('onerror') .repeated")
        assert HOSTILE in page.inner_text("dialog .side pre")
        assert page.query_selector_all("img, script[src], [onload], [onerror]") == []

    @pytest.mark.parametrize("how", ["Escape", "button", "outside"])
    def test_it_closes_and_the_chip_has_the_focus_again(self, visit: Open, how: str) -> None:
        page = visit().page
        page.click(".timeline .budget")
        assert page.is_visible("dialog")
        if how == "Escape":
            page.keyboard.press("Escape")
        elif how == "button":
            page.click("#close")
        else:
            page.mouse.click(3, 3)
        assert not page.is_visible("dialog")
        assert page.evaluate("document.activeElement.dataset.kind") == "budget"


class TestKeyboard:
    def test_tab_reaches_everything_and_a_timeline_is_one_stop(self, visit: Open) -> None:
        page = visit().page
        stops: list[str] = []
        for _ in range(60):
            page.keyboard.press("Tab")
            stop = page.evaluate("""(() => {
                const at = document.activeElement;
                return at.closest('.timeline') ? 'timeline' : at.id || at.name || at.ariaLabel || at.textContent;
            })()""")
            if stop in stops[:1]:
                break
            stops.append(stop)
        assert stops[0] == "system"
        assert {"search", "kind", "tool", "session", "timeline", "small.json"} <= set(stops)
        assert stops.count("timeline") == 4

    def test_arrows_go_along_and_enter_opens(self, visit: Open) -> None:
        page = visit().page
        page.focus(".timeline button >> nth=0")
        for key, number in [
            ("ArrowRight", "2"), ("ArrowDown", "3"), ("ArrowLeft", "2"), ("End", "6"), ("ArrowRight", "6"),
            ("Home", "1"), ("ArrowLeft", "1"), ("ArrowRight", "2"),
        ]:  # fmt: skip
            page.keyboard.press(key)
            assert page.evaluate("document.activeElement.dataset.number") == number
        page.keyboard.press("Enter")
        assert page.inner_text("#call-title") == "Call 2 · bash"
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement.dataset.number") == "2"

    def test_the_focus_is_seen(self, visit: Open) -> None:
        page = visit().page
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


class TestFinding:
    def test_search_leaves_the_calls_that_match(self, visit: Open) -> None:
        found = visit()
        found.page.fill("#search", "README")
        assert found.shown() == [
            "call 2, kept: bash cat README.md", "call 4, repeated, other result, of call 2: bash cat README.md",
        ]  # fmt: skip
        assert found.page.inner_text("#status") == "2 of 310 calls"
        assert found.page.locator("article:visible").count() == 1
        found.page.fill("#search", "")
        assert len(found.shown()) == 310

    def test_search_finds_sessions_too(self, visit: Open) -> None:
        found = visit()
        found.page.fill("#search", "CLEAN.json")
        assert found.shown() == ["call 1, kept: bash pwd"]
        assert found.page.locator("tr[data-session]:visible").count() == 1

    def test_search_says_when_there_is_nothing(self, visit: Open) -> None:
        page = visit().page
        page.fill("#search", "no such thing")
        assert page.is_visible("#nothing")
        page.keyboard.press("Enter")
        assert page.is_visible("#nothing")

    def test_kinds_can_be_left_out(self, visit: Open) -> None:
        found = visit()
        found.page.uncheck("input[value=kept]")
        assert {words.split(",")[1].split(":")[0].strip() for words in found.shown()} == {"over budget", "repeated"}
        found.page.uncheck("input[value=budget]")
        found.page.uncheck("input[value=repeated]")
        assert [words.split(":")[0] for words in found.shown()] == ["call 4, repeated, other result, of call 2"]

    def test_what_is_left_out_is_no_stop_of_the_keyboard(self, visit: Open) -> None:
        page = visit().page
        page.uncheck("input[value=kept]")
        page.focus(".timeline button[tabindex='0']:not([hidden])")
        assert page.evaluate("document.activeElement.dataset.number") == "3"
        page.keyboard.press("ArrowRight")
        assert page.evaluate("document.activeElement.dataset.number") == "4"

    @pytest.mark.parametrize(
        ("heading", "clicks", "order"),
        [
            ("calls", 1, [300, 6, 3, 1]),
            ("calls", 2, [1, 3, 6, 300]),
            ("session", 1, [3, 1, 300, 6]),
            ("session", 2, [6, 300, 1, 3]),
        ],
    )
    def test_tables_sort(self, visit: Open, heading: str, clicks: int, order: list[int]) -> None:
        page = visit().page
        for _ in range(clicks):
            page.click(f"table:has(tr[data-session]) thead button:text-is('{heading}')")
        calls = page.eval_on_selector_all(
            "tr[data-session] td:nth-child(3)", "cells => cells.map(c => +c.dataset.value)"
        )
        assert calls == order
        sorts = page.eval_on_selector_all(
            "table:has(tr[data-session]) th[aria-sort]", "all => all.map(t => t.ariaSort)"
        )
        assert sum(sort != "none" for sort in sorts) == 1

    def test_a_session_in_the_table_leads_to_its_timeline(self, visit: Open) -> None:
        page = visit().page
        page.click("a:text-is('clean.json')")
        page.wait_for_function("document.querySelector('article:target').getBoundingClientRect().top < innerHeight")
        assert page.inner_text("article:target h3") == "clean.json"
