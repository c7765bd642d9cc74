from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

import numpy as np
import pytest

from trueward.errors import ParameterError
from trueward.parameters import Checked, Range, above, at_least, at_most, below


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
def test_a_value_that_its_annotation_does_not_allow_is_named(change, message):
    with pytest.raises(ParameterError, match=message):
        Car(**change)


def test_what_is_allowed_is_stored_as_given():
    sigma = np.array([1.0, 2.0])
    car = Car(gamma=None, sigma=sigma, wheels=np.int64(3), range=[0, 5])
    assert car.sigma is sigma
    assert car.range == [0, 5]
    assert Car(gamma=1).gamma == 1
    assert Car(electric=np.bool_(True)).electric
