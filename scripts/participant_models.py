"""Models of contaminated ratings for scripts/interval_coverage.py."""

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

CARELESS, PERSON_EFFECT, DROPOUT = range(3)
RANDOM, LOWEST, HIGHEST = range(3)
TILT = 0.9  # of the largest tilt that leaves all probabilities positive


class ParticipantState(NamedTuple):
    kind: int
    epsilon: float
    session: int  # ratings of each participant, one after the other
    people: int  # participants who return in turn; 0: a new participant in every session
    careless_value: Floats  # (arms,) the rating of a careless participant
    scale: Floats  # (values,)
    cumulative: Floats  # (2, arms, values) distribution functions of participants who rate low, and who rate high
    missing: Floats  # (arms, 2) intercept and slope of the probability that a rating is missing


@plan_attack.register(ParticipantState)
def rate_as_participants(state: ParticipantState, truth: Floats, table: Floats, rng: np.random.Generator) -> None:
    rounds = truth.shape[0]
    traits = np.empty(rounds)
    for person in range(rounds):
        traits[person] = rng.random()
    for t in range(rounds):
        trait = traits[t % state.people if state.people else t // state.session]
        for arm in range(truth.shape[1]):
            u = rng.random()
            table[t, arm] = UNTOUCHED
            if state.kind == CARELESS and trait < state.epsilon:
                table[t, arm] = state.careless_value[arm]
            elif state.kind == PERSON_EFFECT:
                cumulative = state.cumulative[1 if trait < 0.5 else 0, arm]
                value = 0
                while value < state.scale.size - 1 and u >= cumulative[value]:
                    value += 1
                table[t, arm] = state.scale[value]
            elif state.kind == DROPOUT and u < state.missing[arm, 0] - state.missing[arm, 1] * truth[t, arm]:
                table[t, arm] = MISSING


@dataclass(frozen=True)
class ParticipantModel(tw.Adversary):
    """Participants with a trait; oblivious.

    "careless": a share epsilon of them gives the worst rating. "person effect": half of them rate higher than the
    others, with the same mean over all. "dropout": a share epsilon of the ratings is missing, low ones more often.
    """

    kind: Literal["careless", "person effect", "dropout"]
    _: KW_ONLY
    epsilon: float = 0.0
    session: int = 1
    people: int = 0

    def start(self, arms: tw.CategoricalArms, horizon: int) -> ParticipantState:  # noqa: ARG002 - for any horizon
        centred = arms.scale - arms.means[:, None]
        tilt = TILT * centred / np.abs(centred).max(1, keepdims=True)
        pmfs = np.stack([arms.probabilities * (1.0 + sign * tilt) for sign in (-1.0, 1.0)])
        slope = self.epsilon / (arms.scale[-1] - arms.means)  # a rating at the top is never missing
        return ParticipantState(
            ("careless", "person effect", "dropout").index(self.kind),
            float(self.epsilon),
            self.session,
            self.people,
            WorstBounded().start(arms).low,
            np.array(arms.scale, dtype=np.float64),
            np.cumsum(pmfs, axis=-1),
            np.stack([slope * arms.scale[-1], slope], axis=1),
        )


class BudgetedState(NamedTuple):
    kind: int
    epsilon: float
    contaminated: Floats  # (arms,) the value shown
    cutoff: Floats  # (arms,) true ratings at most, or at least, as high are replaced


@contaminate.register(BudgetedState)
def contaminate_selected(
    state: BudgetedState,
    view: View,
    t: int,  # noqa: ARG001 - the same in every round
    arm: int,
    reward: float,
    rng: np.random.Generator,
) -> float:
    u = rng.random()
    if not within_budget(view, arm, state.epsilon, 1):
        return UNTOUCHED
    if state.kind == RANDOM:
        selected = u < 0.5
    else:
        selected = reward <= state.cutoff[arm] if state.kind == LOWEST else reward >= state.cutoff[arm]
    return float(state.contaminated[arm]) if selected else UNTOUCHED


@dataclass(frozen=True)
class BudgetedContamination(AdaptiveAdversary):
    """Contaminate at most epsilon of each arm's ratings.

    "random": at random times, with the worst value. "lowest": the lowest true ratings become the highest rating.
    "highest": the highest true ratings become the lowest rating.
    """

    kind: Literal["random", "lowest", "highest"]
    _: KW_ONLY
    epsilon: float

    @property
    def budget(self) -> float:
        return self.epsilon

    def start(self, arms: tw.Arms, horizon: int) -> BudgetedState:  # noqa: ARG002 - the same for any horizon
        bottom, top = arms.bounds
        opposite = np.full(arms.n_arms, top if self.kind == "lowest" else bottom)
        return BudgetedState(
            ("random", "lowest", "highest").index(self.kind),
            float(self.epsilon),
            WorstBounded().start(arms).low if self.kind == "random" else opposite,
            arms.quantiles(2 * self.epsilon if self.kind == "lowest" else 1 - 2 * self.epsilon),
        )


class OneArmState(NamedTuple):
    policy: State  # of the wrapped policy
    last: Annotated[Ints, single(0, 1)]  # the arm of the current participant
    session: int  # ratings of each participant


@choose.register(OneArmState)
def keep_arm_in_session(state: OneArmState, ask: Ask, rng: np.random.Generator) -> int:
    return choose(state.policy, ask, rng) if (ask.t - 1) % state.session == 0 else int(state.last[0])


@update.register(OneArmState)
def remember_arm_and_update(state: OneArmState, seen: Observation, rng: np.random.Generator) -> None:
    state.last[0] = seen.arm
    update(state.policy, seen, rng)


@dataclass(frozen=True)
class OneArmPerParticipant(Wrapper):
    """Let a policy choose once for each participant, as `Study.create(…, one_arm=True)` does."""

    _: KW_ONLY
    session: int

    def state(self, setting: Setting) -> Any:
        return new(OneArmState, setting, policy=self.policy.state(setting), session=self.session)
