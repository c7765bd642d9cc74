"""Draw docs/images/delays.png, regret against the delay of ratings, and print the tables of docs/delays.md.

    trueward run delays
    python scripts/late_ratings.py

Cells that the first command has stored in results/delays are loaded; missing ones are played.
"""

import io
import sys
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl
import vl_convert
from PIL import Image

import trueward as tw
from trueward.lab.experiment.example_files import example_file
from trueward.reporting import styles
from trueward.statistics.mean_interval import Z

FILE = Path(__file__).parents[1] / "docs" / "images" / "delays.png"
CELLS = Path("results") / "delays" / "cells"
COUNT_PENDING = {"True": "outstanding ratings are counted", "False": "outstanding ratings are hidden"}
PANELS = {"fixed": "every rating d rounds late", "geometric": "d rounds late on average (geometric)"}
SHAPES = ["circle", "square", "triangle-up", "triangle-down", "diamond", "cross", "triangle-right", "triangle-left"]
SHORTEST_DELAY = 10  # rounds; differences are shown from this delay on
REGRETS = [30, 50, 100, 200, 300, 500, 800]  # ticks of the axis


def data_delays(result: Any) -> pl.DataFrame:
    """Return mean regret with its 95 % interval, a row per distribution, delay, policy and count_pending."""
    return result.table.select(
        "distribution", "delay", "count_pending", "policy", "regret", "low", "high"
    ).with_columns(pl.col("delay").cast(pl.Int64))


def draw_delays(table: pl.DataFrame) -> alt.FacetChart:
    """Draw regret against delay: a line per policy, solid with `count_pending`; a panel per distribution."""
    policies, delays = table["policy"].unique(maintain_order=True).to_list(), table["delay"].unique().sort().to_list()
    shown = table.with_columns(
        pl.col("count_pending").replace_strict(COUNT_PENDING), pl.col("distribution").replace_strict(PANELS)
    )
    legend: dict[str, Any] = {"title": None, "labelLimit": 300}
    colors = styles.policy_colors(policies)
    names = alt.Legend(**legend, orient="bottom", columns=8, symbolStrokeWidth=2)
    lines = alt.Legend(**legend, orient="top", symbolType="stroke", symbolSize=500, symbolStrokeColor="#333", columns=2)
    x = alt.Axis(values=delays, labelFlush=False, grid=False)
    base = alt.Chart().encode(
        alt.X("delay:Q", title="delay d (rounds)", axis=x).scale(type="symlog", constant=1),
        alt.Y("regret:Q", title="mean regret after 1,000 rounds (rating points)", axis=alt.Axis(values=REGRETS)).scale(
            type="log", domain=[REGRETS[0], REGRETS[-1]]
        ),
        alt.Color(
            "policy:N", scale=alt.Scale(domain=policies, range=[colors[name] for name in policies]), legend=names
        ),
    )
    dashes = alt.Scale(domain=list(COUNT_PENDING.values()), range=[list(styles.SOLID), list(styles.SHORT)])
    layers = (
        base.mark_line(strokeWidth=1.8).encode(alt.StrokeDash("count_pending:N", scale=dashes, legend=lines)),
        base.mark_point(filled=True, size=45, opacity=1).encode(
            alt.Shape("policy:N", scale=alt.Scale(domain=policies, range=SHAPES), legend=names)
        ),
    )
    split = alt.Facet("distribution:N", sort=list(PANELS.values()), header=alt.Header(title=None, labelFontSize=13))
    data = alt.InlineData(values=shown.to_dicts())
    return alt.layer(*layers).properties(width=330, height=330).facet(split, data=data)


def delay_table(table: pl.DataFrame, distribution: str) -> str:
    """Return a row per policy and a column per delay: outstanding ratings counted, and hidden in brackets."""
    delays = table["delay"].unique().sort().to_list()
    lines = [f"| {distribution} delay, rounds | {' | '.join(map(str, delays))} |", f"|---|{'--:|' * len(delays)}"]
    for name in table["policy"].unique(maintain_order=True):
        cells = []
        for delay in delays:
            rows = table.filter(
                (pl.col("policy") == name) & (pl.col("distribution") == distribution) & (pl.col("delay") == delay)
            )
            counted, hidden = (rows.filter(pl.col("count_pending") == each)["regret"].item() for each in COUNT_PENDING)
            same = f"{counted:.0f}" == f"{hidden:.0f}"
            cells.append(f"{counted:.0f}" if same else f"{counted:.0f} ({hidden:.0f})")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def data_gains(result: Any) -> pl.DataFrame:
    """Return what counting outstanding ratings adds to regret, paired, with the half-width of its 95 % interval."""
    by = ["policy", "distribution", "delay"]
    games = result.trials.filter(pl.col("delay") >= SHORTEST_DELAY).pivot(
        "count_pending", index=[*by, "trial"], values="regret"
    )
    added = pl.col("True") - pl.col("False")
    half = Z * added.std() / added.len().sqrt()
    return games.group_by(by, maintain_order=True).agg(added.mean().alias("added"), half.alias("half"))


def gains_table(table: pl.DataFrame) -> str:
    """Return the table of differences: a row per policy, a column per distribution and delay."""
    columns = table.select("distribution", "delay").unique(maintain_order=True).rows()
    lines = [
        f"| | {' | '.join(f'{name}, {delay:.0f}' for name, delay in columns)} |",
        f"|---|{'--:|' * len(columns)}",
    ]
    for name in table["policy"].unique(maintain_order=True):
        rows = table.filter(pl.col("policy") == name).select("added", "half").rows()
        lines.append(f"| {name} | {' | '.join(f'{added:+.0f} ± {half:.0f}' for added, half in rows)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    played = tw.lab.run(example_file("delays"), cache_folder=CELLS, progress=False)
    regrets = data_delays(played)
    for distribution in PANELS:
        sys.stdout.write(f"{delay_table(regrets, distribution)}\n\n")
    sys.stdout.write(f"{gains_table(data_gains(played))}\n\n")
    widest = regrets.group_by("policy", maintain_order=True).agg(((pl.col("high") - pl.col("low")) / 2).max())
    words = ", ".join(f"{name} {half:.0f}" for name, half in widest.rows())
    sys.stdout.write(f"half of the widest 95 % interval of a mean: {words}\n")
    picture = io.BytesIO(vl_convert.vegalite_to_png(draw_delays(regrets).to_dict(), scale=2))
    Image.open(picture).save(FILE, optimize=True)
