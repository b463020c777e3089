"""Keys of tool calls, by strategy: exact, normalized, or a function of the user's."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from .errors import UnknownStrategyError
from .paths import spell_path
from .structures import canonical_bytes
from .tools import PROFILES, Profile, ToolCall, profile_of

if TYPE_CHECKING:
    from .canonical import Canonical

KEY_VERSION = 1
"""Rises with every change of what is one call; part of each digest."""


@dataclass(frozen=True, slots=True)
class Key:
    """Says which calls are one: equal digests, one work; equal view digests too, one and the same call.

    ``strategy`` is the one that made the key (``exact`` after a fallback). ``digest`` is 32 hexadecimal digits:
    BLAKE2b, 128 bits, over strategy, version and ``text``. ``text`` is what the digest is of, and ``view`` the dropped
    display stages: both may hold arguments, so neither is shown by ``repr`` nor meant to be stored. ``view_digest`` is
    ``""`` where there is no view. ``notes`` names what changed something. ``problem`` says why a call could not be
    keyed as wanted (``""`` if it could).
    """

    strategy: str
    version: int
    digest: str
    text: str
    view: str = ""
    view_digest: str = ""
    notes: tuple[str, ...] = ()
    problem: str = ""

    def __repr__(self) -> str:
        """Show the digest, never the text: it may hold credentials."""
        return f"Key({self.strategy}:{self.version}:{self.digest})"


KeyFunction: TypeAlias = Callable[[ToolCall], str | bytes | None]
KeyStrategy: TypeAlias = str | KeyFunction
"""``exact``, ``normalized``, a registered name, or a function; ``None`` from a function: never a duplicate."""

_registered: dict[str, KeyFunction] = {}
_BUILT_IN = ("exact", "normalized")


def register_strategy(name: str, function: KeyFunction) -> None:
    """Make a strategy known under a name, for ``ToolPolicy(tool_call_key=name)``.

    Raises:
        ValueError: the name is taken.

    """
    if name in _BUILT_IN or _registered.get(name, function) is not function:
        raise ValueError(f"a key strategy named {name!r} is there already")
    _registered[name] = function


def check_strategy(strategy: KeyStrategy) -> None:
    """Raise ``UnknownStrategyError`` where ``key`` would, before the first call is made."""
    if isinstance(strategy, str) and strategy not in _BUILT_IN and strategy not in _registered:
        known = ", ".join((*_BUILT_IN, *sorted(_registered)))
        raise UnknownStrategyError(f"no key strategy named {strategy!r}; there are {known}")


def key(call: ToolCall | str, strategy: KeyStrategy = "normalized") -> Key | None:
    """Return the key of a call; ``None`` only where a function strategy says that the call is never a duplicate.

    A string is a bash command, the same as ``ToolCall("bash", {"command": …})``. Whatever a call holds, it gets a key:
    what cannot be keyed as wanted is keyed ``exact``, and ``problem`` says why.

    >>> key("ls  -l").digest == key("ls '-l'").digest
    True
    >>> key("ls  -l", "exact").digest == key("ls -l", "exact").digest
    False

    Raises:
        UnknownStrategyError: no strategy is registered under this name.

    """
    if strategy == "normalized":
        if not isinstance(call, str):
            return _normalized(call)
        return _remembered(call) if len(call) <= _MAX_REMEMBERED else _command_key(call)
    if isinstance(call, str):
        call = ToolCall("bash", {"command": call})
    if strategy == "exact":
        return _exact(call)
    if isinstance(strategy, str):
        check_strategy(strategy)
        return _by_function(call, strategy, _registered[strategy])
    return _by_function(call, "callback", strategy)


def _digest(strategy: str, content: bytes) -> str:
    return blake2b(b"%s:%d:%s" % (strategy.encode(), KEY_VERSION, content), digest_size=16).hexdigest()


def _key(strategy: str, content: bytes, **more: Any) -> Key:
    text = content.decode("utf-8", "surrogatepass")
    return Key(strategy, KEY_VERSION, _digest(strategy, content), text, **more)


def _exact(call: ToolCall, problem: str = "") -> Key:
    content, not_json = canonical_bytes([call.name, call.input])
    return _key("exact", content, problem=problem or not_json)


def _by_function(call: ToolCall, name: str, function: KeyFunction) -> Key | None:
    try:
        result = function(call)
    except Exception as error:  # noqa: BLE001  # a user's key must never stop the agent
        return _exact(call, f"the key function raised {type(error).__name__}")
    if result is None:
        return None
    if isinstance(result, str):
        return _key(name, b"str " + result.encode("utf-8", "surrogatepass"))
    if isinstance(result, bytes):  # pyright: ignore[reportUnnecessaryIsInstance]  # what it returns is the user's
        return _key(name, b"bytes " + result.hex().encode())
    return _exact(call, f"the key function returned {type(result).__name__}, not str, bytes or None")


# --- normalized -----------------------------------------------------------------------------------------------


_quote = json.JSONEncoder(ensure_ascii=False).encode
"""Writes a text as RFC 8785 does: nothing escaped but quotes, backslashes and control characters."""


def _command_key(command: str) -> Key:
    """Do what ``_normalized`` does for the shape that a plain command has, without the detour over JSON."""
    from .canonical import canonicalize  # noqa: PLC0415  # tools without commands need no grammar

    found = canonicalize(command)
    if found.problem:
        return _normalized(ToolCall("bash", {"command": command}))
    text = f'["bash",{{"command":{{"bash":{_quote(found.text)}}}}}]'
    try:
        digest = _digest("normalized", text.encode())
    except UnicodeEncodeError:
        return _normalized(ToolCall("bash", {"command": command}))
    return Key("normalized", KEY_VERSION, digest, text, found.view, _view_digest(found.view), found.notes)


_MAX_REMEMBERED = 4096
"""Characters; the keys of longer commands are not kept in memory."""
_remembered = lru_cache(maxsize=1024)(_command_key)


def forget_all() -> None:
    """Empty the memory of recent commands, here and in ``canonical``, to measure without it."""
    from . import canonical  # noqa: PLC0415  # as above

    _remembered.cache_clear()
    canonical.forget_all()


def _view_digest(view: str) -> str:
    return _digest("view", view.encode("utf-8", "surrogatepass")) if view else ""


def _normalized(call: ToolCall, profiles: Sequence[Profile] = PROFILES) -> Key:
    profile = profile_of(call, profiles)
    given: object = call.input
    arguments: Any = given
    found: Canonical | None = None
    if profile is not None and isinstance(given, Mapping):
        given = cast("Mapping[str, Any]", given)
        arguments = {name: value for name, value in given.items() if name not in profile.remarks}
        for name in (*profile.paths, profile.directory):
            _replace(arguments, name, "path", spell_path)
        for name in profile.urls:
            _replace(arguments, name, "url", _spell_address)
        found = _replace_command(arguments, profile)
    content, problem = canonical_bytes([call.name, arguments])
    if found is None:
        return _key("normalized", content, problem=problem)
    return _key(
        "normalized",
        content,
        view=found.view,
        view_digest=_view_digest(found.view),
        notes=found.notes,
        problem=problem or found.problem,
    )


def _replace(arguments: dict[str, Any], name: str, kind: str, spell: Callable[[str], str]) -> None:
    """Put a canonical text in, marked by its kind; what is no text is marked, too, so that they are never alike."""
    if name and name in arguments:
        value = arguments[name]
        arguments[name] = {kind: spell(value)} if isinstance(value, str) else {_AS_GIVEN: value}


_AS_GIVEN = "as given"


def _spell_address(address: str) -> str:
    """Spell a URL; one whose fragment is a route of a page (``#/users``) names another page, so it stays."""
    from .urls import canonical_url  # noqa: PLC0415  # for the few tools that take one

    return address if "#/" in address or "#!" in address else canonical_url(address)


def _replace_command(arguments: dict[str, Any], profile: Profile) -> Canonical | None:
    """Put the canonical text of a bash command in; what bash does not read stays as it is."""
    if not profile.command:
        return None
    value = arguments[profile.command]
    arguments[profile.command] = {_AS_GIVEN: value}
    if arguments.get(profile.typing) not in (None, False, "false"):
        return None
    from .canonical import canonicalize  # noqa: PLC0415  # as above

    if isinstance(value, str):
        found = canonicalize(value)
        if not found.problem:
            arguments[profile.command] = {"bash": found.text}
        return found
    match value:
        case [program, option, str(text)] if program in _BASH and option in _RUNS_TEXT:
            found = canonicalize(text)
            if not found.problem:
                arguments[profile.command] = [program, option, {"bash": found.text}]
            return found
        case _:
            return None


# Other shells read some words differently: in sh, a &>f runs a in the background.
_BASH = ("bash", "/bin/bash", "/usr/bin/bash")
_RUNS_TEXT = ("-c", "-lc")
