"""What was shown and what was known, over time."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import polars as pl

from trueward.analysis.sensitivity import IntervalCurves
from trueward.serve.dashboard.charts import parts
from trueward.serve.dashboard.charts.parts import Rows, Spec
from trueward.serve.dashboard.views.look import Look

BINS, FEWEST = 30, 10  # of the allocation, and decisions in each


def data_allocation(look: Look) -> Rows:
    """Return how often each arm was shown, in so many stretches of decisions."""
    n = look.table.height
    bins = max(1, min(BINS, n // FEWEST))
    shown = look.table["arm"].to_list()
    rows = []
    for start, end in pairwise(np.linspace(0, n, bins + 1).astype(int).tolist()):
        here = shown[start:end]
        where = {"decisions": end, "from": start + 1}
        rows += [
            {**where, "arm": arm.name, "place": place, "share": round(here.count(arm.name) / max(1, len(here)), 4)}
            for place, arm in enumerate(look.arms)
        ]
    return rows


def draw_allocation(rows: Rows, marks: Rows, arms: Sequence[str]) -> Spec:
    """Draw the share of decisions that each arm got, as areas one above the other."""
    percent = {"format": "%", "title": "share of decisions", "tickCount": 4, "grid": False}
    tip = parts.tooltip(arm="arm", **{"from": "from decision"}, decisions="to decision")
    tip += [{"field": "share", "type": "quantitative", "format": ".0%", "title": "share"}]
    areas = {
        "data": {"values": rows},
        "mark": {"type": "area", "interpolate": "monotone", "opacity": 0.9},
        "encoding": {
            "x": parts.decisions(),
            "y": {"field": "share", "type": "quantitative", "stack": "normalize", "axis": percent},
            "color": parts.arm_color(arms),
            "order": {"field": "place", "type": "quantitative", "sort": "descending"},
            "tooltip": tip,
        },
    }
    return parts.whole([areas, *parts.draw_marks(marks, _last(rows))], 190)


def draw_estimates(course: IntervalCurves, marks: Rows, banded: Sequence[str]) -> Spec:
    """Draw every arm's mean; of some arms, the interval as a band: more than two hide each other."""
    rows = data_course(course)
    some = {"values": [row for row in rows if row["arm"] in banded]}
    base = {"x": parts.decisions(), "color": parts.arm_color(course.arms)}
    y = {end: parts.ratings(end, course.scale) for end in ("low", "high", "mean")}
    tip = [*parts.tooltip(arm="arm", decisions="decisions"), *parts.numbers(mean="mean", low="from", high="to")]
    layers: list[Spec] = [
        {
            "data": some,
            "mark": {"type": "area", "opacity": 0.16},
            "encoding": {**base, "y": y["low"], "y2": {"field": "high"}},
        },
        *(
            {"data": some, "mark": {"type": "line", "strokeWidth": 1}, "encoding": {**base, "y": y[end]}}
            for end in ("low", "high")
        ),
        {
            "mark": {"type": "line", "strokeWidth": 2.4},
            "encoding": {**base, "y": y["mean"], "strokeDash": parts.arm_dash(course.arms)},
        },
        {"mark": {"type": "point", "size": 90, "opacity": 0}, "encoding": {**base, "y": y["mean"], "tooltip": tip}},
    ]
    everything = {"values": rows}
    drawn = [{"data": everything, **layer} for layer in layers]
    return parts.whole([*drawn, *parts.draw_marks(marks, _last(rows))], 260)


def data_course(course: IntervalCurves) -> Rows:
    """Return the rows of a course with as many digits as can be seen, without what is not known."""
    rows = course.rows.with_columns(pl.selectors.float().round(4)).to_dicts()
    return [{name: value for name, value in row.items() if value == value} for row in rows]


def _last(rows: Rows) -> int:
    return max((int(row["decisions"]) for row in rows), default=0)
