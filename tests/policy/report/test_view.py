"""What the page says of a session, before it is HTML."""

from collections import Counter
from typing import Any, get_args

import pytest
from callkey import ToolCall
from samecall import ToolPolicy
from samecall.decisions import Reason
from samecall.report import kinds, view
from samecall.report.page import Selection, gather
from samecall.report.twins import explanation
from samecall.report.wording import arguments, contrasted, one_line, shown

from tests.policy.report.recorded import DEDUPE, bash, session, tool, turns


def _letters(found: view.SessionView) -> str:
    return "".join(chip.kind.letter or "." for chip in found.chips)


class TestKinds:
    @pytest.mark.parametrize(
        ("options", "results", "letters"),
        [
            ({"dedupe_tool_calls": True}, "aaa", ".RR"),
            ({"dedupe_tool_calls": True}, "aab", ".RD"),
            ({"dedupe_tool_calls": True, "on_duplicate_tool_call": "reuse"}, "aab", ".UD"),
            ({"dedupe_tool_calls": True, "on_duplicate_tool_call": "warn"}, "aab", ".WW"),
            ({"dedupe_tool_calls": True, "on_duplicate_tool_call": "allow"}, "aab", ".WW"),
            ({"max_tool_calls": 1}, "aaa", ".BB"),
            ({"max_tool_calls_per_session": 2}, "aaa", "..B"),
            ({"tool_limits": {"bash": 0}}, "a", "B"),
        ],
        ids=repr,
    )
    def test_a_chip_has_the_letter_of_what_became_of_its_call(
        self, options: dict[str, Any], results: str, letters: str
    ) -> None:
        policy = ToolPolicy(effects={"*": "read"}, **options)
        found = view.view(session(*(bash("ls", result) for result in results), policy=policy), policy)
        assert _letters(found) == letters

    def test_what_failed_too_often_is_refused_otherwise(self) -> None:
        policy = ToolPolicy(dedupe_tool_calls=True, retry_failures=0, effects={"*": "read"})
        found = view.view(session(bash("make", "no", "failed"), bash("make", "no", "failed"), policy=policy), policy)
        assert (_letters(found), found.chips[1].reason) == (".X", "repeated failure")

    def test_every_reason_has_its_kind(self) -> None:
        assert set(kinds.REFUSED) == set(get_args(Reason))

    def test_letters_and_names_tell_kinds_apart_without_colour(self) -> None:
        assert max(Counter(kind.letter for kind in kinds.KINDS).values()) == 1
        assert max(Counter(kind.name for kind in kinds.KINDS).values()) == 1


class TestWording:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("a\r\nb\tc", "a\nb\tc"),
            ("\x00\x1b[2J", "\\x00\\x1b[2J"),
            ("\u202egpj.exe", "\\u202egpj.exe"),
            ("\ud800", "\\ud800"),
            ("naïve 日本", "naïve 日本"),
            ("export TOKEN=abcdef", "export TOKEN=***"),
        ],
    )
    def test_text_is_spelled_so_that_a_reader_sees_all_of_it(self, text: str, expected: str) -> None:
        assert shown(text, 100) == expected

    def test_a_credential_at_the_cut_is_hidden_before_the_cut(self) -> None:
        assert "hunter" not in shown("x" * 40 + " https://ann:hunter2@h/", 58)

    def test_a_line_is_one_line(self) -> None:
        assert one_line("cat <<E\n\n  a\nE", 80) == "cat <<E ⏎ a ⏎ E"

    def test_results_are_shown_where_they_differ(self) -> None:
        one, other = contrasted("same\n" * 2000 + "a", "same\n" * 2000 + "b", 200)
        assert (one[0], one[-1], other[-1]) == ("…", "a", "b")
        assert len(one) < 100

    def test_equal_results_are_shown_from_their_beginning(self) -> None:
        assert contrasted("a" * 900, "a" * 900, 10) == ("aaaaaaaaa…", "aaaaaaaaa…")

    def test_arguments_nested_beyond_reason_are_not_shown(self) -> None:
        deep: list[object] = []
        for _ in range(100_000):
            deep = [deep]
        assert arguments(ToolCall("x", deep)) == "(nested too deeply to show)"

    @pytest.mark.parametrize("given", [None, 7, "text", ["a"], {"a": float("nan")}, {1: 2}, {"x": b"bytes"}])
    def test_any_input_is_shown(self, given: object) -> None:
        assert isinstance(arguments(ToolCall("x", given)), str)


class TestExplanations:
    @pytest.mark.parametrize(
        ("earlier", "again", "expected"),
        [
            (bash("ls"), bash("ls"), "The same: the tool and all arguments are equal."),
            (bash("ls  -l"), bash("ls -l"), "The same: they differ only in quotes, blanks and the like."),
            (
                tool("Bash", {"command": "ls", "description": "a"}),
                tool("Bash", {"command": "ls", "description": "b"}),
                "The same work: they differ only in description, which changes nothing.",
            ),
            (
                tool("Read", {"file_path": "a/./b"}),
                tool("Read", {"file_path": "a/b"}),
                "The same work: they differ only in file_path, written in another way.",
            ),
        ],
    )
    def test_a_pair_is_explained(self, earlier: Any, again: Any, expected: str) -> None:
        assert explanation(again.call, earlier.call, DEDUPE) == expected

    def test_a_key_of_the_users_is_not_explained_by_ours(self) -> None:
        policy = ToolPolicy(dedupe_tool_calls=True, tool_call_key=lambda call: call.name)
        assert explanation(bash("a").call, bash("b").call, policy) == "The key of the policy makes them one."


