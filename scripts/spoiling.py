"""What may happen to the ratings of a stream, for scripts/interval_coverage.py: two attacks with several kinds each,
and a policy that lets participants keep their arm, as `Study.create(…, one_arm=True)` does.

`Spoiled` is fixed before play: a share of participants is bad, or people differ, or those who would rate low drop out.
`Picked` acts in each round within a budget: at random times, or by the true rating.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np

import trueward as tw
from trueward.adversaries.adversary import AdaptiveAdversary, within_budget
from trueward.adversaries.values import WorstBounded
from trueward.engine.kernel import Floats, Ints, State
from trueward.engine.protocol import (
    MISSING,
    UNTOUCHED,
    Ask,
    Observation,
    View,
    choose,
    contaminate,
    plan_attack,
    update,
)
from trueward.engine.states import Setting, new, single
from trueward.policies.wrappers.wrapper import Wrapper

BAD, PERSON, DROPOUT = range(3)
RANDOM, LOWEST, HIGHEST = range(3)
TILT = 0.9  # of the largest that leaves all probabilities positive


class SpoiledState(NamedTuple):
    """What a participant, of so many ratings each, does to them."""

    kind: int
    epsilon: float
    session: int
    people: int  # who come again and again in turn; 0 for somebody new in every session
    fake: Floats  # (arms,) what a bad participant gives
    scale: Floats  # (values,)
    upto: Floats  # (2, arms, values) the laws of those who rate low and of those who rate high, added up
    lost: Floats  # (arms, 2) the chance to drop out at the mean, and how much a point below adds


@plan_attack.register(SpoiledState)
def spoil(state: SpoiledState, truth: Floats, table: Floats, rng: np.random.Generator) -> None:
    """Let one participant after the other rate."""
    rounds = truth.shape[0]
    everybody = np.empty(rounds)
    for person in range(rounds):
        everybody[person] = rng.random()
    for t in range(rounds):
        who = everybody[t % state.people if state.people else t // state.session]
        for arm in range(truth.shape[1]):
            chance = rng.random()
            table[t, arm] = UNTOUCHED
            if state.kind == BAD and who < state.epsilon:
                table[t, arm] = state.fake[arm]
            elif state.kind == PERSON:
                distribution = state.upto[1 if who < 0.5 else 0, arm]
                value = 0
                while value < state.scale.size - 1 and chance >= distribution[value]:
                    value += 1
                table[t, arm] = state.scale[value]
            elif state.kind == DROPOUT and chance < state.lost[arm, 0] - state.lost[arm, 1] * truth[t, arm]:
                table[t, arm] = MISSING


@dataclass(frozen=True)
class Spoiled(tw.Adversary):
    """Participants of whom a share is bad, or who differ, or who drop out: a share of ratings, the more the lower."""

    kind: Literal["bad", "person", "dropout"]
    _: KW_ONLY
    epsilon: float = 0.0
    session: int = 1
    people: int = 0

    def start(self, arms: tw.CategoricalArms, horizon: int) -> SpoiledState:  # noqa: ARG002 - whatever the horizon
        """Return who comes."""
        off = arms.scale - arms.means[:, None]
        tilt = TILT * off / np.abs(off).max(1, keepdims=True)
        laws = np.stack([arms.probabilities * (1.0 + sign * tilt) for sign in (-1.0, 1.0)])
        slope = self.epsilon / (arms.scale[-1] - arms.means)  # none who would give the top drop out
        return SpoiledState(
            ("bad", "person", "dropout").index(self.kind),
            float(self.epsilon),
            self.session,
            self.people,
            WorstBounded().start(arms).low,
            np.array(arms.scale, dtype=np.float64),
            np.cumsum(laws, axis=-1),
            np.stack([slope * arms.scale[-1], slope], axis=1),
        )


class PickedState(NamedTuple):
    """Which ratings are bad, and what they show."""

    kind: int
    epsilon: float
    fake: Floats  # (arms,)
    edge: Floats  # (arms,) of the lowest, or of the highest, true ratings


@contaminate.register(PickedState)
def pick(
    state: PickedState,
    view: View,
    t: int,  # noqa: ARG001 - whenever
    arm: int,
    reward: float,
    rng: np.random.Generator,
) -> float:
    """Contaminate within the budget: every other time, or by the true rating."""
    chance = rng.random()
    if not within_budget(view, arm, state.epsilon, 1):
        return UNTOUCHED
    if state.kind == RANDOM:
        wanted = chance < 0.5
    else:
        wanted = reward <= state.edge[arm] if state.kind == LOWEST else reward >= state.edge[arm]
    return float(state.fake[arm]) if wanted else UNTOUCHED


@dataclass(frozen=True)
class Picked(AdaptiveAdversary):
    """A budget of bad ratings: at random times, or the lowest true ones into the top, or the highest to the bottom."""

    kind: Literal["random", "lowest", "highest"]
    _: KW_ONLY
    epsilon: float

    @property
    def budget(self) -> float:
        """The share of each arm, at every moment."""
        return self.epsilon

    def start(self, arms: tw.Arms, horizon: int) -> PickedState:  # noqa: ARG002 - whatever the horizon
        """Return what is picked."""
        bottom, top = arms.bounds
        both = np.full(arms.n_arms, top if self.kind == "lowest" else bottom)
        return PickedState(
            ("random", "lowest", "highest").index(self.kind),
            float(self.epsilon),
            WorstBounded().start(arms).low if self.kind == "random" else both,
            arms.quantiles(2 * self.epsilon if self.kind == "lowest" else 1 - 2 * self.epsilon),
        )


class OneArmState(NamedTuple):
    """The wrapped policy's state, the arm of the participant, and how many ratings each gives."""

    policy: State
    last: Annotated[Ints, single(0, 1)]
    session: int


@choose.register(OneArmState)
def keep_arm(state: OneArmState, ask: Ask, rng: np.random.Generator) -> int:
    """Let the wrapped policy choose for somebody new, and nobody else."""
    return choose(state.policy, ask, rng) if (ask.t - 1) % state.session == 0 else int(state.last[0])


@update.register(OneArmState)
def hand_on(state: OneArmState, seen: Observation, rng: np.random.Generator) -> None:
    """Remember the arm, and let the wrapped policy learn."""
    state.last[0] = seen.arm
    update(state.policy, seen, rng)


@dataclass(frozen=True)
class OneArm(Wrapper):
    """Plays a policy that chooses once for each participant, of so many ratings one after the other."""

    _: KW_ONLY
    session: int

    def state(self, setting: Setting) -> Any:
        """Return the wrapped policy's state, and nobody's arm yet."""
        return new(OneArmState, setting, policy=self.policy.state(setting), session=self.session)
