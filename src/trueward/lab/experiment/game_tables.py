"""Tables of played games: one row per trial, and one row per checkpoint of a curve."""

from typing import Any

import numpy as np
import polars as pl

from trueward.engine.kernel import Floats
from trueward.game.trace import Trace
from trueward.statistics.mean_interval import mean_interval

DIFFERENCE = ("difference", "difference_low", "difference_high")
COLUMNS = {
    *("policy", "trial", "regret", "realised_regret", "observed_regret", "best_arm_share", "contaminated_share"),
    *("changed_share", "max_contaminated_share", "first_violation", "refused", "trials"),
    *("round", "mean", "low", "high", "sd", "q10", "median", "q90", *DIFFERENCE),
    *("panel", "value", "back", "bar", "sd_low", "sd_high"),
}
"""The columns of results and charts; a sweep must have another name."""


def trial_table(games: dict[str, Trace]) -> pl.DataFrame:
    """Return one row per policy and trial, as of the last round."""
    return pl.concat(pl.DataFrame(_trial_columns(policy, trace)) for policy, trace in games.items())


def _trial_columns(policy: str, trace: Trace) -> dict[str, Any]:
    trials, pulls = trace.pulls.shape[0], trace.pulls[:, -1]
    rounds = int(trace.checkpoints[-1])
    return {
        "policy": [policy] * trials,
        "trial": np.arange(trials),
        "regret": trace.regret[:, -1],
        "realised_regret": trace.realised_regret[:, -1],
        "observed_regret": trace.observed_regret[:, -1],
        "best_arm_share": pulls[:, trace.gaps.argmin()] / rounds,
        "contaminated_share": trace.touched.sum(axis=1) / rounds,
        "changed_share": trace.changed.sum(axis=1) / rounds,
        "max_contaminated_share": np.nanmax(trace.contaminated_fraction, axis=1),  # over the arms
        "first_violation": trace.first_violation,
        "refused": trace.refused,
    }


def curve_table(games: dict[str, Trace], reference: str) -> pl.DataFrame:
    """Return one row per policy and checkpoint: mean, interval, quantiles, and paired difference to the reference."""
    reference_regret = games[reference].regret
    return pl.concat(_curve(policy, trace, reference_regret) for policy, trace in games.items())


def _curve(policy: str, trace: Trace, reference_regret: Floats) -> pl.DataFrame:
    differences = zip(DIFFERENCE, mean_interval(trace.regret - reference_regret), strict=True)
    return trace.table().select(
        pl.lit(policy).alias("policy"), pl.all(), *(pl.Series(name, values) for name, values in differences)
    )
