"""What callers hand over, checked where they do: later, a mistake would look like a store that is down."""

from __future__ import annotations

from .options import ToolPolicy

_STORE = "a Store: MemoryStore(), SQLiteStore(path) or RedisStore(url)"


def check_policy(policy: object, wanted: str = "a ToolPolicy") -> None:
    """Raise ``TypeError`` for what is no ``ToolPolicy``.

    >>> check_policy({"maxToolCalls": 6})
    Traceback (most recent call last):
    TypeError: policy: must be a ToolPolicy, not dict; options are given as ToolPolicy(maxToolCalls=6)
    """
    if not isinstance(policy, ToolPolicy):
        hint = "options are given as ToolPolicy(maxToolCalls=6)"
        raise _wrong("policy", f"{wanted}, not {type(policy).__name__}; {hint}")


def check_store(store: object) -> None:
    """Raise ``TypeError`` for what keeps no books; ``None`` stands for memory."""
    keeps = callable(getattr(store, "transact", None)) and hasattr(store, "blocking") and not isinstance(store, type)
    if store is not None and not keeps:
        raise _wrong("store", f"{_STORE}, not {type(store).__name__}")


def check_callable(name: str, value: object) -> None:
    """Raise ``TypeError`` for what cannot be called; ``None`` stands for nobody."""
    if value is not None and not callable(value):
        raise _wrong(name, f"callable, not {type(value).__name__}")


def check_text(name: str, value: object) -> None:
    """Raise ``TypeError`` for what is no text; ``None`` stands for one that is made up."""
    if value is not None and not isinstance(value, str):
        raise _wrong(name, f"text, not {type(value).__name__}")


def check_number(name: str, value: object) -> None:
    """Raise ``TypeError`` for what is no number, ``ValueError`` for one below 0."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise _wrong(name, f"a number, not {type(value).__name__}")
    if not value >= 0:
        raise ValueError(f"{name}: must be a number from 0, not {value}")


def _wrong(name: str, message: str) -> TypeError:
    return TypeError(f"{name}: must be {message}")
