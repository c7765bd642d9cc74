"""The selection probabilities of Wary, summed by brute force from a raw list of ratings.

This file imports nothing from trueward. It is slow and follows the equations of docs/wary.md one by one.
"""

import functools
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

MEANS = [(i + 0.5) / 48 for i in range(48)]
SD_RATIO = 1.7
EVIDENCE_RATIOS = (0.01, 0.1, 1 / 3, 1.0, 3.0, 10.0, 100.0)
PIECES = 32
FEWEST_RATINGS = 4
LEAST_PROBABILITY = 0.02  # of contaminated intervals that count


class Rating(NamedTuple):
    arm: int
    rating: int  # from 0
    ratio: float = 1.0  # P(evidence | bad) / P(evidence | good)


class Component(NamedTuple):
    role: tuple[str, int]  # ("people", 0), or ("lifted" or "pushed", number of the rate)
    prior: float  # P(g | role)
    heap: list[float]  # honest point mass of each rating
    bad: list[float]  # share of bad ratings with each value


Assumed = Mapping[str, float | tuple[float, ...]]


def selection_probabilities(ratings: Sequence[Rating], n_arms: int, n_ratings: int, assumed: Assumed, arms=None):
    """Return the selection probabilities of `arms` (default: all), with and without the contaminated interval."""
    arms = range(n_arms) if arms is None else arms
    p = probabilities_given([[r for r in ratings if r.arm == arm] for arm in arms], n_ratings, assumed)
    probability, first, stop = contaminated_interval(ratings, n_arms, n_ratings, assumed)
    if probability == 0.0:
        return p
    remaining = ratings[:first] + ratings[stop:]
    without = probabilities_given([[r for r in remaining if r.arm == arm] for arm in arms], n_ratings, assumed)
    return (1.0 - probability) * p + probability * without


# Honest ratings and components


@functools.cache
def rounded_normal(n_ratings: int, sd: float, mean: float) -> tuple[float, ...]:
    """Return the probabilities of a normal that is rounded to the scale and has this mean after rounding."""
    edges = [(i + 0.5) / (n_ratings - 1) for i in range(n_ratings - 1)]

    def too_high(location):
        return sum(0.5 * math.erfc((edge - location) / sd / math.sqrt(2.0)) for edge in edges) / len(edges) - mean

    location = brentq(too_high, -60.0 * sd - 1.0, 60.0 * sd + 2.0, xtol=1e-15, rtol=1e-14, maxiter=500)
    below = norm.cdf(edges, location, sd)
    return (below[0], *np.diff(below), 1.0 - below[-1])


def sd_levels(n_ratings: int, assumed: Assumed) -> list[float]:
    narrowest, widest = max(0.25 / (n_ratings - 1), 0.02), assumed["widest_sd"]
    n_levels = max(2, round(math.log(widest / narrowest) / math.log(SD_RATIO)) + 1)
    return [narrowest * (widest / narrowest) ** (i / (n_levels - 1)) for i in range(n_levels)]


def sd_prior(sd: float, shared: float, levels: list[float], assumed: Assumed) -> float:
    near = [math.exp(-assumed["sd_decay"] * abs(math.log(level / shared))) for level in levels]
    own = assumed["own_sd"]
    return (1.0 - own) * near[levels.index(sd)] / sum(near) + own / len(levels)


def components(n_ratings: int, assumed: Assumed) -> list[Component]:
    def point(share, end):
        return [share if rating == end else 0.0 for rating in range(n_ratings)]

    none, anywhere, top, most = [0.0] * n_ratings, 1.0 / n_ratings, n_ratings - 1, assumed["most"]
    stray = [min(assumed["stray"], most) * anywhere] * n_ratings
    careless = [most * assumed["careless_share"] * anywhere] * n_ratings
    heaps = [point(share, end) for end in (0, top) for share in assumed["heap_shares"]]
    total = 1.0 + assumed["careless_odds"] + assumed["heap_odds"]
    found = [
        Component(("people", 0), 1.0 / total, none, stray),
        Component(("people", 0), assumed["careless_odds"] / total, none, careless),
        *(Component(("people", 0), assumed["heap_odds"] / len(heaps) / total, heap, stray) for heap in heaps),
    ]
    for role, end in (("lifted", top), ("pushed", 0)):
        for i, rate in enumerate(assumed["attack_rates"]):
            at_end = point(most * rate * assumed["attack_ends"], end)
            bad = [share + most * rate * (1.0 - assumed["attack_ends"]) * anywhere for share in at_end]
            found.append(Component((role, i), 1.0, none, bad))
    return found


