"""curl's manual says that ``--json`` is ``--data-binary`` with two headers, and its source agrees."""

from __future__ import annotations

from dataclasses import replace

from ..request import Request, Setting

exact = False
loses = "Headers are compared by name as text, so the spelling of a later release's `--json` could differ"

_BODY = "data"
_HEADERS = ("Content-Type", "Accept")


def expand_json(request: Request) -> Request:
    """Write ``--json body`` as the body and the headers that it stands for.

    >>> from callkey.programs import canonical_arguments
    >>> canonical_arguments("curl", ("--json", "{}", "h"), stderr_shown=False)[0][:4]
    ('--data', '{}', '--header', 'accept: application/json')
    """
    body = [setting for setting in request.settings if setting.slot == _BODY]
    # each --json is appended as it is, other data after an "&": beside others it is not expanded
    if not body or any(setting.name != "json" for setting in body):
        return request
    values = [setting.value or "" for setting in body]
    given = [setting.value or "" for setting in request.settings if setting.name == "header"]
    if (len(values) > 1 and any(value.startswith("@") for value in values)) or any(h.startswith("@") for h in given):
        return request  # what a file holds is not known
    added = [
        Setting("header", f"{name}: application/json", slot="header")
        for name in _HEADERS
        if not any(header.lower().startswith((f"{name.lower()}:", f"{name.lower()};")) for header in given)
    ]
    whole = "".join(values)
    kept = [setting for setting in request.settings if setting.slot != _BODY]
    name = "data-binary" if whole.startswith("@") else "data"
    return replace(request, settings=(*kept, Setting(name, whole, slot=_BODY), *added))
