"""What the stages of a game say to each other: one generic function per stage, and what they hand on.

    draw -> mark, sign / contaminate( fake ) -> choose -> update( insert ) / miss

Each dispatches on the class of its first argument; see `kernel`. `update.kernel_of(type(state))` tells which kernel
runs.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import Bools, Floats, Ints, State, generic, kernel

UNTOUCHED = math.nan
"""What `contaminate` returns, and an attack's table holds, where the true reward is left as it is."""

MISSING = math.inf
"""What an attack shows where the learner sees nothing at all: a rating that was never given."""

NOT_GIVEN = math.nan
"""What stands in place of evidence that did not come with a rating."""

NO_EVIDENCE: Floats = np.empty(0)
"""What comes with a rating where there are no signals."""


class Ask(NamedTuple):
    """What a policy looks at when it chooses an arm."""

    t: int  # the round: 1, 2, …
    available: Bools  # (arms,) which arms may be played
    pending: Ints  # (arms,) asks that have no reward yet
    p: Floats  # (arms,) room for the probabilities that the arm is drawn from, or for scores


class Observation(NamedTuple):
    """A reward as a policy sees it, with the ask that it answers."""

    t: int  # the round of the ask
    arm: int
    reward: float
    p: Floats  # (arms,) the probabilities of the ask, for policies that draw from them
    available: Bools  # (arms,) which arms could have been played
    evidence: Floats = NO_EVIDENCE  # (signals,) what came with the reward, NOT_GIVEN where nothing did


class View(NamedTuple):
    """What an adversary may look at: everything up to now, and all true rewards, future ones included."""

    truth: Floats  # (rounds, arms) true rewards, fixed before play
    pulls: Ints  # (arms,) before this round
    touched: Ints  # (arms,) contaminated so far
    arms: Ints  # (rounds,) arms played, filled up to the round before this one
    observed: Floats  # (rounds,) rewards shown, likewise, also those that are late and under way
    learner: State  # the policy's state, with what it has learned so far, for an adversary that looks; else Nobody


class HiddenLearner(NamedTuple):
    """Stands for the learner in the view of an adversary that does not look at it."""

    arms: int = 0


@generic
def reset(state: State) -> None:
    """Forget everything: the state before the first round of a trial. By default, every field as it was declared."""


@generic
def draw(distribution: State, table: Floats, rng: np.random.Generator) -> None:
    """Fill the (rounds, arms) table of one trial with true rewards."""


@generic
def insert(memory: State, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Remember a reward of an arm and return the arm's new estimate."""
    raise NotImplementedError


@generic
def choose(state: State, ask: Ask, rng: np.random.Generator) -> int:
    """Return the arm to play; nothing that was learned changes."""
    raise NotImplementedError


@generic
def update(state: State, seen: Observation, rng: np.random.Generator) -> None:
    """Learn from a reward."""


@generic
def update_missing(state: State, seen: Observation, rng: np.random.Generator) -> None:
    """Learn that no reward will come of an ask, whose `reward` and `evidence` say nothing; by default nothing is."""


@kernel
def ignore_missing(state: State, seen: Observation, rng: np.random.Generator) -> None:
    """Leave everything as it is: missing at random."""


update_missing.derive(lambda _: ignore_missing)


@generic
def contaminated_value(values: State, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Return the value that replaces a true reward of an arm."""
    raise NotImplementedError


@generic
def plan_attack(state: State, truth: Floats, table: Floats, rng: np.random.Generator) -> None:
    """Fill the (rounds, arms) table of an oblivious attack: values, and UNTOUCHED elsewhere."""


@generic
def draw_evidence(state: State, evidence: Floats, rng: np.random.Generator) -> None:
    """Fill the (rounds, signals) table of what comes with each rating, after `plan_attack`; by default nothing does."""


@kernel
def leave_evidence_empty(state: State, evidence: Floats, rng: np.random.Generator) -> None:
    """Leave everything as it is: not given."""


draw_evidence.derive(lambda _: leave_evidence_empty)


@generic
def contaminate(state: State, view: View, t: int, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Return the value to show in place of the true reward, or UNTOUCHED."""
    raise NotImplementedError


def make_ask(t: int, n_arms: int) -> Ask:
    """Return the ask of a round in which every arm may be played and no reward is awaited."""
    return Ask(t, np.ones(n_arms, np.bool_), np.zeros(n_arms, np.int64), np.full(n_arms, 1.0 / n_arms))


def make_observation(
    arm: int, reward: float, *, n_arms: int, t: int = 1, evidence: Sequence[float] = ()
) -> Observation:
    """Return a reward as a policy sees it that had every arm to choose from, with the same probability."""
    ask = make_ask(t, n_arms)
    return Observation(t, arm, reward, ask.p, ask.available, np.array(evidence, dtype=np.float64))
