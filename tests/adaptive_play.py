"""Studies with two arms and an adaptive policy, many at once: Gaussian Thompson sampling with a uniform share of .1."""

import numpy as np
from scipy.stats import norm

SHARE = 0.1


def adaptive_studies(studies, n, means, *, answers=(1.0, 1.0), share=SHARE, seed=0):
    """Return arms, ratings (0 or 1, NaN if not answered) and probabilities of the second arm, (studies, n) each.

    `means(t)` gives the chance of a 1 for both arms at time t from 0 to 1.
    """
    rng = np.random.default_rng(seed)
    counts, sums = np.ones((studies, 2)), np.full((studies, 2), 0.5)
    arm, rating, p = np.zeros((studies, n), int), np.zeros((studies, n)), np.zeros((studies, n))
    rows = np.arange(studies)
    for t in range(n):
        ahead = (sums[:, 1] / counts[:, 1] - sums[:, 0] / counts[:, 0]) / np.sqrt(0.25 / counts).sum(1)
        p[:, t] = share / 2 + (1 - share) * norm.cdf(ahead)
        arm[:, t] = rng.random(studies) < p[:, t]
        drawn = rng.random(studies) < np.array(means(t / n))[arm[:, t]]
        answered = rng.random(studies) < np.array(answers)[arm[:, t]]
        rating[:, t] = np.where(answered, drawn, np.nan)
        counts[rows, arm[:, t]] += answered
        sums[rows, arm[:, t]] += drawn & answered
    return arm, rating, p
