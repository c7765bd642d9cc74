"""Draws docs/images/delays.png, regret against the delay of ratings, and prints the tables of docs/delays.md.

    trueward run delays
    python scripts/late_ratings.py

The cells that the first command has kept in results/delays are read again; what is not there is played.
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
from trueward.lab.experiment.examples import example_file
from trueward.pages import styles

FILE = Path(__file__).parents[1] / "docs" / "images" / "delays.png"
KEPT = Path("results") / "delays" / "cells"
UNDER_WAY = {"True": "asks under way are counted", "False": "asks under way are hidden"}
PANELS = {"fixed": "every rating d rounds late", "geometric": "d rounds late on average (geometric)"}
SHAPES = ["circle", "square", "triangle-up", "triangle-down", "diamond", "cross", "triangle-right", "triangle-left"]
REGRETS = [30, 50, 100, 200, 300, 500, 800]  # ticks of the axis


def data_delays(result: Any) -> pl.DataFrame:
    """Return mean regret with its 95 % interval, a row per law, delay, policy, and whether asks under way count."""
    return result.table.select("law", "delay", "counted", "policy", "regret", "low", "high").with_columns(
        pl.col("delay").cast(pl.Int64)
    )


def draw_delays(table: pl.DataFrame) -> alt.FacetChart:
    """Draw a line per policy against the delay, solid where asks under way count, a panel per law of delays."""
    policies, delays = table["policy"].unique(maintain_order=True).to_list(), table["delay"].unique().sort().to_list()
    shown = table.with_columns(pl.col("counted").replace_strict(UNDER_WAY), pl.col("law").replace_strict(PANELS))
    legend: dict[str, Any] = {"orient": "bottom", "title": None, "labelLimit": 300}
    colors = styles.color_of(policies)
    names = alt.Legend(**legend, columns=8, symbolStrokeWidth=2)
    lines = alt.Legend(**legend, symbolType="stroke", symbolSize=500, symbolStrokeColor="#333", columns=2)
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
    dashes = alt.Scale(domain=list(UNDER_WAY.values()), range=[list(styles.SOLID), list(styles.SHORT)])
    layers = (
        base.mark_line(strokeWidth=1.8).encode(alt.StrokeDash("counted:N", scale=dashes, legend=lines)),
        base.mark_point(filled=True, size=45, opacity=1).encode(
            alt.Shape("policy:N", scale=alt.Scale(domain=policies, range=SHAPES), legend=names)
        ),
    )
    split = alt.Facet("law:N", sort=list(PANELS.values()), header=alt.Header(title=None, labelFontSize=13))
    data = alt.InlineData(values=shown.to_dicts())
    return alt.layer(*layers).properties(width=330, height=330).facet(split, data=data)


def pages_table(table: pl.DataFrame, law: str) -> str:
    """Return a table of the page: a row per policy, a column per delay; beside each other, counted and hidden."""
    delays = table["delay"].unique().sort().to_list()
    lines = [f"| {law} delay, rounds | {' | '.join(map(str, delays))} |", f"|---|{'--:|' * len(delays)}"]
    for name in table["policy"].unique(maintain_order=True):
        cells = []
        for delay in delays:
            rows = table.filter((pl.col("policy") == name) & (pl.col("law") == law) & (pl.col("delay") == delay))
            counted, hidden = (rows.filter(pl.col("counted") == each)["regret"].item() for each in UNDER_WAY)
            cells.append(f"{counted:.0f}" if counted == hidden else f"{counted:.0f} ({hidden:.0f})")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    regrets = data_delays(tw.lab.run(example_file("delays"), keep_in=KEPT, progress=False))
    for law in PANELS:
        sys.stdout.write(f"{pages_table(regrets, law)}\n\n")
    widest = regrets.select(((pl.col("high") - pl.col("low")) / 2 / pl.col("regret")).max()).item()
    sys.stdout.write(f"no 95 % interval is wider than the mean ± {100 * widest:.1f} %\n")
    picture = io.BytesIO(vl_convert.vegalite_to_png(draw_delays(regrets).to_dict(), scale=2))
    Image.open(picture).save(FILE, optimize=True)
