"""The page as text: what is on it, what must never be, and the file that it is written to."""

import builtins
import hashlib
import re
import stat
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from samecall import ToolPolicy
from samecall.errors import ReportError
from samecall.replay import SessionReplay
from samecall.report import write_html
from samecall.report.chart import bars
from samecall.totals import Totals

from tests.policy.report.recorded import DEDUPE, bash, session, tool

PLANTED = "hunter2hunter2"
HOSTILE = "</script></template></style></svg><img src=x onerror=alert(1)>'\"><script>alert(2)</script><!--]]>{{ 7*7 }}"


def _written(path: Path, *sessions: Any, policy: ToolPolicy = DEDUPE) -> str:
    write_html(path, sessions, policy=policy)
    return path.read_text("utf-8")


class _Elements(HTMLParser):
    """Every element with its attributes, as a reader of HTML finds them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


class TestThePage:
    def test_nothing_on_it_is_fetched(self, tmp_path: Path) -> None:
        text = _written(tmp_path / "r.html", session(bash("curl https://h/a"), bash("curl https://h/a")))
        for tag, attributes in _Elements(text).found:
            assert tag not in {"iframe", "object", "embed", "base", "img", "audio", "video", "source"}
            for name in ("src", "href", "action", "data", "poster", "xlink:href", "srcset", "style"):
                value = attributes.get(name)
                assert value is None or value.startswith("#") or value == "data:,", (tag, name, value)
        assert "@import" not in text
        assert "url(" not in text

    def test_only_its_own_script_and_style_may_run(self, tmp_path: Path) -> None:
        text = _written(tmp_path / "r.html", session(bash("a")))
        policy = next(found for _, found in _Elements(text).found if found.get("http-equiv"))["content"] or ""
        assert policy.startswith("default-src 'none'; ")
        assert "unsafe" not in policy
        for tag in ("script", "style"):
            inline = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
            assert len(inline) == 1
            digest = b64encode(hashlib.sha256(inline[0].encode()).digest()).decode()
            assert f"{tag}-src 'sha256-{digest}'" in policy

    def test_it_is_the_same_each_time(self, tmp_path: Path) -> None:
        found = session(bash("a"), bash("a"))
        assert _written(tmp_path / "a.html", found) == _written(tmp_path / "b.html", found)

    def test_it_can_be_empty(self, tmp_path: Path) -> None:
        assert "0 recorded sessions" in _written(tmp_path / "r.html", policy=ToolPolicy())

    def test_it_says_what_could_not_be_read(self, tmp_path: Path) -> None:
        unread = SessionReplay("a.jsonl", "", (), Totals(skipped=3, broken=2))
        text = _written(tmp_path / "r.html", session(bash("a")), unread)
        assert "1 recorded session, 1 tool call" in text
        assert "<dt>records not read</dt><dd>5</dd>" in text

    def test_it_says_what_is_left_out(self, tmp_path: Path) -> None:
        many = (session(*(bash(f"a {n}") for n in range(1_100)), title=str(k)) for k in range(7))
        text = _written(tmp_path / "r.html", *many)
        assert "2 sessions, and 2,700 calls in all" in " ".join(text.split())
        assert "100 not shown" in text

    def test_it_says_of_how_many_repeats_there_is_only_a_line(self, tmp_path: Path) -> None:
        text = _written(tmp_path / "r.html", session(*(bash("a") for n in range(400))))
        assert "Of 99 repeats and refusals only the first line is here." in text


class TestWhatIsHidden:
    def test_no_credential_of_a_recording_is_on_it(self, tmp_path: Path) -> None:
        secret = (
            f"curl -u ann:{PLANTED} https://ann:{PLANTED}@h/?api_key={PLANTED} -H 'Authorization: Bearer {PLANTED}'"
        )
        found = session(
            bash(secret, f"token={PLANTED}"),
            bash(secret + " | jq .a", f"token={PLANTED} other"),
            bash(f"export PASSWORD={PLANTED}"),
            tool("fetch", {"url": f"https://h/?token={PLANTED}", "password": PLANTED}, f'{{"secret": "{PLANTED}"}}'),
            tool("fetch", {"url": f"https://h/?token={PLANTED}", "password": PLANTED}),
            tool(f"x --password {PLANTED}", {f"--token {PLANTED}": 1, "h": [f"Cookie: {PLANTED}"]}),
            tool("say", f"--token {PLANTED}"),
            title=f"https://ann:{PLANTED}@h/sessions.json",
            form=f"token={PLANTED}",
        )
        text = _written(tmp_path / "r.html", found, policy=DEDUPE)
        assert "***" in text
        assert PLANTED not in text

    def test_nothing_of_a_recording_is_markup(self, tmp_path: Path) -> None:
        def page(name: str, text: str) -> list[tuple[str, frozenset[str]]]:
            policy = ToolPolicy(
                dedupe_tool_calls=True, dedupe_scope="session", effects={"*": "read"}, tool_limits={text: 1}
            )
            calls = (
                bash(text, text),
                bash(text, text + "!"),
                tool(text, {text: text}, text),
                tool(text, {text: text}, text),
                tool("say", text, text),
            )
            written = _written(tmp_path / name, session(*calls, title=text, form=text, policy=policy), policy=policy)
            return [(tag, frozenset(attributes)) for tag, attributes in _Elements(written).found]

        assert page("hostile.html", HOSTILE) == page("plain.html", "x" * len(HOSTILE))

    def test_bytes_that_are_no_text_do_not_stop_it(self, tmp_path: Path) -> None:
        text = _written(tmp_path / "r.html", session(bash("\ud800\x00\x1b", "\udfff"), title="\ud800"))
        assert "\\ud800\\x00\\x1b" in text


class TestTheFile:
    def test_what_was_there_stays_until_the_page_is_whole(self, tmp_path: Path) -> None:
        path = tmp_path / "r.html"
        path.write_text("before")

        def broken() -> Iterator[Any]:
            yield session(bash("a"))
            assert path.read_text() == "before"
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            write_html(path, broken(), policy=DEDUPE)
        assert [(found.name, found.read_text()) for found in tmp_path.iterdir()] == [("r.html", "before")]

    def test_a_link_and_its_permissions_stay(self, tmp_path: Path) -> None:
        real, link = tmp_path / "real.html", tmp_path / "link.html"
        real.touch(0o600)
        link.symlink_to(real)
        write_html(link, [], policy=DEDUPE)
        assert link.is_symlink()
        assert (stat.S_IMODE(real.stat().st_mode), real.read_text()[:15]) == (0o600, "<!doctype html>")

    @pytest.mark.parametrize("name", ["absent/r.html", ".", "a" * 300, "a.html/b.html"])
    def test_a_place_that_cannot_be_written_is_one_line_said_before_the_work(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "a.html").touch()

        def never() -> Iterator[Any]:
            pytest.fail("sessions were replayed for a page that cannot be written")
            yield

        with pytest.raises(ReportError) as caught:
            write_html(tmp_path / name, never(), policy=DEDUPE)
        assert "\n" not in str(caught.value)

    def test_what_goes_wrong_with_a_recording_is_not_laid_on_the_page(self, tmp_path: Path) -> None:
        def gone() -> Iterator[Any]:
            raise FileNotFoundError("session.json")
            yield

        with pytest.raises(FileNotFoundError, match=r"session\.json"):
            write_html(tmp_path / "r.html", gone(), policy=DEDUPE)
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
    def test_a_full_disk_is_one_line_and_a_device_stays_a_device(self) -> None:
        with pytest.raises(ReportError, match="/dev/full: No space left on device"):
            write_html("/dev/full", [], policy=DEDUPE)
        assert Path("/dev/full").is_char_device()

    @pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="the system has no /dev/stdout")
    def test_a_pipe_is_written_as_it_comes(self) -> None:
        script = "from samecall import ToolPolicy; from samecall.report import write_html;"
        script += "write_html('/dev/stdout', [], policy=ToolPolicy())"
        # The command is ours.
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
        assert (done.stdout[:15], done.stdout[-8:]) == ("<!doctype html>", "</html>\n")

    @pytest.mark.parametrize("absent", ["jinja2", "vl_convert"])
    def test_without_the_extra_one_line_says_what_to_install(
        self, absent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        given = builtins.__import__

        def without(name: str, *rest: Any) -> Any:
            if name == absent:
                raise ImportError(name)
            return given(name, *rest)

        monkeypatch.setattr(builtins, "__import__", without)
        with pytest.raises(ReportError, match=r"pip install 'samecall\[report\]'"):
            write_html(tmp_path / "r.html", [session(bash("a"), bash("a"))], policy=DEDUPE)
        assert list(tmp_path.iterdir()) == []


class TestSize:
    def test_many_bars_are_summed_up(self) -> None:
        assert bars([(f"tool {n}", 1) for n in range(100)], "red").count('aria-roledescription="bar"') == 12

    def test_neither_the_page_nor_memory_grows_with_the_number_of_sessions(self, tmp_path: Path) -> None:
        script = """
import resource, sys
from dataclasses import replace
from samecall.report import write_html
from tests.policy.report.recorded import DEDUPE, bash, session
one = session(*(bash(f"echo {n % 90} " + "x" * 500, "y" * 5_000) for n in range(100)))
write_html(sys.argv[1], (replace(one, title=str(k)) for k in range(int(sys.argv[2]))), policy=DEDUPE)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""
        peaks, sizes = [], []
        for count in (200, 1_000):
            path = tmp_path / f"{count}.html"
            # The command is ours.
            done = subprocess.run(  # noqa: S603
                [sys.executable, "-c", script, str(path), str(count)],
                cwd=Path(__file__).parents[3], capture_output=True, text=True, check=True,
            )  # fmt: skip
            peaks.append(int(done.stdout))
            sizes.append(path.stat().st_size)
        assert sizes[1] < sizes[0] + 1_000
        assert sizes[1] < 20_000_000
        assert peaks[1] < peaks[0] * 1.2
