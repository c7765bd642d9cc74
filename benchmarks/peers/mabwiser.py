"""mabwiser: `fit` on one reward of each arm, then `predict` and `partial_fit` in each round, in one process."""

import random
from importlib.metadata import version

import numpy as np
from mabwiser.mab import MAB, LearningPolicy

from timing import report_peer
from workload import HORIZON, N_ARMS, THOMPSON, UCB1, P

ARMS = list(range(N_ARMS))
rng = np.random.default_rng(0)


def game(learning_policy: LearningPolicy) -> None:
    """Play one game."""
    table = (rng.random((HORIZON, N_ARMS)) < P).astype(int).tolist()
    mab = MAB(ARMS, learning_policy, seed=random.randrange(2**31), n_jobs=1)
    mab.fit(ARMS, [table[arm][arm] for arm in ARMS])
    for rewards in table[N_ARMS:]:
        arm = mab.predict()
        mab.partial_fit([arm], [rewards[arm]])


if __name__ == "__main__":
    report_peer(
        "mabwiser",
        version("mabwiser"),
        {
            UCB1: lambda: game(LearningPolicy.UCB1(alpha=1)),
            THOMPSON: lambda: game(LearningPolicy.ThompsonSampling()),
        },
    )
