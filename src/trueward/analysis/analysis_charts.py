"""Charts of an analysis. `data_*` returns the table that a chart shows; `draw_*` only draws it."""

from collections.abc import Sequence
from itertools import cycle
from typing import Any

import altair as alt
import polars as pl

from trueward.reporting.styles import KNOWN, SPARE

COLORS = tuple(dict.fromkeys([color for color, _ in KNOWN.values()] + list(SPARE)))  # of the arms, in their order
PARTS = {"sampling": "#0072B2", "contamination": "#56B4E9", "missing": "#E69F00"}  # of Okabe and Ito
COLUMNS = {"sampling": "sampling", "contamination": "contaminated", "missing": ""}
WIDTH, ROW = 420, 34
FORMAT = ".4~r"
BLUE, ORANGE = PARTS["sampling"], PARTS["missing"]

Chart = alt.LayerChart | alt.FacetChart  # the return type of altair's `layer`


def data_parts(leaderboard: pl.DataFrame) -> pl.DataFrame:
    """Return the segments of every arm's interval: sampling in the middle, the other parts on both sides of it."""
    rows = []
    for arm in leaderboard.iter_rows(named=True):
        inner = (arm["mean"], arm["mean"])
        for part, prefix in COLUMNS.items():
            low, high = (arm[f"{prefix}_{bound}" if prefix else bound] for bound in ("low", "high"))
            segments = [(low, high)] if part == "sampling" else [(low, inner[0]), (inner[1], high)]
            rows += [{"arm": arm["arm"], "part": part, "from": a, "to": b} for a, b in segments if b > a]
            inner = (low, high)
    return pl.DataFrame(rows)


def draw_leaderboard(leaderboard: pl.DataFrame, scale: tuple[float, float], assumption: str) -> Chart:
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


def draw_interval_curves(
    rows: pl.DataFrame,
    variable: str,
    assumption: str,
    scale: tuple[float, float],
    arms: Sequence[str],
    *,
    break_even: float | None = None,
) -> Chart:
    """Draw a band per arm against epsilon or the number of decisions; a click in the legend isolates an arm."""
    picked = alt.selection_point(name="picked_arm", fields=["arm"], bind="legend")
    base = alt.Chart().encode(_variable_axis(variable), _arm_color(arms))
    title, span = "true mean (units of rating)", alt.Scale(domain=list(scale), nice=False)

    def y(column: str) -> alt.Y:
        return alt.Y(f"{column}:Q", title=title, scale=span)

    def opaque(opacity: float) -> Any:
        return alt.when(picked).then(alt.value(opacity)).otherwise(alt.value(0.06 * opacity))

    layers = [
        base.mark_area().encode(y("low"), alt.Y2("high:Q"), opacity=opaque(0.18)).add_params(picked),
        *(base.mark_line(strokeWidth=1.2).encode(y(bound), opacity=opaque(1.0)) for bound in ("low", "high")),
        base.mark_line(strokeWidth=2, strokeDash=[4, 3]).encode(y("mean"), opacity=opaque(1.0)),
        base.mark_point(size=70, opacity=0).encode(y("mean"), tooltip=_variable_tooltips(variable)),
    ]
    whole = alt.layer(*layers, data=alt.InlineData(values=numbers(rows)))
    heading = ["Robust intervals (dashed: mean of those who answered)", assumption]
    if break_even and break_even <= rows.select(pl.col(variable).max()).item():
        heading.append(f"grey: the break-even share, {100 * break_even:.1f} %")
        whole = alt.layer(whole, _line_at(variable, break_even))
    return titled(whole, heading, 240)


def _variable_axis(variable: str) -> alt.X:
    titles = {"epsilon": "share of each arm assumed bad (ε)", "decisions": "time (decisions)"}
    axis = alt.Axis(grid=False, format=".0%" if variable == "epsilon" else ",d", tickCount=6)
    return alt.X(f"{variable}:Q", title=titles[variable], scale=alt.Scale(nice=False), axis=axis)


