"""The break-even share and the fewest bad participants, against the answer by brute force."""

import functools
import itertools

import numpy as np
import pytest

from trueward.analysis import Decisions, break_even, leaderboard
from trueward.analysis.bounds import lower_bound, value_counts

LEVEL = 0.5  # so that a dozen ratings decide
DATA = [
    ([4] * 9 + [3] * 3, [1] * 6 + [0] * 5),
    ([4] * 8 + [3, 2, 0], [2] * 6 + [0] * 6, [1] * 7 + [0] * 4),
    ([4] * 11, [0] * 8),
]


def decisions_of(*by_arm):
    arms = [name for name, ratings in zip("abc", by_arm, strict=False) for _ in ratings]
    return Decisions.from_columns(arm=arms, rating=[r for ratings in by_arm for r in ratings], scale=(0, 4))


@functools.cache
def clean_end(ratings, n_arms):
    """Return the lower end, on the scale from 0 to 4, of ratings none of which is bad."""
    return 4 * lower_bound(value_counts(np.array(ratings) / 4), delta=(1 - LEVEL) / (2 * n_arms))


def left_of(ratings, n_bad, bad, worst):
    """Return the samples that can be left of ratings when so many are bad, at most: every choice is tried."""
    kept = {
        (tuple(sorted(r for i, r in enumerate(ratings) if i not in places)) + (worst,) * (k * (bad == "chosen")))
        for k in range(n_bad + 1)
        for places in itertools.combinations(range(len(ratings)), k)
    }
    return {tuple(sorted(sample)) for sample in kept}


def is_ahead(by_arm, n_bad, bad, *, end):
    """Return whether the first arm is ahead whichever ratings are bad, so many of each arm."""
    leader, *others = by_arm
    lowest = min(end(sample) for sample in left_of(leader, n_bad[0], bad, 0))
    mirrored = (left_of([4 - r for r in arm], n, bad, 0) for arm, n in zip(others, n_bad[1:], strict=True))
    return all(lowest > max(4 - end(sample) for sample in samples) for samples in mirrored)


def in_the_sample(sample):
    return np.mean(sample) if sample else 0.0


@pytest.mark.parametrize("by_arm", DATA, ids=range(len(DATA)))
@pytest.mark.parametrize("bad", ["capped", "chosen"])
@pytest.mark.parametrize("what", ["verdict", "sample alone"])
def test_break_even_share_equals_brute_force_over_bad_ratings(by_arm, bad, what):
    end = in_the_sample if what == "sample alone" else functools.partial(clean_end, n_arms=len(by_arm))
    found = break_even(decisions_of(*by_arm), bad=bad, level=LEVEL)
    shares = sorted({k / len(ratings) for ratings in by_arm for k in range(len(ratings) + 1)})

    def holds(share):
        return is_ahead(by_arm, [int(share * len(ratings) + 1e-9) for ratings in by_arm], bad, end=end)

    undone = next(share for share in shares if not holds(share))
    assert found.leader == "a"
    assert (found.share if what == "verdict" else found.sample_share) == pytest.approx(undone, abs=2e-5)


@pytest.mark.parametrize("by_arm", DATA, ids=range(len(DATA)))
@pytest.mark.parametrize("bad", ["capped", "chosen"])
@pytest.mark.parametrize("what", ["verdict", "sample alone"])
def test_break_even_fewest_equals_brute_force_over_bad_ratings(by_arm, bad, what):
    end = in_the_sample if what == "sample alone" else functools.partial(clean_end, n_arms=len(by_arm))
    found = break_even(decisions_of(*by_arm), bad=bad, level=LEVEL)
    ways = itertools.product(*(range(len(ratings) + 1) for ratings in by_arm))
    cheapest = next(sum(n_bad) for n_bad in sorted(ways, key=sum) if not is_ahead(by_arm, n_bad, bad, end=end))
    assert (found.fewest if what == "verdict" else found.sample_fewest) == cheapest


@pytest.mark.parametrize("bad", ["careless", "capped", "chosen"])
def test_leaderboard_is_decided_below_the_break_even_share_only(bad):
    decisions = decisions_of([4] * 30 + [3] * 10, [1] * 20 + [0] * 10, [2] * 25)
    share = break_even(decisions, bad=bad).share
    assert 0.0 < share < 1.0
    assert leaderboard(decisions, epsilon=share - 1e-3, bad=bad).decided
    assert not leaderboard(decisions, epsilon=share + 1e-3, bad=bad).decided


@pytest.mark.parametrize("bad", ["careless", "capped", "chosen"])
def test_break_even_never_falls_when_ratings_favour_the_leader(bad):
    low, high = [2] * 40 + [0] * 10, [4] * 30 + [3] * 20
    found = []
    for moved in range(0, 41, 20):
        worse = decisions_of([3] * (50 - moved) + [4] * moved, low)
        found.append(break_even(worse, bad=bad))
    for moved in range(0, 41, 20):
        found.append(break_even(decisions_of(high + [4] * 10, [1] * moved + low[moved:]), bad=bad))
    for part in (found[:3], found[3:]):
        for name in ("share", "fewest", "sample_share", "sample_fewest"):
            values = [getattr(each, name) for each in part]
            assert values == sorted(values), name


def test_break_even_is_zero_when_nothing_is_decided():
    found = break_even(decisions_of([4, 3, 2], [3, 2, 2]))
    assert (found.share, found.fewest) == (0.0, 0)
    assert found.sample_share > 0.0
    assert found.sample_fewest == 2  # the 4 and a 2: both means are then 2.5


def test_missing_ratings_lower_the_break_even_share():
    ratings = [4] * 60 + [0] * 60
    arms = ["a"] * 60 + ["b"] * 60
    whole = break_even(Decisions.from_columns(arm=arms, rating=ratings, scale=(0, 4)))
    holes = [None if i % 10 == 0 else r for i, r in enumerate(ratings)]
    some = break_even(Decisions.from_columns(arm=arms, rating=holes, scale=(0, 4)))
    assert 0.0 < some.share < whole.share
