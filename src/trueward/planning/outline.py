"""The study that is planned: its arms as they might be, its people, and how it is run."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from trueward.adversaries.careless_participants import CarelessParticipants
from trueward.analysis.betting import Bad
from trueward.arms.categorical import CategoricalArms
from trueward.engine.kernel import Floats, Ints
from trueward.errors import ParameterError
from trueward.game.delays import Delay
from trueward.parameters import check_integer
from trueward.planning.laws import rating_law, sd_range, tilted_law
from trueward.policies.declared_range import count_levels
from trueward.policies.policy import Policy
from trueward.policies.sampling.uniform import Uniform
from trueward.policies.wrappers.uniform_share import UniformShare

USUAL_MEAN, USUAL_SD = 0.6, 0.3  # of the way up the scale, and of its width: about as in the package's own ratings
AT_MOST_OF_POSSIBLE = 0.8  # of the largest standard deviation, where the usual one is too large for a mean
PARTS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)  # of the planned number: at which chances are told


@dataclass(frozen=True, eq=False)
class Outline:
    """What is going to be played."""

    names: tuple[str, ...]  # of the arms
    arms: CategoricalArms
    people: CarelessParticipants
    participants: int
    delay: Delay
    uniform_share: float
    epsilon: float  # the share of bad participants that the interval allows for
    bad: Bad
    level: float
    difference: float | None  # the smallest that matters; None if the pilot says what there is

    @property
    def scale(self) -> tuple[float, float]:
        """The lowest and the highest rating."""
        return self.arms.bounds

    @property
    def width(self) -> float:
        """From the lowest to the highest rating."""
        return self.scale[1] - self.scale[0]

    @property
    def whole_numbers(self) -> bool:
        """Whether the ratings are the whole numbers of the scale, as policies take them to be."""
        return self.arms.scale.size == round(self.width) + 1

    @property
    def gap(self) -> float:
        """By how much the best arm is ahead of the next one."""
        return float(np.sort(self.arms.gaps)[1])

    @property
    def numbers(self) -> Ints:
        """The numbers of participants at which chances are told, the planned one among them."""
        return np.unique([max(1, round(part * self.participants)) for part in PARTS])

    def playing(self, policy: Policy) -> Policy:
        """Return a policy as a study would play it: with the uniform share around it."""
        needed = self.uniform_share > 0.0 and not isinstance(policy, Uniform)
        return UniformShare(policy, share=self.uniform_share) if needed else policy


def values_of(scale: tuple[float, float], ratings: int | None) -> Floats:
    """Return the ratings that can be given."""
    return np.linspace(*scale, count_levels(scale, ratings, name="ratings"))


def described_arms(
    values: Floats,
    n_arms: int,
    *,
    difference: float,
    mean: float | None = None,
    sd: float | None = None,
    give_way: bool = False,
) -> CategoricalArms:
    """Return one arm that is better than all others by the difference; they are alike, with this mean.

    A standard deviation that is too large for a mean is refused, unless it may give way.
    """
    low, width = values[0], values[-1] - values[0]
    usual = float(low + USUAL_MEAN * width)
    others = usual if mean is None else mean
    best = others + difference
    if best >= values[-1]:
        raise ParameterError(
            f"difference must leave room on the scale: the others at {others:g} (say mean=… if they are elsewhere), "
            f"and the best arm {difference:g} above that, is past {values[-1]:g}"
        )
    laws = [rating_law(values, mean=each, sd=_sd(values, each, sd, give_way)) for each in (best, others)]
    return CategoricalArms(values=values, probabilities=[laws[0], *[laws[1]] * (n_arms - 1)])


def piloted_arms(values: Floats, counts: Floats, *, difference: float | None = None) -> CategoricalArms:
    """Return the arms as a pilot rated them; or, with a difference, one arm ahead of others that are alike.

    These have the law of all of the pilot's ratings together, tilted so that the mean over the arms stays as it was.
    """
    if difference is None:
        return CategoricalArms(values=values, counts=list(counts))
    distribution, n_arms = counts.sum(axis=0) / counts.sum(), counts.shape[0]
    others = float(distribution @ values) - difference / n_arms
    laws = [tilted_law(values, distribution, mean=mean) for mean in (others + difference, others)]
    return CategoricalArms(values=values, probabilities=[laws[0], *[laws[1]] * (n_arms - 1)])


def _sd(values: Floats, mean: float, sd: float | None, give_way: bool) -> float | None:
    low, high = values[[0, -1]].tolist()
    if values.size == 2 or not low < mean < high or (sd is not None and not give_way):
        return sd
    least, most = sd_range(values, mean)
    return max(least * 1.01, min(USUAL_SD * (high - low) if sd is None else sd, AT_MOST_OF_POSSIBLE * most))


def names_of(arms: int | Sequence[str]) -> tuple[str, ...]:
    """Return the names of the arms, made up if only their number is known."""
    if isinstance(arms, str):
        raise ParameterError(f"arms must be a number, or a list of names, got {arms!r}")
    if isinstance(arms, Sequence):
        given: tuple[Any, ...] = tuple(arms)
        if len(given) < 2 or len(set(given)) < len(given) or not all(isinstance(each, str) and each for each in given):
            raise ParameterError(f"arms must be at least two different names, got {arms!r}")
        return given
    return tuple(f"arm {i + 1}" for i in range(check_integer("arms", arms, at_least=2)))
