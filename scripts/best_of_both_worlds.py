"""Draw docs/images/best-of-both-worlds.png: regret by horizon, with stationary arms and with an arm that improves.

    python scripts/best_of_both_worlds.py

There are two arms: one succeeds in six of ten rounds, the other never. On the left they stay so. On the right the
second one always succeeds from round 30,000 on, or after a quarter of a shorter game. Regret is against the best arm
in the observed rewards, which is what guarantees against an adversary are about.
"""

import io
import itertools
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
STATIONARY, IMPROVING = "the arms stay as they are", "the bad arm becomes the best"
TICKS = [-10_000, -1_000, 0, 1_000, 10_000, 100_000, 1_000_000]
HORIZONS = tuple(15_625 * 4**k for k in range(5))  # up to four million
POLICIES = {"SAPO": tw.SAPO(), "SAO": tw.SAO(), "EXP3": tw.EXP3(), "UCB1": tw.UCB1(), "uniform": tw.Uniform()}


class ImprovingArmState(NamedTuple):
    """The first round, counted from 0, in which the bad arm always succeeds."""

    from_round: int


@plan_attack.register(ImprovingArmState)
def show_success(state: ImprovingArmState, truth: Floats, table: Floats, rng: np.random.Generator) -> None:  # noqa: ARG001
    for t in range(truth.shape[0]):
        table[t, 0] = UNTOUCHED
        table[t, 1] = 1.0 if t >= state.from_round else UNTOUCHED


def change_round(horizon: int) -> int:
    """Return the number of rounds before the bad arm becomes the best; in a long game it is eliminated by then."""
    return min(30_000, horizon // 4)


@dataclass(frozen=True)
class ImprovingArm(tw.Adversary):
    """Makes the bad one of two arms the best in the middle of the game."""

    def start(self, arms: Arms, horizon: int) -> ImprovingArmState:  # noqa: ARG002 - the arms do not matter
        """Return the state for a game of this length."""
        return ImprovingArmState(change_round(horizon))


def observed_regret(trace: tw.Trace, *, changed: bool) -> Floats:
    """Return each trial's regret against the best arm in the observed rewards; the first checkpoint is the change."""
    before, after = trace.pulls[:, 0], trace.pulls[:, 1] - trace.pulls[:, 0]
    later = LATER if changed else RATES
    rounds = np.diff(trace.checkpoints, prepend=0)
    best = (rounds[0] * RATES + rounds[1] * later).max()
    return np.asarray(best - before @ RATES - after @ later)


def data_environments(
    horizons: Sequence[int], *, trials: int, policies: dict[str, tw.Policy] = POLICIES
) -> pl.DataFrame:
    """Return the mean regret and its standard error, a row per environment, horizon and policy."""
    rows = []
    arms = tw.BernoulliArms(RATES)
    for horizon, environment in itertools.product(horizons, (STATIONARY, IMPROVING)):
        attack = ImprovingArm() if environment == IMPROVING else None
        checkpoints = [change_round(horizon), horizon]
        games = tw.play(policies, arms, attack, horizon=horizon, trials=trials, checkpoints=checkpoints)
        for name, trace in games.items():
            regret = observed_regret(trace, changed=environment == IMPROVING)
            error = float(regret.std(ddof=1) / np.sqrt(trials)) if trials > 1 else 0.0
            row = {"environment": environment, "horizon": horizon, "policy": name}
            rows.append({**row, "regret": regret.mean(), "error": error})
    return pl.DataFrame(rows)


def draw_environments(table: pl.DataFrame) -> alt.FacetChart:
    """Draw a line per policy by horizon, both on logarithmic scales, with a panel per environment."""
    horizons = table["horizon"].unique().sort().to_list()
    base = alt.Chart().encode(
        alt.X("horizon:Q", title="horizon T (rounds)", axis=alt.Axis(values=horizons, format=".2s", grid=False)).scale(
            type="log", domain=[horizons[0], horizons[-1]]
        ),
        alt.Y("regret:Q", title="mean regret in the observed rewards", axis=alt.Axis(format=",d", values=TICKS)).scale(
            type="symlog", constant=100
        ),
        styles.policy_color(table),
    )
    lines = base.mark_line(strokeWidth=1.8).encode(styles.policy_dash(table))
    layers = alt.layer(lines, base.mark_point(filled=True, size=35, opacity=1)).properties(width=330, height=300)
    split = alt.Facet("environment:N", sort=[STATIONARY, IMPROVING], header=alt.Header(title=None, labelFontSize=13))
    return layers.facet(split, data=alt.InlineData(values=table.to_dicts()))


def markdown_table(table: pl.DataFrame, environment: str) -> str:
    """Return a table as Markdown: a row per policy, a column per horizon."""
    horizons = table["horizon"].unique().sort().to_list()
    lines = [f"| {environment}: T | {' | '.join(f'{each:,}' for each in horizons)} |", f"|---|{'--:|' * len(horizons)}"]
    for name in table["policy"].unique(maintain_order=True):
        regrets = table.filter(environment=environment, policy=name).sort("horizon")["regret"]
        lines.append(f"| {name} | {' | '.join(f'{each:,.0f}' for each in regrets)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    data = data_environments(HORIZONS, trials=4)
    for each in (STATIONARY, IMPROVING):
        sys.stdout.write(f"{markdown_table(data, each)}\n\n")
    picture = io.BytesIO(vl_convert.vegalite_to_png(draw_environments(data).to_dict(), scale=2))
    Image.open(picture).save(FILE, optimize=True)
