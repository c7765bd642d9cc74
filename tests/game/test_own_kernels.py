"""What a mistake in a kernel of one's own looks like."""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
import pytest

import trueward as tw
from trueward.engine.kernel import Ints
from trueward.engine.protocol import choose, update
from trueward.engine.states import new, per_arm
from trueward.errors import KernelError, UnknownArmError

ARMS = tw.BernoulliArms([0.5, 0.6])


class Forgetful(NamedTuple):
    pulls: Annotated[Ints, per_arm(0)]


class Mistaken(NamedTuple):
    pulls: Annotated[Ints, per_arm(0)]


class Astray(NamedTuple):
    pulls: Annotated[Ints, per_arm(0)]


class Uncompilable(NamedTuple):
    pulls: Annotated[Ints, per_arm(0)]


@update.register(Forgetful)
@update.register(Mistaken)
@update.register(Astray)
@update.register(Uncompilable)
def count(state, seen, rng):
    state.pulls[seen.arm] += 1


@choose.register(Mistaken)
def misspell(state, ask, rng):
    return state.puls[0]


@choose.register(Astray)
def go_astray(state, ask, rng):
    return 7


@choose.register(Uncompilable)
def use_what_numba_lacks(state, ask, rng):
    return {"a": [0], "b": {}}["a"][0]


@dataclass(frozen=True)
class Mine(tw.Policy):
    kind: type = Forgetful

    def state(self, setting):
        return new(self.kind, setting)

    def estimates(self, state):
        return np.full(2, np.nan)

    def probabilities(self, state, ask):
        return np.full(2, 0.5)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (Forgetful, r"Forgetful has no kernel for choose: write a function under @choose.register\(Forgetful\)"),
        (Mistaken, r"Mine failed in misspell \(.*test_own_kernels.py, line \d+\): AttributeError: 'Mistaken' object"),
        (Uncompilable, r"Mine plays interpreted, but cannot be compiled"),
    ],
)
def test_missing_or_failing_custom_kernel_is_reported_in_one_line(kind, message):
    with pytest.raises(KernelError, match=message) as refused:
        tw.play(Mine(kind), ARMS, horizon=10, compiled=True)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("compiled", [False, True])
def test_play_rejects_a_choice_of_a_nonexistent_arm(compiled):
    with pytest.raises(UnknownArmError, match="the arm that Mine chose in round 1 must be from 0 to 1, got 7"):
        tw.play(Mine(Astray), ARMS, horizon=10, compiled=compiled)
