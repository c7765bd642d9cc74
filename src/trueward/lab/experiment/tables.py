"""Tables from traces: one row per trial, and one row per checkpoint with what a curve needs."""

from typing import Any

import numpy as np
import polars as pl

from trueward.engine.kernel import Floats
from trueward.engine.trace import Trace

Z = 1.959963984540054  # the 97.5 % point of the normal distribution: intervals are 95 %


def trial_table(games: dict[str, Trace]) -> pl.DataFrame:
    """Return one row per policy and trial, after the last round."""
    return pl.concat(pl.DataFrame(_trial_columns(policy, trace)) for policy, trace in games.items())


def _trial_columns(policy: str, trace: Trace) -> dict[str, Any]:
    trials, pulls = trace.pulls.shape[0], trace.pulls[:, -1]
    rounds = int(trace.rounds[-1])
    return {
        "policy": [policy] * trials,
        "trial": np.arange(trials),
        "regret": trace.regret[:, -1],
        "realised_regret": trace.realised_regret[:, -1],
        "observed_regret": trace.observed_regret[:, -1],
        "best_arm_share": pulls[:, trace.gaps.argmin()] / rounds,
        "contaminated_share": trace.touched.sum(axis=1) / rounds,
        "changed_share": trace.changed.sum(axis=1) / rounds,
        "worst_arm_share": np.nanmax(trace.contaminated_fraction, axis=1),
        "first_violation": trace.first_violation,
        "refused": trace.refused,
    }


def curve_table(games: dict[str, Trace], reference: str) -> pl.DataFrame:
    """Return one row per policy and checkpoint: mean, interval, spread, and the paired difference to the reference."""
    against = games[reference].regret
    return pl.concat(
        pl.DataFrame({"policy": [policy] * trace.rounds.size, "round": trace.rounds, **_curves(trace.regret, against)})
        for policy, trace in games.items()
    )


def _curves(regret: Floats, against: Floats) -> dict[str, Any]:
    mean, low, high = interval(regret)
    difference, difference_low, difference_high = interval(regret - against)
    q10, median, q90 = np.quantile(regret, [0.1, 0.5, 0.9], axis=0)
    return {
        "mean": mean,
        "low": low,
        "high": high,
        "sd": spread(regret),
        "q10": q10,
        "median": median,
        "q90": q90,
        "difference": difference,
        "difference_low": difference_low,
        "difference_high": difference_high,
    }


def spread(values: Floats) -> Floats:
    """Return the standard deviation over trials, the first axis; 0 for a single one."""
    return np.asarray(values.std(axis=0, ddof=1) if values.shape[0] > 1 else np.zeros(values.shape[1:]))


def interval(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the mean over trials, the first axis, and its 95 % confidence interval."""
    mean = np.asarray(values.mean(axis=0))
    half = Z * spread(values) / np.sqrt(values.shape[0])
    return mean, mean - half, mean + half
