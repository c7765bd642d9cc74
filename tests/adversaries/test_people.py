import numpy as np
import pytest

import trueward as tw
from trueward.adversaries.profiles import KINDS, PROFILES, SIGNS
from trueward.engine.protocol import draw_evidence, plan_attack
from trueward.errors import ParameterError

ARMS = tw.BinomialArms(n=10, p=[0.9, 0.7])
ROUNDS = 4000


def rated(profile, arms=ARMS, seed=0):
    rng = np.random.default_rng(seed)
    truth = arms.draw(ROUNDS, rng)
    table = np.empty_like(truth)
    plan_attack(tw.People(profile).start(arms, ROUNDS), truth, table, rng)
    return truth, table


def all_of(kind, **changes):
    return rated(tw.Profile(shares={kind: 1.0}, **changes))


def test_random_raters_use_the_whole_scale_evenly():
    _, table = all_of("random")
    counts = np.bincount(table.ravel().astype(int), minlength=11)
    expected = table.size / 11
    assert (np.abs(counts - expected) < 5 * np.sqrt(expected)).all()  # 5 standard errors


def test_midpoint_reverse_and_acquiescent_raters_do_what_they_are_called():
    assert set(np.unique(all_of("midpoint")[1])) == {5.0}
    truth, table = all_of("reverse")
    np.testing.assert_array_equal(table, 10 - truth)
    truth, table = all_of("acquiescent")
    assert ((table > truth) | (table == 10)).all()
    assert set(np.unique(table - truth)[-2:]) <= {2.0, 3.0}


def test_straight_liners_repeat_one_value_all_session_and_zigzag_goes_up():
    _, table = all_of("straight", session=50.0)
    repeats = (table[1:] == table[:-1]).mean()
    assert 0.96 < repeats < 1.0  # a new rater every 50 ratings, who may choose the same value
    _, table = all_of("zigzag", session=1000.0)
    assert table[:6, 0].tolist() == [0.0, 5.0, 10.0, 0.0, 5.0, 10.0]


def test_extreme_raters_keep_the_order_and_are_extreme_only_sometimes():
    truth, table = all_of("extreme", session=1.0)
    touched = ~np.isnan(table)
    assert abs(touched.mean() - 2 / 7) < 0.03  # the mean of Beta(2, 5); 4 standard errors over 4,000 raters are 0.01
    np.testing.assert_array_equal(table[touched], np.where(truth[touched] >= 5, 10.0, 0.0))


def test_bots_come_in_long_bursts():
    _, table = rated(tw.Profile(shares={"bot": 0.02}, bot_session=40.0, session=2.0))
    touched = ~np.isnan(table[:, 0])
    runs = np.diff(np.flatnonzero(np.diff(np.concatenate([[0], touched.astype(int), [0]]))))[::2]
    assert runs.mean() > 20
    assert set(np.unique(table[touched])) == {0.0, 10.0}


def test_carelessness_is_a_trait_and_so_comes_in_runs():
    _, table = rated(tw.Profile(shares={"random": 0.1}, session=10.0))
    touched = ~np.isnan(table[:, 0])
    assert abs(touched.mean() - 0.1) < 0.05
    assert touched[1:][touched[:-1]].mean() > 0.8  # after a careless rating comes another, nine times of ten


def test_attentive_raters_tire_past_an_onset():
    _, table = rated(tw.Profile(shares={}, session=1e6, fatigue=(1.0, 0.5, 0.01)))
    assert np.isnan(table).all()  # the session is far longer than the game: nobody gets that far
    _, table = rated(tw.Profile(shares={}, session=1.0, fatigue=(1.0, 0.5, 0.01)))
    assert not np.isnan(table).any()  # a single rating is the end of a session


def test_bad_ratings_are_missing_more_often_and_the_learner_sees_nothing():
    profile = tw.Profile(shares={}, dropout=(-3.0, 0.6))
    truth, table = rated(profile)
    missing = np.isinf(table)
    for rating in (6, 9):
        share = missing[truth == rating].mean()
        expected = 1 / (1 + np.exp(3.0 - 0.6 * (10 - rating)))
        n = (truth == rating).sum()
        assert abs(share - expected) < 4 * np.sqrt(expected * (1 - expected) / n)
    trace = tw.play(tw.UCB(sigma=1.3), ARMS, tw.People(profile), horizon=400, trials=3, keep_history=True)
    np.testing.assert_array_equal(np.isnan(trace.observed).sum(axis=1), trace.missing.sum(axis=1))
    assert (trace.missing > 0).any(axis=1).all()
    assert trace.touched.sum() == 0