class TestSessions:
    def test_twins_stand_side_by_side(self) -> None:
        found = view.view(session(bash("ls", "a\n"), bash("ls  .", "x"), bash("'ls'", "a\n")), DEDUPE)
        detail = found.chips[2].detail
        assert detail is not None
        assert detail.earlier is not None
        assert (detail.earlier.number, detail.earlier.command, detail.earlier.result) == (1, "ls", "a\n")
        assert (detail.again.number, detail.again.command, detail.again.result) == (3, "'ls'", "a\n")
        assert detail.results == "Both recorded results are the same."
        assert detail.message.startswith("Duplicate tool call suppressed")

    def test_turns_begin_with_a_mark(self) -> None:
        found = view.view(turns([[bash("a"), bash("b")], [bash("c")]]), DEDUPE)
        assert [chip.new_turn for chip in found.chips] == [True, False, True]

    def test_a_long_session_shows_refusals_and_says_where_calls_are_missing(self) -> None:
        calls = [bash(f"echo {number}") for number in range(2_000)]
        found = view.view(session(*calls, bash("echo 1990"), bash("echo 2001")), DEDUPE)
        assert len(found.chips) == view.MAX_SESSION_CHIPS
        assert [(chip.number, chip.skipped) for chip in found.chips if chip.skipped] == [(2_001, 1_001)]
        assert (found.calls, found.skipped_last) == (2_002, 1)

    def test_false_refusals_have_details_first(self) -> None:
        calls = [bash("ls")] + [bash("ls") for _ in range(400)] + [bash("ls", "other")]
        found = view.view(session(*calls), DEDUPE)
        assert sum(chip.detail is not None for chip in found.chips) == view.MAX_SESSION_DETAILS
        assert found.chips[-1].detail is not None


class TestSelection:
    def test_sessions_with_false_refusals_come_first_and_then_those_with_refusals(self) -> None:
        clean = session(bash("a"), title="clean")
        refused = session(bash("a"), bash("a"), title="refused")
        false = session(bash("a"), bash("a", "b"), title="false")
        page = gather([clean, refused, false], DEDUPE)
        assert [found.title for found in page.sessions] == ["false", "refused", "clean"]
        assert page.left_out == (0, 0)

    def test_sessions_give_way_to_better_ones_and_are_counted_all_the_same(self) -> None:
        clean = [session(*(bash(f"a {n}") for n in range(500)), title=f"clean {k}") for k in range(12)]
        refused = [session(bash("a"), bash("a"), title=f"refused {k}") for k in range(3)]
        page = gather([*clean, *refused], DEDUPE)
        assert [found.title for found in page.sessions][:4] == ["refused 0", "refused 1", "refused 2", "clean 0"]
        assert sum(len(found.chips) for found in page.sessions) == 4_506
        assert (page.totals.sessions, page.counts.total(), page.left_out) == (15, 6_006, (3, 1_500))

    def test_a_session_for_which_no_room_can_be_made_makes_none_give_way(self) -> None:
        refused = [session(*[bash("a")] * 260, title=f"refused {k}") for k in range(4)]
        page = gather([session(bash("a"), title="clean"), *refused], DEDUPE)
        assert [found.title for found in page.sessions] == ["refused 0", "refused 1", "refused 2", "clean"]

    def test_a_session_without_calls_is_counted_but_not_missing(self) -> None:
        page = gather([session(), session(bash("a"))], DEDUPE)
        assert (page.totals.sessions, len(page.sessions), page.left_out) == (2, 1, (0, 0))

    def test_what_does_not_fit_is_not_looked_at(self, monkeypatch: pytest.MonkeyPatch) -> None:
        looked: list[str] = []

        def look(found: Any, policy: ToolPolicy) -> view.SessionView:
            looked.append(found.title)
            return view.view(found, policy)

        monkeypatch.setattr("samecall.report.page.view", look)
        selection = Selection()
        for number in range(700):
            found = session(bash("a"), title=str(number))
            selection.offer(found, Counter({kinds.KEPT: 1}), DEDUPE)
        assert len(looked) == len(selection.chosen()) == 500

    def test_tools_beyond_number_share_a_line(self) -> None:
        page = gather([session(*(tool(f"t{n}", {}) for n in range(300)))], DEDUPE)
        assert len(page.tools) == 201
        assert sum(found.calls for found in page.tools) == 300

    def test_the_policy_is_told_by_what_is_not_the_default(self) -> None:
        assert gather([], ToolPolicy(max_tool_calls=6)).settings == (("maxToolCalls", "6"),)
        assert gather([], ToolPolicy()).settings == ()
