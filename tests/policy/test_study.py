"""Many recorded sessions under several policies: the same figures however the work is split."""

import json
import pickle
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, cast

import pytest
from callkey import Key, ToolCall, key
from hypothesis import given
from hypothesis import strategies as st
from samecall import ToolPolicy
from samecall.contenders import contenders, graff_key
from samecall.engines import pieces
from samecall.errors import EngineError
from samecall.losses import KEPT, SHOWN, contrast
from samecall.options import PolicyOptions
from samecall.recordings import find
from samecall.study import FileEnd, SessionEnd, Summary, Task, empty, study
from samecall.totals import Totals

Call = tuple[str, str | None]
OURS = contenders({})
SHARED = Path(__file__).parents[3] / "shared" / "data" / "sessions"


def _write(path: Path, *turns: Sequence[Call]) -> str:
    """Write a session of commands with their results; each turn begins with a word of the user."""
    messages: list[dict[str, Any]] = []
    number = 0
    for turn in turns:
        messages.append({"role": "user", "content": "Go on."})
        for command, result in turn:
            number += 1
            call = {"id": f"c{number}", "type": "function", "function": _function(command)}
            messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
            if result is not None:
                messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": result})
    path.write_text(json.dumps(messages), encoding="utf-8")
    return str(path)


def _function(command: str) -> dict[str, str]:
    return {"name": "bash", "arguments": json.dumps({"command": command})}


def _sum(files: Sequence[str], task: Task) -> Summary:
    summary = empty(task)
    for piece in study(files, task):
        summary += piece
    return summary


def _figures(tmp_path: Path, *turns: Sequence[Call], **options: Any) -> dict[str, Totals]:
    task = Task(contenders(cast("PolicyOptions", options)))
    summary = _sum([_write(tmp_path / "s.json", *turns)], task)
    return dict(zip([contender.name for contender in task.contenders], summary.totals, strict=True))


