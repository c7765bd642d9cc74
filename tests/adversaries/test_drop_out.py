import numpy as np
import pytest

import trueward as tw
from trueward.engine.protocol import MISSING, draw_evidence, plan_attack
from trueward.errors import ParameterError

CLOSE = tw.BinomialArms(n=10, p=[0.83, 0.8, 0.8])


def lost(drop_out, arms, rounds=20_000):
    """Return true ratings, and which of them are missing."""
    rng = np.random.default_rng(7)
    truth, table = arms.draw(rounds, rng), np.empty((rounds, arms.n_arms))
    plan_attack(drop_out.start(arms, rounds), truth, table, rng)
    return truth, table == MISSING


def test_low_ratings_are_missing_with_the_probability_of_their_value():
    drop_out = tw.DropOut((0.1, 0.4, 0.2), slope=0.8)
    truth, gone = lost(drop_out, CLOSE)
    expected = drop_out.losses(CLOSE)
    for arm in range(3):
        for rating in range(6, 11):
            these = truth[:, arm] == rating
            p = expected[arm, rating]
            assert abs(gone[these, arm].mean() - p) < 4 * np.sqrt(p * (1 - p) / these.sum())  # four standard errors
    odds = expected / (1 - expected)
    np.testing.assert_allclose(odds[:, 7] / odds[:, 8], np.exp(0.8))


def test_a_share_for_each_arm_is_what_that_arm_loses():
    shares = np.array([0.1, 0.4, 0.0])
    expected = (CLOSE.probabilities * tw.DropOut(shares, slope=1.0).losses(CLOSE)).sum(axis=1)
    np.testing.assert_allclose(expected, shares, atol=1e-12)
    gone = lost(tw.DropOut(shares), CLOSE)[1].mean(axis=0)
    assert (abs(gone - shares) <= 4 * np.sqrt(shares * (1 - shares) / 20_000)).all()


def test_one_share_is_one_law_under_which_bad_arms_lose_more():
    arms = tw.BinomialArms(n=10, p=[0.9, 0.6])
    losses = tw.DropOut(0.3).losses(arms)
    assert (losses[0] == losses[1]).all()
    shares = (arms.probabilities * losses).sum(axis=1)
    assert shares.mean() == pytest.approx(0.3)
    assert shares[1] > 2 * shares[0]
    assert tw.DropOut(0.3, slope=0.0).losses(arms) == pytest.approx(0.3)


def test_continuous_ratings_drop_out_as_well():
    shares = lost(tw.DropOut((0.1, 0.4)), tw.GaussianArms(means=[1, 0]))[1].mean(axis=0)
    assert shares == pytest.approx([0.1, 0.4], abs=0.015)  # four standard errors of 20,000, and the quantiles


def test_what_is_missing_is_counted_by_arm_and_earns_its_true_reward():
    settings = {"horizon": 300, "trials": 3, "keep_history": True, "compiled": False}
    trace, whole = (tw.play(tw.Uniform(), CLOSE, attack, **settings) for attack in (tw.DropOut(0.3), None))
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
def test_an_adversary_may_contaminate_what_is_given(attack):
    both = tw.DropOut(0.3, adversary=attack)
    assert (both.budget, both.constraint, both.adaptive) == (attack.budget, attack.constraint, attack.adaptive)
    trace = tw.play(tw.UCB(sigma=1.3), CLOSE, both, horizon=400, trials=2, compiled=False)
    assert trace.touched.sum() > 0.05 * 800
    assert trace.missing.sum() == pytest.approx(0.3 * 800, abs=4 * np.sqrt(0.21 * 800))


def test_nothing_at_all_or_everything_may_be_missing():
    for share, n in ((0.0, 0), (1.0, 100)):
        assert tw.play(tw.Uniform(), CLOSE, tw.DropOut(share), horizon=100, compiled=False).missing.sum() == n


def test_evidence_comes_as_without_drop_out():
    people = tw.People("crowd workers", evidence=True)
    state, rng = tw.DropOut(0.2, adversary=people).start(CLOSE, 50), np.random.default_rng(0)
    table, evidence = np.empty((50, 3)), np.full((50, 2), np.nan)
    plan_attack(state, CLOSE.draw(50, rng), table, rng)
    draw_evidence(state, evidence, rng)
    assert not np.isnan(evidence).any()


def test_shares_that_fit_nobody_are_named():
    with pytest.raises(ParameterError, match="share must be one number, or one for each of 3 arms"):
        tw.DropOut((0.1, 0.2)).start(CLOSE, 10)
    with pytest.raises(ParameterError, match="share"):
        tw.DropOut(1.2)
    with pytest.raises(ParameterError, match="slope"):
        tw.DropOut(0.2, slope=-1.0)
