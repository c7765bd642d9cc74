"""crUCB in plain Python without any library: rewards kept in order by `bisect.insort`, the kept slice summed."""

import math
import platform
import random
from bisect import insort

import numpy as np

from timing import report_peer
from workload import ALPHA, HORIZON, MEANS, N_ARMS, SD, TRIMMED

SCALE = 2.0 * SD / (1.0 - 2.0 * ALPHA)
rng = np.random.default_rng(0)


def game() -> None:
    """Play one game of Gaussian rewards."""
    table = rng.normal(MEANS, SD, (HORIZON, N_ARMS)).tolist()
    seen: list[list[float]] = [[] for _ in range(N_ARMS)]
    estimate, width = [math.inf] * N_ARMS, [0.0] * N_ARMS
    for t, rewards in enumerate(table, start=1):
        root = math.sqrt(math.log(t))
        upper = [e + root * w for e, w in zip(estimate, width, strict=True)]
        top = max(upper) - 1e-12
        best = [arm for arm, u in enumerate(upper) if u >= top]
        arm = best[0] if len(best) == 1 else random.choice(best)
        sample = seen[arm]
        insort(sample, rewards[arm])
        n = len(sample)
        cut = min(math.ceil(ALPHA * n - 1e-9), (n - 1) // 2)
        estimate[arm] = sum(sample[cut : n - cut]) / (n - 2 * cut)
        width[arm] = SCALE / math.sqrt(n)


if __name__ == "__main__":
    report_peer("insort by hand, Python", platform.python_version(), {TRIMMED: game})
