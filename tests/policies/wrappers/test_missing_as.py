import numpy as np
import pytest

import trueward as tw
from trueward.engine.protocol import UNTOUCHED, Ask, make_observation, update, update_missing
from trueward.errors import ParameterError
from trueward.policies.wrappers.missing_as import differences, discount

CLOSE = tw.BinomialArms(n=10, p=[0.83, 0.8, 0.8])
RANGE = (0.0, 10.0)


def after(policy, answers, n_arms=2):
    """Return a policy's state after answers of arms, None for one that is missing."""
    state, rng = policy.start(n_arms, capacity=len(answers)), np.random.default_rng(0)
    for t, (arm, rating) in enumerate(answers, 1):
        seen = make_observation(arm, UNTOUCHED if rating is None else rating, n_arms=n_arms, t=t)
        update_missing(state, seen, rng) if rating is None else update(state, seen, rng)
    return state


def in_turn(lost, rounds=240, rating=8.0):
    """Return answers of two arms in turn, of which each loses one of so many of its own; 0 for none."""
    own = [(t % 2, t // 2) for t in range(rounds)]
    return [(arm, None if lost[arm] and i % lost[arm] == 0 else rating) for arm, i in own]


def test_how_much_arms_differ_is_what_dersimonian_and_laird_compute():
    rng = np.random.default_rng(3)
    for shares in ([0.3, 0.3, 0.3, 0.3], [0.1, 0.4, 0.4, 0.2]):
        asked = rng.integers(20, 200, 4)
        missed = rng.binomial(asked, shares)
        p = missed.sum() / asked.sum()
        variances = p * (1 - p) / asked  # of each share, if arms do not differ
        w = 1 / variances
        q = (w * (missed / asked - (w * missed / asked).sum() / w.sum()) ** 2).sum()
        tau2 = max(0.0, (q - 3) / (w.sum() - (w * w).sum() / w.sum()))
        overall, ratio = differences(asked - missed, missed)
        assert overall == pytest.approx(p)
        assert ratio * p * (1 - p) == pytest.approx(tau2)


def test_without_answers_or_with_one_arm_nothing_differs():
    for answered, missed in (([0, 0], [0, 0]), ([5, 0], [5, 0]), ([0, 0], [3, 3])):
        assert differences(np.array(answered), np.array(missed))[1] == 0.0


def test_what_all_arms_lose_alike_is_told_to_nobody():
    state = after(tw.MissingAs(tw.BetaThompson(RANGE), severity=1.0), in_turn((4, 4)))
    assert state.missed.tolist() == [30, 30]
    assert state.lowest.tolist() == [0, 0]
    believed = tw.MissingAs(tw.BetaThompson(RANGE), severity=1.0).estimates(state)
    assert believed == pytest.approx(
        0.75 * state.policy.successes / (state.policy.successes + state.policy.failures) * 10
    )


@pytest.mark.parametrize("severity", [0.25, 0.5, 1.0])
def test_the_mean_told_is_that_of_the_model(severity):
    policy = tw.MissingAs(tw.UCB(sigma=1.0), severity=severity, low=1.0)
    state = after(policy, in_turn((2, 0), rounds=4000))
    share = state.missed[0] / (state.missed[0] + state.answered[0])
    assert share == 0.5
    expected = 1.0 + (1.0 - severity * share) * (8.0 - 1.0)
    assert policy.estimates(state) == pytest.approx([expected, 8.0], abs=0.05)  # arms differ: they hardly share a share


def test_unpooled_all_missing_answers_count_with_the_weight_of_the_severity():
    for severity, lowest in ((1.0, [30, 30]), (0.5, [12, 12])):  # 90 (1 / (1 - 0.5 / 4) - 1) = 12.86
        policy = tw.MissingAs(tw.UCB(sigma=1.0), severity=severity, low=0.0, pooled=False)
        state = after(policy, in_turn((4, 4)))
        assert state.lowest.tolist() == lowest
        assert policy.estimates(state) == pytest.approx([8.0 * 90 / (90 + lowest[0])] * 2)


def test_an_arm_that_nobody_answers_for_is_not_asked_for_for_ever():
    answers = [(0, None), (1, 9.0)] * 20
    state = after(tw.MissingAs(tw.UCB(sigma=1.0), low=0.0, severity=1.0), answers)
    assert state.answered[0] == 0
    assert state.lowest[0] > 0
    assert discount(state, 0) < 0.1


@pytest.mark.parametrize("policy", [tw.UCB(sigma=1.3), tw.EXP3PP(RANGE)], ids=["ucb", "exp3++"])
def test_severity_zero_is_the_policy_itself(policy):
    settings = {"horizon": 300, "trials": 2, "keep_history": True, "compiled": False}
    wrapped = tw.MissingAs(policy, severity=0.0, low=0.0)
    assert not wrapped.learns_from_missing
    plain, zero = (tw.play(p, CLOSE, tw.Dropout(0.3), **settings) for p in (policy, wrapped))
    np.testing.assert_array_equal(plain.arms, zero.arms)


def test_where_low_raters_leave_the_bad_arms_ignoring_them_picks_the_wrong_arm():
    dropout = tw.Dropout((0.1, 0.4, 0.4))  # seen are means of 8.4, 8.5 and 8.5, true ones of 8.3, 8 and 8
    policies = {"ignored": tw.UCB(sigma=1.2), "counted": tw.MissingAs(tw.UCB(sigma=1.2), low=0.0)}
    games = tw.play(policies, CLOSE, dropout, horizon=800, trials=8, compiled=False)
    best = {name: trace.pulls[:, -1, 0].mean() / 800 for name, trace in games.items()}
    assert best["ignored"] < 1 / 3 < 0.6 < best["counted"]  # 0.22 and 0.73


def test_interpreted_equals_compiled_when_answers_are_missing_and_late():
    policy = tw.UniformShare(tw.MissingAs(tw.UCB(sigma=1.3), low=0.0))
    settings = {"horizon": 150, "trials": 2, "seed": 5, "keep_history": True, "delay": tw.FixedDelay(5)}
    dropout = tw.Dropout((0.1, 0.5, 0.3))
    slow, fast = (tw.play(policy, CLOSE, dropout, compiled=compiled, **settings) for compiled in (False, True))
    np.testing.assert_array_equal(slow.arms, fast.arms)
    np.testing.assert_array_equal(slow.missing, fast.missing)


def test_a_uniform_share_around_it_hands_missing_answers_on():
    policy = tw.UniformShare(tw.MissingAs(tw.BetaThompson(RANGE)))
    assert policy.learns_from_missing
    assert after(policy, in_turn((3, 0))).policy.missed.tolist() == [40, 0]


def test_a_missing_answer_comes_without_evidence():
    policy = tw.MissingAs(tw.WaryThompson(RANGE), severity=1.0, pooled=False)
    assert policy.signals == tw.WaryThompson(RANGE).signals
    state, rng = policy.start(1, capacity=8, signals=("check", "seconds")), np.random.default_rng(0)
    shown = make_observation(0, 8.0, n_arms=1, evidence=(1.0, 9.0))
    update(state, shown, rng)
    update_missing(state, shown._replace(reward=UNTOUCHED, evidence=np.array([0.0, 0.1])), rng)
    assert state.policy.log.ratings[0, :2].tolist() == [8, 0]
    assert state.policy.log.doubts[0, 1] == 1.0  # neither more likely bad nor less


def test_what_is_told_lies_on_the_scale_or_there_is_none():
    policy = tw.MissingAs(tw.CrUCB(tw.TrimmedMean(0.1), sigma=1.3), low=0.0)
    on = policy.start(2, scale=np.arange(11.0))
    off = policy.start(2, scale=np.arange(1.0, 11.0))
    assert type(on.policy.memory) is not type(off.policy.memory)


def test_its_account_says_what_is_missing_and_what_counts():
    policy = tw.MissingAs(tw.UCB(sigma=1.0), low=1.0)
    state = after(policy, in_turn((2, 0)))
    told = state.lowest[0]
    assert policy.explain_state(state, ["a", "b"]) == [f"a: 60 of 120 answers are missing; {told} count as 1"]
    assert policy.indices(state, ask(241)).tolist() == policy.policy.indices(state.policy, ask(241)).tolist()


def ask(t):
    return Ask(t, np.ones(2, np.bool_), np.zeros(2, np.int64), np.empty(2))


def test_why_ratings_do_not_count_is_said_of_ratings_only():
    policy = tw.MissingAs(tw.CrUCB(tw.TrimmedMean(0.1), sigma=1.0), low=0.0, severity=1.0, pooled=False)
    answers = [(0, 9.0), (0, None), (0, 3.0), *[(0, 8.0)] * 7]
    state = after(policy, answers, n_arms=1)
    assert state.was_missing[0, :10].tolist() == [0, 1, *[0] * 8]
    reasons = policy.why_down_weighted(state, 0, [9.0, 3.0, *[8.0] * 7])
    assert [bool(reason) for reason in reasons] == [True, False, *[False] * 7]  # 0 and 9 are trimmed, 3 is not


def test_what_cannot_be_is_refused_in_a_line():
    with pytest.raises(ParameterError, match="low must be the lowest rating: UCB knows none; got None"):
        tw.MissingAs(tw.UCB(sigma=1.0)).start(2)
    with pytest.raises(ParameterError, match=r"low must lie in the range of BetaThompson"):
        tw.MissingAs(tw.BetaThompson(RANGE), low=-1.0).start(2)
    with pytest.raises(ParameterError, match="policy must not count missing answers itself"):
        tw.MissingAs(tw.MissingAs(tw.UCB(sigma=1.0), low=0.0))
    with pytest.raises(ParameterError, match=r"write MissingAs\(Guarded"):
        tw.Guarded(tw.MissingAs(tw.UCB(sigma=1.0), low=0.0))
    with pytest.raises(ParameterError, match="severity"):
        tw.MissingAs(tw.BetaThompson(RANGE), severity=1.5)
    tw.MissingAs(tw.Guarded(tw.UCB(sigma=1.0)), low=0.0).start(2)
