"""Print how often the 95 % intervals of Wary miss an arm's true mean, on clean ratings.

    python scripts/wary_intervals.py    # about three minutes on one core

A study has five arms, of which the first is ordinary, divided or love-or-hate; the others are ordinary. Every arm has n
ratings, or Wary itself collects 150 or 500 ratings of all arms. Two intervals are judged: that of the arm's own ratings
(`Wary.intervals`, which `explain` prints), and that of the robust estimate's posterior (`Wary.density`). The rows are
for the first arm, and for all arms together, if they have the ten ratings that an interval needs.
"""

import argparse
import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.stats import binom

import trueward as tw
from trueward.engine.kernel import Floats, Ints, State
from trueward.policies.wary.intervals import find_interval

LEVEL, STUDIES, SEED = 0.95, 400, 0
SIZES, HORIZONS = (20, 50, 150, 500), (150, 500)


def ratings_of(n_ratings: int, p: float) -> Floats:
    pmf = binom.pmf(np.arange(n_ratings), n_ratings - 1, p)
    return np.asarray(pmf / pmf.sum())


def mixture(*parts: tuple[float, Floats]) -> Floats:
    return np.asarray(sum(share * pmf for share, pmf in parts))


def first_arms(n_ratings: int) -> dict[str, Floats]:
    """Return the distributions of the first arm."""
    lowest, highest = np.eye(n_ratings)[[0, -1]]
    return {
        "ordinary": ratings_of(n_ratings, 0.75),
        "nearly all at the top": ratings_of(n_ratings, 0.97),
        "divided": mixture((0.5, ratings_of(n_ratings, 0.2)), (0.5, ratings_of(n_ratings, 0.85))),
        "15 % zeros": mixture((0.85, ratings_of(n_ratings, 0.85)), (0.15, lowest)),
        "5 % zeros": mixture((0.95, ratings_of(n_ratings, 0.85)), (0.05, lowest)),
        "love or hate, 60 to 40": mixture((0.6, highest), (0.4, lowest)),
        "love or hate, 90 to 10": mixture((0.9, highest), (0.1, lowest)),
    }


class Misses(NamedTuple):
    """Shares of intervals that miss the true mean."""

    own: float
    robust: float
    own_all: float
    robust_all: float


def missed(policy: tw.Wary, state: State, means: Floats) -> tuple[Floats, Floats]:
    """Return which arms the own and the robust intervals miss, as 0 or 1; NaN for an arm without an interval."""
    values, density = policy.density(state)
    tail, cumulative = (1.0 - LEVEL) / 2.0, np.cumsum(density, axis=1)
    step = values[1] - values[0]
    first, last = (np.minimum((cumulative < q).sum(axis=1), values.size - 1) for q in (tail, 1.0 - tail))
    robust = values[first] - step / 2.0, values[last] + step / 2.0
    printed = policy.intervals(state, LEVEL)
    too_few = 0.0 * printed[0]
    own, by_model = (((low > means) | (high < means)) + too_few for low, high in (printed, robust))
    return own, by_model


def learned(policy: tw.Wary, arms: Ints, ratings: Floats, n_arms: int) -> State:
    """Return the state after these ratings, which are counted at once: the last update decides about an interval."""
    state, n = policy.start(n_arms), arms.size
    timeline = state.timeline
    while n >= timeline.counts.shape[1] * timeline.length[0]:
        timeline.length[0] *= 2
    np.add.at(timeline.counts, (arms, np.arange(n) // timeline.length[0], ratings.astype(np.int64)), 1)
    timeline.sizes[:] = np.bincount(arms, minlength=n_arms)
    timeline.learned[0] = n
    find_interval(timeline, state.intervals)
    return state


def study_arms(kind: str, n_ratings: int) -> tw.CategoricalArms:
    others = [ratings_of(n_ratings, p) for p in (0.6, 0.65, 0.7, 0.8)]
    return tw.CategoricalArms(values=np.arange(n_ratings), probabilities=[first_arms(n_ratings)[kind], *others])


def balanced(kind: str, n_ratings: int, n: int, studies: int, seed: int) -> Misses:
    """Return the misses where every arm has n ratings, in random order."""
    arms, policy, rng = study_arms(kind, n_ratings), tw.Wary((0, n_ratings - 1)), np.random.default_rng(seed)
    found = []
    for _ in range(studies):
        order = rng.permutation(np.repeat(np.arange(arms.n_arms), n))
        ratings = arms.draw(order.size, rng)[np.arange(order.size), order]
        found.append(missed(policy, learned(policy, order, ratings, arms.n_arms), arms.means))
    return _shares(found)


def adaptive(kind: str, n_ratings: int, horizon: int, studies: int, seed: int, *, compiled: bool | None) -> Misses:
    """Return the misses where Wary itself chose the arms."""
    arms, policy = study_arms(kind, n_ratings), tw.Wary((0, n_ratings - 1))
    played = {"horizon": horizon, "trials": studies, "seed": seed, "checkpoints": [horizon]}
    trace = tw.play(policy, arms, keep_history=True, compiled=compiled, **played)
    states = (learned(policy, *game, arms.n_arms) for game in zip(trace.arms, trace.observed, strict=True))
    return _shares([missed(policy, state, arms.means) for state in states])


def _shares(found: list[tuple[Floats, Floats]]) -> Misses:
    by_study = np.array(found)  # (studies, intervals, arms)
    own, robust = np.nanmean(by_study[:, :, 0], axis=0)
    own_all, robust_all = np.nanmean(by_study, axis=(0, 2))
    return Misses(*(float(share) for share in (own, robust, own_all, robust_all)))


def rows(n_ratings: int, only: str, studies: int, seed: int) -> Iterator[str]:
    """Yield the rows of the table."""
    yield "| first arm | ratings | own, first arm | robust, first arm | own, all arms | robust, all arms |"
    yield "|---|---|---:|---:|---:|---:|"
    for kind in first_arms(n_ratings):
        if only in kind:
            for n in SIZES:
                yield _row(kind, f"{n} of each arm", balanced(kind, n_ratings, n, studies, seed))
            for horizon in HORIZONS:
                misses = adaptive(kind, n_ratings, horizon, studies, seed, compiled=None)
                yield _row(kind, f"{horizon}, chosen by Wary", misses)


def _row(kind: str, ratings: str, misses: Misses) -> str:
    cells = " | ".join(f"{100 * share:.1f} %" for share in misses)
    return f"| {kind} | {ratings} | {cells} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--studies", type=int, default=STUDIES)
    parser.add_argument("--ratings", type=int, default=11, help="number of values on the scale")
    parser.add_argument("--only", default="", help="only first arms whose names contain this text")
    parser.add_argument("--seed", type=int, default=SEED)
    chosen = parser.parse_args()
    for line in rows(chosen.ratings, chosen.only, chosen.studies, chosen.seed):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
