"""Chances against the number of participants, each with how sure the simulation is of it."""

from collections.abc import Mapping

import numpy as np
import polars as pl
from scipy.stats import binomtest

from trueward.engine.kernel import Bools
from trueward.planning.games import Played
from trueward.statistics.mean_interval import mean_interval


def chances_table(played: Mapping[str, Played]) -> pl.DataFrame:
    """Return a row per policy and number of participants: chances and points lost, with 95 % Monte-Carlo intervals."""
    return pl.concat([_of_policy(name, games) for name, games in played.items()])


def _of_policy(name: str, games: Played) -> pl.DataFrame:
    lost, low, high = mean_interval(games.lost)
    return pl.DataFrame(
        {
            "policy": [name] * games.numbers.size,
            "participants": games.numbers,
            **_chance("best", games.best),
            "lost": lost,
            "lost_low": np.maximum(low, 0.0),
            "lost_high": high,
            **_chance("decides", games.decides),
            **_chance("misleads", games.misleads),
        }
    )


def _chance(name: str, happened: Bools) -> dict[str, list[float]]:
    """Return how often something happened, and Wilson's interval, column by column."""
    found = [(k, *binomtest(k, happened.shape[0]).proportion_ci(0.95, "wilson")) for k in happened.sum(axis=0).tolist()]
    return {
        name: [k / happened.shape[0] for k, _, _ in found],
        f"{name}_low": [float(low) for _, low, _ in found],
        f"{name}_high": [float(high) for _, _, high in found],
    }
