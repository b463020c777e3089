"""The page as HTML. The only module that knows Jinja2, whose autoescaping every text of a recording goes through."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from importlib import resources

from ..errors import ReportError
from ..options import ToolPolicy
from ..replay import SessionReplay
from .chart import bars
from .kinds import KEPT, KINDS
from .page import Page, gather
from .replacing import replacing

_PACKAGE = __name__.rpartition(".")[0]


def write_html(path: str | os.PathLike[str], sessions: Iterable[SessionReplay], *, policy: ToolPolicy) -> None:
    """Write one page about replayed sessions: it needs no network, runs nothing but its own script, and is never half.

    ``sessions`` is gone through once, and each session can be let go. Every session counts in the sums; how many calls
    are shown one by one is bounded (``MAX_CHIPS`` in ``page``), and the page says what it leaves out. A session without
    rows can bring sums of its own: what of a file could not be read.

    Raises:
        ReportError: the file cannot be written, or the extra ``report`` is not there.

    """
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - an extra
    except ImportError:
        raise ReportError("the report needs more: pip install 'samecall[report]'") from None
    environment = Environment(
        loader=PackageLoader(_PACKAGE),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    # The file first: who cannot write it learns so before the sessions are replayed.
    with replacing(path) as draft:
        template = environment.get_template("page.html.j2")
        draft.write(template.generate(**_filling(gather(sessions, policy))))


def _filling(page: Page) -> dict[str, object]:
    script, style = _asset("page.js"), _asset("page.css")
    repeats = [(tool.name, tool.calls - tool.kept) for tool in page.tools if tool.calls > tool.kept]
    return {
        "page": page,
        "kinds": [kind for kind in KINDS if page.counts[kind] or kind is KEPT],
        "script": script,
        "style": style,
        "script_hash": _hash(script),
        "style_hash": _hash(style),
        "by_tool": bars(repeats, "var(--bar)") if repeats else "",
        "by_reason": bars(page.reasons, "var(--bar)") if page.reasons else "",
    }


def _asset(name: str) -> str:
    return resources.files(_PACKAGE).joinpath("templates", name).read_text("utf-8")


def _hash(text: str) -> str:
    """Return a Content Security Policy's name for an inline text: only that very text may run or style."""
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()
