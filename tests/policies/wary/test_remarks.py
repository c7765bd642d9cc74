"""The sentences of Wary: what it says about arms, heaps, attacks, intervals and single ratings."""

import math
import re

import numpy as np
import pytest

import trueward as tw
from trueward.engine.protocol import make_observation, update

POLICY = tw.Wary((0, 10))
NAMES = ["video", "text", "quiz"]


def learned(ratings, policy=POLICY, n_arms=3):
    """Return a state that has learned (arm, rating) pairs."""
    state, rng = policy.start(n_arms), np.random.default_rng(0)
    for t, (arm, rating) in enumerate(ratings, 1):
        update(state, make_observation(arm, rating, n_arms=n_arms, t=t), rng)
    return state


def ratings_with(bad, n=40, centres=(8, 6, 6)):
    """Return `n` ratings of each of three arms, within 1 of its centre; `bad(i, arm)` may return another."""
    rng = np.random.default_rng(0)
    honest = [(i, arm, int(centre + rng.integers(-1, 2))) for i in range(n) for arm, centre in enumerate(centres)]
    return [(arm, rating if bad(i, arm) is None else bad(i, arm)) for i, arm, rating in honest]


def of_arm(ratings, arm):
    return [rating for each, rating in ratings if each == arm]


CLEAN = ratings_with(lambda i, arm: None)
OPINION = ratings_with(lambda i, arm: 0 if arm == 0 and i % 4 == 0 else None)
ATTACK = ratings_with(lambda i, arm: (0, 10, 10)[arm] if i % 4 == 0 else None)
BURST = ratings_with(lambda i, arm: (0, 10, 10)[arm] if 8 <= i < 16 else None)  # ratings 25 to 48


def test_each_arm_has_its_robust_estimate_its_own_mean_with_an_interval_and_its_share_of_bad_ratings():
    state = learned(CLEAN)
    sentences = POLICY.explain_state(state, NAMES)
    assert len(sentences) == 3
    (low, *_), (high, *_) = POLICY.intervals(state)
    assert sentences[0] == (
        f"video: robust estimate {POLICY.estimates(state)[0]:.3g}; mean of its 40 ratings "
        f"{np.mean(of_arm(CLEAN, 0)):.3g} (95 % interval {low:.3g} to {high:.3g}); expected share of bad ratings "
        f"{100 * POLICY.contamination(state)[0]:.0f} %"
    )
    assert POLICY.why_down_weighted(state, 0, of_arm(CLEAN, 0)) == [""] * 40


def test_arm_without_ratings_is_not_described():
    (sentence,) = POLICY.explain_state(learned([(1, 7)]), NAMES)
    assert sentence.startswith("text: robust estimate ")
    assert "mean of its 1 rating 7 (too few for an interval)" in sentence
    assert POLICY.explain_state(learned([]), NAMES) == []


def test_heap_on_one_arm_is_reported_as_an_opinion_with_both_means():
    state = learned(OPINION)
    *_, warning = POLICY.explain_state(state, NAMES)
    mine = np.array(of_arm(OPINION, 0))
    assert re.fullmatch(
        r"video: 25 % of its ratings are 0, apart from the others\. They are taken for an opinion \(9\d %\)\. "
        f"The mean is {mine.mean():.3g} with them, {mine[mine > 0].mean():.3g} without",
        warning,
    )
    assert POLICY.why_down_weighted(state, 0, mine) == [""] * 40


def test_attack_is_reported_with_the_arm_and_its_bad_ratings():
    state = learned(ATTACK)
    *_, below, above, other, attack = POLICY.explain_state(state, NAMES)
    assert below.startswith("video: 25 % of its ratings are 0, apart from the others. They are taken for bad ratings (")
    assert above.startswith("text: 25 % of its ratings are 10, apart from the others. They are taken for bad ratings (")
    assert other.startswith("quiz: 25 % of its ratings are 10")
    assert attack == "Probably there is an attack (100 %): bad ratings push video down (100 %) and lift the other arms"
    reasons = POLICY.why_down_weighted(state, 0, of_arm(ATTACK, 0))
    assert reasons == ["down-weighted: bad with probability 1.00", "", "", ""] * 10


