"""The paper's five figures: the experiment of each, its tables (`data_*`) and its chart (`draw_*`)."""

from dataclasses import dataclass
from typing import NamedTuple

import altair as alt
import polars as pl

from trueward.lab.experiment.result import Result
from trueward.reporting import panels, regret_charts, sensitivity_charts
from trueward.reporting.styles import policy_color

RATINGS = "rating points"
REFERENCE = "tUCB"
MAX_TRIALS = 200  # shown as single ticks; the ranges are over all trials


class FigureTables(NamedTuple):
    """The tables that a figure shows."""

    curves: pl.DataFrame  # one row per panel, policy and round; for a sensitivity, per swept value as well
    trials: pl.DataFrame  # one row per panel, policy and trial; for a sensitivity, none


Chart = alt.VConcatChart | alt.HConcatChart | alt.LayerChart | alt.FacetChart


@dataclass(frozen=True)
class PaperFigure:
    """One figure of the paper."""

    experiment: str
    title: str
    caption: str
    variable: str = ""  # swept parameter of a sensitivity figure; empty if policies are compared

    def data(self, result: Result) -> FigureTables:
        """Return the tables that the figure shows."""
        if self.variable:
            return FigureTables(sensitivity_charts.data_sensitivity(result, self.variable), pl.DataFrame())
        return data_comparison(result)

    def chart(self, result: Result, *, paper: bool = False) -> Chart:
        """Return the chart; `paper` draws the mean with standard-deviation bars, as the paper does."""
        tables = self.data(result)
        if self.variable:
            return draw_sensitivity(tables, self.variable, paper=paper)
        return draw_comparison(tables, paper=paper)


def data_comparison(result: Result) -> FigureTables:
    """Return the curves of all policies, and the final regret of the first trials."""
    trials = result.trials.filter(pl.col("trial") < MAX_TRIALS)
    label = panels.panel_label(trials, list(result.experiment.sweep))
    return FigureTables(regret_charts.data_curves(result), trials.select(label, "policy", "trial", "regret"))


def draw_comparison(tables: FigureTables, *, paper: bool = False) -> Chart:
    """Draw regret over time, its paired difference to tUCB, and the final regret of each trial."""
    if paper:
        return regret_charts.draw_curves(tables.curves, band="sd", unit=RATINGS)
    one_panel = tables.curves["panel"].n_unique() == 1
    width = 280 if one_panel else None
    parts = (
        regret_charts.draw_curves(tables.curves, unit=RATINGS, width=width),
        regret_charts.draw_differences(tables.curves, REFERENCE, unit=RATINGS, width=width),
        draw_final_regret(tables, width=width),
    )
    return alt.hconcat(*parts, spacing=24) if one_panel else alt.vconcat(*parts, spacing=24)


def draw_final_regret(tables: FigureTables, *, width: int | None = None) -> panels.Panels:
    """Draw the regret of each trial after the last round, with mean, median and 10-90 % range."""
    final = panels.last_round(tables.curves)
    both = pl.concat([final, tables.trials], how="diagonal")
    policies = alt.Y("policy:N", sort=final["policy"].unique(maintain_order=True).to_list(), title=None)
    base = alt.Chart().encode(policies, policy_color(both))
    title = f"regret after the last round ({RATINGS})"

    def x(column: str) -> alt.X:
        return alt.X(f"{column}:Q", title=title, axis=alt.Axis(grid=False, tickCount=5))

    layers = [
        base.transform_filter("isValid(datum.trial)")
        .mark_tick(opacity=1, fillOpacity=0.3, size=16, thickness=1)  # looks like opacity, for a tenth of the PDF
        .encode(x("regret")),
        base.transform_filter("isValid(datum.q10)").mark_rule(strokeWidth=3.5).encode(x("q10"), alt.X2("q90:Q")),
        base.transform_filter("isValid(datum.median)").mark_tick(size=20, thickness=2.5).encode(x("median")),
        base.transform_filter("isValid(datum.mean)")
        .mark_point(fill="white", size=50, opacity=1, strokeWidth=2)
        .encode(x("mean"), tooltip=panels.tooltips("policy", "mean", "low", "high", "q10", "median", "q90")),
    ]
    heading = [
        "Final regret: circle mean, tall tick median",
        f"bar: 10–90 % of trials; ticks: the first {MAX_TRIALS}",
    ]
    return panels.in_panels(layers, both, heading, width=width)


def draw_sensitivity(tables: FigureTables, variable: str, *, paper: bool) -> Chart:
    """Draw final regret, its paired difference to tUCB, and regret over time, against a swept value."""
    band: panels.Band = "sd" if paper else "ci"
    over_time = regret_charts.draw_curves(tables.curves, variable=variable, band=band, unit=RATINGS, width=430)
    if paper:
        return over_time
    last = panels.last_round(tables.curves)
    final = sensitivity_charts.draw_sensitivity(last, variable, band=band, unit=RATINGS, width=280)
    difference = sensitivity_charts.draw_final_differences(last, variable, REFERENCE, unit=RATINGS, width=280)
    resolve = alt.Resolve(scale=alt.ScaleResolveMap(color="independent"))
    return alt.vconcat(alt.hconcat(final, difference), over_time, spacing=24, resolve=resolve)


_COMPARED = (
    "Top: mean over trials with its 95 % confidence band. Middle: the paired difference to tUCB, which plays the same "
    "games. Bottom: the regret at the end, with the 10–90 % range; where a policy's ticks form two groups, it either "
    "finds the best arm or misses it for good, and the mean describes no trial."
)
_SWEPT = (
    "Top: regret after the last round against {name}: mean with 95 % confidence bars, median, 10–90 % range, and the "
    "paired difference of sUCB to tUCB. Bottom: the mean over time at each {name}. The paper states "
    "neither the grid nor ε; both are ours."
)

FIGURES = {
    1: PaperFigure(
        "figure1",
        "Regret over time when a share ε of the ratings is contaminated",
        f"Bernoulli adversary, random malicious ratings, α = ε. {_COMPARED}",
    ),
    2: PaperFigure(
        "figure2",
        "The cost of expecting contamination where there is none",
        f"ε = 0, but tUCB and sUCB use the α of the panel. {_COMPARED}",
    ),
    3: PaperFigure(
        "figure3",
        "Sensitivity to α of sUCB and tUCB",
        f"Bernoulli adversary, ε = 0.1. {_SWEPT.format(name='α')}",
        variable="alpha",
    ),
    4: PaperFigure(
        "figure4",
        "Sensitivity to σ of sUCB and tUCB",
        f"Bernoulli adversary, ε = α = 0.1. {_SWEPT.format(name='σ')}",
        variable="sigma",
    ),
    5: PaperFigure(
        "figure5",
        "Regret over time when the first tenth of the ratings is contaminated",
        f"Front cluster, ε = α = 0.1. {_COMPARED.replace('Top', 'Left').replace('Bottom', 'Right')}",
    ),
}
