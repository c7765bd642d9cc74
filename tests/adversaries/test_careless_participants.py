import numpy as np
import pytest

import trueward as tw
from trueward.adversaries.profiles import EVIDENCE_MODELS, KINDS
from trueward.engine.protocol import draw_evidence, plan_attack
from trueward.errors import ParameterError

ARMS = tw.BinomialArms(n=10, p=[0.9, 0.7])
ROUNDS = 4000


def rated(profile, arms=ARMS, seed=0):
    rng = np.random.default_rng(seed)
    truth = arms.draw(ROUNDS, rng)
    table = np.empty_like(truth)
    plan_attack(tw.CarelessParticipants(profile).start(arms, ROUNDS), truth, table, rng)
    return truth, table


def all_of(kind, **changes):
    return rated(tw.Profile(shares={kind: 1.0}, **changes))


def test_random_participants_use_the_whole_scale_evenly():
    _, table = all_of("random")
    counts = np.bincount(table.ravel().astype(int), minlength=11)
    expected = table.size / 11
    assert (np.abs(counts - expected) < 5 * np.sqrt(expected)).all()  # 5 standard errors


def test_midpoint_reverse_and_acquiescent_participants_follow_their_pattern():
    assert set(np.unique(all_of("midpoint")[1])) == {5.0}
    truth, table = all_of("reverse")
    np.testing.assert_array_equal(table, 10 - truth)
    truth, table = all_of("acquiescent")
    assert ((table > truth) | (table == 10)).all()
    assert set(np.unique(table - truth)[-2:]) <= {2.0, 3.0}


def test_straightlining_participants_repeat_one_value_and_zigzag_ones_go_up():
    _, table = all_of("straightlining", session=50.0)
    repeats = (table[1:] == table[:-1]).mean()
    assert 0.96 < repeats < 1.0  # a new participant every 50 ratings, who may choose the same value
    _, table = all_of("zigzag", session=1000.0)
    assert table[:6, 0].tolist() == [0.0, 5.0, 10.0, 0.0, 5.0, 10.0]


def test_extreme_participants_exaggerate_some_of_their_ratings():
    truth, table = all_of("extreme", session=1.0)
    touched = ~np.isnan(table)
    assert (
        abs(touched.mean() - 2 / 7) < 0.03
    )  # the mean of Beta(2, 5); 4 standard errors over 4,000 participants are 0.01
    np.testing.assert_array_equal(table[touched], np.where(truth[touched] >= 5, 10.0, 0.0))


def test_bots_rate_in_long_sessions():
    _, table = rated(tw.Profile(shares={"bot": 0.02}, bot_session=40.0, session=2.0))
    touched = ~np.isnan(table[:, 0])
    runs = np.diff(np.flatnonzero(np.diff(np.concatenate([[0], touched.astype(int), [0]]))))[::2]
    assert runs.mean() > 20
    assert set(np.unique(table[touched])) == {0.0, 10.0}


def test_careless_ratings_come_in_runs():
    _, table = rated(tw.Profile(shares={"random": 0.1}, session=10.0))
    touched = ~np.isnan(table[:, 0])
    assert abs(touched.mean() - 0.1) < 0.05
    assert touched[1:][touched[:-1]].mean() > 0.8  # after a careless rating comes another, nine times of ten


def test_attentive_participants_tire_past_the_onset():
    _, table = rated(tw.Profile(shares={}, session=1e6, fatigue=(1.0, 0.5, 0.01)))
    assert np.isnan(table).all()  # the session is far longer than the game: nobody gets that far
    _, table = rated(tw.Profile(shares={}, session=1.0, fatigue=(1.0, 0.5, 0.01)))
    assert not np.isnan(table).any()  # a single rating is the end of a session


