"""The compiled loops of trueward, called directly on tables of rewards that were drawn in advance.

Only this file depends on how they are called; all others use `tw.play` and `tw.Bandit`.
"""

from collections.abc import Callable

import numpy as np

import trueward as tw
from trueward.adversaries.adversary import planned_attack
from trueward.arms.arms import Arms
from trueward.engine.compiling import compiled
from trueward.engine.protocol import HiddenLearner
from trueward.game.loop import Limits, Record, Worlds, draw_worlds, play_games
from trueward.game.match import BLOCK, Match, checkpoints_of
from trueward.policies.policy import Policy
from workload import MEANS, SD

BINOMIAL = tw.BinomialArms(n=10, p=[m / 10 for m in MEANS])
GAUSSIAN = tw.GaussianArms(means=MEANS, sd=SD)


def draw_tables(arms: Arms, trials: int, horizon: int, seed: int = 0) -> np.ndarray:
    """Return tables of rewards, (trials, rounds, arms)."""
    tables = np.empty((trials, horizon, arms.n_arms))
    drawing_work(arms, tables, seed)()
    return tables


def drawing_work(arms: Arms, tables: np.ndarray, seed: int = 0) -> Callable[[], None]:
    """Return a function that fills tables with rewards."""
    distribution, rng = arms.distribution(), np.random.default_rng(seed)
    draw = compiled(draw_worlds, distribution)
    return lambda: draw(distribution, tables, rng)


def playing_work(policy: Policy, tables: np.ndarray, arms: Arms) -> Callable[[], Record]:
    """Return a function that plays a policy on uncontaminated tables of one block, and returns its record."""
    trials, horizon, n_arms = tables.shape
    assert trials <= BLOCK
    attack = np.full_like(tables, np.nan)
    state = policy.start(n_arms, horizon=horizon, capacity=horizon, scale=arms.scale)
    games = compiled(play_games, state, planned_attack(attack), HiddenLearner())
    match = Match({}, arms, tw.NoAdversary(), horizon, trials, 0, checkpoints_of(horizon), True, False)
    record, buffers = match.empty_record(0), match.empty_buffers()
    worlds = Worlds(tables, np.empty((trials, horizon, 0)), match.orders(0))
    policy_rng, adversary_rng = np.random.default_rng(1), np.random.default_rng(2)

    def work() -> Record:
        streams, limits = (policy_rng, adversary_rng), Limits(budget=np.inf, constraint=0.0)
        players = state, planned_attack(attack), HiddenLearner()
        games(*players, worlds, match.checkpoints, limits, *streams, None, None, record, buffers)
        return record

    return work
