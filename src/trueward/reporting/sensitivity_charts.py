"""Charts of final regret against a swept value. `data_*` returns the table of a chart; `draw_*` only draws it."""

import altair as alt
import polars as pl

from trueward.reporting.labels import GREEK
from trueward.reporting.panels import (
    BANDS,
    DIFFERENCE,
    STATISTICS,
    UNIT,
    Band,
    Panels,
    Swept,
    in_panels,
    panel_label,
    tooltips,
    with_deviations,
)
from trueward.reporting.styles import SHORT, policy_color


def data_sensitivity(result: Swept, variable: str) -> pl.DataFrame:
    """Return a row per swept value, policy and round; a panel has one policy and one point of the other sweeps."""
    curves = result.curves
    rest = panel_label(curves, [name for name in result.sweep if name != variable])
    panel = [", ".join(filter(None, pair)) for pair in zip(curves["policy"], rest, strict=True)]
    value = pl.col(variable).alias("value")
    return curves.select(value, pl.Series("panel", panel), "policy", "round", *STATISTICS)


def draw_sensitivity(
    table: pl.DataFrame, variable: str, *, band: Band = "ci", unit: str = UNIT, width: int | None = None
) -> Panels:
    """Draw the final regret against a swept value: mean with error bars, median, and 10-90 % range."""
    table = with_deviations(table)
    base = alt.Chart().encode(_swept_axis(table, variable), policy_color(table, legend=False))
    low, high, description = BANDS[band]

    def y(column: str) -> alt.Y:
        return alt.Y(f"{column}:Q", title=f"regret after the last round ({unit})")

    points = base.mark_point(filled=True, size=45, opacity=1)
    points = points.encode(y("mean"), tooltip=tooltips("policy", "value", *STATISTICS[:7]))
    layers = [base.mark_rule(strokeWidth=2).encode(y(low), alt.Y2(f"{high}:Q")), points]
    wide, title = base.encode(y("q10"), alt.Y2("q90:Q")), [f"Mean (bars: {description})", "shaded: 10–90 % of trials"]
    if not table["value"].dtype.is_numeric():  # names cannot be interpolated
        return in_panels([wide.mark_bar(opacity=0.15, size=14), *layers], table, title, width=width)
    layers = [base.mark_line(strokeWidth=1.8).encode(y("mean")), *layers]
    if band == "sd":
        return in_panels(layers, table, title[:1], width=width)
    median = base.mark_line(strokeDash=list(SHORT), strokeWidth=1.2).encode(y("median"))
    title = [f"Mean (bars: {description}), median (dashed)", title[1]]
    return in_panels([wide.mark_area(opacity=0.15), median, *layers], table, title, width=width)


def draw_final_differences(
    table: pl.DataFrame, variable: str, reference: str, *, unit: str = UNIT, width: int | None = None
) -> Panels:
    """Draw the paired difference from the reference after the last round against a swept value."""
    others = table.filter(pl.col("policy") != reference)
    others = others.with_columns(pl.format("{} − {}", "policy", pl.lit(reference)).alias("panel"))
    base = alt.Chart().encode(_swept_axis(table, variable), policy_color(table, legend=False))
    title = f"difference in regret ({unit})"
    y = alt.Y("difference:Q", title=title)
    layers = [
        alt.Chart().mark_rule(color="#888").encode(y=alt.datum(0)),
        base.mark_rule(strokeWidth=2).encode(alt.Y("difference_low:Q", title=title), alt.Y2("difference_high:Q")),
        base.mark_line(strokeWidth=1.2, opacity=0.6).encode(y),
        base.mark_point(filled=True, size=45, opacity=1).encode(y, tooltip=tooltips("policy", "value", *DIFFERENCE)),
    ]
    heading = [f"Paired difference from {reference} in the same games", "above 0: more regret; bars: 95 % confidence"]
    return in_panels(layers, others, heading, width=width)


def _swept_axis(table: pl.DataFrame, variable: str) -> alt.X:
    """Return an axis: logarithmic if the values span more than a factor of ten, nominal if they are text."""
    values = table["value"].unique(maintain_order=True).to_list()
    title = f"{variable} ({GREEK[variable]})" if variable in GREEK else variable
    if not table["value"].dtype.is_numeric():
        return alt.X("value:N", title=title, sort=values)
    wide = min(values) > 0 and max(values) / min(values) > 10
    scale = alt.Scale(type="log", nice=False) if wide else alt.Scale(nice=False, zero=False)
    axis = alt.Axis(values=values, format="~g", grid=False, labelOverlap="greedy")
    return alt.X("value:Q", title=title, scale=scale, axis=axis)
