"""crUCB's two parameters from a pilot: the pair whose worst regret over replays of the pilot is lowest.

The pilot's arms are played again with people as careless as they may be, and with as many malicious ones: ratings on
the wrong side of the mean, or at the wrong end of the scale. All pairs meet the same ratings. Regret is measured
against the best pair's in the same replay: in points, a replay in which nothing helps would decide alone.
"""

import numpy as np
import polars as pl

from trueward.adversaries.adversary import Adversary
from trueward.adversaries.bernoulli_adversary import BernoulliAdversary
from trueward.adversaries.values import RandomMalicious, WorstBounded
from trueward.estimators.trimmed_mean import TrimmedMean
from trueward.game.play import play
from trueward.planning.games import Report
from trueward.planning.outline import Outline
from trueward.planning.people import raters
from trueward.planning.pilot import Spread, Tuned
from trueward.policies.index.crucb import CrUCB
from trueward.statistics.mean_interval import mean_interval

ALPHAS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3)
PARTS = (0.25, 0.5, 0.75)  # of the plain standard deviation: the paper's constants explore more than games reward
MOST_SHARE = 0.45


def replays_of(share: float) -> dict[str, Adversary]:
    """Return who rates in the replays: careless people, and malicious ones of two kinds."""
    share = min(share, MOST_SHARE)
    return {
        "careless": raters(share),
        "malicious": BernoulliAdversary(share, RandomMalicious()),
        "malicious, at the ends": BernoulliAdversary(share, WorstBounded()),
    }


def tune(
    outline: Outline, share: float, spread: Spread, *, games: int, seed: int, compiled: bool | None, report: Report
) -> Tuned:
    """Return the pair (alpha, sigma) with the lowest worst regret."""
    sigmas = sorted({spread.main, spread.plain, spread.trimmed, *(part * spread.plain for part in PARTS)} - {0.0})
    pairs = [(alpha, sigma) for alpha in sorted({*ALPHAS, min(share, MOST_SHARE)}) for sigma in sigmas]
    policies = {f"{alpha} {sigma}": outline.playing(CrUCB(TrimmedMean(alpha), sigma=sigma)) for alpha, sigma in pairs}
    rows = []
    for name, adversary in replays_of(share).items():
        report(f"tuning: {name}", 0)
        traces = play(
            policies,
            outline.arms,
            adversary,
            horizon=outline.participants,
            trials=games,
            seed=seed,
            checkpoints=[outline.participants],
            shuffle_arms=True,
            delay=outline.delay,
            compiled=compiled,
        )
        for (alpha, sigma), trace in zip(pairs, traces.values(), strict=True):
            regret, low, high = (float(each[-1]) for each in mean_interval(trace.regret))
            rows.append({"alpha": alpha, "sigma": sigma, "replay": name, "regret": regret, "low": low, "high": high})
        report(f"tuning: {name}", games)
    replays = pl.DataFrame(rows).with_columns(against_best=pl.col("regret") / pl.col("regret").min().over("replay"))
    worst = replays.group_by("alpha", "sigma", maintain_order=True).agg(pl.col("against_best").max())
    best = worst.row(int(np.argmin(worst["against_best"].to_numpy())), named=True)
    return Tuned(best["alpha"], best["sigma"], replays)
