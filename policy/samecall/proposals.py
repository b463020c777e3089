"""From a tool call to what the books need of it: a digest and an effect, never the arguments."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass

from callkey import Key, ToolCall, key, tool_effect

from .books import Asked
from .events import KeyInfo
from .options import EffectKind, ToolPolicy
from .records import DOMAINS, Proposal

_ALL = (1 << len(DOMAINS)) - 1
# Declared effects name no domain, so they touch every one: (depends, changes).
_DECLARED: dict[EffectKind, tuple[int, int]] = {"read": (_ALL, 0), "write": (_ALL, _ALL), "volatile": (_ALL, 0)}


@dataclass(frozen=True, slots=True)
class Keyed:
    """A call beside what the books and the events need of it."""

    call: ToolCall
    asked: Asked
    key: KeyInfo | None


def propose(call: ToolCall, call_id: str, policy: ToolPolicy) -> Keyed:
    """Key a call and find out what it may change."""
    if policy.exempts(call.name):
        return Keyed(call, Asked(call_id, call.name, Proposal(exempt=True)), None)
    made = key(call, policy.tool_call_key)
    kind, depends, changes, lingers = _effect(call, policy)
    proposal = Proposal(
        _digest(made, policy),
        bytes.fromhex(made.view_digest)[:8] if made else b"",
        kind,
        depends,
        changes,
        policy.limits_of(call.name),
        lingers=lingers,
    )
    info = KeyInfo(made.strategy, made.version, made.digest, made.problem or None) if made else None
    return Keyed(call, Asked(call_id, call.name, proposal), info)


def new_id(prefix: str = "call-") -> str:
    """Make up an id that nobody else has."""
    return prefix + os.urandom(12).hex()


def fingerprint(result: object) -> str:
    """Return a digest of a result, ``""`` for ``None``: there is nothing to compare."""
    if result is None:
        return ""
    text = json.dumps(result, sort_keys=True, default=repr)
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).hexdigest()


def storable(result: object, limit: int) -> bytes | None:
    """Return a result as JSON if it comes back whole and within ``limit`` bytes.

    >>> storable({"a": 1}, 100), storable((1, 2), 100)
    (b'{"a": 1}', None)
    """
    try:
        data = json.dumps(result).encode()
        whole = len(data) <= limit and _same(json.loads(data), result)
    except (TypeError, ValueError, RecursionError):
        return None
    return data if whole else None


def _same(left: object, right: object) -> bool:
    """Compare strictly: JSON turns a tuple into a list, and Python calls ``1`` and ``True`` equal."""
    return left == right and repr(left) == repr(right)


def _digest(made: Key | None, policy: ToolPolicy) -> bytes:
    if made is None:
        return b""
    digest = bytes.fromhex(made.digest)
    if policy.view_changes == "distinct" and made.view_digest:
        return hashlib.blake2b(digest + bytes.fromhex(made.view_digest), digest_size=16).digest()
    return digest


def _effect(call: ToolCall, policy: ToolPolicy) -> tuple[EffectKind, int, int, bool]:
    if not policy.dedupe_tool_calls:
        return ("write", *_DECLARED["write"], False)  # nothing is compared, so nothing can go stale
    declared = policy.effect_of(call.name)
    if declared is not None:
        return (declared, *_DECLARED[declared], False)
    effect = tool_effect(call)
    # Whoever waits does so for somebody else's change.
    changes = _ALL if effect.waits else _mask(effect.changes)
    return effect.kind, _mask(effect.depends), changes, effect.lingers


def _mask(domains: frozenset[str]) -> int:
    return sum(1 << place for place, domain in enumerate(DOMAINS) if domain in domains)
