"""What the charts share: axes, colours, and lines where something was done."""

from collections.abc import Sequence
from typing import Any

from trueward.serve.dashboard.views.log import what_was_done
from trueward.serve.dashboard.views.look import Look

Spec = dict[str, Any]
Rows = list[dict[str, Any]]

ARMS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#999933", "#AA4499")
"""Of Okabe and Ito, and Tol: apart for colour-blind readers, and visible on white and on black."""
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])
NUMBER = ".3~f"
CLOSE = 0.06  # of the width: what stands closer together has one label
MARKED = {
    "void": "taken out",
    "restore": "brought back",
    "amend": "amended",
    "add": "arm added",
    "retire": "arm retired",
    "pause": "paused",
    "resume": "resumed",
    "end": "ended",
}
"""What is marked by a line, and how it is called there."""


def whole(layers: list[Spec], height: int) -> Spec:
    """Return a chart of layers, as wide as its place."""
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": "container",
        "height": height,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "layer": layers,
    }


def quantity(field: str, title: str, **axis: Any) -> Spec:
    """Return a position along a number."""
    shown = {"title": title, "grid": False, "tickCount": 6, **axis}
    return {"field": field, "type": "quantitative", "scale": {"nice": False}, "axis": shown}


def decisions(field: str = "decisions") -> Spec:
    """Return a position along the decisions."""
    return quantity(field, "decisions made so far" if field == "decisions" else "decision", tickMinStep=1)


def shares(field: str = "epsilon") -> Spec:
    """Return a position along the share assumed bad."""
    return quantity(field, "share of each arm assumed bad", format="%")


def ratings(field: str, scale: tuple[float, float], title: str = "true mean (units of rating)") -> Spec:
    """Return a position on the scale of ratings."""
    axis = {"title": title, "tickCount": 5}
    span = {"domain": list(scale), "nice": False}
    return {"field": field, "type": "quantitative", "scale": span, "axis": axis}


def tooltip(**names: str) -> list[Spec]:
    """Return what the pointer shows: numbers of fields, by their titles."""
    return [{"field": field, "title": title} for field, title in names.items()]


def numbers(**names: str) -> list[Spec]:
    """Return the same, for numbers with digits after the point."""
    return [{"field": f, "title": title, "type": "quantitative", "format": NUMBER} for f, title in names.items()]


def legend(**more: Any) -> Spec:
    """Return a legend above the chart."""
    return {"title": None, "orient": "top", "columns": 6, "symbolOpacity": 1, "labelLimit": 160, **more}


def arm_color(arms: Sequence[str]) -> Spec:
    """Return the colour of each arm."""
    colors = [ARMS[place % len(ARMS)] for place in range(len(arms))]
    scale = {"domain": list(arms), "range": colors}
    shown = legend(symbolType="square", symbolStrokeWidth=0, offset=24)
    return {"field": "arm", "type": "nominal", "scale": scale, "legend": shown}


def arm_dash(arms: Sequence[str]) -> Spec:
    """Return the dashes of each arm's line, for who cannot tell the colours."""
    dashes = [DASHES[place % len(DASHES)] for place in range(len(arms))]
    return {"field": "arm", "type": "nominal", "scale": {"domain": list(arms), "range": dashes}}


def data_marks(look: Look) -> Rows:
    """Return where something was done to the study."""
    return [
        {
            "decisions": event.after,
            "what": MARKED[event.kind],
            "words": _with_reason(what_was_done(event), event.reason),
        }
        for event in look.events
        if event.kind in MARKED
    ]


def _with_reason(words: str, reason: str) -> str:
    return f"{words}: {reason}" if reason else words


def draw_marks(marks: Rows, last: int) -> list[Spec]:
    """Draw a line for each thing that was done, and say above it what."""
    if not marks:
        return []
    tip = tooltip(words="what was done", decisions="after decision")
    rule = {"type": "rule", "strokeDash": [3, 3], "strokeWidth": 1.5}
    labels = {"values": _apart(marks, last)}
    above = {"x": decisions(), "y": {"value": -4}, "text": {"field": "what"}}
    return [
        {"data": {"values": marks}, "mark": rule, "encoding": {"x": decisions(), "tooltip": tip}},
        {"data": labels, "mark": _text(), "encoding": above},
    ]


def draw_line(at: float, words: str) -> list[Spec]:
    """Draw a line at a share, and say above it what that is."""
    data = {"values": [{"epsilon": at, "words": words}]}
    rule = {"type": "rule", "strokeDash": [5, 3], "strokeWidth": 1.6}
    return [
        {"data": data, "mark": rule, "encoding": {"x": shares()}},
        {"data": data, "mark": _text(), "encoding": {"x": shares(), "y": {"value": -4}, "text": {"field": "words"}}},
    ]


def _text() -> Spec:
    return {"type": "text", "align": "center", "baseline": "bottom", "fontSize": 11}


def _apart(marks: Rows, last: int) -> Rows:
    """Return the marks to be labelled: the last of those that stand close together."""
    kept: Rows = []
    for mark in marks:
        if kept and mark["decisions"] - kept[-1]["decisions"] < last * CLOSE:
            kept.pop()
        kept.append(mark)
    return kept
