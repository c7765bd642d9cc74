"""Contrasts from logged probabilities: unbiased and covering under an adaptive policy, and refused without a floor."""

import numpy as np
import pytest

import trueward as tw
from adaptive_play import SHARE, adaptive_studies
from soak_size import size
from trueward.analysis import Decisions, differences
from trueward.errors import StudyError

N = 300
CASES = {
    "apart": (lambda t: (0.6, 0.7), (1.0, 1.0), 0.1),
    "equal": (lambda t: (0.5, 0.5), (1.0, 1.0), 0.0),
    "common drift": (lambda t: (0.2 + 0.6 * t, 0.2 + 0.6 * t), (1.0, 1.0), 0.0),
    "response": (lambda t: (0.6, 0.6), (0.9, 0.4), 0.0),
    "response, apart": (lambda t: (0.6, 0.75), (0.4, 0.9), 0.15),
}


def decisions_of(arm, rating, p, **more):
    both = [{"0": 1 - each, "1": each} for each in p.tolist()]
    return Decisions.from_columns(arm=[str(a) for a in arm], rating=rating, probabilities=both, scale=(0, 1), **more)


def played(case, studies, n=N):
    """Return the differences of a number of simulated studies, and the true difference."""
    means, answers, truth = CASES[case]
    streams = adaptive_studies(studies, n, means, answers=answers)
    return [differences(decisions_of(*each), floor=SHARE / 2) for each in zip(*streams, strict=True)], truth


def check(case, studies, n=N):
    """Check bias and coverage, each within three standard errors of the simulation.

    Means with equal weights are unbiased. Weights that adapt are divided by their sum, which is random as well: that
    leaves a bias of some tenth of the estimate's own standard error, which the intervals bear.
    """
    found, truth = played(case, studies, n)
    plain = np.array([each.means[1].estimate - each.means[0].estimate for each in found])
    weighted = np.array([-each.pairs[0].estimate for each in found])
    assert abs(plain.mean() - truth) < 3 * plain.std() / np.sqrt(studies)
    assert abs(weighted.mean() - truth) < (0.15 + 3 / np.sqrt(studies)) * weighted.std()
    missed = np.mean([not each.pairs[0].low <= -truth <= each.pairs[0].high for each in found])
    assert missed <= 0.055 + 3 * np.sqrt(0.05 * 0.95 / studies)  # a normal interval, at the end of a short study


@pytest.mark.parametrize("case", CASES)
def test_differences_are_unbiased_and_cover_under_an_adaptive_policy(case):
    check(case, 120)


@pytest.mark.soak
@pytest.mark.parametrize("case", CASES)
def test_differences_are_unbiased_and_cover_in_thousands_of_studies(case):
    check(case, size(2000, 200), n=1000)


def test_means_are_averages_over_all_decisions():
    found, _ = played("response, apart", 120)
    for arm, mean in ((0, 0.6), (1, 0.75)):
        estimates = np.array([each.means[arm].estimate for each in found])
        assert abs(estimates.mean() - mean) < 3 * estimates.std() / np.sqrt(120)


def test_plain_difference_of_means_is_biased_under_common_drift():
    arm, rating, _ = adaptive_studies(300, N, lambda t: (0.2 + 0.6 * t, 0.3 + 0.6 * t))
    plain = [np.mean(r[a == 1]) - np.mean(r[a == 0]) for a, r in zip(arm, rating, strict=True)]
    assert abs(np.mean(plain) - 0.1) > 5 * np.std(plain) / np.sqrt(300)


def test_difference_equals_hand_computed_value():
    decisions = Decisions.from_columns(
        arm=["a", "b", "b"],
        rating=[1.0, 0.0, 1.0],
        probabilities=[{"a": 0.5, "b": 0.5}, {"a": 0.8, "b": 0.2}, {"a": 0.5, "b": 0.5}],
        scale=(0, 1),
    )
    d = np.array([0.5 + 0.5 / 0.5 - 0.5, 1.0 - (0.5 - 0.5 / 0.2), 1.0 - (0.0 + 1.0 / 0.5)])
    h = np.array([4.0, 1 / 0.8 + 1 / 0.2, 4.0]) ** -0.5
    expected = h @ d / h.sum()
    found = differences(decisions, floor=0.2).pairs[0]
    assert found.estimate == pytest.approx(expected)
    assert found.standard_error == pytest.approx(np.sqrt((h**2 * (d - expected) ** 2).sum()) / h.sum())
    assert found.high - found.estimate == pytest.approx(1.959964 * found.standard_error, rel=1e-6)


