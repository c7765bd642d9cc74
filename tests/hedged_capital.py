"""The hedged-capital confidence sequence of Waudby-Smith & Ramdas (2024), Theorem 3 with bets (26): a few lines."""

import numpy as np


def hedged_capital(x, *, c, alpha=0.05, grid=2000):
    """Return the ends of the confidence sequence at time n: the means that no capital process has ruled out."""
    n = np.arange(1, x.size + 1)
    mean = (0.5 + np.cumsum(x)) / (n + 1)
    variance = (0.25 + np.cumsum((x - mean) ** 2)) / (n + 1)
    before = np.append(0.25, variance[:-1])
    bets = np.sqrt(2 * np.log(2 / alpha) / (before * n * np.log(n + 1)))[:, None]
    m = (np.arange(grid) + 0.5) / grid
    up = np.log1p(np.minimum(bets, c / m) * (x[:, None] - m)).sum(0)
    down = np.log1p(-np.minimum(bets, c / (1 - m)) * (x[:, None] - m)).sum(0)
    kept = m[np.maximum(up, down) - np.log(2) < np.log(1 / alpha)]
    return kept.min() - 0.5 / grid, kept.max() + 0.5 / grid