@functools.cache
def honest_ratings(n_ratings: int, sd: float, mean: float, heap: tuple[float, ...]) -> tuple[float, ...] | None:
    """Return the probabilities of honest ratings with this mean and heap; None if there are none."""
    outside = (mean - heap[-1]) / (1.0 - sum(heap))
    if not 0.0 < outside < 1.0:
        return None
    outside = min(max(outside, MEANS[0]), MEANS[-1])
    normal = rounded_normal(n_ratings, sd, outside)
    return tuple((1.0 - sum(heap)) * p + h for p, h in zip(normal, heap, strict=True))


def log_likelihood(component: Component, sd: float, mean: float, ratings: list[Rating], n_ratings: int) -> float:
    """Return the log-likelihood of one arm's ratings."""
    honest = honest_ratings(n_ratings, sd, mean, tuple(component.heap))
    if honest is None:
        return -math.inf
    clean, log = 1.0 - sum(component.bad), {}
    for seen in set(ratings):
        nearest = min(EVIDENCE_RATIOS, key=lambda level: abs(math.log(level / seen.ratio)))
        log[seen] = math.log(max(clean * honest[seen.rating] + nearest * component.bad[seen.rating], 1e-12))
    return sum(log[seen] for seen in ratings)


# The posterior


def evidence(samples: list[list[Rating]], n_ratings: int, assumed: Assumed):
    """Return the tempered evidence of each arm, component and sd, and the posteriors of the mean in them."""
    tempered, posterior = {}, {}
    for arm, ratings in enumerate(samples):
        logs = {}
        for g, component in enumerate(components(n_ratings, assumed)):
            for sd in sd_levels(n_ratings, assumed):
                each = np.array([log_likelihood(component, sd, mean, ratings, n_ratings) for mean in MEANS])
                top, possible = each.max(), np.isfinite(each).sum()
                logs[g, sd] = top + math.log(np.exp(each - top).sum() / possible)
                posterior[arm, g, sd] = np.exp(each - top) / np.exp(each - top).sum()
        q = len(ratings) / assumed["trusted"]
        exponent = math.log(1.0 + q) / q if q > 0.0 else 1.0
        tempered |= {(arm, *cell): math.exp(exponent * (log - max(logs.values()))) for cell, log in logs.items()}
    return tempered, posterior


def probabilities_given(samples: list[list[Rating]], n_ratings: int, assumed: Assumed):
    """Return the selection probabilities if these are the ratings that count, sample by sample."""
    arms, levels, parts = range(len(samples)), sd_levels(n_ratings, assumed), components(n_ratings, assumed)
    tempered, posterior = evidence(samples, n_ratings, assumed)
    prior = {(sd, shared): sd_prior(sd, shared, levels, assumed) for sd in levels for shared in levels}

    def cells(role, shared):
        return [
            (g, sd, part.prior * prior[sd, shared])
            for g, part in enumerate(parts)
            for sd in levels
            if part.role == role
        ]

    def support(arm, role, shared):
        return sum(weight * tempered[arm, g, sd] for g, sd, weight in cells(role, shared))

    people, attacks, attack_prior = {}, {}, assumed["attack_prior"]
    for shared in levels:
        one = [support(arm, ("people", 0), shared) for arm in arms]
        people[shared] = (1.0 - attack_prior) * math.prod(one)
        for i, weight in enumerate(assumed["attack_weights"]):
            lifted, pushed = ([support(arm, (role, i), shared) for arm in arms] for role in ("lifted", "pushed"))
            for victim in arms:
                others = math.prod(lifted[arm] for arm in arms if arm != victim)
                of_rate = attack_prior * weight / sum(assumed["attack_weights"]) / len(arms)
                attacks[victim, i, shared] = of_rate * pushed[victim] * others
    regimes = {
        "people": {(0, shared): people[shared] for shared in levels},
        **dict.fromkeys(("lifted", "pushed"), attack_by_rate(attacks, levels, len(assumed["attack_rates"]))),
    }

    def density(arm, name):
        total = np.zeros(len(MEANS))
        for (i, shared), weight in regimes[name].items():
            if weight > 0.0:
                share = weight / support(arm, (name, i), shared)
                for g, sd, w in cells((name, i), shared):
                    total += share * w * tempered[arm, g, sd] * posterior[arm, g, sd]
        return total / total.sum() if total.sum() > 0.0 else np.full(len(MEANS), 1.0 / len(MEANS))

    d, up, down = ([density(arm, name) for arm in arms] for name in ("people", "lifted", "pushed"))
    gains = [
        sum(people.values()) * expected_gain(d[arm], [d[j] for j in arms if j != arm])
        + sum(weight for (victim, _, _), weight in attacks.items() if victim == arm)
        * expected_gain(down[arm], [up[j] for j in arms if j != arm])
        for arm in arms
    ]
    powers = (np.array(gains) / max(gains)) ** assumed["power"]
    return powers / powers.sum()


