import numpy as np
import pytest

import trueward as tw
from trueward.errors import ParameterError

ARMS = tw.BinomialArms(n=10, p=(0.9, 0.8, 0.8))
POLICY = tw.UCB(sigma=1.3)


@pytest.mark.parametrize("epsilon", [0.05, 0.3])
def test_bernoulli_adversary_contaminates_each_round_with_probability_epsilon(epsilon):
    trace = tw.play(POLICY, ARMS, tw.BernoulliAdversary(epsilon), horizon=200, trials=100, seed=1)
    n = 200 * 100  # coin tosses, one per round; four standard errors
    assert abs(trace.touched.sum() / n - epsilon) < 4 * np.sqrt(epsilon * (1 - epsilon) / n)
    assert trace.refused.sum() == 0


def test_bernoulli_adversary_contaminates_nothing_at_epsilon_0_and_everything_at_epsilon_1():
    none = tw.play(POLICY, ARMS, tw.BernoulliAdversary(0), horizon=60, trials=2, compiled=False)
    everything = tw.play(POLICY, ARMS, tw.BernoulliAdversary(1), horizon=60, trials=2, compiled=False)
    assert none.touched.sum() == none.changed.sum() == 0
    assert everything.touched.sum() == 120


def test_contaminated_value_equal_to_the_truth_is_touched_but_not_changed():
    # 9 or 10 for Bin(10, 0.8) is the truth with probability (0.2684 + 0.1074) / 2 = 0.188; for the best
    # arm, 0..8 for Bin(10, 0.9), P(at most 8) / 9 = 0.0293
    trace = tw.play(POLICY, ARMS, tw.BernoulliAdversary(0.5), horizon=200, trials=100, seed=2)
    touched, changed = trace.touched.sum(axis=0), trace.changed.sum(axis=0)
    for arm, same in enumerate([0.0293, 0.1879, 0.1879]):
        error = np.sqrt(same * (1 - same) / touched[arm])
        assert abs(1 - changed[arm] / touched[arm] - same) < 4 * error  # four standard errors
    np.testing.assert_allclose(trace.contaminated_fraction, trace.touched / trace.pulls[:, -1])
    np.testing.assert_allclose(trace.changed_fraction, trace.changed / trace.pulls[:, -1])


def violation_probability(epsilon, pulls):
    """Dynamic programming over the number of contaminated rewards, in games that have kept the constraint so far."""
    alive = {0: 1.0}
    for n in range(1, pulls + 1):
        allowed = round(epsilon * 100) * n // 100
        step = {}
        for bad, p in alive.items():
            for more, q in ((0, 1 - epsilon), (1, epsilon)):
                if bad + more <= allowed:
                    step[bad + more] = step.get(bad + more, 0.0) + p * q
        alive = step
    return 1 - sum(alive.values())


@pytest.mark.parametrize(("epsilon", "paper"), [(0.1, 0.906), (0.05, 0.87)])
def test_bernoulli_adversary_violates_the_constraint_with_the_exact_probability(epsilon, paper):
    exact = violation_probability(epsilon, 200)
    assert exact == pytest.approx(paper, abs=0.005)
    # a certain reward of 1, and 0 in its place: every contaminated reward is changed
    arms, adversary = tw.BernoulliArms([1.0]), tw.BernoulliAdversary(epsilon, tw.WorstBounded(range=(0, 1)))
    trials = 4000
    trace = tw.play(POLICY, arms, adversary, horizon=200, trials=trials, seed=3, checkpoints=[200], keep_history=True)
    broken = (trace.first_violation > 0).mean()
    assert abs(broken - exact) < 4 * np.sqrt(exact * (1 - exact) / trials)  # four standard errors
    # and the round it names is the first one with too many
    changed = np.cumsum(trace.observed == 0, axis=1)
    late = changed > round(epsilon * 100) * np.arange(1, 201) // 100
    assert (trace.first_violation == np.where(late.any(axis=1), late.argmax(axis=1) + 1, 0)).all()


def test_bernoulli_adversary_attacks_every_policy_in_the_same_way():
    policies = {"ucb": POLICY, "uniform": tw.Uniform()}
    adversary = tw.BernoulliAdversary(0.3, tw.Unbounded())
    games = tw.play(policies, ARMS, adversary, horizon=100, trials=4, keep_history=True, compiled=False)
    ucb, uniform = games["ucb"], games["uniform"]
    # no unbounded value is a whole number, and every rating is: the same rounds are contaminated …
    assert ((ucb.observed % 1 != 0) == (uniform.observed % 1 != 0)).all()
    # … and where the same arm was played, with the same value
    same = ucb.arms == uniform.arms
    assert 50 < same.sum() < 350
    assert (ucb.observed[same] == uniform.observed[same]).all()


def test_bernoulli_adversary_declares_a_constraint_but_no_budget():
    adversary = tw.BernoulliAdversary(0.1)
    assert adversary.budget is None
    assert adversary.constraint == 0.1
    assert not adversary.adaptive


@pytest.mark.parametrize("epsilon", [-0.1, 1.1, np.nan, None])
def test_bernoulli_adversary_refuses_an_epsilon_outside_0_to_1(epsilon):
    with pytest.raises(ParameterError, match=r"epsilon must be .*got"):
        tw.BernoulliAdversary(epsilon)
