import numpy as np
import pytest

from trueward.contextual import ContextualLog, LinearArms
from trueward.errors import ParameterError

GOOD = {"contexts": [[1.0, 0.0], [0.0, 1.0]], "arms": [0, 2], "rewards": [0.1, 0.2]}


def test_contextual_log_copies_its_arrays_and_is_read_only():
    rewards = np.array([0.1, 0.2])
    log = ContextualLog(**{**GOOD, "rewards": rewards})
    rewards[0] = 9.0
    assert log.rewards.tolist() == [0.1, 0.2]
    with pytest.raises(ValueError, match="read-only"):
        log.rewards[0] = 9.0
    assert (len(log), log.n_arms, log.dimension) == (2, 3, 2)
    assert [log.rounds_of(arm).tolist() for arm in range(3)] == [[0], [], [1]]
    changed = log.with_rewards([1.0, 2.0])
    assert changed.rewards.tolist() == [1.0, 2.0]
    assert (changed.n_arms, changed.arms.tolist()) == (3, [0, 2])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"contexts": [[1.0, np.nan], [0.0, 1.0]]}, "contexts must be from -1e\\+100 to 1e\\+100, got nan"),
        ({"contexts": [[1.0], [0.0, 1.0]]}, "contexts must be numbers"),
        ({"contexts": [[[1.0]]]}, "contexts must be a non-empty list of rows"),
        ({"arms": [0.5, 1.0]}, "arms must be a list of whole numbers"),
        ({"arms": [0, -1]}, "arms must be at least 0, got -1"),
        ({"arms": [0]}, "must have the same length, got 2, 1 and 2"),
        ({"rewards": [0.1, np.inf]}, "rewards must be from"),
        ({"rewards": ["good", 1]}, "rewards must be numbers"),
        ({"rewards": []}, "rewards must be a non-empty list of numbers"),
        ({"n_arms": 2}, "n_arms must be more than the highest arm, 2, got 2"),
        ({"n_arms": -1}, "n_arms must be a whole number"),
    ],
)
def test_contextual_log_names_the_invalid_parameter(parameters, message):
    with pytest.raises(ParameterError, match=message) as refused:
        ContextualLog(**{**GOOD, **parameters})
    assert "\n" not in str(refused.value)


def test_with_careless_rewards_replaces_the_given_share_within_the_range():
    log = LinearArms.random(seed=1).simulate_log(1000, seed=2)
    careless = log.with_careless_rewards(0.1, range=(-3.0, 3.0), seed=3)
    changed = careless.rewards != log.rewards
    assert changed.sum() == 100
    assert np.abs(careless.rewards[changed]).max() <= 3.0
    assert np.abs(careless.rewards[changed]).max() > 2.5  # 100 uniform ones: below 2.5 with probability 1e-8
    with pytest.raises(ParameterError, match="share must be"):
        log.with_careless_rewards(1.5, range=(0.0, 1.0))
