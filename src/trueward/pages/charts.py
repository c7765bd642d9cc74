"""Charts of results: regret over time, and regret against a swept value, a panel each.

`data_*` gives the table that a chart shows; `draw_*` only draws it. A policy has one colour and one dash pattern
wherever it appears: colour-blind readers can tell the colours apart, and the dashes show lines that coincide.
"""

from collections.abc import Sequence
from typing import Any, Literal, Protocol

import altair as alt
import polars as pl
import polars.selectors as cs

from trueward.pages.labels import text

Band = Literal["ci", "sd", "range"]
Panels = alt.LayerChart | alt.FacetChart
Style = tuple[str, tuple[float, ...]]

SOLID, LONG, SHORT, DOTS, MIXED = (1.0, 0.0), (8.0, 4.0), (4.0, 3.0), (1.5, 2.5), (8.0, 3.0, 2.0, 3.0)
KNOWN: dict[str, Style] = {  # the colours of Okabe and Ito, yellow left out
    "tUCB": ("#0072B2", SOLID),
    "sUCB": ("#D55E00", LONG),
    "RUCB-MAB": ("#009E73", SOLID),
    "UCB": ("#1A1A1A", DOTS),
    "EXP3": ("#CC79A7", SOLID),
    "EXP3++": ("#E69F00", SHORT),
    "Tsallis-INF": ("#56B4E9", SOLID),
    "UCB1": ("#882255", SOLID),
}
SPARE = ("#999933", "#332288", "#44AA99", "#AA4499", "#666666", "#661100")  # of Tol's muted scheme
DASHES = (SOLID, LONG, SHORT, DOTS, MIXED)
GREEK = {"epsilon": "ε", "alpha": "α", "sigma": "σ"}
BANDS: dict[Band, tuple[str, str, str]] = {
    "ci": ("low", "high", "95 % confidence"),
    "sd": ("sd_low", "sd_high", "one standard deviation"),
    "range": ("q10", "q90", "10–90 % of trials"),
}
DIFFERENCE = ("difference", "difference_low", "difference_high")
SHOWN = ["mean", "low", "high", "sd", "q10", "median", "q90", *DIFFERENCE]
UNIT = "units of reward"
MOST_ROWS, MOST_ROUNDS, FEWEST_ROUNDS = 9000, 100, 25  # of a chart's data: the page stays small, the curves smooth
BARS = 10  # of standard deviations along a curve
WIDTHS = {1: 420, 2: 340, 3: 260}


def style_of(policies: Sequence[str]) -> dict[str, Style]:
    """Return a colour and a dash pattern for each policy; no two policies share both."""
    styles = {name: KNOWN[name] for name in policies if name in KNOWN}
    for name in policies:
        if name not in styles:
            own = [KNOWN[base][0] for base in KNOWN if name.startswith(f"{base} (")]  # a variant keeps its colour
            free = ((c, (*dash, *more)) for more in ((), DOTS, SHORT) for dash in DASHES for c in own or SPARE)
            styles[name] = next(style for style in free if style not in styles.values())
    return {name: styles[name] for name in policies}


def color_of(policies: Sequence[str]) -> dict[str, str]:
    """Return the colour of each policy."""
    return {name: color for name, (color, _) in style_of(policies).items()}


def symbol(name: str) -> str:
    """Return how a swept value is written."""
    return GREEK.get(name, name)


def panel_label(table: pl.DataFrame, names: Sequence[str]) -> pl.Series:
    """Return the point of each row in words."""
    points = table.select(names).rows() if names else [()] * table.height
    words = [", ".join(f"{symbol(n)} = {text(v)}" for n, v in zip(names, point, strict=True)) for point in points]
    return pl.Series("panel", words, dtype=pl.String)


class Swept(Protocol):
    """A result over a sweep: what a chart needs of it."""

    @property
    def curves(self) -> pl.DataFrame:
        """One row per point of the sweep, policy and checkpoint."""
        ...

    @property
    def sweep(self) -> list[str]:
        """The names of what was swept."""
        ...


