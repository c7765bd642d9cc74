"""Charts of an analysis. `data_*` gives the table that a chart shows; `draw_*` only draws it."""

from collections.abc import Sequence
from itertools import cycle
from typing import Any

import altair as alt
import polars as pl

from trueward.reporting.styles import KNOWN, SPARE

COLORS = tuple(dict.fromkeys([color for color, _ in KNOWN.values()] + list(SPARE)))  # of arms, in their order
PARTS = {"sampling": "#0072B2", "contamination": "#56B4E9", "missing": "#E69F00"}  # of Okabe and Ito
COLUMNS = {"sampling": "sampling", "contamination": "contaminated", "missing": ""}
WIDTH, ROW = 420, 34
FORMAT = ".4~r"

Drawn = alt.LayerChart | alt.FacetChart  # what altair's `layer` is typed to return


def data_parts(leaderboard: pl.DataFrame) -> pl.DataFrame:
    """Return the segments of every arm's interval: sampling in the middle, what the other parts add on both sides."""
    rows = []
    for arm in leaderboard.iter_rows(named=True):
        inner = (arm["mean"], arm["mean"])
        for part, prefix in COLUMNS.items():
            low, high = (arm[f"{prefix}_{end}" if prefix else end] for end in ("low", "high"))
            ends = [(low, high)] if part == "sampling" else [(low, inner[0]), (inner[1], high)]
            rows += [{"arm": arm["arm"], "part": part, "from": a, "to": b} for a, b in ends if b > a]
            inner = (low, high)
    return pl.DataFrame(rows)


def draw_leaderboard(leaderboard: pl.DataFrame, scale: tuple[float, float], assumption: str) -> Drawn:
    """Draw every arm's mean and its interval in three parts."""
    order = leaderboard["arm"].to_list()
    y = alt.Y("arm:N", sort=order, title=None, axis=alt.Axis(labelLimit=200))
    x = alt.X("from:Q", title="true mean (units of rating)", scale=alt.Scale(domain=list(scale), nice=False))
    legend = alt.Legend(title="uncertainty by", orient="top")
    color = alt.Color("part:N", scale=alt.Scale(domain=list(PARTS), range=list(PARTS.values())), legend=legend)
    shown = [
        alt.Tooltip("arm:N"),
        alt.Tooltip("part:N"),
        *(alt.Tooltip(f"{e}:Q", format=FORMAT) for e in ("from", "to")),
    ]
    bars = alt.Chart(alt.InlineData(values=data_parts(leaderboard).to_dicts())).mark_bar(height=12)
    means = alt.Chart(alt.InlineData(values=leaderboard.drop_nans("mean").select("arm", "mean", "answered").to_dicts()))
    means = means.mark_tick(color="white", thickness=3, height=12).encode(
        alt.X("mean:Q"), y, tooltip=[alt.Tooltip("arm:N"), alt.Tooltip("mean:Q", format=FORMAT), "answered:Q"]
    )
    chart = alt.layer(bars.encode(x, alt.X2("to:Q"), y, color, tooltip=shown), means)
    return titled(chart, ["Robust intervals (white: mean of those who answered)", assumption], ROW * len(order))


def draw_course(
    rows: pl.DataFrame,
    along: str,
    assumption: str,
    scale: tuple[float, float],
    arms: Sequence[str],
    *,
    break_even: float | None = None,
) -> Drawn:
    """Draw a band per arm along epsilon, or along the decisions made so far; a click in the legend isolates an arm."""
    picked = alt.selection_point(name="picked_arm", fields=["arm"], bind="legend")
    base = alt.Chart().encode(_along_axis(along), _arm_color(arms))
    title, span = "true mean (units of rating)", alt.Scale(domain=list(scale), nice=False)

    def y(end: str) -> alt.Y:
        return alt.Y(f"{end}:Q", title=title, scale=span)

    def seen(opacity: float) -> Any:
        return alt.when(picked).then(alt.value(opacity)).otherwise(alt.value(0.06 * opacity))

    layers = [
        base.mark_area().encode(y("low"), alt.Y2("high:Q"), opacity=seen(0.18)).add_params(picked),
        *(base.mark_line(strokeWidth=1.2).encode(y(end), opacity=seen(1.0)) for end in ("low", "high")),
        base.mark_line(strokeWidth=2, strokeDash=[4, 3]).encode(y("mean"), opacity=seen(1.0)),
        base.mark_point(size=70, opacity=0).encode(y("mean"), tooltip=_along_tooltips(along)),
    ]
    whole = alt.layer(*layers, data=alt.InlineData(values=numbers(rows)))
    heading = ["Robust intervals (dashed: mean of those who answered)", assumption]
    if break_even and break_even <= rows.select(pl.col(along).max()).item():
        heading.append(f"grey: the break-even share, {100 * break_even:.1f} %")
        whole = alt.layer(whole, _mark_at(along, break_even))
    return titled(whole, heading, 240)


