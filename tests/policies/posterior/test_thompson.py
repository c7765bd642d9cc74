import numpy as np
import pytest

import trueward as tw
from telling import told
from trueward.engine.protocol import choose, make_ask
from trueward.errors import ParameterError


def played(policy, state, draws=4000):
    rng = np.random.default_rng(1)
    return np.bincount([choose(state, make_ask(9, 3), rng) for _ in range(draws)], minlength=3) / draws


@pytest.mark.parametrize(
    ("policy", "rewards"),
    [
        (tw.GaussianThompson(sigma=2.0), [[3.0, 4.0], [5.0, 2.0, 4.5], [4.0]]),
        (tw.BetaThompson((0, 10)), [[8, 9], [9, 8, 9], [7]]),
    ],
)
def test_choices_follow_the_probabilities(policy, rewards):
    state = told(policy, rewards)
    p = policy.probabilities(state, make_ask(9, 3))
    assert p.sum() == pytest.approx(1.0)
    assert (np.abs(played(policy, state) - p) < 4 * np.sqrt(p * (1 - p) / 4000)).all()  # 4 standard errors


def test_gaussian_thompson_tries_every_arm_first_at_random():
    policy = tw.GaussianThompson(sigma=1.0)
    state = told(policy, [[], [100.0], []])
    assert policy.probabilities(state, make_ask(2, 3)).tolist() == [0.5, 0.0, 0.5]
    assert set(np.flatnonzero(played(policy, state, 100))) == {0, 2}


def test_beta_thompson_counts_a_rating_as_trials():
    policy = tw.BetaThompson((1, 6))
    state = told(policy, [[6, 4], []])
    assert (state.successes[0], state.failures[0]) == (1 + 5 + 3, 1 + 0 + 2)
    assert policy.estimates(state)[0] == pytest.approx(1 + 5 * 9 / 12)
    assert np.isnan(policy.estimates(state)[1])


def test_wrong_parameters_are_named():
    with pytest.raises(ParameterError, match="sigma must be above 0, got 0"):
        tw.GaussianThompson(sigma=0)
    with pytest.raises(ParameterError, match="outside must be one of 'clip', 'raise', got 'keep'"):
        tw.BetaThompson((0, 10), outside="keep")