def test_profile_dropout_removes_low_ratings_more_often():
    profile = tw.Profile(shares={}, dropout=(-3.0, 0.6))
    truth, table = rated(profile)
    missing = np.isinf(table)
    for rating in (6, 9):
        share = missing[truth == rating].mean()
        expected = 1 / (1 + np.exp(3.0 - 0.6 * (10 - rating)))
        n = (truth == rating).sum()
        assert abs(share - expected) < 4 * np.sqrt(expected * (1 - expected) / n)
    trace = tw.play(tw.UCB(sigma=1.3), ARMS, tw.CarelessParticipants(profile), horizon=400, trials=3, keep_history=True)
    np.testing.assert_array_equal(np.isnan(trace.observed).sum(axis=1), trace.missing.sum(axis=1))
    assert (trace.missing > 0).any(axis=1).all()
    assert trace.touched.sum() == 0


def test_policy_learns_nothing_when_every_rating_is_missing():
    profile = tw.Profile(shares={}, dropout=(50.0, 0.0))
    trace = tw.play(tw.UCB(sigma=1.3), ARMS, tw.CarelessParticipants(profile), horizon=300, trials=2)
    assert (trace.missing.sum(axis=1) == 300).all()
    assert (trace.observed_reward == 0).all()
    assert (np.abs(trace.pulls[:, -1, 0] - 150) < 60).all()  # both arms stay untried: chosen at random


def test_careless_participants_stay_on_the_scale():
    assert ARMS.quantiles(0.5).tolist() == [9, 7]  # between the two lies 8, and between 9 and 8 no rating at all
    arms = tw.BinomialArms(n=10, p=[0.9, 0.8])
    for kind in KINDS:
        table = rated(tw.Profile(shares={kind: 1.0}), arms)[1]
        assert set(np.unique(table[np.isfinite(table)])) <= set(arms.scale)


def rated_with_evidence(profile, seed=0):
    """Return the kind of participant in each round, and the evidence."""
    rng = np.random.default_rng(seed)
    truth = ARMS.draw(ROUNDS, rng)
    attack = tw.CarelessParticipants(profile, evidence=True).start(ARMS, ROUNDS)
    plan_attack(attack, truth, np.empty_like(truth), rng)
    evidence = np.full((ROUNDS, 2), np.nan)
    draw_evidence(attack, evidence, rng)
    return np.array([model.kind for model in EVIDENCE_MODELS])[attack.kinds], evidence


CROWD = tw.Profile(shares=dict.fromkeys(KINDS, 0.1), session=1.0, bot_session=1.0, fatigue=(0.5, 0.6, 0.1))


def test_evidence_follows_the_model_of_each_kind():
    assert [model.kind for model in EVIDENCE_MODELS] == [*KINDS, "attentive", "tired"]
    kinds, evidence = rated_with_evidence(CROWD)
    for kind, passed, seconds, log_sd in EVIDENCE_MODELS:
        mine = evidence[kinds == kind]
        error = 1 / np.sqrt(len(mine))
        assert len(mine) > 200
        assert abs(mine[:, 0].mean() - passed) < 4 * error * np.sqrt(passed * (1 - passed))  # 4 standard errors
        assert abs(np.log(mine[:, 1]).mean() - np.log(seconds)) < 4 * error * log_sd
        assert abs(np.log(mine[:, 1]).std() - log_sd) < 4 * error * log_sd / np.sqrt(2)
    assert set(np.unique(evidence[:, 0])) == {0.0, 1.0}


def test_careless_participants_draw_evidence_only_when_asked():
    assert tw.CarelessParticipants().signals == ()
    assert tw.CarelessParticipants(evidence=True).signals == ("check", "seconds")
    attack, evidence = tw.CarelessParticipants().start(ARMS, 5), np.empty((5, 0))
    state = np.random.default_rng(0)
    draw_evidence(attack, evidence, state)
    assert state.random() == np.random.default_rng(0).random()  # nothing was drawn


def test_careless_participants_refuse_unknown_profiles_and_arms_without_a_scale():
    with pytest.raises(ParameterError, match="profile must be one of 'university class', 'crowd workers'"):
        tw.CarelessParticipants("my class")
    with pytest.raises(ParameterError, match="the arms must have a scale"):
        tw.CarelessParticipants().start(tw.GaussianArms(means=[0, 1]), 5)
