import numpy as np
import pytest

import trueward as tw
from trueward.engine.protocol import MISSING, draw_evidence, plan_attack
from trueward.errors import ParameterError

CLOSE = tw.BinomialArms(n=10, p=[0.83, 0.8, 0.8])


def planned(dropout, arms, rounds=20_000):
    """Return true ratings, and which of them are missing."""
    rng = np.random.default_rng(7)
    truth, table = arms.draw(rounds, rng), np.empty((rounds, arms.n_arms))
    plan_attack(dropout.start(arms, rounds), truth, table, rng)
    return truth, table == MISSING


def test_dropout_removes_ratings_with_the_probability_of_their_value():
    dropout = tw.Dropout((0.1, 0.4, 0.2), slope=0.8)
    truth, gone = planned(dropout, CLOSE)
    expected = dropout.missing_probabilities(CLOSE)
    for arm in range(3):
        for rating in range(6, 11):
            these = truth[:, arm] == rating
            p = expected[arm, rating]
            assert abs(gone[these, arm].mean() - p) < 4 * np.sqrt(p * (1 - p) / these.sum())  # four standard errors
    odds = expected / (1 - expected)
    np.testing.assert_allclose(odds[:, 7] / odds[:, 8], np.exp(0.8))


def test_dropout_with_a_share_per_arm_removes_that_share_of_each_arm():
    shares = np.array([0.1, 0.4, 0.0])
    expected = (CLOSE.probabilities * tw.Dropout(shares, slope=1.0).missing_probabilities(CLOSE)).sum(axis=1)
    np.testing.assert_allclose(expected, shares, atol=1e-12)
    gone = planned(tw.Dropout(shares), CLOSE)[1].mean(axis=0)
    assert (abs(gone - shares) <= 4 * np.sqrt(shares * (1 - shares) / 20_000)).all()


def test_dropout_with_one_share_removes_more_ratings_of_bad_arms():
    arms = tw.BinomialArms(n=10, p=[0.9, 0.6])
    probabilities = tw.Dropout(0.3).missing_probabilities(arms)
    assert (probabilities[0] == probabilities[1]).all()
    shares = (arms.probabilities * probabilities).sum(axis=1)
    assert shares.mean() == pytest.approx(0.3)
    assert shares[1] > 2 * shares[0]
    assert tw.Dropout(0.3, slope=0.0).missing_probabilities(arms) == pytest.approx(0.3)


def test_dropout_removes_continuous_rewards():
    shares = planned(tw.Dropout((0.1, 0.4)), tw.GaussianArms(means=[1, 0]))[1].mean(axis=0)
    assert shares == pytest.approx([0.1, 0.4], abs=0.015)  # four standard errors of 20,000, and the quantiles


def test_missing_ratings_are_counted_by_arm_and_earn_their_true_reward():
    settings = {"horizon": 300, "trials": 3, "keep_history": True, "compiled": False}
    trace, whole = (tw.play(tw.Uniform(), CLOSE, attack, **settings) for attack in (tw.Dropout(0.3), None))
    np.testing.assert_array_equal(trace.arms, whole.arms)
    np.testing.assert_array_equal(trace.true_reward, whole.true_reward)
    np.testing.assert_array_equal(trace.regret, whole.regret)
    for trial in range(3):
        gone = trace.arms[trial][np.isnan(trace.observed[trial])]
        assert np.bincount(gone, minlength=3).tolist() == trace.missing[trial].tolist()
    assert trace.missing_fraction == pytest.approx(trace.missing / trace.pulls[:, -1])
    assert trace.touched.sum() == whole.missing.sum() == 0
    assert f"{100 * trace.missing.sum() / 900:.1f} % never came" in repr(trace)
    assert "never came" not in repr(whole)


@pytest.mark.parametrize("attack", [tw.BernoulliAdversary(0.2, tw.WorstBounded()), tw.ACE(budget=0.2)])
def test_dropout_lets_its_adversary_contaminate_the_other_ratings(attack):
    both = tw.Dropout(0.3, adversary=attack)
    assert (both.budget, both.constraint, both.adaptive) == (attack.budget, attack.constraint, attack.adaptive)
    trace = tw.play(tw.UCB(sigma=1.3), CLOSE, both, horizon=400, trials=2, compiled=False)
    assert trace.touched.sum() > 0.05 * 800
    assert trace.missing.sum() == pytest.approx(0.3 * 800, abs=4 * np.sqrt(0.21 * 800))


def test_dropout_removes_nothing_at_share_0_and_everything_at_share_1():
    for share, n in ((0.0, 0), (1.0, 100)):
        assert tw.play(tw.Uniform(), CLOSE, tw.Dropout(share), horizon=100, compiled=False).missing.sum() == n


def test_dropout_keeps_the_evidence_of_its_adversary():
    people = tw.CarelessParticipants("crowd workers", evidence=True)
    state, rng = tw.Dropout(0.2, adversary=people).start(CLOSE, 50), np.random.default_rng(0)
    table, evidence = np.empty((50, 3)), np.full((50, 2), np.nan)
    plan_attack(state, CLOSE.draw(50, rng), table, rng)
    draw_evidence(state, evidence, rng)
    assert not np.isnan(evidence).any()


def test_dropout_refuses_wrong_parameters():
    with pytest.raises(ParameterError, match="share must be one number, or one for each of 3 arms"):
        tw.Dropout((0.1, 0.2)).start(CLOSE, 10)
    with pytest.raises(ParameterError, match="share"):
        tw.Dropout(1.2)
    with pytest.raises(ParameterError, match="slope"):
        tw.Dropout(0.2, slope=-1.0)
