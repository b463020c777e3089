"""A store on a Redis server, for many machines: optimistic transactions (WATCH, MULTI, EXEC). The ``redis`` extra."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from ..errors import StoreError
from .protocol import Cell, Result, Transaction

if TYPE_CHECKING:
    from redis import Redis
    from redis.client import Pipeline

_LONGEST_WAIT = 0.05


class RedisStore:
    """Keeps sessions on a Redis server. Each bucket is a hash; a version key tells transactions of one another."""

    blocking = True

    def __init__(
        self, url: str = "redis://localhost:6379/0", *, prefix: str = "samecall", ttl: float | None = None,
        timeout: float = 30.0,
    ) -> None:  # fmt: skip
        """Use the server at ``url``; drop a session ``ttl`` seconds after its last call; retry for ``timeout``."""
        try:
            import redis  # noqa: PLC0415 - an extra: only who uses this store needs it
        except ModuleNotFoundError:
            raise StoreError("redis is not installed: pip install 'samecall[redis]'") from None
        self._client: Redis = redis.Redis.from_url(url, socket_timeout=timeout)  # pyright: ignore[reportUnknownMemberType]
        self._errors = redis.RedisError
        self._conflict = redis.WatchError
        self._prefix = prefix
        self._ttl = ttl
        self._timeout = timeout

    def transact(self, session_id: str, work: Callable[[Transaction], Result]) -> Result:
        """Run ``work`` until nobody else changed the session meanwhile. Raises ``StoreError``."""
        until = time.monotonic() + self._timeout
        root = f"{self._prefix}:{{{session_id}}}"  # braces: all of a session's keys live in one slot of a cluster
        try:
            while True:
                with self._client.pipeline() as pipe:  # pyright: ignore[reportUnknownMemberType]
                    pipe.watch(root)  # type: ignore[no-untyped-call] # redis leaves it untyped
                    transaction = _RedisTransaction(pipe, root)
                    result = work(transaction)
                    try:
                        transaction.commit(self._ttl)
                    except self._conflict:
                        if time.monotonic() > until:
                            raise StoreError("too many conflicts") from None
                        # Random, so that two who collide do not collide again.
                        time.sleep(random.uniform(0, _LONGEST_WAIT))  # noqa: S311
                    else:
                        return result
        except self._errors as error:
            raise StoreError(f"{type(error).__name__}: {error}") from error

    def forget(self, session_id: str) -> None:
        """Drop a session that is over."""

        def drop(transaction: Transaction) -> None:
            for bucket in {bucket for (bucket, _), _ in transaction.scan()}:
                transaction.drop(bucket)

        self.transact(session_id, drop)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


class _RedisTransaction:
    """Reads at once, writes at the end: after MULTI nothing can be read."""

    def __init__(self, pipe: Pipeline, root: str) -> None:
        self._pipe = pipe
        self._root = root
        self._changes: dict[Cell, bytes | None] = {}
        self._dropped: list[str] = []

    def read(self, cells: Sequence[Cell]) -> list[bytes | None]:
        buckets: dict[str, list[bytes]] = {}
        for bucket, key in cells:
            buckets.setdefault(bucket, []).append(key)
        found: dict[Cell, bytes | None] = {}
        for bucket, keys in buckets.items():
            values = cast("list[bytes | None]", self._pipe.hmget(self._name(bucket), cast("Any", keys)))
            found.update(zip(((bucket, key) for key in keys), values, strict=True))
        return [found[cell] for cell in cells]

    def write(self, changes: Mapping[Cell, bytes | None]) -> None:
        self._changes.update(changes)

    def drop(self, bucket: str) -> None:
        self._dropped.append(bucket)

    def scan(self) -> Iterable[tuple[Cell, bytes]]:
        buckets = cast("set[bytes]", self._pipe.smembers(f"{self._root}:buckets"))
        return [
            ((name.decode(), key), value)
            for name in buckets
            for key, value in cast("dict[bytes, bytes]", self._pipe.hgetall(self._name(name.decode()))).items()
        ]

    def commit(self, ttl: float | None) -> None:
        pipe = self._pipe
        pipe.multi()
        pipe.incr(self._root)
        for bucket in self._dropped:
            pipe.delete(self._name(bucket))
            pipe.srem(f"{self._root}:buckets", bucket)
        touched: set[str] = set()
        for (bucket, key), value in self._changes.items():
            if value is None:
                pipe.hdel(self._name(bucket), cast("Any", key))
            else:
                pipe.hset(self._name(bucket), cast("Any", key), cast("Any", value))
                touched.add(bucket)
        if touched:
            pipe.sadd(f"{self._root}:buckets", *touched)
        if ttl is not None:
            for name in (self._root, f"{self._root}:buckets", *(self._name(bucket) for bucket in touched)):
                pipe.pexpire(name, int(ttl * 1000))
        pipe.execute()

    def _name(self, bucket: str) -> str:
        return f"{self._root}:{bucket}"
