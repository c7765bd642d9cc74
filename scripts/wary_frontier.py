"""Draws docs/images/wary-frontier.png: what each number that the default policy assumes gains under malice, and costs.

    python scripts/wary_frontier.py              # some fifteen minutes on two cores
    python scripts/wary_frontier.py --games 4    # a look

Along a curve one number changes and all others stay as they are. Across is the regret over plain Thompson sampling's
where nothing is bad, upwards the same with a tenth of the ratings bad; both in the same games, on groups of lecturers
and of items that were not drawn for the tables in the docs. The numbers are printed too.
"""

import argparse
import io
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl
import vl_convert
from PIL import Image
from real_ratings import assuming, maker, ratios

import trueward as tw
from trueward.pages import styles
from trueward.policies.wary_thompson.rating_model import Assumptions

FILE = Path(__file__).parents[1] / "docs" / "images" / "wary-frontier.png"
SEED = 1  # of the groups
SERIES: dict[str, list[float]] = {
    "attacked": [0.0, 0.02, 0.05, 0.1, 0.2, 0.5],
    "trust": [3.0, 12.0, 48.0],
    "most": [0.1, 0.2, 0.35, 0.45],
}
WORDS = {
    "attacked": "attacked: how likely an attack on the best arm is",
    "trust": "trust: how likely hardly any bad ratings are",
    "most": "most: the largest share of bad ratings",
}
COLORS = ["#0072B2", "#E69F00", "#009E73"]  # of Okabe and Ito
CHOSEN, BAR = "#D55E00", "#777777"
MALICE = {"a tenth A": "a tenth bad, wrong side (A)", "a tenth W": "a tenth bad, worst (W)"}
BARS = {"clean": 1.15, "a tenth A": 0.9, "a tenth W": 0.85}  # what was aimed at
ACROSS, UP = [0.85, 1.45], [0.35, 1.1]  # ends of the axes, the same for all panels
SOURCES = {"lecturers": "lecturers, 1 to 5", "items": "items, 1 to 6"}


def data_frontier(*, groups: int = 12, games: int = 32) -> pl.DataFrame:
    """Return the regret over plain Thompson sampling's of every setting, clean and under malice."""
    present, rows, known = Assumptions(), list[dict[str, Any]](), dict[tuple[Assumptions, str], dict[str, float]]()
    for name, values in SERIES.items():
        for value in sorted({*values, getattr(present, name)}):
            assumed = replace(present, **{name: value})
            for source in SOURCES:
                if (assumed, source) not in known:
                    known[assumed, source] = over_plain(name, value, source, groups=groups, games=games)
                found = known[assumed, source]
                setting = {"series": name, "value": value, "source": source, "chosen": assumed == present}
                rows += [{**setting, "attack": a, "clean": found["clean"], "malice": found[a]} for a in MALICE]
    return pl.DataFrame(rows)


def over_plain(name: str, value: float, source: str, *, groups: int, games: int) -> dict[str, float]:
    """Return the regret of the policy with one number changed over plain Thompson sampling's, by attack."""
    size = {"groups": groups, "games": games, "seed": SEED}

    def changed(arms: tw.Arms) -> tw.Policy:
        if name == "most":
            return tw.WaryThompson(arms.bounds, most=value)
        policy: Any = assuming(**{name: value})
        made: tw.Policy = policy(arms.bounds)
        return made

    return {attack: ratios(changed, maker("BetaThompson"), source, attack, **size)[0] for attack in BARS}


def draw_frontier(table: pl.DataFrame) -> alt.VConcatChart:
    """Draw a curve for each number, a panel for each source and attack; dashed lines are what was aimed at."""
    rows = [[panel(table, source, attack) for source in SOURCES] for attack in MALICE]
    return alt.vconcat(*(alt.hconcat(*row) for row in rows)).configure_concat(spacing=14)


def panel(table: pl.DataFrame, source: str, attack: str) -> alt.LayerChart:
    """Draw one source under one attack."""
    shown = table.filter(pl.col("source") == source, pl.col("attack") == attack).sort("series", "value")
    colors = alt.Scale(domain=list(SERIES), range=COLORS)
    legend = alt.Legend(title=None, orient="bottom", columns=1, labelLimit=400, symbolType="stroke", symbolSize=400)
    names = " : ".join(f"datum.value == '{name}' ? '{words}'" for name, words in WORDS.items())
    legend.labelExpr = f"{names} : datum.value"
    x = alt.X("clean:Q", title="nothing bad: regret over plain Thompson's", scale=axis(ACROSS))
    y = alt.Y("malice:Q", title="a tenth bad: regret over plain Thompson's", scale=axis(UP))
    points = alt.Chart(alt.InlineData(values=shown.to_dicts())).encode(x, y)
    curves = points.mark_line(strokeWidth=1.6, point=alt.OverlayMarkDef(size=26, filled=True)).encode(
        alt.Color("series:N", scale=colors, legend=legend), alt.Order("value:Q")
    )
    labels = (
        points.transform_filter("!datum.chosen")
        .mark_text(dx=5, dy=-7, fontSize=9, align="left")
        .encode(alt.Text("value:Q", format="~g"), alt.Color("series:N", scale=colors))
    )
    chosen = points.transform_filter(alt.datum.chosen).mark_point(
        shape="diamond", size=150, color=CHOSEN, filled=False, strokeWidth=2
    )
    dash = {"strokeDash": styles.LONG, "color": BAR, "strokeWidth": 1}
    aims = alt.Chart(alt.InlineData(values=[{"clean": BARS["clean"], "malice": BARS[attack]}])).mark_rule(**dash)
    across, up = aims.encode(x), aims.encode(y)
    title = f"{SOURCES[source]}; {MALICE[attack]}"
    return alt.layer(across, up, curves, labels, chosen).properties(width=300, height=230, title=title)


def axis(ends: list[float]) -> alt.Scale:
    """Return an axis that is the same for all panels."""
    return alt.Scale(domain=ends, zero=False, nice=False, clamp=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--groups", type=int, default=12)
    parser.add_argument("--games", type=int, default=32)
    found = data_frontier(**vars(parser.parse_args()))
    sys.stdout.write(found.write_csv(float_precision=3))
    picture = io.BytesIO(vl_convert.vegalite_to_png(draw_frontier(found).to_dict(), scale=2))
    Image.open(picture).save(FILE, optimize=True)
