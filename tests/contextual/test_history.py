import numpy as np
import pytest

from trueward.contextual import History, LinearArms
from trueward.errors import ParameterError

GOOD = {"contexts": [[1.0, 0.0], [0.0, 1.0]], "arms": [0, 2], "rewards": [0.1, 0.2]}


def test_a_history_is_copied_and_cannot_be_changed():
    rewards = np.array([0.1, 0.2])
    history = History(**{**GOOD, "rewards": rewards})
    rewards[0] = 9.0
    assert history.rewards.tolist() == [0.1, 0.2]
    with pytest.raises(ValueError, match="read-only"):
        history.rewards[0] = 9.0
    assert (len(history), history.n_arms, history.dimension) == (2, 3, 2)
    assert [history.rows(arm).tolist() for arm in range(3)] == [[0], [], [1]]
    changed = history.with_rewards([1.0, 2.0])
    assert changed.rewards.tolist() == [1.0, 2.0]
    assert (changed.n_arms, changed.arms.tolist()) == (3, [0, 2])


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"contexts": [[1.0, np.nan], [0.0, 1.0]]}, "contexts must be from -1e\\+100 to 1e\\+100, got nan"),
        ({"contexts": [[1.0], [0.0, 1.0]]}, "contexts must be numbers"),
        ({"contexts": [[[1.0]]]}, "contexts must be a non-empty list of rows"),
        ({"arms": [0.5, 1.0]}, "arms must be a list of whole numbers"),
        ({"arms": [0, -1]}, "arms must be at least 0, got -1"),
        ({"arms": [0]}, "must be as many, got 2, 1 and 2"),
        ({"rewards": [0.1, np.inf]}, "rewards must be from"),
        ({"rewards": ["good", 1]}, "rewards must be numbers"),
        ({"rewards": []}, "rewards must be a non-empty list of numbers"),
        ({"n_arms": 2}, "n_arms must be more than the highest arm, 2, got 2"),
        ({"n_arms": -1}, "n_arms must be a whole number"),
    ],
)
def test_what_cannot_be_learned_from_is_refused_in_one_line(parameters, words):
    with pytest.raises(ParameterError, match=words) as refused:
        History(**{**GOOD, **parameters})
    assert "\n" not in str(refused.value)


def test_careless_rewards_are_so_many_and_in_the_range():
    history = LinearArms.random(seed=1).history(1000, seed=2)
    careless = history.with_careless(0.1, range=(-3.0, 3.0), seed=3)
    changed = careless.rewards != history.rewards
    assert changed.sum() == 100
    assert np.abs(careless.rewards[changed]).max() <= 3.0
    assert np.abs(careless.rewards[changed]).max() > 2.5  # 100 uniform ones: below 2.5 with probability 1e-8
    with pytest.raises(ParameterError, match="share must be"):
        history.with_careless(1.5, range=(0.0, 1.0))


def test_linear_arms_have_the_means_that_their_coefficients_say():
    arms = LinearArms([[1.0, 0.0], [0.0, 2.0]], noise=0.5)
    np.testing.assert_allclose(arms.means([[0.6, 0.8]]), [[0.6, 1.6]])
    assert arms.regret([[0.6, 0.8], [1.0, 0.0]], [0, 0]) == pytest.approx(0.5)
    history = arms.history(20_000, seed=1)
    noise = history.rewards - np.take_along_axis(arms.means(history.contexts), history.arms[:, None], axis=1)[:, 0]
    assert noise.std() == pytest.approx(0.5, abs=0.01)  # 4 standard errors of 0.5 / sqrt(40,000)
    assert np.bincount(history.arms) == pytest.approx([10_000, 10_000], abs=300)
    np.testing.assert_allclose(np.linalg.norm(history.contexts, axis=1), 1.0)
    with pytest.raises(ParameterError, match="arms must be as many as contexts, 1, got"):
        arms.regret([[0.6, 0.8]], [0, 0])
    for bad in ({"coefficients": [[1.0]]}, {"coefficients": [[1.0], [2.0]], "noise": -1.0}):
        with pytest.raises(ParameterError, match=list(bad)[-1]):
            LinearArms(**bad)
