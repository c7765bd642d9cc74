import numpy as np
import pytest

import trueward as tw
from trueward.engine.protocol import UNTOUCHED, Ask, make_observation, update, update_missing
from trueward.errors import ParameterError
from trueward.policies.wrappers.missing_as import heterogeneity, relative_discount

CLOSE = tw.BinomialArms(n=10, p=[0.83, 0.8, 0.8])
RANGE = (0.0, 10.0)


def state_after(policy, ratings, n_arms=2):
    """Return a policy's state after pairs (arm, rating), with None for a missing rating."""
    state, rng = policy.start(n_arms, capacity=len(ratings)), np.random.default_rng(0)
    for t, (arm, rating) in enumerate(ratings, 1):
        seen = make_observation(arm, UNTOUCHED if rating is None else rating, n_arms=n_arms, t=t)
        update_missing(state, seen, rng) if rating is None else update(state, seen, rng)
    return state


def alternating(missing_every, rounds=240, rating=8.0):
    """Return ratings of two arms in turn; every n-th of an arm is missing, n = missing_every[arm], or none if n = 0."""
    own = [(t % 2, t // 2) for t in range(rounds)]
    return [(arm, None if missing_every[arm] and i % missing_every[arm] == 0 else rating) for arm, i in own]


def test_missing_as_heterogeneity_is_the_estimator_of_dersimonian_and_laird():
    rng = np.random.default_rng(3)
    for shares in ([0.3, 0.3, 0.3, 0.3], [0.1, 0.4, 0.4, 0.2]):
        asked = rng.integers(20, 200, 4)
        missed = rng.binomial(asked, shares)
        p = missed.sum() / asked.sum()
        variances = p * (1 - p) / asked  # of each share, if arms do not differ
        w = 1 / variances
        q = (w * (missed / asked - (w * missed / asked).sum() / w.sum()) ** 2).sum()
        tau2 = max(0.0, (q - 3) / (w.sum() - (w * w).sum() / w.sum()))
        overall, ratio = heterogeneity(asked - missed, missed)
        assert overall == pytest.approx(p)
        assert ratio * p * (1 - p) == pytest.approx(tau2)


def test_missing_as_heterogeneity_is_zero_without_ratings_or_with_one_arm():
    for rated, missing in (([0, 0], [0, 0]), ([5, 0], [5, 0]), ([0, 0], [3, 3])):
        assert heterogeneity(np.array(rated), np.array(missing))[1] == 0.0


def test_missing_as_imputes_nothing_when_all_arms_have_the_same_missing_share():
    state = state_after(tw.MissingAs(tw.BetaThompson(RANGE), severity=1.0), alternating((4, 4)))
    assert state.missing.tolist() == [30, 30]
    assert state.imputed.tolist() == [0, 0]
    estimates = tw.MissingAs(tw.BetaThompson(RANGE), severity=1.0).estimates(state)
    assert estimates == pytest.approx(
        0.75 * state.policy.successes / (state.policy.successes + state.policy.failures) * 10
    )


@pytest.mark.parametrize("severity", [0.25, 0.5, 1.0])
def test_missing_as_estimates_the_mean_of_the_pattern_mixture_model(severity):
    policy = tw.MissingAs(tw.UCB(sigma=1.0), severity=severity, low=1.0)
    state = state_after(policy, alternating((2, 0), rounds=4000))
    share = state.missing[0] / (state.missing[0] + state.rated[0])
    assert share == 0.5
    expected = 1.0 + (1.0 - severity * share) * (8.0 - 1.0)
    assert policy.estimates(state) == pytest.approx(
        [expected, 8.0], abs=0.05
    )  # the arms differ, so their shares are hardly shrunken


def test_missing_as_unpooled_imputes_missing_ratings_with_the_weight_of_the_severity():
    for severity, imputed in ((1.0, [30, 30]), (0.5, [12, 12])):  # 90 (1 / (1 - 0.5 / 4) - 1) = 12.86
        policy = tw.MissingAs(tw.UCB(sigma=1.0), severity=severity, low=0.0, pooled=False)
        state = state_after(policy, alternating((4, 4)))
        assert state.imputed.tolist() == imputed
        assert policy.estimates(state) == pytest.approx([8.0 * 90 / (90 + imputed[0])] * 2)


def test_missing_as_discounts_an_arm_without_any_rating():
    ratings = [(0, None), (1, 9.0)] * 20
    state = state_after(tw.MissingAs(tw.UCB(sigma=1.0), low=0.0, severity=1.0), ratings)
    assert state.rated[0] == 0
    assert state.imputed[0] > 0
    assert relative_discount(state, 0) < 0.1


@pytest.mark.parametrize("policy", [tw.UCB(sigma=1.3), tw.EXP3PP(RANGE)], ids=["ucb", "exp3++"])
def test_missing_as_with_severity_zero_plays_like_the_wrapped_policy(policy):
    settings = {"horizon": 300, "trials": 2, "keep_history": True, "compiled": False}
    wrapped = tw.MissingAs(policy, severity=0.0, low=0.0)
    assert not wrapped.learns_from_missing
    plain, zero = (tw.play(p, CLOSE, tw.Dropout(0.3), **settings) for p in (policy, wrapped))
    np.testing.assert_array_equal(plain.arms, zero.arms)


def test_missing_as_finds_the_best_arm_when_low_raters_leave_the_other_arms():
    dropout = tw.Dropout((0.1, 0.4, 0.4))  # seen are means of 8.4, 8.5 and 8.5, true ones of 8.3, 8 and 8
    policies = {"ignored": tw.UCB(sigma=1.2), "counted": tw.MissingAs(tw.UCB(sigma=1.2), low=0.0)}
    games = tw.play(policies, CLOSE, dropout, horizon=800, trials=8, compiled=False)
    best = {name: trace.pulls[:, -1, 0].mean() / 800 for name, trace in games.items()}
    assert best["ignored"] < 1 / 3 < 0.6 < best["counted"]  # 0.22 and 0.73


def test_missing_as_interpreted_equals_compiled_with_missing_and_late_ratings():
    policy = tw.UniformShare(tw.MissingAs(tw.UCB(sigma=1.3), low=0.0))
    settings = {"horizon": 150, "trials": 2, "seed": 5, "keep_history": True, "delay": tw.FixedDelay(5)}
    dropout = tw.Dropout((0.1, 0.5, 0.3))
    slow, fast = (tw.play(policy, CLOSE, dropout, compiled=compiled, **settings) for compiled in (False, True))
    np.testing.assert_array_equal(slow.arms, fast.arms)
    np.testing.assert_array_equal(slow.missing, fast.missing)


def test_uniform_share_passes_missing_ratings_to_missing_as():
    policy = tw.UniformShare(tw.MissingAs(tw.BetaThompson(RANGE)))
    assert policy.learns_from_missing
    assert state_after(policy, alternating((3, 0))).policy.missing.tolist() == [40, 0]


def test_missing_as_ignores_evidence_of_a_missing_rating():
    policy = tw.MissingAs(tw.Wary(RANGE), severity=1.0, pooled=False)
    assert policy.signals == tw.Wary(RANGE).signals
    state, rng = policy.start(1, capacity=8, signals=("check", "seconds")), np.random.default_rng(0)
    shown = make_observation(0, 8.0, n_arms=1, evidence=(1.0, 9.0))
    update(state, shown, rng)
    update_missing(state, shown._replace(reward=UNTOUCHED, evidence=np.array([0.0, 0.1])), rng)
    ratios = state.policy.model.evidence_ratios
    counts, neutral = state.policy.timeline.counts[0].sum(axis=0).reshape(ratios.size, 11), ratios.tolist().index(1)
    assert counts[neutral, 0] == 1  # neither more likely bad nor less
    assert counts[neutral - 1, 8] == 1  # the check was passed, in time


def test_missing_as_drops_the_scale_when_the_lowest_rating_is_not_on_it():
    policy = tw.MissingAs(tw.CrUCB(tw.TrimmedMean(0.1), sigma=1.3), low=0.0)
    on = policy.start(2, scale=np.arange(11.0))
    off = policy.start(2, scale=np.arange(1.0, 11.0))
    assert type(on.policy.memory) is not type(off.policy.memory)


def test_missing_as_explains_how_many_ratings_are_missing_and_how_many_count():
    policy = tw.MissingAs(tw.UCB(sigma=1.0), low=1.0)
    state = state_after(policy, alternating((2, 0)))
    imputed = state.imputed[0]
    assert policy.explain_state(state, ["a", "b"]) == [f"a: 60 of 120 ratings are missing; {imputed} count as 1"]
    assert policy.indices(state, ask(241)).tolist() == policy.policy.indices(state.policy, ask(241)).tolist()


def ask(t):
    return Ask(t, np.ones(2, np.bool_), np.zeros(2, np.int64), np.empty(2))


def test_missing_as_gives_reasons_for_given_ratings_only():
    policy = tw.MissingAs(tw.CrUCB(tw.TrimmedMean(0.1), sigma=1.0), low=0.0, severity=1.0, pooled=False)
    ratings = [(0, 9.0), (0, None), (0, 3.0), *[(0, 8.0)] * 7]
    state = state_after(policy, ratings, n_arms=1)
    assert state.is_imputed[0, :10].tolist() == [0, 1, *[0] * 8]
    reasons = policy.why_down_weighted(state, 0, [9.0, 3.0, *[8.0] * 7])
    assert [bool(reason) for reason in reasons] == [True, False, *[False] * 7]  # 0 and 9 are trimmed, 3 is not


def test_missing_as_names_invalid_parameters():
    with pytest.raises(ParameterError, match="low is required: UCB declares no range"):
        tw.MissingAs(tw.UCB(sigma=1.0)).start(2)
    with pytest.raises(ParameterError, match=r"low must lie in the range of BetaThompson"):
        tw.MissingAs(tw.BetaThompson(RANGE), low=-1.0).start(2)
    with pytest.raises(ParameterError, match="policy must not learn from missing ratings itself"):
        tw.MissingAs(tw.MissingAs(tw.UCB(sigma=1.0), low=0.0))
    with pytest.raises(ParameterError, match="severity"):
        tw.MissingAs(tw.BetaThompson(RANGE), severity=1.5)
