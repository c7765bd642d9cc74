"""Draws docs/images/best-of-both-worlds.png: regret against the horizon, where arms stay as they are and where not.

    python scripts/best_of_both_worlds.py

Two arms: one succeeds in six of ten rounds, the other never. On the left they stay so. On the right the other succeeds
always from round 30,000 on, or after a quarter of a shorter game; the regret is against it, in the rewards seen: what
guarantees against an adversary are about.
"""

import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import altair as alt
import numpy as np
import polars as pl
import vl_convert
from PIL import Image

import trueward as tw
from trueward.arms.arms import Arms
from trueward.engine.kernel import Floats
from trueward.engine.protocol import UNTOUCHED, plan_attack
from trueward.reporting import styles

FILE = Path(__file__).parents[1] / "docs" / "images" / "best-of-both-worlds.png"
RATES, LATER = np.array([0.6, 0.0]), np.array([0.6, 1.0])
STAY, TURN = "the arms stay as they are", "the bad arm becomes the best"
TICKS = [-10_000, -1_000, 0, 1_000, 10_000, 100_000, 1_000_000]
HORIZONS = tuple(15_625 * 4**k for k in range(5))  # up to four million
POLICIES = {"SAPO": tw.SAPO(), "SAO": tw.SAO(), "EXP3": tw.EXP3(), "UCB1": tw.UCB1(), "uniform": tw.Uniform()}


class Turned(NamedTuple):
    """When the bad arm turns."""

    after: int


@plan_attack.register(Turned)
def show_success(state: Turned, truth: Floats, table: Floats, rng: np.random.Generator) -> None:  # noqa: ARG001
    """Show every reward of the second arm as 1 from a round on."""
    for t in range(truth.shape[0]):
        table[t, 0] = UNTOUCHED
        table[t, 1] = 1.0 if t >= state.after else UNTOUCHED


def turn_of(horizon: int) -> int:
    """Return after how many rounds the bad arm becomes the best: in a long game SAPO has eliminated it by then."""
    return min(30_000, horizon // 4)


@dataclass(frozen=True)
class Turn(tw.Adversary):
    """Lets the bad one of two arms become the best."""

    def start(self, arms: Arms, horizon: int) -> Turned:  # noqa: ARG002 - the arms do not matter
        """Return the round."""
        return Turned(turn_of(horizon))


def regret_seen(trace: tw.Trace, *, turned: bool) -> Floats:
    """Return the regret of each trial against the best arm of all rewards seen; the first checkpoint is the turn."""
    before, after = trace.pulls[:, 0], trace.pulls[:, 1] - trace.pulls[:, 0]
    later = LATER if turned else RATES
    rounds = np.diff(trace.checkpoints, prepend=0)
    best = (rounds[0] * RATES + rounds[1] * later).max()
    return np.asarray(best - before @ RATES - after @ later)


def data_worlds(horizons: Sequence[int], *, trials: int, policies: dict[str, tw.Policy] = POLICIES) -> pl.DataFrame:
    """Return the mean regret and its standard error, a row per world, horizon and policy."""
    rows = []
    for world, horizon in ((world, horizon) for horizon in horizons for world in (STAY, TURN)):
        attack = Turn() if world == TURN else None
        marks = [turn_of(horizon), horizon]
        games = tw.play(policies, tw.BernoulliArms(RATES), attack, horizon=horizon, trials=trials, checkpoints=marks)
        for name, trace in games.items():
            regret = regret_seen(trace, turned=world == TURN)
            error = float(regret.std(ddof=1) / np.sqrt(trials)) if trials > 1 else 0.0
            rows.append({"world": world, "horizon": horizon, "policy": name, "regret": regret.mean(), "error": error})
    return pl.DataFrame(rows)


def draw_worlds(table: pl.DataFrame) -> alt.FacetChart:
    """Draw a line per policy against the horizon, both on logarithmic scales, a panel per world."""
    horizons = table["horizon"].unique().sort().to_list()
    base = alt.Chart().encode(
        alt.X("horizon:Q", title="horizon T (rounds)", axis=alt.Axis(values=horizons, format=".2s", grid=False)).scale(
            type="log", domain=[horizons[0], horizons[-1]]
        ),
        alt.Y("regret:Q", title="mean regret in the rewards seen", axis=alt.Axis(format=",d", values=TICKS)).scale(
            type="symlog", constant=100
        ),
        styles.policy_color(table),
    )
    lines = base.mark_line(strokeWidth=1.8).encode(styles.policy_dash(table))
    layers = alt.layer(lines, base.mark_point(filled=True, size=35, opacity=1)).properties(width=330, height=300)
    split = alt.Facet("world:N", sort=[STAY, TURN], header=alt.Header(title=None, labelFontSize=13))
    return layers.facet(split, data=alt.InlineData(values=table.to_dicts()))


def pages_table(table: pl.DataFrame, world: str) -> str:
    """Return a table of the page: a row per policy, a column per horizon."""
    horizons = table["horizon"].unique().sort().to_list()
    lines = [f"| {world}: T | {' | '.join(f'{each:,}' for each in horizons)} |", f"|---|{'--:|' * len(horizons)}"]
    for name in table["policy"].unique(maintain_order=True):
        regrets = table.filter(world=world, policy=name).sort("horizon")["regret"]
        lines.append(f"| {name} | {' | '.join(f'{each:,.0f}' for each in regrets)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    worlds = data_worlds(HORIZONS, trials=4)
    for each in (STAY, TURN):
        sys.stdout.write(f"{pages_table(worlds, each)}\n\n")
    picture = io.BytesIO(vl_convert.vegalite_to_png(draw_worlds(worlds).to_dict(), scale=2))
    Image.open(picture).save(FILE, optimize=True)
