"""Charts of regret over time. `data_*` returns the table that a chart shows; `draw_*` only draws it."""

from typing import Any

import altair as alt
import polars as pl

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
from trueward.reporting.styles import policy_color, policy_colors, policy_dash, value_color

MAX_ROWS, MAX_ROUNDS, MIN_ROUNDS = 9000, 100, 25  # of a chart's data: the page stays small, the curves smooth
BARS = 10  # error bars along a curve


def data_curves(result: Swept) -> pl.DataFrame:
    """Return a row per panel, policy and round."""
    curves = result.curves
    return curves.select(panel_label(curves, result.sweep), "policy", "round", *STATISTICS)


def curves_chart(result: Swept, *, band: Band = "ci", unit: str = UNIT) -> Panels:
    """Return a chart of regret over time, with a panel per point of the sweep.

    A click in the legend isolates a policy.
    """
    return draw_curves(data_curves(result), band=band, unit=unit)


def draw_curves(
    table: pl.DataFrame, *, variable: str = "", band: Band = "ci", unit: str = UNIT, width: int | None = None
) -> Panels:
    """Draw the mean regret over time, with a line per policy or per value of a swept variable."""
    low, high, description = BANDS[band]
    title = ["Mean regret over time", f"{'bars' if band == 'sd' else 'band'}: {description}"]
    layers = _over_time(table, ("mean", low, high), f"mean regret ({unit})", variable)
    field = "value" if variable else "policy"
    layers[0] = layers[0].add_params(_selection(field))
    return in_panels(layers, _thinned(table, field, (low, high)), title, width=width)


def draw_differences(table: pl.DataFrame, reference: str, *, unit: str = UNIT, width: int | None = None) -> Panels:
    """Draw the paired difference from the reference over time; it shares the legend of `draw_curves`."""
    layers = _over_time(table, DIFFERENCE, f"difference in regret ({unit})", "")
    title = [f"Paired difference from {reference} in the same games", "above 0: more regret; band: 95 % confidence"]
    return in_panels(layers, _thinned(table, "policy", BANDS["ci"][:2]), title, width=width)


def draw_curve(table: pl.DataFrame, *, unit: str = UNIT) -> Panels:
    """Draw the mean regret of a single policy over time, and its 95 % interval."""
    base = alt.Chart().encode(_time_axis())
    title, color = f"mean regret ({unit})", policy_colors(["tUCB"])["tUCB"]
    y = alt.Y("mean:Q", title=title)
    layers = [
        base.mark_area(opacity=0.22, color=color).encode(alt.Y("low:Q", title=title), alt.Y2("high:Q")),
        base.mark_line(strokeWidth=1.8, color=color).encode(y),
        base.mark_point(size=70, opacity=0).encode(y, tooltip=tooltips("round", "mean", "low", "high")),
    ]
    heading = ["Mean regret over time", "band: 95 % confidence"]
    return in_panels(layers, table.with_columns(pl.lit("").alias("panel")), heading)


def _over_time(table: pl.DataFrame, values: tuple[str, str, str], title: str, variable: str) -> list[alt.Chart]:
    """Return a band or error bars, a line, and invisible points with tooltips."""
    field, (middle, low, high) = "value" if variable else "policy", values
    base = alt.Chart().encode(_time_axis(), value_color(table, variable) if variable else policy_color(table))
    y = alt.Y(f"{middle}:Q", title=title)
    between = base.encode(alt.Y(f"{low}:Q", title=title), alt.Y2(f"{high}:Q"))
    if low == "sd_low":
        spread = between.transform_filter("datum.bar").mark_rule(strokeWidth=1.3).encode(opacity=_dimmed(field, 0.8))
    else:
        spread = between.mark_area().encode(opacity=_dimmed(field, 0.22))
    line = base.mark_line(strokeWidth=1.8).encode(y, opacity=_dimmed(field, 1.0))
    line = line if variable else line.encode(strokeDash=policy_dash(table))
    points = base.mark_point(size=70, opacity=0).encode(y, tooltip=tooltips(field, "round", *values))
    return [spread, line, points]


def _selection(field: str) -> alt.Parameter:
    return alt.selection_point(name=f"picked_{field}", fields=[field], bind="legend", toggle="true")


def _dimmed(field: str, opacity: float) -> Any:
    return alt.when(_selection(field)).then(alt.value(opacity)).otherwise(alt.value(0.06 * opacity))


def _time_axis() -> alt.X:
    return alt.X(
        "round:Q", title="time (rounds)", axis=alt.Axis(tickCount=5, grid=False), scale=alt.Scale(nice=False, zero=True)
    )


def _thinned(table: pl.DataFrame, field: str, band: tuple[str, str]) -> pl.DataFrame:
    """Thin the rounds, keeping the last; `bar` marks staggered error bars."""
    most = max(MIN_ROUNDS, min(MAX_ROUNDS, MAX_ROWS // table.select("panel", field).n_unique()))
    rounds_from_end = pl.col("round").rank("dense", descending=True).over("panel").cast(pl.Int64) - 1
    step = 1 + table.select(rounds_from_end.max()).item() // most
    kept = (
        with_deviations(table)
        .with_columns(rounds_from_end.alias("rounds_from_end"))
        .filter(pl.col("rounds_from_end") % step == 0)
    )
    stride = max(1, table.select(rounds_from_end.max()).item() // step // BARS)
    names = table[field].unique(maintain_order=True).to_list()
    offsets = [names.index(name) * stride // len(names) for name in kept[field]]
    bar = ((pl.col("rounds_from_end") // step - pl.Series("offset", offsets)) % stride == 0).alias("bar")
    return kept.select("panel", field, "round", "mean", *band, *DIFFERENCE, *([bar] if band[0] == "sd_low" else []))
