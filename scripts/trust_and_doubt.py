"""Draw docs/images/trust-and-doubt.png: the cost of doubt with honest participants, and of trust with malicious ones.

    python scripts/trust_and_doubt.py

The default policy plays with several values of `most`, the largest share of bad ratings that it considers, with and
without `polarised`; plain Thompson sampling plays the same games. The numbers are printed too.
"""

import io
import itertools
import sys
from pathlib import Path
from typing import Any, NamedTuple

import altair as alt
import numpy as np
import polars as pl
import vl_convert
from PIL import Image

import trueward as tw
from trueward.lab.arena.real_rating_scenarios import ARMS, ZEROS
from trueward.lab.arena.scenario import W
from trueward.lab.arena.suite import PAPER
from trueward.reporting import styles

FILE = Path(__file__).parents[1] / "docs" / "images" / "trust-and-doubt.png"
MOST = [0.0, 0.05, 0.1, 0.2, 0.35, 0.45]
HORIZON, GAMES, SEED = 1000, 64, 0
LECTURERS, ITEMS = ([ARMS[f"{source} {i}"] for i in (1, 2, 3)] for source in ("lecturers", "items"))
NOBODY, TENTH = tw.NoAdversary(), tw.BernoulliAdversary(0.1, W)
WARY, PLAIN = "Wary", "plain Thompson (BetaThompson)"
PANELS = {"default": None, "polarised=True": True}
SHARES, REACH = [0.05, 0.1, 0.2, 0.5, 1.0], [0.04, 1.4]  # ticks and ends of the axis


class World(NamedTuple):
    """Studies of one kind, what is done to their ratings, and a colour of Okabe and Ito."""

    studies: list[tw.Arms]
    attack: tw.Adversary
    color: str


WORLDS = {
    "honest: lecturers, 1 to 5": World(LECTURERS, NOBODY, "#0072B2"),
    "honest: items, 1 to 6": World(ITEMS, NOBODY, "#56B4E9"),
    "honest: 0 to 10, zeros meant": World([ZEROS], NOBODY, "#009E73"),
    "a tenth bad: the paper's arms, 0 to 10": World([PAPER], TENTH, "#D55E00"),
    "a tenth bad: lecturers, 1 to 5": World(LECTURERS, TENTH, "#CC79A7"),
}


def data_curves(games: int = GAMES) -> pl.DataFrame:
    """Return the regret of each policy in each world, as a share of that of uniform play."""
    rows = []
    for world, panel, most in itertools.product(WORLDS, PANELS, MOST):
        sys.stderr.write(f"{world}; {panel}; most = {most:g}\n")
        played = [shares(study, WORLDS[world].attack, most, PANELS[panel], games) for study in WORLDS[world].studies]
        for name in (WARY, PLAIN):
            share = float(np.mean([study[name] for study in played]))
            rows.append({"world": world, "panel": panel, "policy": name, "most": most, "share": share})
    return pl.DataFrame(rows)


def shares(arms: tw.Arms, attack: tw.Adversary, most: float, polarised: bool | None, games: int) -> dict[str, float]:
    """Return the mean regret of both policies in the same games, over that of uniform play."""
    wary, plain = tw.Wary(arms.bounds, most=most, polarised=polarised), tw.BetaThompson(arms.bounds)
    both = {WARY: wary, PLAIN: plain}
    played = tw.play(both, arms, attack, horizon=HORIZON, trials=games, seed=SEED, shuffle_arms=True)
    return {name: float(game.regret[:, -1].mean() / (HORIZON * arms.gaps.mean())) for name, game in played.items()}


def draw_curves(table: pl.DataFrame) -> alt.FacetChart:
    """Draw a line per world and policy, a panel without and one with `polarised`; a thin line marks the default."""
    dashes = alt.Scale(domain=[WARY, PLAIN], range=[styles.SOLID, styles.DOTS])
    legend: dict[str, Any] = {"orient": "bottom", "symbolType": "stroke", "symbolSize": 500, "labelLimit": 300}
    colors = alt.Scale(domain=list(WORLDS), range=[world.color for world in WORLDS.values()])
    x_axis, y_axis = alt.Axis(values=MOST, format="~g", labelFlush=False), alt.Axis(values=SHARES, format="~g")
    points = alt.Chart().encode(
        alt.X("most:Q", title="most (share of bad ratings)", axis=x_axis),
        alt.Y("share:Q", title="regret (share of uniform play's)", axis=y_axis).scale(type="log", domain=REACH),
        alt.Color("world:N", title=None, scale=colors, legend=alt.Legend(**legend, columns=2)),
    )
    black = alt.Legend(**legend, columns=1, symbolStrokeColor="#333")
    dashed = alt.StrokeDash("policy:N", title=None, scale=dashes, legend=black)
    played = points.mark_point(filled=True, size=22, opacity=1).transform_filter(alt.datum.policy == WARY)
    layers = played, points.mark_line(strokeWidth=1.8).encode(dashed)
    default = alt.Chart().mark_rule(strokeWidth=0.7, color="#777").encode(x=alt.datum(tw.Wary.most))
    split = alt.Facet("panel:N", sort=list(PANELS), header=alt.Header(title=None, labelFontSize=13))
    data = alt.InlineData(values=table.to_dicts())
    return alt.layer(default, *layers).properties(width=290, height=250).facet(split, data=data)


if __name__ == "__main__":
    curves = data_curves()
    table = curves.pivot("most", index=["world", "panel", "policy"], values="share")
    sys.stdout.write(table.write_csv(float_precision=3))
    picture = io.BytesIO(vl_convert.vegalite_to_png(draw_curves(curves).to_dict(), scale=2))
    Image.open(picture).save(FILE, optimize=True)
