"""Wary, the default policy: ratings by people, some of whom are careless or malicious."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Annotated, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine.kernel import Floats, Ints, kernel, not_inlined
from trueward.engine.protocol import Ask, Observation, update
from trueward.engine.states import Setting, new
from trueward.errors import ParameterError
from trueward.parameters import Range, at_least, below, check_array, check_number
from trueward.policies.declared_range import (
    DeclaredRange,
    Outside,
    count_levels,
    declared_range,
    nearest_level,
    reward_of,
)
from trueward.policies.sampling.sampling_policy import SamplingPolicy, distribute
from trueward.policies.signals import DEFAULT_SIGNALS, Signal, SignalTable, evidence_ratio, signal_table
from trueward.policies.wary import remarks
from trueward.policies.wary.constants import Assumptions, Resolution
from trueward.policies.wary.gain import selection_probabilities
from trueward.policies.wary.intervals import IntervalPrior, Timeline, count_rating, interval_prior
from trueward.policies.wary.model import RatingModel, components_of, rating_model
from trueward.policies.wary.posterior import ArmPosteriors, StudyPosterior, combine_arms, learn_counts
from trueward.policies.wary.summary import Summary, own_intervals, summarise

PILOT_REACH = 1.5  # distances between the 10 % and the 90 % point of the pilot, to either side of its middle
PILOT_LEVELS = 41
FEWEST_PILOTS = 10
FEWEST_FOR_INTERVAL = 10  # ratings of an arm


class WaryState(NamedTuple):
    """The counts of ratings, and what follows from them."""

    timeline: Timeline
    everything: ArmPosteriors  # from all ratings
    remaining: ArmPosteriors  # from the ratings outside the contaminated interval
    model: RatingModel
    intervals: IntervalPrior
    signals: SignalTable
    scale: DeclaredRange


@update.register(WaryState)
def count_observation(state: WaryState, seen: Observation, rng: np.random.Generator) -> None:
    """Count the rating, with the evidence that came with it."""
    row = nearest_level(state.scale, seen, state.intervals.n_ratings)
    if state.model.evidence_ratios.size > 1:
        ratio = evidence_ratio(state.signals, seen.evidence)
        row += state.intervals.n_ratings * nearest_ratio(state.model.evidence_ratios, ratio)
    count_rating(state.timeline, state.intervals, seen.arm, row)


@kernel
def nearest_ratio(ratios: Floats, ratio: float) -> int:
    """Return the place of the nearest ratio, on the log scale."""
    nearest = 0
    for other in range(1, ratios.size):
        if ratio * ratio > ratios[other - 1] * ratios[other]:
            nearest = other
    return nearest


@kernel
def left_out(timeline: Timeline) -> tuple[int, int]:
    """Return the first piece of the contaminated interval, and the piece after the last.

    An interval that lasts until now includes the current piece.
    """
    first, stop = timeline.interval[0], timeline.interval[1]
    current = timeline.learned[0] // timeline.length[0]
    return first, stop + (1 if stop == current else 0)


@not_inlined
def posterior_of(state: WaryState, without_interval: bool) -> StudyPosterior:
    """Return what is known from all ratings, or from those outside the contaminated interval."""
    timeline, posteriors = state.timeline, state.remaining if without_interval else state.everything
    first, stop = left_out(timeline) if without_interval else (0, 0)
    for arm in range(timeline.sizes.size):
        key, n = posteriors.learned_from[arm], timeline.sizes[arm] + 1
        if key[0] != n or key[1] != first or key[2] != stop or key[3] != timeline.length[0]:
            counts = np.zeros(timeline.counts.shape[2], np.int64)
            for piece in range(timeline.counts.shape[1]):
                if piece < first or piece >= stop:
                    counts += timeline.counts[arm, piece]
            learn_counts(arm, posteriors, state.model, counts)
            key[0], key[1], key[2], key[3] = n, first, stop, timeline.length[0]
    return combine_arms(posteriors, state.model)


@distribute.register(WaryState)
def mix_intervals(state: WaryState, ask: Ask) -> None:
    """Fill in the selection probabilities, with and without the contaminated interval: equation (13)."""
    ask.p[:] = selection_probabilities(posterior_of(state, False), state.model.power)
    probability = state.timeline.probability[0]
    if probability > 0.0:
        remaining = selection_probabilities(posterior_of(state, True), state.model.power)
        ask.p[:] = (1.0 - probability) * ask.p + probability * remaining


@dataclass(frozen=True)
class Wary(SamplingPolicy):
    """Wary: a Bayesian policy for ratings, some of which are careless or malicious. The default policy.

        p_a  proportional to  E[(m_a - highest other m_j)^+]^1.25,    m_a: the honest mean of arm a

    It needs to know the rating scale only. From the counts of each arm's ratings it computes the posterior of the
    honest means under a mixture model: honest ratings are rounded normals, perhaps with a heap at an end of the scale;
    some ratings come from anywhere; and there may be an attack, which pushes one arm down and lifts all others. A heap
    on one arm alone is an opinion; a heap below on one arm together with heaps above on all others is an attack. The
    posterior also covers one contaminated interval of time (a bot, a bad day), whose ratings are left out with the
    probability that there is one. An arm is drawn in proportion to a power of its expected gain over the best other
    arm. `docs/wary.md` states the model in numbered equations.

    It withstands a tenth of malicious ratings, at random or in a row, and careless people as they are. It does not
    withstand attacks that outnumber the true ratings; malice against one arm alone, which cannot be distinguished from
    people who hate it; and contamination on a scale of two or three values.

    Parameters
    ----------
    range : tuple of float
        Lowest and highest rating. For continuous rewards, see `from_pilot`.
    levels : int, optional
        Number of equally spaced values on the scale; other ratings are rounded to the nearest one. Default: the whole
        numbers of the range.
    most : float
        The largest share of bad ratings to consider, of an arm and as an interval of time; 0 trusts every rating.
    polarised : bool, optional
        Whether honest ratings may heap at the ends of the scale: True, often, and then there is no attack; False,
        never. By default it is possible, but not likely.
    signals : tuple of Signal
        The signals of a bad rating that may come with it, such as a failed attention check.
    outside : {"clip", "raise"}, optional
        Whether to clip a rating outside `range` or to raise an error. Default: clip in games, raise in a live study.

    Notes
    -----
    Guarantee: none; an adversary need not follow the model.

    Examples
    --------
    >>> import numpy as np
    >>> import trueward as tw
    >>> from trueward.engine.protocol import make_ask, make_observation, update
    >>> policy, rng = tw.Wary((0, 10)), np.random.default_rng(0)
    >>> state = policy.start(n_arms=2)
    >>> for t in range(60):  # 20 ratings by a bot, then 8 or 9 for the first arm and 6 or 7 for the second
    ...     rating = (0, 10)[t % 2] if t < 20 else (8, 6)[t % 2] + t // 2 % 2
    ...     update(state, make_observation(t % 2, rating, n_arms=2), rng)
    >>> policy.estimates(state).round(1).tolist(), policy.contamination(state).round(2).tolist()
    ([8.5, 6.5], [0.33, 0.33])
    >>> policy.probabilities(state, make_ask(61, 2)).round(2).tolist()
    [1.0, 0.0]

    References
    ----------
    Ours; Huber (1964) for the contamination model, and Miller & Dunson (2019), Robust Bayesian inference via
    coarsening, for the tempered evidence.
    """

    assumed: ClassVar[Assumptions] = Assumptions()
    resolution: ClassVar[Resolution] = Resolution()

    range: Range
    _: KW_ONLY
    levels: int | None = None
    most: Annotated[float, at_least(0), below(0.5)] = 0.35
    polarised: bool | None = None
    signals: tuple[Signal, ...] = DEFAULT_SIGNALS
    outside: Outside = None

    def __post_init__(self) -> None:
        super().__post_init__()
        count_levels(self.range, self.levels)

    def assumptions(self, n_arms: int) -> Assumptions:
        """Return the assumptions of the model for these parameters."""
        assumed = replace(self.assumed, most=self.most)
        if self.polarised is not None:
            assumed = replace(assumed, heap_odds=1.0 if self.polarised else 0.0)
        if self.polarised or n_arms == 1 or self.most == 0.0:
            assumed = replace(assumed, attack_prior=0.0)  # a single arm has no rivals to lift
        if self.most == 0.0:
            assumed = replace(assumed, interval_prior=0.0)
        return assumed

    def state(self, setting: Setting) -> WaryState:
        assumed, ratings = self.assumptions(setting.n_arms), count_levels(self.range, self.levels)
        with_evidence = bool({signal.name for signal in self.signals} & set(setting.signals))
        model = rating_model(ratings, assumed, self.resolution, with_evidence=with_evidence)
        roles, components = model.component_prior.shape
        axes = {
            "pieces": self.resolution.pieces,
            "rows": model.log_likelihood.shape[0],
            "means": model.means.size,
            "cells": model.log_prior.shape[0],
            "roles": roles,
            "components": components,
            "levels": model.sd_prior.shape[0],
        }
        return WaryState(
            timeline=new(Timeline, setting, axes),
            everything=new(ArmPosteriors, setting, axes),
            remaining=new(ArmPosteriors, setting, axes),
            model=model,
            intervals=interval_prior(ratings, assumed, self.resolution),
            signals=signal_table(self.signals, setting),
            scale=declared_range(self.range, self.outside),
        )

    @classmethod
    def from_pilot(cls, pilot: ArrayLike) -> Self:
        """Return a policy for continuous rewards like those of a pilot, on all arms together; a tenth may be bad.

        Its range reaches one and a half times as far to either side of the pilot's middle as the middle 80 % are wide,
        in forty steps; what lies outside is clipped.
        """
        rewards = check_array("pilot", pilot)
        if rewards.size < FEWEST_PILOTS:
            raise ParameterError(f"pilot must have at least {FEWEST_PILOTS} rewards, got {rewards.size}")
        low = float(np.quantile(rewards, 0.1, method="higher"))  # no mean of a good reward and a bad one
        high = float(np.quantile(rewards, 0.9, method="lower"))
        if low == high:
            raise ParameterError(f"pilot must vary: its middle 80 % are all {low:g}")
        middle, reach = (low + high) / 2.0, PILOT_REACH * (high - low)
        scale = (middle - reach, middle + reach)
        return cls(scale, levels=PILOT_LEVELS, polarised=False, outside="clip")  # what is clipped heaps at the ends

    def summaries(self, state: WaryState) -> list[tuple[float, Summary]]:
        """Return posterior summaries and their probabilities: if all ratings count, and if an interval is left out."""
        probability = float(state.timeline.probability[0])
        everything = summarise(posterior_of(state, False), state.everything, state.model)
        if probability == 0.0:
            return [(1.0, everything)]
        remaining = summarise(posterior_of(state, True), state.remaining, state.model)
        return [(1.0 - probability, everything), (probability, remaining)]

    def density(self, state: WaryState) -> tuple[Floats, Floats]:
        """Return the values of an arm's honest mean, and their posterior probabilities (arms, values)."""
        total = sum(weight * summary.density for weight, summary in self.summaries(state))
        return reward_of(state.scale, state.model.means), np.asarray(total)

    def estimates(self, state: WaryState) -> Floats:
        """Return the posterior mean of each arm's honest mean."""
        values, density = self.density(state)
        return np.where(state.timeline.sizes > 0, density @ values, np.nan)

    def bad_probabilities(self, state: WaryState) -> Floats:
        """Return the probability that a rating is bad: (arms, pieces of time, evidence levels * ratings)."""
        (weight, everything), *with_interval = self.summaries(state)
        pieces = np.arange(state.timeline.counts.shape[1])
        bad = np.repeat(weight * everything.bad[:, None], pieces.size, axis=1)
        for probability, remaining in with_interval:
            first, stop = left_out(state.timeline)
            inside = ((pieces >= first) & (pieces < stop))[:, None]
            bad += probability * np.where(inside, 1.0, remaining.bad[:, None])
        return np.asarray(bad)

    def contamination(self, state: WaryState) -> Floats:
        """Return the expected share of each arm's ratings that are bad; 0 for an arm without a rating."""
        bad = (self.bad_probabilities(state) * state.timeline.counts).sum(axis=(1, 2))
        return np.asarray(bad / np.maximum(state.timeline.sizes, 1))

    def honest_variances(self, state: WaryState) -> Floats:
        """Return the expected variance of each arm's honest ratings."""
        total = sum(weight * summary.variance for weight, summary in self.summaries(state))
        return np.asarray(total) * state.scale.width**2

    def counts(self, state: WaryState) -> Ints:
        """Return the counts of each arm's ratings, (arms, ratings), of all times and with any evidence."""
        n_arms, pieces, _ = state.timeline.counts.shape
        return np.asarray(state.timeline.counts.reshape(n_arms, pieces, -1, state.intervals.n_ratings).sum(axis=(1, 2)))

    def intervals(self, state: WaryState, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return the credible interval of the mean of each arm's own ratings; NaN for an arm with fewer than ten.

        It is the interval of all the ratings that an arm received, good or bad, and assumes no shape of their
        distribution. An arm that is dropped after one low rating is why ten are needed. Intervals of the robust
        estimate would need the model to be right: on arms that divide people and on arms with a heap they miss
        the mean too often (`scripts/wary_intervals.py`), so there are none.
        """
        low, high = own_intervals(self.counts(state), check_number("level", level, above=0, below=1))
        too_few = np.where(state.timeline.sizes >= FEWEST_FOR_INTERVAL, 0.0, np.nan)
        return reward_of(state.scale, low) + too_few, reward_of(state.scale, high) + too_few

    def why_down_weighted(self, state: WaryState, arm: int, ratings: Sequence[float]) -> list[str]:
        """Return the contaminated interval that each of an arm's ratings lies in, or that it is probably bad, or ""."""
        n_ratings = state.intervals.n_ratings
        gains = (np.array(ratings, np.float64) - state.scale.low) / state.scale.width
        levels = np.floor(gains.clip(0.0, 1.0) * (n_ratings - 1) + 0.5).astype(np.int64)
        bad = self.bad_probabilities(state)[arm].reshape(state.timeline.counts.shape[1], -1, n_ratings)
        return remarks.reasons(state.timeline, arm, levels, bad, *left_out(state.timeline))

    def explain_state(self, state: WaryState, arms: Sequence[str | int]) -> list[str]:
        """Return what is known about each arm, and warnings of heaps, an attack, an interval and clipped ratings."""
        timeline, summaries, interval = state.timeline, self.summaries(state), left_out(state.timeline)
        counts, values = self.counts(state), reward_of(state.scale, np.linspace(0.0, 1.0, state.intervals.n_ratings))
        means = counts @ values / np.maximum(timeline.sizes, 1)
        kept, bad = self._kept(state)
        components, _ = components_of(values.size, self.assumptions(timeline.sizes.size))
        has_heap = np.array([component.heap > 0.0 for component in components])  # (components, ratings)
        heaps = sum(weight * summary.components @ has_heap for weight, summary in summaries)
        attack_on = sum(weight * summary.attack_on for weight, summary in summaries)
        described = self.estimates(state), means, self.intervals(state), self.contamination(state), timeline.sizes
        return [
            *remarks.describe_arms(*described, arms),
            *remarks.describe_heaps(kept, bad, np.asarray(heaps), values, arms),
            *remarks.describe_attack(np.asarray(attack_on), arms),
            *remarks.describe_interval(timeline, *interval),
            *remarks.describe_clipping(state.scale),
        ]

    def _kept(self, state: WaryState) -> tuple[Ints, Floats]:
        """Return the counts of the ratings that are probably not left out, and how probably each is bad."""
        timeline, (first, stop) = state.timeline, left_out(state.timeline)
        pieces = np.arange(timeline.counts.shape[1])
        kept = (pieces < first) | (pieces >= stop) | (timeline.probability[0] <= 0.5)
        shape = (timeline.sizes.size, pieces.size, -1, state.intervals.n_ratings)
        counts = (timeline.counts * kept[:, None]).reshape(shape)
        bad = (counts * self.bad_probabilities(state).reshape(shape)).sum(axis=(1, 2))
        total = counts.sum(axis=(1, 2))
        return total, bad / np.maximum(total, 1)
