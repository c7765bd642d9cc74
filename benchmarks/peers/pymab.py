"""pymab: its experiment on the Rust backend, or its policies in a loop, whichever is faster."""

import itertools
from collections.abc import Callable
from importlib.metadata import version

import numpy as np
from pymab import BanditEnvironment, BernoulliReward, Experiment, ExperimentConfig
from pymab.policies import BernoulliThompsonSamplingPolicy, EXP3Policy, UCBPolicy
from pymab.policies.policy import Policy

from timing import cpu_seconds, report_peer
from workload import EXP3, GAMMA, HORIZON, N_ARMS, THOMPSON, UCB1, P

seeds = itertools.count()
rng = np.random.default_rng(0)


def experiment(policy: Policy) -> None:
    """Play one game by the library's runner, on its Rust backend."""
    Experiment(
        environment=BanditEnvironment(means=np.array(P), reward_model=BernoulliReward()),
        policies={"it": policy},
        config=ExperimentConfig(horizon=HORIZON, n_replicates=1, seed=next(seeds), backend="rust"),
    ).run()


def loop(policy: Policy) -> None:
    """Play one game by hand, with the policy's own methods."""
    table = (rng.random((HORIZON, N_ARMS)) < P).astype(float).tolist()
    policy.reset()
    for rewards in table:
        arm = policy.select_action(rng=rng)
        policy.update(action=arm, reward=rewards[arm])


def faster_way(policy: Policy) -> Callable[[], None]:
    """Return the faster of the two."""
    ways = [lambda: experiment(policy), lambda: loop(policy)]
    return min(ways, key=lambda way: min(cpu_seconds(way) for _ in range(5)))


if __name__ == "__main__":
    report_peer(
        "pymab",
        version("pymab"),
        {
            UCB1: faster_way(UCBPolicy(n_arms=N_ARMS)),
            EXP3: faster_way(EXP3Policy(n_arms=N_ARMS, gamma=GAMMA)),
            THOMPSON: faster_way(BernoulliThompsonSamplingPolicy(n_arms=N_ARMS)),
        },
    )
