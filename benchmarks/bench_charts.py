"""The charts: decisions per second beside other libraries, and time per decision as the horizon grows."""

from functools import partial
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl

from atomic_files import replace_file
from bench_report import rate
from workload import ALGORITHMS

Results = dict[str, Any]
OURS, THEIRS = "#0072B2", "#E69F00"  # of Okabe and Ito
COLOURS = {"UCB": "#1A1A1A", "tUCB": "#0072B2", "sUCB": "#D55E00", "median UCB": "#009E73"}
DASHES = {"UCB": [2, 3], "tUCB": [1, 0], "sUCB": [8, 4], "median UCB": [4, 3]}


def write(results: Results, folder: Path) -> None:
    """Write the charts of the sections that were measured."""
    for name, data, draw in (("peers", data_peers, draw_peers), ("growth", data_growth, draw_growth)):
        if name in results:
            chart = draw(data(results[name]))
            replace_file(folder / f"{name}.png", partial(chart.save, scale_factor=2))


def data_peers(results: Results) -> pl.DataFrame:
    """Return a row per library and algorithm."""
    rows = []
    for library, by in results["rates"].items():
        group = "trueward" if library.startswith("trueward") else "others"
        rows += [(library, algorithm, value, rate(value), group) for algorithm, value in by.items()]
    columns = ["library", "algorithm", "decisions per second", "label", "group"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def draw_peers(data: pl.DataFrame) -> alt.VConcatChart:
    """Draw a panel per algorithm, a dot per library, fastest first, on one logarithmic axis."""
    lowest, highest = data["decisions per second"].min(), data["decisions per second"].max()
    domain = [10 ** int(f"{lowest:e}".partition("e")[2]), highest * 3]
    panels = []
    measured = [algorithm for algorithm in ALGORITHMS if algorithm in data["algorithm"]]
    for algorithm in measured:
        rows = data.filter(pl.col("algorithm") == algorithm)
        title = "decisions per second, one thread" if algorithm == measured[-1] else None
        axis = alt.Axis(format="~s", title=title, values=[10**i for i in range(3, 9)])
        base = alt.Chart(rows, title=alt.Title(algorithm, anchor="start", frame="group", fontSize=12)).encode(
            x=alt.X("decisions per second:Q", scale=alt.Scale(type="log", domain=domain), axis=axis),
            y=alt.Y("library:N", sort="-x", title=None, axis=alt.Axis(labelLimit=240, grid=True)),
        )
        colour = alt.Color("group:N", scale=alt.Scale(domain=["trueward", "others"], range=[OURS, THEIRS]), legend=None)
        shape = alt.Shape(
            "group:N", scale=alt.Scale(domain=["trueward", "others"], range=["circle", "diamond"]), legend=None
        )
        dots = base.mark_point(filled=True, size=90, opacity=1).encode(color=colour, shape=shape)
        labels = base.mark_text(align="left", dx=9).encode(text="label:N")
        panels.append((dots + labels).properties(width=460, height=alt.Step(20)))
    return alt.vconcat(*panels, spacing=12).resolve_scale(y="independent").configure_view(stroke="#ddd")


def data_growth(results: Results) -> pl.DataFrame:
    """Return a row per distribution, policy and horizon."""
    rows = [
        (f"rewards: {distribution}", name, int(horizon), value)
        for distribution, policies in results.items()
        for name, times in policies.items()
        for horizon, value in times.items()
    ]
    return pl.DataFrame(rows, schema=["distribution", "policy", "rounds", "nanoseconds"], orient="row")


def draw_growth(data: pl.DataFrame) -> alt.FacetChart:
    """Draw a panel per distribution of rewards, both axes logarithmic."""
    names, legend = list(COLOURS), alt.Legend(symbolType="stroke", symbolSize=600, symbolStrokeWidth=2)
    colour = alt.Color(
        "policy:N", scale=alt.Scale(domain=names, range=list(COLOURS.values())), title=None, legend=legend
    )
    dash = alt.StrokeDash(
        "policy:N", scale=alt.Scale(domain=names, range=list(DASHES.values())), title=None, legend=legend
    )
    x_axis = alt.Axis(format="~s", values=[10**i for i in range(3, 7)], title="rounds T")
    base = alt.Chart().encode(
        x=alt.X("rounds:Q", scale=alt.Scale(type="log", domain=[800, 1.3e6]), axis=x_axis),
        y=alt.Y(
            "nanoseconds:Q",
            scale=alt.Scale(type="log", domain=[10, 3000], clamp=True),
            axis=alt.Axis(values=[10, 30, 100, 300, 1000, 3000], title="nanoseconds per decision"),
        ),
        color=colour,
    )
    lines = base.mark_line(strokeWidth=2).encode(strokeDash=dash)
    layers = alt.layer(lines, base.mark_point(filled=True, size=45, opacity=1), data=data)
    return layers.properties(width=300, height=260).facet(
        column=alt.Column("distribution:N", title=None, sort="descending")
    )