def attack_by_rate(attacks, levels, n_rates):
    """Return the weights of each rate and shared sd level, whichever arm is attacked."""
    return {
        (i, shared): sum(weight for (_, rate, level), weight in attacks.items() if (rate, level) == (i, shared))
        for i in range(n_rates)
        for shared in levels
    }


def expected_gain(own, others) -> float:
    """Return E[(m - highest of the others)^+], by summing over all pairs of means; a single arm is always played."""
    if not others:
        return 1.0
    highest, values = np.eye(len(MEANS))[0], np.array(MEANS)
    for other in others:
        joint, highest = np.outer(highest, other), np.zeros(len(MEANS))
        for i in range(len(MEANS)):
            for j in range(len(MEANS)):
                highest[max(i, j)] += joint[i, j]
    return float((np.outer(own, highest) * np.maximum(values[:, None] - values, 0.0)).sum())


# Contaminated intervals


def contaminated_interval(ratings: Sequence[Rating], n_arms: int, n_ratings: int, assumed: Assumed):
    """Return the probability of an interval, and the first rating in the likeliest one and the first after it."""
    length = 1
    while len(ratings) >= PIECES * length:
        length *= 2
    pieces = len(ratings) // length
    if pieces * length < FEWEST_RATINGS or assumed["interval_prior"] == 0.0:
        return 0.0, 0, 0
    complete = ratings[: pieces * length]
    longest = math.floor(assumed["most"] * pieces + 1e-9)
    longest_start = min(pieces - 1, math.floor(assumed["longest_start"] * assumed["most"] * pieces + 1e-9))
    at_start = [(0, stop) for stop in range(1, longest_start + 1)]
    later = [(a, b) for a in range(1, pieces) for b in range(a + 1, min(pieces, a + longest) + 1)]
    clean = log_dirichlet_multinomial(complete, n_arms, n_ratings, assumed)
    odds = {}
    for interval in [*at_start, *later]:
        inside = complete[interval[0] * length : interval[1] * length]
        outside = complete[: interval[0] * length] + complete[interval[1] * length :]
        log_factor = sum(log_dirichlet_multinomial(part, n_arms, n_ratings, assumed) for part in (inside, outside))
        odds[interval] = log_factor - clean + math.log(0.5 / len(at_start if interval in at_start else later))
    total = sum(math.exp(min(each, 500.0)) for each in odds.values()) * assumed["interval_prior"]
    probability = total / (1.0 - assumed["interval_prior"] + total)
    if probability < LEAST_PROBABILITY:
        return 0.0, 0, 0
    first, stop = next(interval for interval, each in odds.items() if each > max(odds.values()) - 1e-9)
    return probability, first * length, len(ratings) if stop == pieces else stop * length


def log_dirichlet_multinomial(ratings: Sequence[Rating], n_arms: int, n_ratings: int, assumed: Assumed) -> float:
    """Return the log probability of the ratings in this order, one Dirichlet prior for each arm."""
    counts, sizes, total = {}, [0] * n_arms, 0.0
    mass = assumed["interval_mass"]
    for arm, rating, _ in ratings:
        count = counts.get((arm, rating), 0)
        total += math.log((count + mass / n_ratings) / (sizes[arm] + mass))
        counts[arm, rating] = count + 1
        sizes[arm] += 1
    return total
