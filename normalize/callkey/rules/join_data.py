"""curl joins the bodies of several ``--data`` options with ``&`` before it sends them."""

from __future__ import annotations

import re
from dataclasses import replace

from ..request import Request, Setting

exact = False
loses = "Nothing of the request; only a later release's reading of these options could differ"

_SLOT = "data"
_AS_TEXT = frozenset({"data", "data-ascii", "data-binary"})
# what --data-urlencode sends as it is: an optional name, then characters that need no encoding
_PLAIN = re.compile(r"([^=@]*=)?([\w.~-]*)", re.ASCII)


def join_data(request: Request) -> Request:
    """Write all text of ``--data``, ``--data-raw``, ``--data-binary`` and plain ``--data-urlencode`` as one ``--data``.

    >>> from callkey.programs import canonical_arguments
    >>> canonical_arguments("curl", ("-d", "a=1", "--data-raw", "b=2", "h"), stderr_shown=False)[0]
    ('--data', 'a=1&b=2', 'http://h/')
    """
    body = [setting for setting in request.settings if setting.slot == _SLOT]
    joined: list[Setting | list[str]] = []
    for setting in body:
        text = _text(setting)
        if text is None:
            joined.append(replace(setting, name="data") if setting.name == "data-ascii" else setting)
        # after an empty text curl 8 leaves the "&" out, curl 7 does not
        elif joined and isinstance(joined[-1], list) and joined[-1] != [""]:
            joined[-1].append(text)
        else:
            joined.append([text])
    written = [_setting(part) for part in joined]
    if written == body:
        return request
    return replace(request, settings=(*(setting for setting in request.settings if setting.slot != _SLOT), *written))


def _text(setting: Setting) -> str | None:
    """Return the text that an option adds to the body, ``None`` if it is a file's or not known."""
    value = setting.value or ""
    if setting.name == "data-raw" or (setting.name in _AS_TEXT and not value.startswith("@")):
        return value
    if setting.name == "data-urlencode" and value:
        plain = _PLAIN.fullmatch(value)
        if plain is not None:
            return plain[2] if plain[1] == "=" else value
    return None


def _setting(part: Setting | list[str]) -> Setting:
    """Write joined text as an option that does not take it for a file's name."""
    if isinstance(part, Setting):
        return part
    text = "&".join(part)
    return Setting("data-raw" if text.startswith("@") else "data", text, slot=_SLOT)