class TestContenders:
    """What each of the compared policies refuses."""

    # calls, what each refuses: off, exact, normalized, normalized without invalidation, graff
    TABLE: tuple[tuple[str, list[Call], tuple[int, int, int, int, int]], ...] = (
        ("the same read again", [("ls", "a"), ("ls", "a")], (0, 1, 1, 1, 1)),
        ("in another spelling", [("ls  -a", "a"), ("ls '-a'", "a")], (0, 0, 1, 1, 0)),
        ("in other letters", [("ls -S", "a"), ("ls -s", "b")], (0, 0, 0, 0, 1)),
        ("after a change", [("cat f", "a"), ("echo b >f", ""), ("cat f", "b")], (0, 0, 0, 1, 1)),
        ("after a failure", [("cat f", "Error: no"), ("cat f", "Error: no")], (0, 0, 0, 0, 1)),
        ("a clock", [("date", "1"), ("date", "2")], (0, 0, 0, 0, 1)),
    )

    @pytest.mark.parametrize(("calls", "refused"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
    def test_what_each_refuses(self, tmp_path: Path, calls: list[Call], refused: tuple[int, ...]) -> None:
        assert tuple(totals.refused for totals in _figures(tmp_path, calls).values()) == refused

    def test_the_next_turn_is_free_for_all(self, tmp_path: Path) -> None:
        assert {totals.refused for totals in _figures(tmp_path, [("ls", "a")], [("ls", "a")]).values()} == {0}

    def test_a_limit_is_everybodys_and_cuts_turns(self, tmp_path: Path) -> None:
        calls = [(f"cat {number}", "abc") for number in range(4)]
        for totals in _figures(tmp_path, calls, calls[:2], max_tool_calls=2).values():
            assert (totals.over_budget, totals.cut_turns, totals.turns) == (2, 1, 2)
            assert totals.saved_characters == 6

    def test_graffs_key_has_small_letters_and_plain_blanks(self) -> None:
        assert graff_key(ToolCall("Bash", {"b": "X\ty", "a": 1})) == 'bash {"b":"x\\ty","a":1}'

    def test_options_of_duplicates_hold_for_ours_alone(self, tmp_path: Path) -> None:
        found = _figures(tmp_path, [("ls", "a")], [("ls", "a")], dedupe_scope="session")
        assert [totals.refused for totals in found.values()] == [0, 1, 1, 1, 0]


class TestLosses:
    """A refusal whose recorded result is another one is told with both texts."""

    def test_both_calls_and_both_texts(self, tmp_path: Path) -> None:
        path = _write(tmp_path / "s.json", [("cat f", "old"), ("echo >f", ""), ("cat f", "new")])
        found = {loss.policy: loss for loss in _sum([path], Task(OURS)).losses}
        assert set(found) == {"normalized, no invalidation", "graff"}
        loss = found["graff"]
        assert (loss.session, loss.turn, loss.call, loss.earlier) == (path, 1, 3, 1)
        assert (loss.what, loss.earlier_what, loss.result, loss.earlier_result) == ("cat f", "cat f", "new", "old")

    def test_the_first_are_kept_and_all_are_counted(self, tmp_path: Path) -> None:
        calls = [("cat f", str(number)) for number in range(KEPT + 20)]
        files = [_write(tmp_path / f"{number}.json", calls) for number in range(2)]
        summary = _sum(files, Task(OURS))
        kept = [loss for loss in summary.losses if loss.policy == "graff"]
        assert [loss.call for loss in kept] == list(range(2, KEPT + 2))
        assert summary.totals[-1].other_result == 2 * (KEPT + 19)

    @given(st.text(max_size=200), st.text(max_size=50), st.text(max_size=50))
    def test_texts_that_differ_are_shown_where_they_do(self, before: str, one: str, other: str) -> None:
        shown = contrast(before * 30 + "1" + one, before * 30 + "2" + other)
        assert shown[0] != shown[1]

    @pytest.mark.parametrize("place", [0, 10, 59, 60, 61, 500, 1_990, 3_000])
    def test_credentials_are_hidden_wherever_the_text_is_cut(self, place: int) -> None:
        secret = "sk-verysecretverysecret"  # noqa: S105 - no real one
        text = "x" * place + f" token={secret} " + "y" * 5_000
        for cut in contrast(text + "1", text + "2") + contrast(text[: place + 20] + "1", text):
            assert "verysecret" not in cut
            assert len(cut) <= SHOWN + 2


def _totals() -> st.SearchStrategy[Totals]:
    numbers = {number.name: st.integers(0, 10**9) for number in fields(Totals) if number.name != "reasons"}
    names = st.sampled_from(["duplicate_tool_call", "max_tool_calls", "poll_limit"])
    reasons = st.dictionaries(names, st.integers(1, 9)).map(
        lambda found: (Totals() + Totals(reasons=tuple(found.items()))).reasons
    )
    return st.builds(Totals, reasons=reasons, **numbers)


class TestTotals:
    """Totals are a monoid: any split of the work adds up to the same figures."""

    @given(_totals(), _totals(), _totals())
    def test_the_order_of_sums_does_not_matter(self, one: Totals, two: Totals, three: Totals) -> None:
        assert (one + two) + three == one + (two + three)
        assert one + two == two + one
        assert one + Totals() == one == Totals() + one


@pytest.fixture
def corpus(tmp_path: Path) -> list[str]:
    """Return files of sessions, one of them no recording."""
    words = ["ls", "ls  -a", "ls '-a'", "cat f", "echo >f", "date", "CAT f"]
    files = [
        _write(
            tmp_path / f"{number}.json",
            *[[(words[(number * 3 + place * turn) % 7], str(place % 3)) for place in range(9)] for turn in range(3)],
        )
        for number in range(12)
    ]
    (tmp_path / "notes.txt").write_text("hello", encoding="utf-8")
    return [*files[:5], str(tmp_path / "notes.txt"), *files[5:]]


class TestSplits:
    """Who works on the files changes nothing in what comes back, down to the order."""

    @pytest.mark.parametrize("detail", [False, True])
    def test_a_pool_of_processes(self, corpus: list[str], *, detail: bool) -> None:
        task = Task(OURS, rows=detail, events=detail)
        with pieces(corpus, task, jobs=3) as stream:
            split = list(stream)
        alone = list(study(corpus, task))
        assert [_same(piece) for piece in split] == [_same(piece) for piece in alone]
        assert sum(isinstance(piece, SessionEnd) for piece in split) == 12

    def test_a_dask_cluster(self, corpus: list[str]) -> None:
        distributed = pytest.importorskip("distributed")
        options = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
        with distributed.LocalCluster(protocol="tcp", **options) as cluster:
            address = cluster.scheduler_address.replace("tcp://", "dask://")
            with pieces(corpus, Task(OURS, rows=True), engine=address) as stream:
                split = list(stream)
        alone = list(study(corpus, Task(OURS, rows=True)))
        assert [_same(piece) for piece in split] == [_same(piece) for piece in alone]

    def test_a_key_is_a_plain_function_that_dask_can_send(self) -> None:
        bag = pytest.importorskip("dask.bag")
        found = bag.from_sequence(["ls  -l", "ls '-l'"]).map(key).compute(scheduler="synchronous")
        assert found[0].digest == found[1].digest

    def test_a_key_is_a_plain_function_for_polars(self) -> None:
        polars = pytest.importorskip("polars")
        frame = polars.DataFrame({"command": ["ls  -l", "ls '-l'", "ls"]})
        keyed = frame.with_columns(key=polars.col("command").map_elements(lambda text: key(text).digest, polars.String))  # type: ignore[union-attr]
        assert keyed["key"].n_unique() == 2

    def test_a_key_and_its_function_can_be_sent(self) -> None:
        send = pickle.loads(pickle.dumps(key))  # noqa: S301 - our own
        made = send("ls  -l")
        assert isinstance(made, Key)
        assert pickle.loads(pickle.dumps(made)) == made  # noqa: S301 - our own

    @pytest.mark.skipif(not SHARED.is_dir(), reason="recordings of other people, not part of this project")
    def test_recordings_of_others(self) -> None:
        files = [str(path) for path in find([str(SHARED)])]
        with pieces(files, Task(OURS), jobs=2) as stream:
            split = list(stream)
        assert [_same(piece) for piece in split] == [_same(piece) for piece in study(files, Task(OURS))]

    @pytest.mark.parametrize("engine", ["spark://host:1", "dask"])
    def test_other_engines_are_refused(self, engine: str) -> None:
        with pytest.raises(EngineError, match="no engine"), pieces(["x"], Task(OURS), engine=engine):
            pass


def _same(piece: SessionEnd | FileEnd) -> object:
    """Return a piece without what differs from run to run: a cluster's names are whole, events have times."""
    if isinstance(piece, FileEnd):
        return (piece.name, piece.error is None, piece.totals, piece.broken)
    events = [{**json.loads(event), "ts": 0, "seconds": 0} for event in piece.events]
    return (piece.title, piece.format, piece.totals, piece.losses, piece.rows, events)


def test_a_policy_of_the_users_survives_the_way_to_a_worker() -> None:
    policy = ToolPolicy(max_tool_calls=3, dedupe_tool_calls=True, tool_limits={"bash": 2})
    assert pickle.loads(pickle.dumps(policy)) == policy  # noqa: S301 - our own