def test_standard_error_clusters_decisions_by_participant():
    (arm,), (rating,), (p,) = adaptive_studies(1, 200, lambda t: (0.4, 0.6), seed=3)
    kept = {"floor": SHARE / 2}
    alone = differences(decisions_of(arm, rating, p), **kept).pairs[0]
    named = differences(decisions_of(arm, rating, p, participant=[f"p{i}" for i in range(200)]), **kept).pairs[0]
    assert named == alone
    doubled = decisions_of(*(np.repeat(x, 2) for x in (arm, rating, p)), participant=np.repeat(np.arange(200), 2))
    assert differences(doubled, **kept).pairs[0].standard_error == pytest.approx(alone.standard_error, rel=0.1)
    several = decisions_of(*(np.repeat(x, 2) for x in (arm, rating, p)))
    assert differences(several, **kept).pairs[0].standard_error < 0.8 * alone.standard_error


def test_difference_omits_pending_decisions_and_unavailable_arms():
    half = {"a": 0.5, "b": 0.5}
    decisions = Decisions.from_columns(
        arm=["a", "b", "a", "c", "b"],
        rating=[1, 0, None, 1, 1],
        status=["rated", "rated", "pending", "rated", "rated"],
        probabilities=[half, half, half, {"a": 0.5, "c": 0.5}, {"a": 0.2, "b": 0.2, "c": 0.6}],
        scale=(0, 1),
    )
    counts = {(each.arm, each.minus): each.decisions for each in differences(decisions, floor=0.2).pairs}
    assert counts == {("a", "b"): 3, ("a", "c"): 2, ("b", "c"): 1}


def test_difference_uses_later_voided_ratings_in_earlier_means():
    half = {"a": 0.5, "b": 0.5}
    status = ["rated", "void", "rated", "rated"]
    decisions = Decisions.from_columns(
        arm=["a", "a", "b", "b"], rating=[0, 1, 0, 1], status=status, probabilities=[half] * 4, scale=(0, 1)
    )
    found = differences(decisions)
    assert found.pairs[0].decisions == 3
    d = [0.5 - 0.5 / 0.5 - 0.5, 0.5 - (0.5 - 0.5 / 0.5), 0.5 - (0.0 + 1 / 0.5)]  # 0.5: the mean of 0 and the void 1
    assert found.pairs[0].estimate == pytest.approx(np.mean(d))


def test_differences_raise_without_probabilities_or_without_a_floor():
    with pytest.raises(
        StudyError, match="differences are not estimated: the probabilities with which arms were shown are not known"
    ):
        differences(Decisions.from_columns(arm=["a", "b"], rating=[1, 2], scale=(0, 5)))
    lucky = decisions_of(np.array([0, 1]), [0, 1], np.array([0.5, 0.6]))  # never low, but nothing kept it from that
    with pytest.raises(
        StudyError, match=r"kept the probabilities from becoming 0 \(the lowest was 0.4\).*uniform_share"
    ):
        differences(lucky)
    with pytest.raises(StudyError, match=r"state the floor that was kept, 0.001 or more"):
        differences(lucky, floor=1e-4)
    with pytest.raises(StudyError, match=r"the lowest probability is 0\.4, below the floor of 0\.45"):
        differences(lucky, floor=0.45)
    assert differences(lucky, floor=0.4).pairs[0].decisions == 2


@pytest.mark.parametrize(
    ("policy", "floor"),
    [
        (tw.BetaThompson((0, 1)), None),
        (tw.UniformShare(tw.BetaThompson((0, 1)), share=0.2), 0.1),
        (tw.MissingAs(tw.UniformShare(tw.BetaThompson((0, 1)), share=0.2)), 0.1),
        (tw.Uniform(), None),
    ],
)
def test_floor_of_a_bandit_is_that_of_its_uniform_share(policy, floor):
    bandit = tw.Bandit(policy, arms=["a", "b"])
    for rating in (0.5, 0.5, 0.2, 0.9, 0.5, 0.4):
        bandit.tell(bandit.ask(), rating)
    decisions = Decisions.from_source(bandit, scale=(0, 1))
    assert decisions.floor == floor
    found = tw.analysis.analyse(decisions)
    if floor or isinstance(policy, tw.Uniform):  # whose probabilities are the same throughout
        assert found.no_differences == ""
        assert found.differences.pairs[0].decisions == 6
    else:
        assert "nothing kept the probabilities from becoming 0" in found.no_differences
        assert found.differences is None
        assert tw.analysis.analyse(decisions, floor=0.001).differences is not None


def test_difference_has_equal_weights_if_only_the_shown_arm_has_a_probability():
    decisions = Decisions.from_columns(
        arm=["a", "b", "c"], rating=[1.0, 0.0, 1.0], probability=[0.5, 0.25, 0.25], scale=(0, 1)
    )
    found = differences(decisions, floor=0.25).pairs[0]
    assert found.estimate == pytest.approx(np.mean([0.5 + 1.0 - 0.5, 1.0 - (0.5 - 2.0), 1.0 - 0.0]))
