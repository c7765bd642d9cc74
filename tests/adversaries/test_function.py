import numpy as np
import pytest

import trueward as tw
from trueward.errors import ParameterError, RewardError

ARMS = tw.BinomialArms(n=10, p=(0.9, 0.8, 0.8))
POLICY = tw.UCB(sigma=1.3)
HORIZON = 50


def nothing(view, t, arm, reward, rng):
    return None


def the_truth(view, t, arm, reward, rng):
    return reward


def always_low(view, t, arm, reward, rng):
    return -1


def play(attack, **settings):
    return tw.play(POLICY, ARMS, attack, **{"horizon": HORIZON, "trials": 3, "seed": 6} | settings)


@pytest.mark.parametrize("keep_history", [False, True])
def test_function_sees_the_past_the_arm_and_all_true_rewards(keep_history):
    calls = []

    def attack(view, t, arm, reward, rng):
        calls.append((t, arm, reward, view.truth.copy(), view.arms.tolist(), view.observed.tolist(), view))
        assert view.truth.shape == (HORIZON, 3)
        assert reward == view.truth[t - 1, arm]
        assert len(view.arms) == len(view.observed) == t - 1  # the past, and nothing of another trial
        assert view.pulls.tolist() == np.bincount(view.arms, minlength=3).tolist()
        assert view.learner.pulls.tolist() == view.pulls.tolist()
        wrong = view.observed != view.truth[np.arange(t - 1), view.arms]
        assert view.touched.tolist() == np.bincount(view.arms[wrong], minlength=3).tolist()
        return -1.0 if t % 5 == 0 else None

    trace = play(attack, keep_history=keep_history)
    assert [call[0] for call in calls] == list(range(1, HORIZON + 1)) * 3
    last_calls = calls[HORIZON - 1 :: HORIZON]
    for trial, (_, arm, reward, truth, arms, observed, _) in enumerate(last_calls):
        assert (truth == calls[trial * HORIZON][3]).all()  # fixed before play, future rewards included
        played = [*arms, arm]
        shown = [*observed, -1.0]
        assert np.bincount(played, minlength=3).tolist() == trace.pulls[trial, -1].tolist()
        assert sum(shown) == trace.observed_reward[trial, -1]
        assert truth[np.arange(HORIZON), played].sum() == trace.true_reward[trial, -1]
        assert reward == truth[-1, arm]
        if keep_history:
            assert trace.arms[trial].tolist() == played
            assert trace.observed[trial].tolist() == shown


@pytest.mark.parametrize("name", ["truth", "pulls", "touched", "arms", "observed"])
def test_function_cannot_write_to_the_view(name):
    def attack(view, t, arm, reward, rng):
        getattr(view, name)[...] = 0

    with pytest.raises(ValueError, match="read-only"):
        play(attack)


def test_function_cannot_write_to_the_learner():
    def attack(view, t, arm, reward, rng):
        with pytest.raises(ValueError, match="read-only"):
            view.learner.estimate[0] = 1e300
        with pytest.raises(ValueError, match="read-only"):
            view.learner.memory.mean[0] = 1e300  # nor its memory

    assert (play(attack).pulls == play(None).pulls).all()


def test_function_that_returns_none_leaves_every_reward():
    trace = play(nothing)
    honest = play(None)
    assert trace.touched.sum() == 0
    assert (trace.observed_reward == honest.observed_reward).all()
    assert (trace.pulls == honest.pulls).all()


def test_function_value_equal_to_the_truth_is_touched_but_not_changed():
    trace = play(the_truth)
    assert (trace.touched == trace.pulls[:, -1]).all()
    assert trace.changed.sum() == 0
    assert (trace.first_violation == 0).all()


def test_function_without_a_budget_may_contaminate_everything():
    trace = play(always_low)
    assert (trace.observed_reward[:, -1] == -HORIZON).all()
    assert (trace.contaminated_fraction == 1).all()
    assert (trace.refused == 0).all()


def test_function_past_its_budget_is_refused_and_the_attempt_counted():
    adversary = tw.FunctionAdversary(always_low, budget=0.2)
    trace = play(adversary, keep_history=True)
    for trial in range(3):
        for arm in range(3):
            mask = trace.observed[trial][trace.arms[trial] == arm] == -1
            # it tries at every reward, and is let through whenever the budget allows, no more often
            assert (np.cumsum(mask) == np.arange(1, mask.size + 1) // 5).all()
    assert (trace.touched == trace.pulls[:, -1] // 5).all()
    assert (trace.refused == HORIZON - trace.touched.sum(axis=1)).all()
    assert (trace.first_violation == 0).all()


def test_function_may_save_its_budget_and_spend_it_later_at_once():
    def late(view, t, arm, reward, rng):
        return -1.0 if t > 40 else None

    trace = tw.play(POLICY, tw.BernoulliArms([0.5]), tw.FunctionAdversary(late, budget=0.1), horizon=60)
    assert trace.touched.sum() == 6  # rewards 41 to 44 by the budget of 4, then the 50th and the 60th
    assert trace.refused.sum() == 20 - 6


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, "9", [1.0]])
def test_function_value_that_is_not_finite_raises_an_error_with_arm_and_round(bad):
    seen = []

    def attack(view, t, arm, reward, rng):
        seen.append(arm)
        return bad if t == 7 else None

    with pytest.raises(RewardError, match=r"reward of arm \d in round 7, as the adversary contaminated it") as error:
        play(attack, trials=1)
    assert f"arm {seen[-1]} in round 7" in str(error.value)
    assert len(seen) == 7


def test_function_random_numbers_depend_only_on_the_seed():
    def attack(view, t, arm, reward, rng):
        return float(rng.normal())

    first, again, other = (play(attack, seed=seed).observed_reward for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


def test_function_errors_reach_the_caller():
    def attack(view, t, arm, reward, rng):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        play(attack)


def test_function_adversary_refuses_wrong_parameters():
    with pytest.raises(ParameterError, match=r"function must be a function .*got 3"):
        tw.FunctionAdversary(3)
    for budget in (-0.1, 1.1, np.nan):
        with pytest.raises(ParameterError, match=r"budget must be .*got"):
            tw.FunctionAdversary(print, budget=budget)
