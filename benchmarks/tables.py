"""Our compiled loops, called directly on tables of rewards that were drawn beforehand.

Only this file knows how they are called; everything else goes through `tw.play` and `tw.Bandit`.
"""

from collections.abc import Callable

import numpy as np

import trueward as tw
from settings import MEANS, SD
from trueward.adversaries.adversary import planned_attack
from trueward.arms.arms import Arms
from trueward.engine.protocol import HiddenLearner
from trueward.game.loop import Limits, Record, Worlds, draw_worlds, play_games
from trueward.game.match import BLOCK, Match, checkpoints_of
from trueward.policies.policy import Policy

BINOMIAL = tw.BinomialArms(n=10, p=[m / 10 for m in MEANS])
GAUSSIAN = tw.GaussianArms(means=MEANS, sd=SD)


def drawn(arms: Arms, trials: int, horizon: int, seed: int = 0) -> np.ndarray:
    """Return tables of rewards, (trials, rounds, arms)."""
    tables = np.empty((trials, horizon, arms.n_arms))
    drawing(arms, tables, seed)()
    return tables


def drawing(arms: Arms, tables: np.ndarray, seed: int = 0) -> Callable[[], None]:
    """Return the work of filling tables with rewards."""
    distribution, rng = arms.distribution(), np.random.default_rng(seed)
    draw = draw_worlds.version(distribution, compiled=True)
    return lambda: draw(distribution, tables, rng)


def playing(policy: Policy, tables: np.ndarray, arms: Arms) -> Callable[[], Record]:
    """Return the work of playing a policy on the tables of a block, nobody contaminating; it leaves its record."""
    trials, horizon, n_arms = tables.shape
    assert trials <= BLOCK
    attack = np.full_like(tables, np.nan)
    state = policy.start(n_arms, horizon=horizon, capacity=horizon, scale=arms.scale)
    games = play_games.version(state, planned_attack(attack), HiddenLearner(), compiled=True)
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