def test_contaminated_interval_is_reported_by_the_numbers_of_its_ratings():
    state = learned(BURST)
    assert POLICY.explain_state(state, NAMES)[-1] == (
        "Ratings 25 to 48, in the order of arrival, are probably contaminated. They are left out with probability 100 %"
    )
    reason = "down-weighted: ratings 25 to 48 are contaminated with probability 1.00"
    for arm in range(3):
        reasons = POLICY.why_down_weighted(state, arm, of_arm(BURST, arm))
        assert reasons == [""] * 8 + [reason] * 8 + [""] * 24


def test_interval_that_lasts_until_now_includes_the_latest_rating():
    ratings = BURST[:24] + BURST[48:] + [(arm, (0, 10, 10)[arm]) for _ in range(8) for arm in range(3)][:-2]
    state = learned(ratings)
    assert f"to {len(ratings)}, in the order of arrival" in POLICY.explain_state(state, NAMES)[-1]
    assert "contaminated" in POLICY.why_down_weighted(state, 0, of_arm(ratings, 0))[-1]


def test_ratings_of_a_less_probable_interval_are_possibly_contaminated_and_count():
    for stop in range(9, 16):
        state = learned(ratings_with(lambda i, arm, stop=stop: (1, 9, 9)[arm] if 8 <= i < stop else None))
        if 0.05 <= state.timeline.probability[0] <= 0.5:
            *_, sentence = POLICY.explain_state(state, NAMES)
            assert "are possibly contaminated. They are left out with probability " in sentence
            assert not any("contaminated" in reason for reason in POLICY.why_down_weighted(state, 1, [5] * 40))
            return
    pytest.fail("no interval with a probability between .05 and .5")


def test_failed_check_down_weights_a_rating_among_equal_ones_in_other_pieces_of_time():
    state, rng, ratings = POLICY.start(1, signals=("check",)), np.random.default_rng(0), []
    for i in range(24):
        odd = i % 6 == 0
        ratings.append(2 if odd else (8, 9, 10)[i % 3])
        evidence = (0.0 if odd else 1.0,)
        update(state, make_observation(0, ratings[-1], n_arms=1, t=i + 1, evidence=evidence), rng)
    reasons = POLICY.why_down_weighted(state, 0, ratings)
    assert [i for i, reason in enumerate(reasons) if reason] == [0, 6, 12, 18]
    assert all(reason.startswith("down-weighted: bad with probability ") for reason in reasons[::6])


def test_clipped_ratings_are_counted_and_explained():
    state = learned([(0, 70), (0, 80), (0, 9)], n_arms=1)
    assert POLICY.explain_state(state, ["video"])[-1] == "2 ratings outside the scale from 0 to 10 were clipped"
    assert POLICY.why_down_weighted(state, 0, [70, 80, 9]) == [""] * 3
    once = learned([(0, -1)], n_arms=1)
    assert POLICY.explain_state(once, ["video"])[-1] == "1 rating outside the scale from 0 to 10 was clipped"


@pytest.mark.parametrize("centre", [10, 9])
def test_ratings_near_the_top_are_not_a_heap(centre):
    rng = np.random.default_rng(0)
    state = learned([(0, min(centre + int(rng.integers(-1, 2)), 10)) for _ in range(60)], n_arms=1)
    assert len(POLICY.explain_state(state, ["video"])) == 1


def test_bandit_explains_a_bot_and_which_tickets_it_gave():
    bandit = tw.Bandit(POLICY, ["video", "text"], seed=1)
    for i in range(60):
        arm = bandit.ask()
        bandit.tell(arm, {"video": 9, "text": 7}[arm] - i % 2 if i >= 20 else {"video": 0, "text": 10}[arm])
    explained = bandit.explain()
    left_out = {rating.ticket for arm in explained.arms for rating in arm.trimmed}
    assert left_out == set(range(1, 21))
    assert "Ratings 1 to 20, in the order of arrival, are probably contaminated" in str(explained)
    assert math.isclose(explained["video"].estimate, 8.5, abs_tol=0.4)