def data_curves(result: Swept) -> pl.DataFrame:
    """Return one row per panel, policy and round."""
    curves = result.curves
    return curves.select(panel_label(curves, result.sweep), "policy", "round", *SHOWN)


def data_sensitivity(result: Swept, variable: str) -> pl.DataFrame:
    """Return one row per swept value, policy and round; a panel holds a policy and one point of the other sweeps."""
    curves = result.curves
    rest = panel_label(curves, [name for name in result.sweep if name != variable])
    panel = [", ".join(filter(None, pair)) for pair in zip(curves["policy"], rest, strict=True)]
    value = pl.col(variable).alias("value")
    return curves.select(value, pl.Series("panel", panel), "policy", "round", *SHOWN)


def final(table: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the last round."""
    keys = [name for name in ("value", "panel", "policy") if name in table.columns]
    return table.filter(pl.col("round") == pl.col("round").max().over(keys))


def curves_chart(result: Swept, *, band: Band = "ci", unit: str = UNIT) -> Panels:
    """Return regret over time, a panel per point of the sweep; a click in the legend isolates a policy."""
    return draw_curves(data_curves(result), band=band, unit=unit)


def sensitivity_chart(result: Swept, variable: str, *, band: Band = "ci", unit: str = UNIT) -> Panels:
    """Return the regret after the last round against a swept value, a panel per policy."""
    return draw_sensitivity(final(data_sensitivity(result, variable)), variable, band=band, unit=unit)


def draw_curves(
    table: pl.DataFrame, *, variable: str = "", band: Band = "ci", unit: str = UNIT, width: int | None = None
) -> Panels:
    """Draw mean regret over time, a line per policy, or per value of a swept variable."""
    low, high, words = BANDS[band]
    title = ["Mean regret over time", f"{'bars' if band == 'sd' else 'band'}: {words}"]
    layers = _over_time(table, ("mean", low, high), f"mean regret ({unit})", variable)
    field = "value" if variable else "policy"
    layers[0] = layers[0].add_params(_picked(field))
    return in_panels(layers, _thinned(table, field, (low, high)), title, width=width)


def draw_differences(table: pl.DataFrame, reference: str, *, unit: str = UNIT, width: int | None = None) -> Panels:
    """Draw the paired difference to the reference over time; stands beside `draw_curves`, whose legend it obeys."""
    layers = _over_time(table, DIFFERENCE, f"difference in regret ({unit})", "")
    title = [f"Paired difference to {reference} in the same games", "above 0: more regret; band: 95 % confidence"]
    return in_panels(layers, _thinned(table, "policy", BANDS["ci"][:2]), title, width=width)


def draw_curve(table: pl.DataFrame, *, unit: str = UNIT) -> Panels:
    """Draw the mean regret of a single policy over time, and its 95 % interval."""
    base = alt.Chart().encode(_time_axis())
    title, color = f"mean regret ({unit})", KNOWN["tUCB"][0]
    y = alt.Y("mean:Q", title=title)
    layers = [
        base.mark_area(opacity=0.22, color=color).encode(alt.Y("low:Q", title=title), alt.Y2("high:Q")),
        base.mark_line(strokeWidth=1.8, color=color).encode(y),
        base.mark_point(size=70, opacity=0).encode(y, tooltip=tooltips("round", "mean", "low", "high")),
    ]
    heading = ["Mean regret over time", "band: 95 % confidence"]
    return in_panels(layers, table.with_columns(pl.lit("").alias("panel")), heading)


def _over_time(table: pl.DataFrame, values: tuple[str, str, str], title: str, variable: str) -> list[alt.Chart]:
    """Return a band or bars, a line, and points that only answer to the pointer."""
    field, (middle, low, high) = "value" if variable else "policy", values
    base = alt.Chart().encode(_time_axis(), value_color(table, variable) if variable else policy_color(table))
    y = alt.Y(f"{middle}:Q", title=title)
    between = base.encode(alt.Y(f"{low}:Q", title=title), alt.Y2(f"{high}:Q"))
    if low == "sd_low":
        spread = between.transform_filter("datum.bar").mark_rule(strokeWidth=1.3).encode(opacity=_dimmed(field, 0.8))
    else:
        spread = between.mark_area().encode(opacity=_dimmed(field, 0.22))
    line = base.mark_line(strokeWidth=1.8).encode(y, opacity=_dimmed(field, 1.0))
    line = line if variable else line.encode(strokeDash=_policy_dash(table))
    points = base.mark_point(size=70, opacity=0).encode(y, tooltip=tooltips(field, "round", *values))
    return [spread, line, points]


def draw_sensitivity(
    table: pl.DataFrame, variable: str, *, band: Band = "ci", unit: str = UNIT, width: int | None = None
) -> Panels:
    """Draw the final regret against a swept value: mean, its interval or deviation, median and 10-90 % range."""
    table = _with_deviations(table)
    base = alt.Chart().encode(_swept_axis(table, variable), policy_color(table, legend=False))
    low, high, words = BANDS[band]

    def y(column: str) -> alt.Y:
        return alt.Y(f"{column}:Q", title=f"regret after the last round ({unit})")

    points = base.mark_point(filled=True, size=45, opacity=1)
    points = points.encode(y("mean"), tooltip=tooltips("policy", "value", *SHOWN[:7]))
    layers = [base.mark_rule(strokeWidth=2).encode(y(low), alt.Y2(f"{high}:Q")), points]
    wide, title = base.encode(y("q10"), alt.Y2("q90:Q")), [f"Mean (bars: {words})", "shaded: 10–90 % of trials"]
    if not table["value"].dtype.is_numeric():  # nothing lies between two names
        return in_panels([wide.mark_bar(opacity=0.15, size=14), *layers], table, title, width=width)
    layers = [base.mark_line(strokeWidth=1.8).encode(y("mean")), *layers]
    if band == "sd":
        return in_panels(layers, table, title[:1], width=width)
    median = base.mark_line(strokeDash=list(SHORT), strokeWidth=1.2).encode(y("median"))
    title = [f"Mean (bars: {words}), median (dashed)", title[1]]
    return in_panels([wide.mark_area(opacity=0.15), median, *layers], table, title, width=width)


def draw_final_differences(
    table: pl.DataFrame, variable: str, reference: str, *, unit: str = UNIT, width: int | None = None
) -> Panels:
    """Draw the paired difference to the reference after the last round against a swept value."""
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
    heading = [f"Paired difference to {reference} in the same games", "above 0: more regret; bars: 95 % confidence"]
    return in_panels(layers, others, heading, width=width)


def policy_color(table: pl.DataFrame, *, legend: bool = True) -> alt.Color:
    """Return the colour channel of policies."""
    colors = color_of(_names(table))
    shown = (
        alt.Legend(orient="top", symbolType="stroke", symbolStrokeWidth=2.5, symbolOpacity=1, columns=8)
        if legend
        else None
    )
    return alt.Color("policy:N", scale=alt.Scale(domain=list(colors), range=list(colors.values())), legend=shown)


def value_color(table: pl.DataFrame, variable: str) -> alt.Color:
    """Return the colour channel of swept values: dark for the first, light for the last."""
    values = table["value"].unique(maintain_order=True).to_list()
    legend = alt.Legend(title=symbol(variable), symbolType="stroke", symbolStrokeWidth=2.5, symbolOpacity=1)
    scale = alt.Scale(domain=values, scheme=alt.SchemeParams(name="viridis", extent=[0, 0.92]))
    return alt.Color("value:O", scale=scale, legend=legend)


def _policy_dash(table: pl.DataFrame) -> alt.StrokeDash:
    styles = style_of(_names(table))
    scale = alt.Scale(domain=list(styles), range=[list(dash) for _, dash in styles.values()])
    return alt.StrokeDash("policy:N", scale=scale)


def _names(table: pl.DataFrame) -> list[str]:
    return table["policy"].unique(maintain_order=True).to_list()


def _picked(field: str) -> alt.Parameter:
    return alt.selection_point(name=f"picked_{field}", fields=[field], bind="legend", toggle="true")


def _dimmed(field: str, opacity: float) -> Any:
    return alt.when(_picked(field)).then(alt.value(opacity)).otherwise(alt.value(0.06 * opacity))


def _time_axis() -> alt.X:
    return alt.X(
        "round:Q", title="time (rounds)", axis=alt.Axis(tickCount=5, grid=False), scale=alt.Scale(nice=False, zero=True)
    )


def _swept_axis(table: pl.DataFrame, variable: str) -> alt.X:
    """Logarithmic if the values span more than a factor of ten, by name if they are text."""
    values = table["value"].unique(maintain_order=True).to_list()
    title = f"{variable} ({GREEK[variable]})" if variable in GREEK else variable
    if not table["value"].dtype.is_numeric():
        return alt.X("value:N", title=title, sort=values)
    wide = min(values) > 0 and max(values) / min(values) > 10
    scale = alt.Scale(type="log", nice=False) if wide else alt.Scale(nice=False, zero=False)
    axis = alt.Axis(values=values, format="~g", grid=False, labelOverlap="greedy")
    return alt.X("value:Q", title=title, scale=scale, axis=axis)


def tooltips(*columns: str) -> list[alt.Tooltip]:
    """Return what the pointer shows of a mark."""
    names = {"low": "95 % from", "high": "95 % to", "difference_low": "95 % from", "difference_high": "95 % to"}
    names |= {"sd_low": "mean − sd", "sd_high": "mean + sd", "q10": "10 %", "q90": "90 %"}
    texts = [alt.Tooltip(f"{name}:N") for name in columns if name in ("policy", "value")]
    rest = [name for name in columns if name not in ("policy", "value")]
    return texts + [alt.Tooltip(f"{name}:Q", title=names.get(name, name), format=".4~r") for name in rest]


def in_panels(
    layers: Sequence[alt.Chart], table: pl.DataFrame, title: list[str], *, width: int | None = None
) -> Panels:
    """Return layers over a table, a panel for each of its panels, at most three abreast."""
    panels = table["panel"].unique(maintain_order=True).to_list()
    columns = min(3, len(panels))
    data = alt.InlineData(values=_rows(table))
    layered = alt.layer(*layers).properties(width=width or WIDTHS[columns], height=210)
    heading = alt.TitleParams(title, anchor="start", fontSize=12, fontWeight="normal", color="#444", offset=8)
    if panels == [""]:
        return layered.properties(data=data, title=heading)
    header = alt.Header(title=None, labelFontSize=13, labelFontWeight="bold")
    split = alt.Facet("panel:N", sort=panels, header=header)
    return layered.facet(split, columns=columns, data=data, title=heading, spacing=24)


def _thinned(table: pl.DataFrame, field: str, band: tuple[str, str]) -> pl.DataFrame:
    """Keep so many rounds of each panel, the last among them; `bar` marks those with a bar, staggered by line."""
    most = max(FEWEST_ROUNDS, min(MOST_ROUNDS, MOST_ROWS // table.select("panel", field).n_unique()))
    back = pl.col("round").rank("dense", descending=True).over("panel").cast(pl.Int64) - 1
    step = 1 + table.select(back.max()).item() // most
    kept = _with_deviations(table).with_columns(back.alias("back")).filter(pl.col("back") % step == 0)
    stride = max(1, table.select(back.max()).item() // step // BARS)
    names = table[field].unique(maintain_order=True).to_list()
    offsets = [names.index(name) * stride // len(names) for name in kept[field]]
    bar = ((pl.col("back") // step - pl.Series("offset", offsets)) % stride == 0).alias("bar")
    return kept.select("panel", field, "round", "mean", *band, *DIFFERENCE, *([bar] if band[0] == "sd_low" else []))


def _with_deviations(table: pl.DataFrame) -> pl.DataFrame:
    mean, sd = pl.col("mean"), pl.col("sd")
    return table.with_columns((mean - sd).alias("sd_low"), (mean + sd).alias("sd_high"))


def _rows(table: pl.DataFrame) -> list[dict[str, Any]]:
    """Return what the page holds: five digits of each number are enough to draw and to read."""
    rows = table.with_columns(cs.float().exclude("value").round_sig_figs(5)).iter_rows(named=True)
    return [{name: value for name, value in row.items() if value is not None} for row in rows]
