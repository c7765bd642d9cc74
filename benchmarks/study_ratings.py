"""Simulated ratings from 1 to 5 for live studies, the same for all versions and libraries."""

import numpy as np

BEST, OTHERS = 0.7, 0.6  # p of the first arm and of the others; the mean rating is 1 + 4 p


def simulate_ratings(rounds: int, n_arms: int) -> list[list[float]]:
    """Return the rating of each arm in each round."""
    p = [BEST] + [OTHERS] * (n_arms - 1)
    return (1.0 + np.random.default_rng(0).binomial(4, p, (rounds, n_arms))).tolist()
