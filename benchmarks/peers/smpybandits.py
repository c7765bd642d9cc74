"""SMPyBandits: its policies' `startGame`, `choice` and `getReward`, without its evaluator, which is slower."""

import contextlib
import io
from importlib.metadata import version
from typing import Any

import numpy as np

from timing import report_peer
from workload import EXP3, GAMMA, HORIZON, N_ARMS, THOMPSON, TSALLIS, UCB1, P

with contextlib.redirect_stdout(io.StringIO()):  # it prints as it is imported
    from SMPyBandits.Policies import UCB, Exp3, Thompson, TsallisInf

rng = np.random.default_rng(0)


def game(policy: Any) -> None:
    """Play one game."""
    table = (rng.random((HORIZON, N_ARMS)) < P).astype(float).tolist()
    policy.startGame()
    choice, get_reward = policy.choice, policy.getReward
    for rewards in table:
        arm = choice()
        get_reward(arm, rewards[arm])


if __name__ == "__main__":
    np.seterr(all="ignore")
    report_peer(
        "SMPyBandits",
        version("SMPyBandits"),
        {
            UCB1: lambda: game(UCB(N_ARMS)),
            EXP3: lambda: game(Exp3(N_ARMS, gamma=GAMMA)),
            TSALLIS: lambda: game(TsallisInf(N_ARMS)),
            THOMPSON: lambda: game(Thompson(N_ARMS)),
        },
    )
