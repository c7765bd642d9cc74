import math

import pytest

import trueward as tw
from trueward.errors import UnknownArmError
from trueward.live.explanation import TrimmedRating

RATINGS = [8, 9, 0, 8, 7, 9, 8, 10, 8, 9]  # the plain mean is 7.6


def explained(policy, ratings=RATINGS):
    bandit = tw.Bandit(policy, ["video", "text"])
    for rating in ratings:
        bandit.ask(among=["video"])
        bandit.tell("video", rating)
    return bandit.explain()


def test_the_trimmed_mean_names_what_it_cut_at_either_end():
    arm = explained(tw.CrUCB(tw.TrimmedMean(0.1), sigma=1))["video"]
    assert (arm.arm, arm.ratings) == ("video", 10)
    assert arm.estimate == pytest.approx((8 + 9 + 8 + 7 + 9 + 8 + 8 + 9) / 8)
    assert arm.mean == pytest.approx(7.6)
    assert arm.trimmed == (
        TrimmedRating(3, 0.0, "trimmed: among the lowest 1 of 10 (alpha = 0.1)"),
        TrimmedRating(8, 10.0, "trimmed: among the highest 1 of 10 (alpha = 0.1)"),
    )


def test_the_shorth_mean_names_what_lies_outside_of_its_interval():
    arm = explained(tw.CrUCB(tw.ShorthMean(0.1), sigma=1))["video"]
    assert arm.estimate == pytest.approx(76 / 9)
    assert arm.trimmed == (TrimmedRating(3, 0.0, "trimmed: below the shortest interval with 9 of 10 (alpha = 0.1)"),)


@pytest.mark.parametrize("estimator", [tw.Mean(), tw.Median(), tw.GroupedMedian()], ids=repr)
def test_estimators_that_trim_nothing_say_so(estimator):
    arm = explained(tw.CrUCB(estimator, sigma=1))["video"]
    assert arm.trimmed == ()
    assert arm.estimate == pytest.approx(float(estimator(RATINGS)))


def test_policies_without_an_estimator_trim_nothing():
    for policy in (tw.EXP3((0, 10), gamma=0.1), tw.BetaThompson((0, 10)), tw.UCB(sigma=1), tw.Uniform()):
        arm = explained(policy)["video"]
        assert (arm.ratings, arm.trimmed) == (10, ())
        assert arm.mean == pytest.approx(7.6)


def test_the_estimator_of_epsilon_greedy_is_explained_too():
    assert len(explained(tw.EpsilonGreedy(c=1, estimator=tw.TrimmedMean(0.1)))["video"].trimmed) == 2


def test_a_retracted_rating_is_no_longer_explained():
    bandit = tw.Bandit(tw.CrUCB(tw.TrimmedMean(0.1), sigma=1), ["video"])
    bandit.tell_many([(bandit.ask(), rating) for rating in RATINGS])
    bandit.retract(3)
    arm = bandit.explain()["video"]
    assert arm.ratings == 9
    assert [rating.ticket for rating in arm.trimmed] == [5, 8]


def test_an_arm_without_ratings_has_no_numbers():
    arm = explained(tw.CrUCB(tw.TrimmedMean(0.1), sigma=1))["text"]
    assert arm.ratings == 0
    assert math.isnan(arm.estimate)
    assert math.isnan(arm.mean)


def test_in_words():
    assert str(explained(tw.CrUCB(tw.TrimmedMean(0.1), sigma=1))) == (
        "video: 10 ratings, estimate 8.25, plain mean 7.6\n"
        "  0 (ticket 3) trimmed: among the lowest 1 of 10 (alpha = 0.1)\n"
        "  10 (ticket 8) trimmed: among the highest 1 of 10 (alpha = 0.1)\n"
        "text: no ratings yet"
    )


def test_one_rating_is_not_ratings():
    assert str(explained(tw.Uniform(), [7])["video"]) == "video: 1 rating, estimate 7, plain mean 7"


def test_an_unknown_arm_has_no_explanation():
    with pytest.raises(UnknownArmError, match="there is no arm 'radio'; the arms are 'video', 'text'"):
        explained(tw.Uniform())["radio"]
