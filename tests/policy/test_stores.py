"""One contract for all stores; races; and processes that are killed in the middle."""

import os
import random
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from callkey import ToolCall
from samecall import StoreError, ToolCallGate, ToolPolicy, Transaction
from samecall.stores import MemoryStore, RedisStore, SQLiteStore, Store
from samecall.stores.protocol import Cell

from tests.policy import racing

A = ("bucket", b"a")
B = ("other", b"\x00\xff")

RACED = {"a call ran twice", "too many ran"}


class TestContract:
    """What the gate relies on, whatever keeps the records."""

    def test_what_was_never_written_is_absent(self, store: Store) -> None:
        assert store.transact("s", lambda tx: tx.read([A, B])) == [None, None]

    def test_records_are_read_back_in_the_order_asked_for(self, store: Store) -> None:
        store.transact("s", lambda tx: tx.write({A: b"1", B: b"\x00\xfe"}))
        assert store.transact("s", lambda tx: tx.read([B, A, B])) == [b"\x00\xfe", b"1", b"\x00\xfe"]

    def test_a_record_is_replaced_and_removed(self, store: Store) -> None:
        store.transact("s", lambda tx: tx.write({A: b"1", B: b"1"}))
        store.transact("s", lambda tx: tx.write({A: b"2", B: None}))
        assert store.transact("s", lambda tx: tx.read([A, B])) == [b"2", None]

    def test_a_bucket_is_dropped_whole(self, store: Store) -> None:
        store.transact("s", lambda tx: tx.write({A: b"1", B: b"1"}))
        store.transact("s", lambda tx: tx.drop("bucket"))
        assert store.transact("s", lambda tx: tx.read([A, B])) == [None, b"1"]

    def test_everything_is_found_by_a_scan(self, store: Store) -> None:
        store.transact("s", lambda tx: tx.write({A: b"1", B: b"2"}))
        assert dict(store.transact("s", lambda tx: list(tx.scan()))) == {A: b"1", B: b"2"}

    def test_sessions_do_not_see_one_another(self, store: Store) -> None:
        store.transact("s", lambda tx: tx.write({A: b"1"}))
        assert store.transact("t", lambda tx: (tx.read([A]), list(tx.scan()))) == ([None], [])

    def test_many_cells_are_read_at_once(self, store: Store) -> None:
        cells = [("many", str(number).encode()) for number in range(700)]
        store.transact("s", lambda tx: tx.write(dict.fromkeys(cells, b"x")))
        assert store.transact("s", lambda tx: tx.read(cells)) == [b"x"] * 700

    def test_work_that_raises_changes_nothing(self, store: Store) -> None:
        def fail(transaction: Transaction) -> None:
            transaction.write({A: b"1"})
            raise RuntimeError

        with pytest.raises(RuntimeError):
            store.transact("s", fail)
        assert store.transact("s", lambda tx: tx.read([A])) == [None]

    def test_a_forgotten_session_is_gone(self, store: Store) -> None:
        assert isinstance(store, MemoryStore | SQLiteStore | RedisStore)
        store.transact("s", lambda tx: tx.write({A: b"1"}))
        store.forget("s")
        assert store.transact("s", lambda tx: list(tx.scan())) == []

    def test_no_update_is_lost_among_threads(self, store: Store) -> None:
        def increment(transaction: Transaction) -> None:
            (value,) = transaction.read([A])
            transaction.write({A: str(int(value or b"0") + 1).encode()})

        def some(_: int) -> None:
            for _ in range(20):
                store.transact("s", increment)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(some, range(8)))
        assert store.transact("s", lambda tx: tx.read([A])) == [b"160"]