def _along_axis(along: str) -> alt.X:
    words = {"epsilon": "share of each arm assumed bad (ε)", "decisions": "time (decisions)"}
    axis = alt.Axis(grid=False, format=".0%" if along == "epsilon" else ",d", tickCount=6)
    return alt.X(f"{along}:Q", title=words[along], scale=alt.Scale(nice=False), axis=axis)


def _arm_color(arms: Sequence[str]) -> alt.Color:
    colors = dict(zip(arms, cycle(COLORS), strict=False))
    look: dict[str, Any] = {"symbolType": "stroke", "symbolStrokeWidth": 2.5, "symbolOpacity": 1, "labelLimit": 140}
    legend = alt.Legend(title=None, orient="top", columns=4, **look)
    return alt.Color("arm:N", scale=alt.Scale(domain=list(colors), range=list(colors.values())), legend=legend)


def _along_tooltips(along: str) -> list[alt.Tooltip]:
    names = {"mean": "mean", "low": "from", "high": "to"}
    return [
        alt.Tooltip("arm:N"),
        alt.Tooltip(f"{along}:Q", format=".1%" if along == "epsilon" else ",d"),
        *(alt.Tooltip(f"{column}:Q", title=name, format=FORMAT) for column, name in names.items()),
        alt.Tooltip("ahead:N", title="certainly ahead"),
    ]


def _mark_at(along: str, value: float) -> alt.Chart:
    """Return a line at a value of the horizontal axis."""
    data = alt.InlineData(values=[{along: value}])
    rule: alt.Chart = alt.Chart(data).mark_rule(color="#666", strokeWidth=1.5).encode(alt.X(f"{along}:Q"))
    return rule


def draw_contrasts(table: pl.DataFrame, level: float) -> Drawn:
    """Draw the differences of all pairs with their intervals."""
    pairs = table.filter(pl.col("minus") != "").with_columns(pl.format("{} − {}", "arm", "minus").alias("pair"))
    y = alt.Y("pair:N", sort=pairs["pair"].to_list(), title=None, axis=alt.Axis(labelLimit=240))
    base = alt.Chart().encode(y)
    title = "difference in true means (units of rating)"
    shown = [
        alt.Tooltip("pair:N"),
        *(alt.Tooltip(f"{c}:Q", format=FORMAT) for c in ("estimate", "low", "high", "error")),
    ]
    layers = [
        alt.Chart().mark_rule(color="#888").encode(x=alt.datum(0)),
        base.mark_rule(strokeWidth=2.5, color=PARTS["sampling"]).encode(alt.X("low:Q", title=title), alt.X2("high:Q")),
        base.mark_point(filled=True, size=60, opacity=1, color=PARTS["sampling"]).encode(
            alt.X("estimate:Q"), tooltip=shown
        ),
    ]
    heading = [
        f"Differences (bars: {100 * level:.4g} % confidence at a fixed end)",
        "weighted AIPW; assumes no bad ratings",
    ]
    data = alt.InlineData(values=numbers(pairs.drop("arm", "minus")))
    return titled(alt.layer(*layers, data=data), heading, ROW * max(1, pairs.height))


def draw_raters(table: pl.DataFrame, leader: str, lead: float) -> Drawn:
    """Draw the leader's lead without each of the most suspicious raters, beside the lead with all of them."""
    flags = pl.when(pl.col("flags") == "").then(pl.lit("no flag")).otherwise("flags")
    rows = table.with_columns(pl.format("{} · {}", "participant", flags).alias("rater"))
    y = alt.Y("rater:N", sort=rows["rater"].to_list(), title=None, axis=alt.Axis(labelLimit=230, grid=True))
    shown = [alt.Tooltip(f"{c}:N") for c in ("participant", "flags", "ratings", "longest_run", "failed_checks")]
    shown += [alt.Tooltip(f"{c}:Q", format=FORMAT) for c in ("lead", "distance", "spread", "seconds")]
    x = alt.X(
        "lead:Q",
        title=[f"lead of {leader} without this rater", "(units of rating)"],
        scale=alt.Scale(zero=False),
        axis=alt.Axis(tickCount=4),
    )
    points = alt.Chart(alt.InlineData(values=numbers(rows))).encode(x, y)
    layers = [
        alt.Chart(alt.InlineData(values=[{"lead": lead}]))
        .mark_rule(color="#666", strokeDash=[4, 3])
        .encode(x="lead:Q"),
        points.mark_point(filled=True, size=60, opacity=1, color=PARTS["sampling"]).encode(tooltip=shown),
    ]
    heading = ["The most suspicious raters, and their flags", "dashed: the lead with all raters"]
    return titled(alt.layer(*layers), heading, 18 * max(1, rows.height))


def titled(chart: Drawn, title: list[str], height: int) -> Drawn:
    """Return a chart with a heading, as high as told and as wide as all are."""
    heading = alt.TitleParams(title, anchor="start", fontSize=12, fontWeight="normal", color="#444", offset=8)
    return chart.properties(width=WIDTH, height=height, title=heading)


def numbers(table: pl.DataFrame) -> list[dict[str, object]]:
    """Return rows without what is not known."""
    return [{k: v for k, v in row.items() if v is not None and v == v} for row in table.to_dicts()]