def _arm_color(arms: Sequence[str]) -> alt.Color:
    colors = dict(zip(arms, cycle(COLORS), strict=False))
    look: dict[str, Any] = {"symbolType": "stroke", "symbolStrokeWidth": 2.5, "symbolOpacity": 1, "labelLimit": 140}
    legend = alt.Legend(title=None, orient="top", columns=4, **look)
    return alt.Color("arm:N", scale=alt.Scale(domain=list(colors), range=list(colors.values())), legend=legend)


def _variable_tooltips(variable: str) -> list[alt.Tooltip]:
    names = {"mean": "mean", "low": "from", "high": "to"}
    return [
        alt.Tooltip("arm:N"),
        alt.Tooltip(f"{variable}:Q", format=".1%" if variable == "epsilon" else ",d"),
        *(alt.Tooltip(f"{column}:Q", title=name, format=FORMAT) for column, name in names.items()),
        alt.Tooltip("ahead:N", title="certainly ahead"),
    ]


def _line_at(variable: str, value: float) -> alt.Chart:
    data = alt.InlineData(values=[{variable: value}])
    rule: alt.Chart = alt.Chart(data).mark_rule(color="#666", strokeWidth=1.5).encode(alt.X(f"{variable}:Q"))
    return rule


def draw_differences(table: pl.DataFrame, level: float) -> Chart:
    """Draw the differences of all pairs with their intervals."""
    pairs = table.filter(pl.col("minus") != "").with_columns(pl.format("{} − {}", "arm", "minus").alias("pair"))
    y = alt.Y("pair:N", sort=pairs["pair"].to_list(), title=None, axis=alt.Axis(labelLimit=240))
    base = alt.Chart().encode(y)
    title = "difference in true means (units of rating)"
    shown = [
        alt.Tooltip("pair:N"),
        *(alt.Tooltip(f"{c}:Q", format=FORMAT) for c in ("estimate", "low", "high", "standard_error")),
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


def draw_raters(table: pl.DataFrame, leader: str, lead: float) -> Chart:
    """Draw the leader's lead without each of the most suspicious raters, beside the lead with all of them."""
    flags = pl.when(pl.col("flags") == "").then(pl.lit("no flag")).otherwise("flags")
    rows = table.with_columns(pl.format("{} · {}", "participant", flags).alias("rater"))
    y = alt.Y("rater:N", sort=rows["rater"].to_list(), title=None, axis=alt.Axis(labelLimit=230, grid=True))
    shown = [alt.Tooltip(f"{c}:N") for c in ("participant", "flags", "ratings", "longest_run", "failed_checks")]
    shown += [alt.Tooltip(f"{c}:Q", format=FORMAT) for c in ("lead", "distance", "sd", "seconds")]
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


def draw_missing(table: pl.DataFrame) -> Chart:
    """Draw the share of missing ratings of every arm, with its interval."""
    y, rows = _y(table, "arm"), alt.InlineData(values=numbers(table))
    title = "share of ratings that are missing"
    shown = [alt.Tooltip("arm:N"), *(alt.Tooltip(f"{c}:Q", format=".1%") for c in ("share", "low", "high"))]
    shown += [alt.Tooltip(f"{c}:Q", format=",d") for c in ("missing", "closed", "pending")]
    x = alt.X("low:Q", title=title, scale=alt.Scale(zero=True), axis=alt.Axis(format=".0%", tickCount=6))
    layers = [
        alt.Chart(rows).mark_rule(strokeWidth=2.5, color=ORANGE).encode(x, alt.X2("high:Q"), y),
        _points(rows, "share", ORANGE).encode(y, tooltip=shown),
    ]
    return titled(alt.layer(*layers), ["Missing ratings (bars: for all arms and at all times)"], ROW * table.height)


def draw_assignment(table: pl.DataFrame, p_value: float) -> Chart:
    """Draw how often every arm was shown, and how often it should have been."""
    y, rows = _y(table, "arm"), alt.InlineData(values=numbers(table))
    shown = [alt.Tooltip("arm:N"), alt.Tooltip("shown:Q"), alt.Tooltip("expected:Q", format=FORMAT)]
    ticks = alt.Chart(rows).mark_tick(thickness=3, height=22, color="#1A1A1A").encode(alt.X("expected:Q"), y)
    bars = alt.Chart(rows).mark_bar(height=12, color=BLUE).encode(alt.X("shown:Q", title="decisions"), y, tooltip=shown)
    heading = f"How often arms were shown (bars) and should have been (black); p = {p_value:.2g}"
    return titled(alt.layer(bars, ticks), [heading], ROW * table.height)


def draw_drift(table: pl.DataFrame, scale: tuple[float, float]) -> Chart:
    """Draw each arm's mean before and after its largest change."""
    y, rows = _y(table, "arm"), alt.InlineData(values=numbers(table))
    shown = [alt.Tooltip("arm:N"), alt.Tooltip("changed:N"), alt.Tooltip("after:Q", title="after decision")]
    shown += [alt.Tooltip(f"{c}:Q", format=FORMAT) for c in ("mean_before", "mean_after", "z_squared", "threshold")]
    span = alt.Scale(domain=list(scale), nice=False)
    x = alt.X("mean_before:Q", title="mean (units of rating)", scale=span)
    layers = [
        alt.Chart(rows).mark_rule(color="#888").encode(x, alt.X2("mean_after:Q"), y),
        _points(rows, "mean_before", PARTS["contamination"]).encode(y, tooltip=shown),
        _points(rows, "mean_after", BLUE).encode(y, tooltip=shown),
    ]
    return titled(
        alt.layer(*layers), ["Means before (light) and after (dark) the likeliest change"], ROW * table.height
    )


def draw_break_even(table: pl.DataFrame, leader: str) -> Chart:
    """Draw the break-even share of the verdict and of the sample alone."""
    y, rows = _y(table, "basis"), alt.InlineData(values=numbers(table))
    axis = alt.Axis(format=".0%", tickCount=6)
    x = alt.X("share:Q", title="share of each arm's participants", scale=alt.Scale(domain=[0, 1]), axis=axis)
    shown = [alt.Tooltip("basis:N"), alt.Tooltip("share:Q", format=".1%"), alt.Tooltip("fewest:Q", format=",d")]
    bars = alt.Chart(rows).mark_bar(height=12, color=BLUE).encode(x, y, tooltip=shown)
    return titled(alt.layer(bars), [f"How many may be bad before {leader} is not ahead any more"], ROW * table.height)


def draw_rules(table: pl.DataFrame) -> Chart:
    """Draw how many participants each rule excludes."""
    y, rows = _y(table, "rule"), alt.InlineData(values=numbers(table))
    x = alt.X("participants:Q", title="participants left out", axis=alt.Axis(format=",d", tickMinStep=1))
    shown = [alt.Tooltip("rule:N"), alt.Tooltip("participants:Q"), alt.Tooltip("ratings:Q")]
    bars = alt.Chart(rows).mark_bar(height=12, color=BLUE).encode(x, y, tooltip=shown)
    return titled(alt.layer(bars), ["Left out by rules that were written down before"], ROW * max(1, table.height))


def _y(table: pl.DataFrame, name: str) -> alt.Y:
    return alt.Y(f"{name}:N", sort=table[name].to_list(), title=None, axis=alt.Axis(labelLimit=200))


def _points(rows: alt.InlineData, column: str, color: str) -> Any:
    return alt.Chart(rows).mark_point(filled=True, size=60, opacity=1, color=color).encode(alt.X(f"{column}:Q"))


def titled(chart: Chart, title: list[str], height: int) -> Chart:
    """Return a chart with a title, its height and the common width."""
    heading = alt.TitleParams(title, anchor="start", fontSize=12, fontWeight="normal", color="#444", offset=8)
    return chart.properties(width=WIDTH, height=height, title=heading)


def numbers(table: pl.DataFrame) -> list[dict[str, object]]:
    """Return the rows of a table without nulls and NaN."""
    return [{k: v for k, v in row.items() if v is not None and v == v} for row in table.to_dicts()]
