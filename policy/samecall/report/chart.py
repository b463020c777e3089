"""Bars as SVG that stands in the page. The only module that knows vl-convert, which carries Vega and needs no browser.

Vega draws here and not in the reader's browser: a page with Plotly or Bokeh in it has megabytes of script, and so would
one with Vega; a picture of bars has a few thousand characters, prints, and each bar has a name for a screen reader.
Colours are variables of the page's style sheet, so the picture follows the theme.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import ReportError

MAX_BARS = 12
_WIDTH = 150
"""Of the longest bar, in pixels. With names and numbers it is about twice that: a telephone has room for it."""


def bars(rows: Sequence[tuple[str, int]], colour: str) -> str:
    """Return an SVG element with a bar and a number for each row, in their order; the last ones are summed up.

    Raises:
        ReportError: vl-convert is not there.

    """
    try:
        import vl_convert  # noqa: PLC0415 - an extra, and 80 MB of it
    except ImportError:
        raise ReportError("the report needs more: pip install 'samecall[report]'") from None
    svg: str = vl_convert.vegalite_to_svg(_spec(_few(rows), colour), allowed_base_urls=[])
    return svg


def _few(rows: Sequence[tuple[str, int]]) -> Sequence[tuple[str, int]]:
    if len(rows) <= MAX_BARS:
        return rows
    rest = rows[MAX_BARS - 1 :]
    return [*rows[: MAX_BARS - 1], (f"{len(rest)} others", sum(count for _, count in rest))]


def _spec(rows: Sequence[tuple[str, int]], colour: str) -> dict[str, object]:
    # Rows are told apart by their place, so that two with one name keep a bar each. No round corners: Vega would cut
    # them out with clip paths, whose ids come again in the next picture.
    values = [
        {"place": place, "name": name, "calls": count, "said": f"{name}: {count}"}
        for place, (name, count) in enumerate(rows)
    ]
    number = {"type": "text", "align": "left", "dx": 6, "aria": False}
    name = {"type": "text", "align": "right", "limit": 130, "aria": False}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "background": None,
        "data": {"values": values},
        "width": _WIDTH,
        "height": {"step": 28},
        # Vega measures text by a font of its own; the reader's may be wider.
        "padding": {"left": 36, "right": 20, "top": 0, "bottom": 0},
        "encoding": {
            "y": {"field": "place", "type": "ordinal", "axis": None},
            "x": {"field": "calls", "type": "quantitative", "axis": None},
        },
        "layer": [
            {
                "mark": {"type": "bar", "color": colour, "height": 16},
                "encoding": {"description": {"field": "said"}},
            },
            {"mark": number, "encoding": {"text": {"field": "calls"}}},
            {"mark": name, "encoding": {"text": {"field": "name"}, "x": {"value": -8}}},
        ],
        "config": {
            "view": {"stroke": None},
            "text": {"color": "var(--ink)", "fontSize": 13},
            "font": "system-ui, sans-serif",
        },
    }
