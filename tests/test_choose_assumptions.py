"""The script that chooses what the default policy assumes: its worlds, and the rule by which it chooses."""

from dataclasses import replace

import numpy as np
import pytest

import loading
from trueward.policies.wary_thompson.rating_model import Assumptions

PRESENT = Assumptions()
N = 20  # worlds of each kind


@pytest.fixture(scope="module")
def script():
    return loading.script("choose_assumptions")


@pytest.fixture
def search(script):
    """Return a search that knows already what was lost: nothing is played."""
    kinds = list(dict.fromkeys(script.DONE))
    found = script.Search.__new__(script.Search)
    found.parts = {kind: np.repeat(kinds, N) == kind for kind in kinds}
    found.plain = np.zeros(N * len(kinds))
    found.known = {PRESENT: np.zeros(N * len(kinds))}
    return found


def candidate(search, trust, **by_part):
    """Add a candidate that loses so much more, in logarithms, with noise of 0.1 in each world."""
    assumed, noise = (
        replace(PRESENT, trust=trust),
        np.random.default_rng(int(trust)).normal(0.0, 0.1, search.plain.size),
    )
    noise -= noise.mean()
    search.known[assumed] = noise + sum((change * search.parts[part] for part, change in by_part.items()), 0.0)
    return assumed


def test_the_lowest_score_is_chosen_of_those_that_cost_little_among_honest_people(search, capsys):
    good = candidate(search, 1.0, malice=-0.3)
    better = candidate(search, 2.0, malice=-0.6, clean=0.05)
    best_but_dear = candidate(search, 3.0, malice=-2.0, clean=0.3)
    others = {"good": good, "better": better, "dear": best_but_dear}
    assert search.choose(PRESENT, others) is better
    assert "The numbers change to better." in capsys.readouterr().out


def test_what_is_within_its_standard_error_changes_nothing(search, capsys):
    """Five parts of 20 worlds with noise of 0.1: the standard error is 0.1 / sqrt(100) = 0.01."""
    slightly = candidate(search, 4.0, malice=-0.02)
    assert search.choose(PRESENT, {"slightly": slightly}) is PRESENT
    assert "The numbers stay as they are." in capsys.readouterr().out


def test_worlds_are_the_same_for_the_same_seed_and_haters_are_honest(script):
    one, again = (script.world(9, seed=1) for _ in range(2))
    assert one.done == "haters"
    np.testing.assert_array_equal(one.arms.probabilities, again.arms.probabilities)
    plain = script.with_haters(one.arms, np.zeros(one.arms.n_arms))
    np.testing.assert_allclose(plain.probabilities, one.arms.probabilities)
    more = script.with_haters(one.arms, np.full(one.arms.n_arms, 0.2))
    np.testing.assert_allclose(more.probabilities[:, 0], 0.2 + 0.8 * one.arms.probabilities[:, 0])
    assert {script.world(i, seed=1).done for i in range(18)} == set(script.DONE)
