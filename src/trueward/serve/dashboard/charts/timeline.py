"""Every rating on a line of time, and what became of it."""

from typing import Any

from trueward.serve.dashboard.charts import parts
from trueward.serve.dashboard.charts.parts import Rows, Spec
from trueward.serve.dashboard.views.bursts import ASIDE, COUNTS, SUSPECT, VOID, Bursts, Point

COLORS = {COUNTS: "#7A8793", ASIDE: "#D55E00", SUSPECT: "#E69F00", VOID: "#CC79A7"}
SHAPES = {COUNTS: "circle", ASIDE: "cross", SUSPECT: "triangle-up", VOID: "square"}
BESIDE = 0.35  # of a rating, at most: how far a mark stands from its place


MOST = 3000  # ratings that count and are drawn; of all others, each is


def one_in(bursts: Bursts) -> int:
    """Return of how many ratings that count one is drawn: a page with all of them would be slow."""
    return 1 + sum(point.what == COUNTS for point in bursts.points) // MOST


def data_timeline(bursts: Bursts) -> Rows:
    """Return ratings, with how far beside its place each stands: equal ones do not hide each other."""
    step = one_in(bursts)
    return [_dot(point) for point in bursts.points if point.what != COUNTS or point.number % step == 0]


def _dot(point: Point) -> dict[str, Any]:
    beside = ((point.number * 7919) % 101) / 100 - 0.5  # the same on every page
    row = {"number": point.number, "rating": point.rating, "beside": beside, "what": point.what}
    return {**row, "why": point.why} if point.why else row


def data_groups(bursts: Bursts) -> Rows:
    """Return from where to where each group reaches."""
    return [{"first": g.first - 0.5, "last": g.last + 0.5, "words": g.reason} for g in bursts.groups]


def draw_timeline(rows: Rows, groups: Rows, scale: tuple[float, float]) -> Spec:
    """Draw ratings in the order of asking, what became of each by colour and shape; a band behind each group."""
    reach = BESIDE * min(1.0, (scale[1] - scale[0]) / 4)
    domain = scale[0] - 1.4 * reach, scale[1] + 1.4 * reach
    names = [name for name in COLORS if any(row["what"] == name for row in rows)]
    color = {"domain": names, "range": [COLORS[name] for name in names]}
    shape = {"domain": names, "range": [SHAPES[name] for name in names]}
    band = {
        "data": {"values": groups},
        "mark": {"type": "rect", "color": COLORS[ASIDE], "opacity": 0.13},
        "encoding": {
            "x": parts.decisions("first"),
            "x2": {"field": "last"},
            "tooltip": parts.tooltip(words="left out"),
        },
    }
    dots = {
        "data": {"values": rows},
        "transform": [{"calculate": f"datum.rating + {reach:.4g} * datum.beside", "as": "y"}],
        "mark": {"type": "point", "filled": True, "size": 42, "opacity": 0.85},
        "encoding": {
            "x": parts.decisions("number"),
            "y": parts.ratings("y", domain, "rating"),
            "color": {"field": "what", "type": "nominal", "scale": color, "legend": parts.legend()},
            "shape": {"field": "what", "type": "nominal", "scale": shape},
            "tooltip": parts.tooltip(number="decision", rating="rating", what="this rating", why="why"),
        },
    }
    return parts.whole([band, dots] if groups else [dots], 280)
