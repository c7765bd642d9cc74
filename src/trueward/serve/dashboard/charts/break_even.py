"""Who wins against the share assumed bad: the leader, while its lowest is above the highest of every other arm."""

from trueward.analysis.sensitivity import IntervalCurves
from trueward.serve.dashboard.charts import parts
from trueward.serve.dashboard.charts.over_time import data_course
from trueward.serve.dashboard.charts.parts import Rows, Spec


def data_break_even(course: IntervalCurves, leader: str) -> Rows:
    """Return the leader's lower end, and the upper ends of the others."""
    return [
        {"epsilon": row["epsilon"], "arm": row["arm"], "end": row["low" if row["arm"] == leader else "high"]}
        for row in data_course(course)
    ]


def draw_break_even(rows: Rows, course: IntervalCurves, leader: str, share: float) -> Spec:
    """Draw these ends, and the share at which the leader meets the first other arm."""
    tip = [
        *parts.tooltip(arm="arm"),
        {"field": "epsilon", "type": "quantitative", "format": ".0%", "title": "assumed bad"},
        *parts.numbers(end="its end"),
    ]
    base = {"x": parts.shares(), "y": parts.ratings("end", course.scale), "color": parts.arm_color(course.arms)}
    data = {"values": rows}
    mine = [{"filter": {"field": "arm", "equal": leader}}]
    others = [{"filter": {"not": {"field": "arm", "equal": leader}}}]
    layers: list[Spec] = [
        {"data": data, "transform": mine, "mark": {"type": "line", "strokeWidth": 3}, "encoding": base},
        {
            "data": data,
            "transform": others,
            "mark": {"type": "line", "strokeWidth": 1.8, "strokeDash": [5, 3]},
            "encoding": base,
        },
        {
            "data": data,
            "mark": {"type": "point", "filled": True, "size": 38, "opacity": 1},
            "encoding": {**base, "tooltip": tip},
        },
    ]
    at = parts.draw_line(share, f"break-even {100 * share:.1f} %") if share > 0 else []
    return parts.whole([*layers, *at], 260)
