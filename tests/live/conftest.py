"""One example of every policy, or several, and the games they play here."""

import numpy as np
import pytest

import trueward as tw
from trueward.engine.states import arrays_of
from trueward.lab.arena.problem import Problem, configure_policy
from trueward.live import learner
from trueward.policies import POLICIES

TENTHS = tw.CategoricalArms(values=np.linspace(0, 1, 11), probabilities=np.full((3, 11), 1 / 11))
PROBLEM = Problem(TENTHS, horizon=500, epsilon=0.1)
VARIANTS = {
    "epsilon-greedy": [tw.EpsilonGreedy(c=0.5), tw.EpsilonGreedy(epsilon=0.2, estimator=tw.TrimmedMean(0.1))],
    "ucb1": [tw.UCB1(outside="keep"), tw.UCB1(outside="clip"), tw.UCB1(outside="raise")],
    "crucb": [
        tw.CrUCB(tw.Mean(), sigma=0.3),
        tw.CrUCB(tw.Median(), sigma=0.3),
        tw.CrUCB(tw.GroupedMedian(0.1), sigma=0.3),
        tw.CrUCB(tw.TrimmedMean(0.1), sigma=0.3),
        tw.CrUCB(tw.TrimmedMean(0.2, rounding="floor"), sigma=(0.3, 0.2, 0.4), bias_term=True),
        tw.CrUCB(tw.ShorthMean(0.1), sigma=0.3),
        tw.CrUCB(tw.ShorthMean(0.3, tie="random"), sigma=0.3),
    ],
    "exp3": [tw.EXP3(), tw.EXP3(gamma=0.2), tw.EXP3(gamma=0.2, outside="raise")],
    "tsallis-inf": [tw.TsallisINF(loss_estimator="rv"), tw.TsallisINF(loss_estimator="iw")],
    "barbar": [tw.BARBAR(preset="practical")],
    "barbat": [tw.BARBAT(preset="practical")],
    "race": [tw.Race(preset="practical")],
    "sao": [tw.SAO(preset="practical")],
    "sapo": [tw.SAPO(preset="practical")],
    "budget-thompson": [tw.BudgetThompson(budget=1.0, sigma=0.3, preset="practical")],
    "robust-thompson": [tw.RobustThompson(tw.TrimmedMean(0.1), sigma=0.3)],
    "crimed": [tw.CRIMED(epsilon=0.1, sigma=0.3)],
    "huber-ucb": [tw.HuberUCB(sigma=0.3, beta=0.6)],
    "heavy-tail-ucb": [tw.HeavyTailUCB("catoni", moment=0.1)],
    "mixture-thompson": [tw.MixtureThompson((0, 1), levels=11)],
    "wary": [tw.Wary((0, 1), levels=4)],
}
EXAMPLES = {name: VARIANTS.get(name) or [configure_policy(entry, PROBLEM)] for name, entry in POLICIES.items()}
ALL = [example for examples in EXAMPLES.values() for example in examples]
ARMS = ["video", "text", "quiz"]


@pytest.fixture(params=ALL, ids=repr)
def policy(request):
    return request.param


@pytest.fixture
def examples():
    return EXAMPLES


@pytest.fixture
def fresh():
    """Return a maker of bandits with three arms."""
    return lambda policy, seed=5: tw.Bandit(policy, ARMS, seed=seed, horizon=500)


@pytest.fixture
def small_memory(monkeypatch):
    """Let a bandit have room for few rewards of an arm at first, and return for how many."""
    monkeypatch.setattr(learner, "FIRST_CAPACITY", 32)
    return 32


@pytest.fixture
def play():
    """Return a game of so many rounds, with ratings of tenths that come at once; it returns the arms."""

    def rounds(bandit, count, *, seed=1):
        rng = np.random.default_rng(seed)
        arms = []
        for _ in range(count):
            ticket = bandit.ask(ticket=True)
            bandit.tell(ticket, round(float(rng.beta(4, 2 + ARMS.index(ticket.arm))), 1))
            arms.append(ticket.arm)
        return arms

    return rounds


@pytest.fixture
def snapshot():
    """Return all that a bandit has learned, every array bit for bit."""
    return lambda bandit: [(a.shape, a.dtype, a.tobytes()) for a in arrays_of(bandit._state)]