def test_a_learner_that_sees_nothing_learns_nothing():
    profile = tw.Profile(shares={}, dropout=(50.0, 0.0))
    trace = tw.play(tw.UCB(sigma=1.3), ARMS, tw.People(profile), horizon=300, trials=2)
    assert (trace.missing.sum(axis=1) == 300).all()
    assert (trace.observed_reward == 0).all()
    assert (np.abs(trace.pulls[:, -1, 0] - 150) < 60).all()  # both arms stay untried: chosen at random


def test_people_give_no_rating_that_is_not_on_the_scale():
    assert ARMS.quantiles(0.5).tolist() == [9, 7]  # between the two lies 8, and between 9 and 8 no rating at all
    arms = tw.BinomialArms(n=10, p=[0.9, 0.8])
    for kind in KINDS:
        table = rated(tw.Profile(shares={kind: 1.0}), arms)[1]
        assert set(np.unique(table[np.isfinite(table)])) <= set(arms.scale)


@pytest.mark.parametrize("name", PROFILES)
def test_every_number_of_a_profile_has_its_source(name):
    profile = PROFILES[name]
    told = " ".join(profile.sources)
    for kind in ("extreme", "acquiescent", "bot"):
        assert kind in told or kind not in profile.shares
    assert set(profile.shares) <= set(KINDS)
    assert tw.People(name).constraint == pytest.approx(sum(profile.shares.values()))


def test_wrong_profiles_are_named():
    with pytest.raises(ParameterError, match="profile must be one of 'university class', 'crowd workers'"):
        tw.People("my class")
    with pytest.raises(ParameterError, match=r"shares must not add up to more than 1, got 1\.2"):
        tw.Profile(shares={"random": 0.6, "straight": 0.6})
    with pytest.raises(ParameterError, match="a kind of rater must be one of"):
        tw.Profile(shares={"lazy": 0.1})
    with pytest.raises(ParameterError, match="the arms must have a scale"):
        tw.People().start(tw.GaussianArms(means=[0, 1]), 5)


def signed(profile, seed=0):
    """Return who rated in each round, and what came with the rating."""
    rng = np.random.default_rng(seed)
    truth = ARMS.draw(ROUNDS, rng)
    attack = tw.People(profile, evidence=True).start(ARMS, ROUNDS)
    plan_attack(attack, truth, np.empty_like(truth), rng)
    evidence = np.full((ROUNDS, 2), np.nan)
    draw_evidence(attack, evidence, rng)
    return np.array([signs.kind for signs in SIGNS])[attack.raters], evidence


CROWD = tw.Profile(shares=dict.fromkeys(KINDS, 0.1), session=1.0, bot_session=1.0, fatigue=(0.5, 0.6, 0.1))


def test_raters_pass_checks_and_take_their_time_as_their_kind_does():
    assert [signs.kind for signs in SIGNS] == [*KINDS, "attentive", "tired"]
    raters, evidence = signed(CROWD)
    for kind, passed, seconds, spread in SIGNS:
        mine = evidence[raters == kind]
        error = 1 / np.sqrt(len(mine))
        assert len(mine) > 200
        assert abs(mine[:, 0].mean() - passed) < 4 * error * np.sqrt(passed * (1 - passed))  # 4 standard errors
        assert abs(np.log(mine[:, 1]).mean() - np.log(seconds)) < 4 * error * spread
        assert abs(np.log(mine[:, 1]).std() - spread) < 4 * error * spread / np.sqrt(2)
    assert set(np.unique(evidence[:, 0])) == {0.0, 1.0}


def test_attentive_raters_pass_more_often_and_hurry_less():
    signs = {each.kind: each for each in SIGNS}
    attentive = signs.pop("attentive")
    for other in signs.values():
        assert other.passed <= attentive.passed
        assert other.seconds <= attentive.seconds


def test_people_give_evidence_only_when_they_are_told_to():
    assert tw.People().signals == ()
    assert tw.People(evidence=True).signals == ("check", "seconds")
    attack, evidence = tw.People().start(ARMS, 5), np.empty((5, 0))
    state = np.random.default_rng(0)
    draw_evidence(attack, evidence, state)
    assert state.random() == np.random.default_rng(0).random()  # nothing was drawn
