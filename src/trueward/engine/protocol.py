"""The protocol of a game: the generic functions by which its parts call each other, and what they exchange.

    before play: draw, then plan_attack and draw_evidence
    each round:  choose, contaminate (which may call contaminated_value),
                 then update (which may call insert) or update_missing

Each generic function dispatches on the class of its first argument (see `kernel`): `update.kernel_of(type(state))` is
the kernel that runs.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import Bools, Floats, Ints, State, generic, kernel

UNTOUCHED = math.nan
"""The value that `contaminate` returns, and that an attack's table holds, where the true reward is not contaminated."""

MISSING = math.inf
"""The value that stands for a missing rating: the policy observes nothing."""

NOT_GIVEN = math.nan
"""The value of an evidence signal that did not come with a rating."""

NO_EVIDENCE: Floats = np.empty(0)
"""The evidence of a rating without signals."""


class Ask(NamedTuple):
    """A request for an arm: what a policy knows when it chooses."""

    t: int  # the round: 1, 2, …
    available: Bools  # (arms,) which arms may be played
    pending: Ints  # (arms,) choices whose reward has not arrived
    p: Floats  # (arms,) a buffer for the probabilities from which the arm is drawn, or for scores


class Observation(NamedTuple):
    """A reward as a policy observes it, with what was known when its arm was chosen."""

    t: int  # the round in which the arm was chosen
    arm: int
    reward: float
    p: Floats  # (arms,) the probabilities from which the arm was drawn
    available: Bools  # (arms,) which arms could be played
    evidence: Floats = NO_EVIDENCE  # (signals,) evidence that came with the reward, NOT_GIVEN where it did not


class View(NamedTuple):
    """What an adversary observes: everything up to now, and all true rewards, future ones included."""

    truth: Floats  # (rounds, arms) true rewards, fixed before play
    pulls: Ints  # (arms,) before this round
    touched: Ints  # (arms,) contaminated so far
    arms: Ints  # (rounds,) arms played, filled up to the round before this one
    observed: Floats  # (rounds,) rewards shown in these rounds, including delayed ones that have not arrived
    learner: State  # the policy's state, if the adversary observes it; else HiddenLearner


class HiddenLearner(NamedTuple):
    """Takes the place of the policy's state in the view of an adversary that does not observe it."""

    arms: int = 0  # unused; gives the class a field


@generic
def reset(state: State) -> None:
    """Return to the state before the first round of a trial. Default: every field as it was declared."""


@generic
def draw(distribution: State, table: Floats, rng: np.random.Generator) -> None:
    """Fill the (rounds, arms) table of one trial with true rewards."""


@generic
def insert(memory: State, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Add a reward to the sample of an arm, and return the arm's new estimate."""
    raise NotImplementedError


@generic
def choose(state: State, ask: Ask, rng: np.random.Generator) -> int:
    """Return the arm to play, without changing what was learned."""
    raise NotImplementedError


@generic
def update(state: State, seen: Observation, rng: np.random.Generator) -> None:
    """Learn from a reward."""


@generic
def update_missing(state: State, seen: Observation, rng: np.random.Generator) -> None:
    """Learn that a reward is missing. Default: ignore it.

    `seen.reward` is NaN, and `seen.evidence` is not to be used.
    """


@kernel
def ignore_missing(state: State, seen: Observation, rng: np.random.Generator) -> None:
    """Change nothing: treat the reward as missing at random."""


update_missing.derive(lambda _: ignore_missing)


@generic
def contaminated_value(values: State, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Return the value that an adversary shows in place of a true reward."""
    raise NotImplementedError


@generic
def plan_attack(state: State, truth: Floats, table: Floats, rng: np.random.Generator) -> None:
    """Fill the (rounds, arms) table of an oblivious attack with values, and UNTOUCHED elsewhere."""


@generic
def draw_evidence(state: State, evidence: Floats, rng: np.random.Generator) -> None:
    """Fill the (rounds, signals) table of evidence, after `plan_attack`. Default: no evidence."""


@kernel
def leave_evidence_empty(state: State, evidence: Floats, rng: np.random.Generator) -> None:
    """Change nothing: every entry is NOT_GIVEN."""


draw_evidence.derive(lambda _: leave_evidence_empty)


@generic
def contaminate(state: State, view: View, t: int, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Return the value to show in place of the true reward, or UNTOUCHED."""
    raise NotImplementedError


def make_ask(t: int, n_arms: int) -> Ask:
    """Return an ask in which every arm is available and no reward is pending."""
    return Ask(t, np.ones(n_arms, np.bool_), np.zeros(n_arms, np.int64), np.full(n_arms, 1.0 / n_arms))


def make_observation(
    arm: int, reward: float, *, n_arms: int, t: int = 1, evidence: Sequence[float] = ()
) -> Observation:
    """Return the observation of a reward whose arm was drawn uniformly from all arms."""
    ask = make_ask(t, n_arms)
    return Observation(t, arm, reward, ask.p, ask.available, np.array(evidence, dtype=np.float64))
