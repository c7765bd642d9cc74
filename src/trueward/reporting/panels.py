"""Shared parts of the charts of results: the table of a sweep, panels, bands and tooltips."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol

import altair as alt
import polars as pl
import polars.selectors as cs

from trueward.reporting.labels import symbol, text

Band = Literal["ci", "sd", "range"]
Panels = alt.LayerChart | alt.FacetChart

BANDS: dict[Band, tuple[str, str, str]] = {
    "ci": ("low", "high", "95 % confidence"),
    "sd": ("sd_low", "sd_high", "one standard deviation"),
    "range": ("q10", "q90", "10–90 % of trials"),
}
DIFFERENCE = ("difference", "difference_low", "difference_high")
STATISTICS = ["mean", "low", "high", "sd", "q10", "median", "q90", *DIFFERENCE]
UNIT = "units of reward"
WIDTHS = {1: 420, 2: 340, 3: 260}


def panel_label(table: pl.DataFrame, names: Sequence[str]) -> pl.Series:
    """Return the point of the sweep of each row as text."""
    points = table.select(names).rows() if names else [()] * table.height
    labels = [", ".join(f"{symbol(n)} = {text(v)}" for n, v in zip(names, point, strict=True)) for point in points]
    return pl.Series("panel", labels, dtype=pl.String)


class Swept(Protocol):
    """The attributes of a result that charts use."""

    @property
    def curves(self) -> pl.DataFrame:
        """A row per point of the sweep, policy and checkpoint."""
        ...

    @property
    def sweep(self) -> list[str]:
        """The names of the swept variables."""
        ...


def last_round(table: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the last round."""
    keys = [name for name in ("value", "panel", "policy") if name in table.columns]
    return table.filter(pl.col("round") == pl.col("round").max().over(keys))


def tooltips(*columns: str) -> list[alt.Tooltip]:
    names = {"low": "95 % from", "high": "95 % to", "difference_low": "95 % from", "difference_high": "95 % to"}
    names |= {"sd_low": "mean − sd", "sd_high": "mean + sd", "q10": "10 %", "q90": "90 %"}
    texts = [alt.Tooltip(f"{name}:N") for name in columns if name in ("policy", "value")]
    rest = [name for name in columns if name not in ("policy", "value")]
    return texts + [alt.Tooltip(f"{name}:Q", title=names.get(name, name), format=".4~r") for name in rest]


def in_panels(
    layers: Sequence[alt.Chart], table: pl.DataFrame, title: list[str], *, width: int | None = None
) -> Panels:
    """Return a chart with a panel for each value of the column "panel", at most three in a row."""
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


def with_deviations(table: pl.DataFrame) -> pl.DataFrame:
    """Return the table with the mean plus and minus one standard deviation."""
    mean, sd = pl.col("mean"), pl.col("sd")
    return table.with_columns((mean - sd).alias("sd_low"), (mean + sd).alias("sd_high"))


def _rows(table: pl.DataFrame) -> list[dict[str, Any]]:
    """Return the rows for the page; five digits of each number are enough to draw and to read."""
    rows = table.with_columns(cs.float().exclude("value").round_sig_figs(5)).iter_rows(named=True)
    return [{name: value for name, value in row.items() if value is not None} for row in rows]
