"""Every number of Wary: what it assumes about people and attacks, and how finely it computes.

`scripts/choose_constants.py` chooses the assumptions. A resolution only has to be fine enough: a finer one changes no
result of `scripts/default_policy_table.py`.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Assumptions:
    """What the model assumes."""

    widest_sd: float = 4.0  # the largest sd of honest ratings, in widths of the scale: nearly bimodal
    sd_decay: float = 5.3  # how fast P(s | sigma) falls with |ln s / sigma|
    own_sd: float = 0.1  # probability that an arm's sd has nothing to do with the other arms'
    stray: float = 0.01  # share of ratings that come from anywhere on the scale
    careless_odds: float = 1 / 12  # prior odds that an arm has many careless ratings, which come from anywhere
    careless_share: float = 0.5  # their share, times `most`
    heap_odds: float = 0.1  # prior odds that honest ratings have a heap at an end of the scale
    heap_shares: tuple[float, ...] = (0.1, 0.25)  # share of the honest ratings in a heap
    attack_prior: float = 0.2  # prior probability of an attack
    attack_rates: tuple[float, ...] = (0.3, 0.6, 1.0)  # share of ratings that an attack replaces, times `most`
    attack_weights: tuple[float, ...] = (0.4, 0.4, 0.2)  # prior probability of each rate
    attack_ends: float = 0.9  # share of an attack's ratings at the end of the scale; the others are anywhere
    most: float = 0.35  # the largest share of bad ratings, and the longest contaminated interval
    longest_start: float = 15 / 7  # the longest contaminated interval that begins with the study, times `most`
    interval_prior: float = 0.02  # prior probability of a contaminated interval
    interval_mass: float = 2.0  # total mass of the Dirichlet prior inside and outside an interval
    trusted: float = 30.0  # number of ratings from which an arm's evidence is tempered
    power: float = 1.25  # exponent of the expected gain


@dataclass(frozen=True)
class Resolution:
    """How finely the model is computed."""

    means: int = 48  # values of an arm's honest mean
    sd_ratio: float = 1.7  # ratio of neighbouring sd levels
    narrowest_step: float = 0.25  # the smallest sd, in steps of the scale,
    narrowest_sd: float = 0.02  # but at least this, in widths of the scale
    pieces: int = 32  # pieces of time in which ratings are counted; an even number
    evidence_ratios: tuple[float, ...] = (0.01, 0.1, 1 / 3, 1.0, 3.0, 10.0, 100.0)  # likelihood ratios of evidence
    least_probability: float = 0.02  # a contaminated interval that is less probable is ignored


# Numerical limits, far from what changes a probability
IMPOSSIBLE = -1e30  # log prior of a mean that a component cannot have
NEGLIGIBLE = -40.0  # log weight: e^-40 of the largest weight is lost in rounding
SMALLEST = 1e-300  # a positive number below every weight that matters
SMALLEST_LIKELIHOOD = 1e-12
SMALLEST_GAIN = 1e-12  # as a part of the largest gain
TIE = 1e-6  # log odds that differ by less are equal, and the earlier interval counts
BISECTIONS = 40  # for the location of a rounded normal
TABULATED = 4096  # counts up to this have their ln Gamma in a table
FEWEST_RATINGS = 4  # before a contaminated interval can be found
