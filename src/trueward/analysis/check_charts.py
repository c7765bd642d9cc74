"""Charts of the checks, of the break-even share and of the rules: a row per arm or rule. They only draw tables."""

from typing import Any

import altair as alt
import polars as pl

from trueward.analysis.charts import FORMAT, PARTS, ROW, Drawn, numbers, titled

BLUE, ORANGE = PARTS["sampling"], PARTS["missing"]


def draw_missing(table: pl.DataFrame) -> Drawn:
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


def draw_assignment(table: pl.DataFrame, p_value: float) -> Drawn:
    """Draw how often every arm was shown beside how often it should have been."""
    y, rows = _y(table, "arm"), alt.InlineData(values=numbers(table))
    shown = [alt.Tooltip("arm:N"), alt.Tooltip("shown:Q"), alt.Tooltip("expected:Q", format=FORMAT)]
    ticks = alt.Chart(rows).mark_tick(thickness=3, height=22, color="#1A1A1A").encode(alt.X("expected:Q"), y)
    bars = alt.Chart(rows).mark_bar(height=12, color=BLUE).encode(alt.X("shown:Q", title="decisions"), y, tooltip=shown)
    heading = f"How often arms were shown (bars) and should have been (black); p = {p_value:.2g}"
    return titled(alt.layer(bars, ticks), [heading], ROW * table.height)


def draw_drift(table: pl.DataFrame, scale: tuple[float, float]) -> Drawn:
    """Draw each arm's mean before and after the moment at which its ratings are most unlike."""
    y, rows = _y(table, "arm"), alt.InlineData(values=numbers(table))
    shown = [alt.Tooltip("arm:N"), alt.Tooltip("changed:N"), alt.Tooltip("after:Q", title="after decision")]
    shown += [alt.Tooltip(f"{c}:Q", format=FORMAT) for c in ("mean_before", "mean_after", "z_squared", "bar")]
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


def draw_break_even(table: pl.DataFrame, leader: str) -> Drawn:
    """Draw the break-even share of the verdict and of the sample alone."""
    y, rows = _y(table, "of"), alt.InlineData(values=numbers(table))
    axis = alt.Axis(format=".0%", tickCount=6)
    x = alt.X("share:Q", title="share of each arm's participants", scale=alt.Scale(domain=[0, 1]), axis=axis)
    shown = [alt.Tooltip("of:N"), alt.Tooltip("share:Q", format=".1%"), alt.Tooltip("fewest:Q", format=",d")]
    bars = alt.Chart(rows).mark_bar(height=12, color=BLUE).encode(x, y, tooltip=shown)
    return titled(alt.layer(bars), [f"How many may be bad before {leader} is not ahead any more"], ROW * table.height)


def draw_rules(table: pl.DataFrame) -> Drawn:
    """Draw how many participants each rule leaves out."""
    y, rows = _y(table, "rule"), alt.InlineData(values=numbers(table))
    x = alt.X("participants:Q", title="participants left out", axis=alt.Axis(format=",d", tickMinStep=1))
    shown = [alt.Tooltip("rule:N"), alt.Tooltip("participants:Q"), alt.Tooltip("ratings:Q")]
    bars = alt.Chart(rows).mark_bar(height=12, color=BLUE).encode(x, y, tooltip=shown)
    return titled(alt.layer(bars), ["Left out by rules that were written down before"], ROW * max(1, table.height))


def _y(table: pl.DataFrame, name: str) -> alt.Y:
    return alt.Y(f"{name}:N", sort=table[name].to_list(), title=None, axis=alt.Axis(labelLimit=200))


def _points(rows: alt.InlineData, column: str, color: str) -> Any:
    return alt.Chart(rows).mark_point(filled=True, size=60, opacity=1, color=color).encode(alt.X(f"{column}:Q"))