class TestRaces:
    """However many workers share a session, exactly the limit runs and nothing runs twice."""

    def test_sixteen_threads_in_memory(self) -> None:
        assert racing.faults(racing.race_threads(MemoryStore())) == set()

    def test_eight_processes_on_a_file(self, tmp_path: Path) -> None:
        assert racing.faults(racing.race_processes(("sqlite", str(tmp_path / "gate.db")))) == set()

    def test_eight_processes_on_a_server(self, redis_url: str) -> None:
        assert racing.faults(racing.race_processes(("redis", redis_url))) == set()

    def test_a_racy_store_in_memory_is_found_out(self) -> None:
        assert racing.faults(racing.race_threads(racing.RacyStore(MemoryStore()))) & RACED

    def test_a_racy_file_is_found_out(self, tmp_path: Path) -> None:
        assert racing.faults(racing.race_processes(("racy", str(tmp_path / "gate.db")))) & RACED


class TestCrashes:
    """A process that is killed at any moment loses no count and adds none."""

    @pytest.mark.parametrize("kind", ["sqlite", "redis"])
    def test_fifty_kills(self, kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
        where = str(tmp_path / "gate.db") if kind == "sqlite" else request.getfixturevalue("redis_url")
        moments = random.Random(7)  # noqa: S311 - only to spread the kills
        cut = 0
        for number in range(50):
            cut += _kill_one((kind, where), f"crash {number}", tmp_path / f"{number}.log", moments.uniform(0, 0.02))
        assert cut > 0, "no kill hit a call between its admission and its settlement"


def _kill_one(place: tuple[str, str], session_id: str, log: Path, moment: float) -> int:
    log.touch()
    process = os.fork()
    if process == 0:
        try:
            _work_until_killed(place, session_id, log)
        finally:
            os._exit(1)
    while not log.stat().st_size:
        time.sleep(0.001)
    time.sleep(moment)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return _check_books(place, session_id, log)


def _work_until_killed(place: tuple[str, str], session_id: str, log: Path) -> None:
    gate = _gate(place, session_id)
    with log.open("ab", buffering=0) as file:
        for number in range(100_000):
            call = ToolCall("read", {"page": number}, f"c{number}")
            file.write(f"asked {number}\n".encode())
            gate.admit([call])
            file.write(f"told {number}\n".encode())
            gate.settle(call, "succeeded", "a page")
            file.write(f"done {number}\n".encode())


def _check_books(place: tuple[str, str], session_id: str, log: Path) -> int:
    """Compare the books with the worker's own log; return how many calls were cut off."""
    lines = [line.split() for line in log.read_text(encoding="utf-8").splitlines()]
    seen = {word: {int(number) for what, number in lines if what == word} for word in ("asked", "told", "done")}
    gate = _gate(place, session_id)
    later = _gate(place, session_id, clock=lambda: time.time() + 3600)
    admitted = 0
    for number in seen["asked"]:
        call = ToolCall("read", {"page": number}, f"c{number}")
        outcome = gate.outcome(call, turn="t")
        admitted += outcome is not None
        assert outcome is not None or number not in seen["told"]
        assert outcome == "succeeded" or number not in seen["done"]
        assert outcome in {"succeeded", "running", None}
        assert later.outcome(call, turn="t") == ("unknown" if outcome == "running" else outcome)
    assert _executed(gate) == admitted
    for number in seen["told"]:  # asked again, as a harness does that resumes: nothing is counted twice
        gate.admit([ToolCall("read", {"page": number}, f"c{number}")], turn="t")
    assert _executed(gate) == admitted
    return len(seen["asked"] - seen["done"])


def _gate(place: tuple[str, str], session_id: str, **options: object) -> ToolCallGate:
    policy = ToolPolicy(dedupeToolCalls=True, toolCallKey="exact", effects={"*": "read"})
    gate = ToolCallGate(policy, store=racing.open_store(place), session_id=session_id, lease=60, **options)  # type: ignore[arg-type]
    gate.new_turn("t")
    return gate


def _executed(gate: ToolCallGate) -> int:
    counts = gate.counts()
    assert counts is not None
    return counts.session.executed


def _write(transaction: Transaction, records: dict[Cell, bytes | None]) -> None:
    transaction.write(records)


def _steps_of_a_look(transaction: Transaction, cells: list[Cell]) -> int:
    """Count the steps of SQLite's machine."""
    steps = count()
    connection = transaction._connection  # type: ignore[attr-defined]  # noqa: SLF001 - only there it can be counted
    connection.set_progress_handler(lambda: next(steps) < 0, 1)
    assert None not in transaction.read(cells)
    connection.set_progress_handler(None, 1)
    return next(steps)


class TestFiles:
    """What is particular to a file."""

    def test_a_file_that_cannot_be_opened_is_a_store_error(self, tmp_path: Path) -> None:
        with pytest.raises(StoreError):
            SQLiteStore(tmp_path / "missing" / "gate.db").transact("s", lambda tx: tx.read([A]))

    def test_a_file_that_is_no_database_is_a_store_error(self, tmp_path: Path) -> None:
        (tmp_path / "gate.db").write_bytes(b"not a database at all, but long enough to look at" * 100)
        with pytest.raises(StoreError):
            SQLiteStore(tmp_path / "gate.db").transact("s", lambda tx: tx.read([A]))

    def test_what_was_written_is_there_for_the_next_process(self, tmp_path: Path) -> None:
        SQLiteStore(tmp_path / "gate.db").transact("s", lambda tx: tx.write({A: b"1"}))
        assert SQLiteStore(tmp_path / "gate.db").transact("s", lambda tx: tx.read([A])) == [b"1"]

    def test_a_look_takes_no_more_steps_in_a_long_session(self, tmp_path: Path) -> None:
        store = SQLiteStore(tmp_path / "books.db")
        cells: list[Cell] = [("entries", b"%d" % number) for number in range(3)]
        taken: list[int] = []
        for size in (10, 10_000):
            records: dict[Cell, bytes | None] = {("entries", b"%d" % number): b"x" for number in range(size)}
            store.transact("s", partial(_write, records=records))
            taken.append(store.transact("s", partial(_steps_of_a_look, cells=cells)))
        assert 0 < taken[1] < 2 * taken[0]

    def test_a_store_goes_on_after_it_was_closed(self, tmp_path: Path) -> None:
        store = SQLiteStore(tmp_path / "gate.db")
        store.transact("s", lambda tx: tx.write({A: b"1"}))
        store.close()
        assert store.transact("s", lambda tx: tx.read([A])) == [b"1"]

    def test_a_forked_child_opens_the_file_itself(self, tmp_path: Path) -> None:
        store = SQLiteStore(tmp_path / "gate.db")
        store.transact("s", lambda tx: tx.write({A: b"1"}))
        child = os.fork()
        if child == 0:
            store.transact("s", lambda tx: tx.write({B: b"child"}))
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert store.transact("s", lambda tx: tx.read([A, B])) == [b"1", b"child"]


class TestServer:
    """What is particular to Redis."""

    def test_a_server_that_is_not_there_is_a_store_error(self) -> None:
        with pytest.raises(StoreError):
            RedisStore("redis://127.0.0.1:1/0").transact("s", lambda tx: tx.read([A]))

    def test_a_session_leaves_the_server_when_it_is_old(self, redis_url: str) -> None:
        store = RedisStore(redis_url, prefix="old", ttl=0.05)
        store.transact("s", lambda tx: tx.write({A: b"1"}))
        time.sleep(0.2)
        assert store.transact("s", lambda tx: list(tx.scan())) == []

    def test_a_conflict_that_never_ends_is_a_store_error(self, redis_url: str) -> None:
        store = RedisStore(redis_url, prefix="conflict", timeout=0.2)
        meddler = RedisStore(redis_url, prefix="conflict")

        def disturbed(transaction: Transaction) -> None:
            transaction.read([A])
            meddler.transact("s", lambda tx: tx.write({A: b"1"}))
            transaction.write({A: b"2"})

        with pytest.raises(StoreError, match="conflicts"):
            store.transact("s", disturbed)


def test_threads_of_one_gate_decide_one_after_another() -> None:
    gate = ToolCallGate(ToolPolicy(maxToolCalls=2))
    start = threading.Barrier(8)

    def one(number: int) -> bool:
        start.wait()
        return gate.run("ls", {"n": number}, lambda _: "ok").error

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(one, range(8))) == [False] * 2 + [True] * 6
