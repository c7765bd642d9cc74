"""river: its documented loop of `pull` and `update`; rewards are looked up in a table drawn beforehand."""

import random

import numpy as np
from river import __version__, bandit, proba

from timing import report_peer
from workload import EXP3, GAMMA, HORIZON, N_ARMS, THOMPSON, UCB1, P

ARMS = list(range(N_ARMS))
rng = np.random.default_rng(0)


def game(policy: bandit.base.Policy) -> None:
    """Play one game."""
    table = (rng.random((HORIZON, N_ARMS)) < P).astype(int).tolist()
    pull, update = policy.pull, policy.update
    for rewards in table:
        arm = pull(ARMS)
        update(arm, rewards[arm])


if __name__ == "__main__":
    report_peer(
        "river",
        __version__,
        {
            UCB1: lambda: game(bandit.UCB(delta=1, seed=random.randrange(2**31))),
            EXP3: lambda: game(bandit.Exp3(gamma=GAMMA, seed=random.randrange(2**31))),
            THOMPSON: lambda: game(bandit.ThompsonSampling(reward_obj=proba.Beta(), seed=random.randrange(2**31))),
        },
    )
