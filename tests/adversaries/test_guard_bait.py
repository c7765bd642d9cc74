import numpy as np
import pytest
from scipy import stats

import trueward as tw
from trueward.adversaries.guard_bait import batch_statistic
from trueward.engine.protocol import contaminate, reset
from trueward.errors import ParameterError
from trueward.statistics import rank_change

PAPER = tw.BinomialArms(n=10, p=[0.9, 0.8, 0.8, 0.8, 0.8])
GUARDED = tw.Guarded(tw.UCB(sigma=PAPER.sd), reaction="restart")


def statistic_at(x, k):
    """Return the guard's statistic at one place, from SciPy's ranks."""
    n = len(x)
    r = stats.rankdata(x) - (n + 1) / 2
    v = (r**2).sum() / (n - 1)
    weight = n / (k * (n - k))
    z = abs(r[:k].sum()) * np.sqrt(weight / v)
    excess = max(0.0, np.abs(r).max() / np.sqrt(v) - np.sqrt(3))
    return z**2 / (1 + excess * z * np.sqrt(weight) / 3)


@pytest.mark.parametrize("value", [0.0, 10.0, 8.0, 3.5])
@pytest.mark.parametrize(("n", "m", "begun"), [(10, 5, 0), (40, 8, 3), (200, 12, 12)])
@pytest.mark.parametrize("draw", [lambda rng, n: rng.binomial(10, 0.8, n), lambda rng, n: 10 * (rng.random(n) < 0.1)])
def test_batch_statistic_equals_the_guards_statistic_at_the_change(value, n, m, begun, draw):
    rewards = draw(np.random.default_rng(n), n).astype(float)
    rewards[:2] = 0.0, 10.0  # not all equal
    x = np.append(rewards, np.full(m, value))
    seen = np.sort(np.append(rewards, np.full(begun, value)))
    z2 = batch_statistic(seen, value, m - begun, m)
    assert z2 == pytest.approx(statistic_at(x, n), rel=1e-9)
    assert z2 <= rank_change.find_change_point(x, np.empty(n + m))[0] * (1 + 1e-9)


def test_batch_statistic_of_equal_rewards_is_0():
    assert batch_statistic(np.full(20, 3.0), 3.0, 5, 5) == 0.0


def test_guard_bait_has_the_default_constant_of_guarded():
    assert tw.GuardBait(0.1).c == GUARDED.c


def games_under(attack, arms=PAPER, *, horizon=1000, trials=2):
    """Play the attack through a function that counts: return batches and restarts per game, and the trace."""
    state = attack.start(arms, horizon)
    batches, restarts = [], []

    def count(view, t, arm, reward, rng):
        if t == 1:
            reset(state)
            batches.append(0)
            restarts.append(0)
        before = state.sample.sizes.sum()
        value = contaminate(state, view, t, arm, reward, rng)
        batches[-1] += state.sample.sizes.sum() < before
        restarts[-1] = int(view.learner.n_changes.sum())
        return None if np.isnan(value) else value

    spy = tw.FunctionAdversary(count, budget=attack.budget)
    trace = tw.play(GUARDED, arms, spy, horizon=horizon, trials=trials, seed=1, keep_history=True)
    return batches, restarts, trace


@pytest.mark.parametrize("by", ["arm", "rounds"])
def test_every_batch_makes_the_guard_restart(by):
    batches, restarts, trace = games_under(tw.GuardBait(0.1, by=by))
    assert restarts == batches
    assert min(restarts) >= 5
    assert (trace.refused == 0).all()
    assert (trace.touched.sum(axis=1) <= 0.1 * 1000).all()


def test_every_batch_makes_the_guard_restart_when_its_tests_are_rare():
    batches, restarts, _ = games_under(tw.GuardBait(0.03), tw.BinomialArms(n=10, p=[0.8]))
    assert restarts == batches
    assert min(restarts) >= 3  # 7 to 10 values are 3 % of 240 to 330 rewards


def test_guard_restarts_less_often_when_the_same_share_is_contaminated_at_random():
    _, restarts, trace = games_under(tw.GuardBait(0.05))
    share = trace.touched.sum() / trace.pulls[:, -1].sum()
    fired = []
    attack = tw.BernoulliAdversary(share, tw.WorstBounded()).start(PAPER, 1000)
    noise = np.random.default_rng(0)

    def at_random(view, t, arm, reward, rng):
        if t == 1:
            fired.append(0)
        fired[-1] = int(view.learner.n_changes.sum())
        return float(attack.values.low[arm]) if noise.random() < share else None

    tw.play(GUARDED, PAPER, at_random, horizon=1000, trials=2, seed=1)
    assert max(fired) <= 1
    assert min(restarts) >= max(fired) + 2
    calm = tw.play(GUARDED, PAPER, horizon=1000, trials=2, seed=1, compiled=False)
    assert (trace.regret[:, -1] > calm.regret[:, -1] + 150).all()


def test_guard_bait_by_rounds_keeps_the_share_of_all_rounds_at_every_moment():
    attack = tw.GuardBait(0.1, by="rounds")
    assert attack.budget is None
    _, _, trace = games_under(attack, trials=1)
    tables = []
    tw.play(GUARDED, PAPER, lambda v, t, *_: tables.append(v.truth.copy()) if t == 1 else None, horizon=1000, seed=1)
    changed = trace.observed[0] != tables[0][np.arange(1000), trace.arms[0]]
    assert (np.cumsum(changed) <= 0.1 * np.arange(1, 1001) + 1e-9).all()
    assert (trace.touched[0] > 0.1 * trace.pulls[0, -1] + 1e-9).any()  # more of one arm than a budget per arm allows


def test_guard_bait_refuses_wrong_parameters():
    with pytest.raises(ParameterError, match="epsilon must be at least 0 and at most 1, got -1"):
        tw.GuardBait(-1)
    with pytest.raises(ParameterError, match="c must be above 0, got 0"):
        tw.GuardBait(0.1, c=0)
    with pytest.raises(ParameterError, match="by must be one of 'arm', 'rounds', got 'game'"):
        tw.GuardBait(0.1, by="game")
