"""Many workers on one session: what they run in sum must be exactly what the policy allows."""

import multiprocessing
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from callkey import ToolCall
from samecall import Execute, ToolCallGate, ToolPolicy, Transaction
from samecall.stores import Cell, RedisStore, SQLiteStore, Store
from samecall.stores.protocol import Result

LIMIT = 500
BATCHES = 200
POLICY = {
    "maxToolCallsPerSession": LIMIT,
    "dedupeToolCalls": True,
    "toolCallKey": "exact",
    "effects": {"*": "read"},
    "maxRejections": None,
    "dedupeScope": "session",
}


def batch(worker: int, number: int) -> list[ToolCall]:
    """Return a call of the worker's own, one that every worker makes, and a copy of that."""
    shared = {"page": number}
    name = f"{worker}.{number}"
    return [
        ToolCall("read_own", {"page": name}, f"{name}.own"),
        ToolCall("read_shared", shared, f"{name}.shared"),
        ToolCall("read_shared", shared, f"{name}.copy"),
    ]


def work(store: Store, worker: int, batches: int = BATCHES) -> list[str]:
    """Take the worker's batches through the gate and return what it was told to run."""
    gate = ToolCallGate(ToolPolicy(**POLICY), store=store, session_id="race")  # type: ignore[arg-type]
    ran: list[str] = []
    for number in range(batches):
        calls = batch(worker, number)
        for call, decision in zip(calls, gate.admit(calls), strict=True):
            if isinstance(decision, Execute):
                ran.append(f"{call.name} {call.input['page']}")
                gate.settle(call, "succeeded", "a page")
    return ran


def faults(ran: list[str]) -> set[str]:
    """Say what is wrong: more ran than allowed, fewer, or a shared call ran twice."""
    found = {"a call ran twice"} if any(count > 1 for count in Counter(ran).values()) else set[str]()
    if len(ran) > LIMIT:
        found.add("too many ran")
    if len(ran) < LIMIT:
        found.add("too few ran")
    return found


def race_processes(place: tuple[str, str], workers: int = 8) -> list[str]:
    """Run the workers as processes that open the store themselves."""
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        return [call for ran in pool.starmap(_work_at, [(place, worker) for worker in range(workers)]) for call in ran]


def race_threads(store: Store, workers: int = 16) -> list[str]:
    """Run the workers as threads on one store."""
    start = threading.Barrier(workers)

    def one(worker: int) -> list[str]:
        start.wait()
        return work(store, worker, BATCHES // 2)

    with ThreadPoolExecutor(workers) as pool:
        return [call for ran in pool.map(one, range(workers)) for call in ran]


def open_store(place: tuple[str, str]) -> Store:
    """Open a store by its kind and place: a store itself cannot be sent to another process."""
    kind, where = place
    makers: dict[str, Callable[[str], Store]] = {
        "sqlite": SQLiteStore,
        "redis": RedisStore,
        "racy": lambda path: RacyStore(SQLiteStore(path)),
    }
    return makers[kind](where)


def _work_at(place: tuple[str, str], worker: int) -> list[str]:
    return work(open_store(place), worker)


def _transact_late(store: Store, session_id: str, work: Callable[[Transaction], Result]) -> Result:
    """Read, let the others run, then write: what a store must not do."""
    changes: dict[Cell, bytes | None] = {}

    class Late:
        def __init__(self, inner: Transaction) -> None:
            self.read, self.scan, self.drop = inner.read, inner.scan, inner.drop

        def write(self, given: Mapping[Cell, bytes | None]) -> None:
            changes.update(given)

    result = store.transact(session_id, lambda transaction: work(Late(transaction)))
    time.sleep(0.0005)
    store.transact(session_id, lambda transaction: transaction.write(changes))
    return result


class RacyStore:
    """Decides in one transaction of another store, and writes in the next."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.blocking = store.blocking

    def transact(self, session_id: str, work: Callable[[Transaction], Result]) -> Result:
        return _transact_late(self._store, session_id, work)
