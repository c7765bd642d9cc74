import math

import numpy as np
import pytest

from trueward.errors import ParameterError, RewardError, UnknownArmError
from trueward.parameters import check_arm_index, check_array, check_integer, check_interval, check_number, check_reward


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 10**400, "7", None, 1j])
def test_a_reward_that_is_no_finite_number_is_refused_and_its_arm_named(bad):
    with pytest.raises(RewardError, match="the reward of arm 'video' must be a finite number, got"):
        check_reward(bad, "arm 'video'")


@pytest.mark.parametrize("good", [7, 7.5, np.float32(0.5), np.int64(3), True, 1e300, -1e300])
def test_a_reward_that_can_be_added_up_is_taken_as_a_float(good):
    assert check_reward(good, "arm 0") == float(good)
    assert type(check_reward(good, "arm 0")) is float


@pytest.mark.parametrize("huge", [1.1e300, -1.7e308])
def test_a_reward_too_large_to_be_added_up_is_refused(huge):
    with pytest.raises(RewardError, match=r"the reward of arm 0 must be from -1e\+300 to 1e\+300, got"):
        check_reward(huge, "arm 0")


@pytest.mark.parametrize("huge", [(-1.7e308, 1.7e308), (0, 1e301), (-math.inf, 0)])
def test_a_range_whose_width_could_overflow_is_refused(huge):
    with pytest.raises(ParameterError, match=r"range must be at least -1e\+300 and at most 1e\+300, got"):
        check_interval("range", huge)


def test_a_number_outside_its_bounds_is_refused_with_the_bounds():
    assert check_number("alpha", 0, at_least=0, below=0.5) == 0.0
    for bad in (-0.1, 0.5, math.nan):
        with pytest.raises(ParameterError, match=r"alpha must be at least 0 and below 0\.5, got"):
            check_number("alpha", bad, at_least=0, below=0.5)
    with pytest.raises(ParameterError, match="alpha must be a number, got True"):
        check_number("alpha", True)


def test_whole_numbers_intervals_and_lists_are_checked():
    assert check_integer("trials", np.int32(3), at_least=1) == 3
    assert check_interval("range", [0, 10]) == (0.0, 10.0)
    for bad in (3.0, True, 0):
        with pytest.raises(ParameterError, match="trials must be a whole number of at least 1"):
            check_integer("trials", bad, at_least=1)
    for bad in ([], [[1]], "abc", [1, math.nan]):
        with pytest.raises(ParameterError, match="p"):
            check_array("p", bad)
    with pytest.raises(UnknownArmError, match="the arm must be a whole number from 0 to 2, got 3"):
        check_arm_index("the arm", 3, 3)
