import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

import numpy as np
import pytest

from trueward.errors import ParameterError, RewardError, UnknownArmError
from trueward.parameters import (
    Checked,
    Range,
    above,
    at_least,
    at_most,
    below,
    check_arm_index,
    check_array,
    check_integer,
    check_interval,
    check_number,
    check_reward,
)


class Engine:
    example: ClassVar[str] = "Engine()"


@dataclass(frozen=True, kw_only=True)
class Car(Checked):
    alpha: Annotated[float, at_least(0), below(0.5)] = 0.1
    gamma: Annotated[float, above(0), at_most(1)] | None = None
    wheels: Annotated[int, at_least(3)] = 4
    range: Range = (0.0, 1.0)
    colour: Literal["red", "blue"] = "red"
    sigma: Annotated[float | Sequence[float], at_least(0)] = 1.0
    p: Annotated[Sequence[float], at_least(0), at_most(1)] = (0.5,)
    engine: Engine = field(default_factory=Engine)
    electric: bool = False
    name: str = "anything"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha": 0.5}, r"alpha must be at least 0 and below 0.5, got 0.5"),
        ({"alpha": "x"}, r"alpha must be a number, got 'x'"),
        ({"alpha": float("nan")}, r"alpha must be at least 0 and below 0.5, got nan"),
        ({"alpha": 10**400}, r"alpha must be at least 0 and below 0.5, got a number of 1329 bits"),
        ({"gamma": 0}, r"gamma must be above 0 and at most 1, got 0"),
        ({"wheels": 2}, r"wheels must be a whole number of at least 3, got 2"),
        ({"wheels": 4.0}, r"wheels must be a whole number of at least 3, got 4.0"),
        ({"range": (1, 0)}, r"range must have low below high, got \(1, 0\)"),
        ({"range": 3}, r"range must be a pair \(low, high\), got 3"),
        ({"colour": "green"}, r"colour must be one of 'red', 'blue', got 'green'"),
        ({"sigma": [1.0, -1.0]}, r"sigma\[1\] must be at least 0, got -1.0"),
        ({"sigma": [[1.0], [1.0, 2.0]]}, r"sigma must be a"),
        ({"p": [0.5, 1.5]}, r"p\[1\] must be at least 0 and at most 1, got 1.5"),
        ({"electric": "yes"}, r"electric must be True or False, got 'yes'"),
        ({"electric": 1}, r"electric must be True or False, got 1"),
        ({"engine": "steam"}, r"engine must be an Engine such as Engine\(\), got 'steam'"),
    ],
)
def test_checked_dataclass_names_the_value_its_annotation_rejects(change, message):
    with pytest.raises(ParameterError, match=message):
        Car(**change)


def test_checked_dataclass_stores_allowed_values_unchanged():
    sigma = np.array([1.0, 2.0])
    car = Car(gamma=None, sigma=sigma, wheels=np.int64(3), range=[0, 5])
    assert car.sigma is sigma
    assert car.range == [0, 5]
    assert Car(gamma=1).gamma == 1
    assert Car(electric=np.bool_(True)).electric


def test_parameter_error_knows_its_parameter():
    with pytest.raises(ParameterError) as raised:
        Car(alpha=0.5)
    assert raised.value.parameter == "alpha"


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 10**400, "7", None, 1j])
def test_check_reward_rejects_non_finite_value_and_names_the_arm(bad):
    with pytest.raises(RewardError, match="the reward of arm 'video' must be a finite number, got"):
        check_reward(bad, "arm 'video'")


@pytest.mark.parametrize("good", [7, 7.5, np.float32(0.5), np.int64(3), True, 1e300, -1e300])
def test_check_reward_returns_a_float(good):
    assert check_reward(good, "arm 0") == float(good)
    assert type(check_reward(good, "arm 0")) is float


@pytest.mark.parametrize("huge", [1.1e300, -1.7e308])
def test_check_reward_rejects_value_beyond_the_largest_reward(huge):
    with pytest.raises(RewardError, match=r"the reward of arm 0 must be from -1e\+300 to 1e\+300, got"):
        check_reward(huge, "arm 0")


@pytest.mark.parametrize("huge", [(-1.7e308, 1.7e308), (0, 1e301), (-math.inf, 0)])
def test_check_interval_rejects_range_whose_width_could_overflow(huge):
    with pytest.raises(ParameterError, match=r"range must be at least -1e\+300 and at most 1e\+300, got"):
        check_interval("range", huge)


def test_check_number_names_the_bounds_it_rejects():
    assert check_number("alpha", 0, at_least=0, below=0.5) == 0.0
    for bad in (-0.1, 0.5, math.nan):
        with pytest.raises(ParameterError, match=r"alpha must be at least 0 and below 0\.5, got"):
            check_number("alpha", bad, at_least=0, below=0.5)
    with pytest.raises(ParameterError, match="alpha must be a number, got True"):
        check_number("alpha", True)


def test_check_integer_interval_array_and_arm_index_reject_invalid_values():
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
