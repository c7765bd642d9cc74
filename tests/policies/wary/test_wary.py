"""What Wary concludes from ratings: bursts, heaps, attacks, evidence, and the limits of each."""

import math

import numpy as np
import pytest

import trueward as tw
from trueward.engine.protocol import choose, make_ask, make_observation, reset, update
from trueward.engine.states import copy_of, grow
from trueward.errors import ParameterError, RewardError
from trueward.policies.wary.wary import nearest_ratio

POLICY = tw.Wary((0, 10))


def learned(ratings, policy=POLICY, n_arms=3, *, asks=lambda t: False):
    """Return a state that has learned (arm, rating) pairs, and was asked before those rounds for which `asks` is so."""
    state, rng = policy.start(n_arms), np.random.default_rng(0)
    for t, (arm, rating) in enumerate(ratings, 1):
        if asks(t):
            policy.probabilities(state, make_ask(t, n_arms))
        update(state, make_observation(arm, rating, n_arms=n_arms, t=t), rng)
    return state


def probabilities(state, policy=POLICY):
    n_arms = state.timeline.sizes.size
    return policy.probabilities(state, make_ask(int(state.timeline.learned[0]) + 1, n_arms))


def honest(n, centres=(9, 7, 7), bad=lambda i, arm: None, seed=0):
    """Return `n` ratings of each arm, within 1 of its centre; `bad(i, arm)` may return another for its i-th."""
    rng, ratings = np.random.default_rng(seed), []
    for i in range(n):
        for arm, centre in enumerate(centres):
            rating, value = int(np.clip(centre + rng.integers(-1, 2), 0, 10)), bad(i, arm)
            ratings.append((arm, rating if value is None else value))
    return ratings


def share_given(policy, state, arm, rating):
    """Return the probability that this rating of an arm is bad, in the first piece of time that has one."""
    piece = int(np.flatnonzero(state.timeline.counts[arm, :, rating])[0])
    return policy.bad_probabilities(state)[arm, piece, rating]


# Bursts, heaps and attacks


def test_burst_is_left_out():
    burst = honest(35, bad=lambda i, arm: (0, 10, 9)[arm] if i < 15 else None)
    state = learned(burst)
    assert POLICY.estimates(state).round().tolist() == [9, 7, 7]
    assert POLICY.contamination(state) == pytest.approx([15 / 35] * 3, abs=0.06)
    assert probabilities(state)[0] > 0.95
    assert probabilities(learned(burst, tw.Wary((0, 10), most=0)), tw.Wary((0, 10), most=0))[0] < 0.3


def test_heap_on_one_arm_alone_is_an_opinion():
    """Every fourth rating of the first arm is 0: it is counted, or nearly so."""
    state = learned(honest(40, bad=lambda i, arm: 0 if arm == 0 and i % 4 == 0 else None))
    assert POLICY.estimates(state)[0] < 7.3  # the plain mean is 6.75, and without the zeros 9
    assert POLICY.contamination(state)[0] < 0.1
    assert share_given(POLICY, state, 0, 0) < 0.3


def test_heap_below_on_one_arm_and_above_on_all_others_is_an_attack():
    def attack(i, arm):
        return (0, 10, 10)[arm] if i % 4 == 0 else None

    state = learned(honest(40, centres=(8, 6, 6), bad=attack))
    assert POLICY.estimates(state) == pytest.approx([8, 6, 6], abs=0.3)
    assert POLICY.contamination(state) == pytest.approx([0.25] * 3, abs=0.05)
    assert share_given(POLICY, state, 0, 0) > 0.9
    assert share_given(POLICY, state, 1, 10) > 0.9
    assert probabilities(state)[0] > 0.95


@pytest.mark.parametrize("parameters", [{"polarised": True}, {"most": 0}])
def test_attack_is_believed_by_a_policy_that_is_told_to_trust_it(parameters):
    policy = tw.Wary((0, 10), **parameters)
    ratings = honest(40, centres=(8, 6, 6), bad=lambda i, arm: (0, 10, 10)[arm] if i % 4 == 0 else None)
    state = learned(ratings, policy)
    plain = [np.mean([rating for arm, rating in ratings if arm == a]) for a in range(3)]
    assert policy.estimates(state) == pytest.approx(plain, abs=0.5)
    assert policy.contamination(state).max() < 0.05
    assert probabilities(state, policy)[0] < 0.1


def test_polarised_false_takes_a_heap_for_bad_ratings():
    ratings = honest(40, bad=lambda i, arm: 0 if arm == 0 and i % 5 == 0 else None)
    doubtful = tw.Wary((0, 10), polarised=False)
    assert POLICY.estimates(learned(ratings))[0] < 7.6
    assert doubtful.estimates(learned(ratings, doubtful))[0] > 8
    assert share_given(doubtful, learned(ratings, doubtful), 0, 0) > 0.9


@pytest.mark.parametrize("rating", [0, 1, 5, 9, 10])
def test_equal_ratings_are_believed(rating):
    state = learned([(0, rating)] * 60, n_arms=1)
    assert POLICY.contamination(state)[0] < 0.02
    assert POLICY.estimates(state)[0] == pytest.approx(rating, abs=0.25)


def test_love_or_hate_arm_keeps_its_mean():
    state = learned([(arm, (10 * (i % 5 < 2), 6 + i % 2)[arm]) for i in range(60) for arm in range(2)], n_arms=2)
    assert POLICY.estimates(state) == pytest.approx([4, 6.5], abs=0.4)
    assert probabilities(state)[1] > 0.95


def test_largest_share_of_bad_ratings_bounds_what_is_called_bad():
    ratings = honest(40, centres=(8, 6, 6), bad=lambda i, arm: (0, 10, 10)[arm] if i % 4 == 0 else None)
    shares = [tw.Wary((0, 10), most=most) for most in (0.05, 0.1, 0.35)]
    found = [policy.contamination(learned(ratings, policy)).max() for policy in shares]
    assert found == sorted(found)
    assert found[0] < 0.1 < 0.2 < found[-1]


# Arms, evidence, numbers


def test_arm_without_a_rating_has_no_estimate_and_is_played():
    state = learned([(0, 5), (0, 6), (1, 2), (1, 3)])
    assert np.isnan(POLICY.estimates(state)).tolist() == [False, False, True]
    assert POLICY.contamination(state)[2] == 0
    assert probabilities(state)[2] > 0.1


def test_empty_state_has_equal_probabilities():
    np.testing.assert_allclose(probabilities(POLICY.start(4)), 0.25, atol=1e-12)


def test_probabilities_are_the_frequencies_of_the_choices():
    state, rng, n = learned([(0, 8), (0, 9), (1, 7), (1, 7), (1, 8), (2, 8)]), np.random.default_rng(1), 3000
    p = probabilities(state)
    seen = np.bincount([choose(state, make_ask(7, 3), rng) for _ in range(n)], minlength=3)
    assert p.sum() == pytest.approx(1)
    assert (np.abs(seen - n * p) < 4 * np.sqrt(n * p * (1 - p))).all()  # four standard errors


def test_evidence_moves_what_is_believed_of_a_rating():
    """Every fourth rating is a 6 among those around 9, with a check that is failed, not given or passed."""
    bad, means = {}, {}
    for check in (0.0, math.nan, 1.0):
        state = POLICY.start(1, signals=("check",))
        for i in range(24):
            evidence = (math.nan,) if i % 4 else (check,)
            seen = make_observation(0, 6 if i % 4 == 0 else (9, 8, 10)[i % 3], n_arms=1, t=i + 1, evidence=evidence)
            update(state, seen, np.random.default_rng(0))
        level = nearest_ratio(state.model.evidence_ratios, {0.0: 10.0, 1.0: 0.5 / 0.95}.get(check, 1.0))
        bad[check], means[check] = POLICY.bad_probabilities(state)[0, 0, 11 * level + 6], POLICY.estimates(state)[0]
    failed, unknown, passed = bad.values()
    assert failed > 2 * unknown > 4 * passed
    assert means[0.0] > means[1.0] + 0.1


def test_signal_that_the_policy_does_not_know_changes_nothing():
    known, unknown = POLICY.start(1), POLICY.start(1, signals=("mouse",))
    for i in range(20):
        for state in (known, unknown):
            update(state, make_observation(0, i % 11, n_arms=1, evidence=(float(i % 2),)), np.random.default_rng(0))
    assert POLICY.estimates(known) == POLICY.estimates(unknown)


@pytest.mark.parametrize(
    ("ratio", "level"), [(1e-9, 0), (0.03, 0), (0.04, 1), (0.5, 2), (1.0, 3), (1.7, 3), (1.8, 4), (20.0, 5), (1e9, 6)]
)
def test_evidence_level_is_the_nearest_ratio_on_the_log_scale(ratio, level):
    assert nearest_ratio(np.array(POLICY.resolution.evidence_ratios), ratio) == level


def test_bandit_tells_its_policy_the_evidence_of_a_rating():
    estimates = {}
    for passed in (True, False):
        bandit = tw.Bandit(POLICY, ["video"], seed=0)
        for i in range(24):
            odd = i % 4 == 0
            bandit.tell(bandit.ask(), 3 if odd else (9, 8, 10)[i % 3], evidence={"check": passed or not odd})
        estimates[passed] = bandit.estimates()["video"]
    assert estimates[False] > estimates[True] + 0.5


def test_hundred_thousand_ratings_give_finite_probabilities():
    state = POLICY.start(3)
    counts = np.random.default_rng(0).multinomial(
        33_000, [[0.02] * 5 + [0.15] * 6, [1 / 11] * 11, [0.5, *[0] * 9, 0.5]]
    )
    state.timeline.counts[:, :16] = counts[:, None] // 16
    state.timeline.counts[:, 3, :] += counts % 16
    state.timeline.sizes[:] = counts.sum(axis=1)
    state.timeline.length[0], state.timeline.learned[0] = 8192, counts.sum()
    update(state, make_observation(0, 5, n_arms=3), np.random.default_rng(0))
    p = probabilities(state)
    assert np.isfinite(p).all()
    assert p.sum() == pytest.approx(1)
    assert np.isfinite(POLICY.estimates(state)).all()
    values = np.arange(11)
    assert POLICY.estimates(state)[2] == pytest.approx(counts[2] @ values / 33_000, abs=0.3)


def test_scale_of_two_hundred_values_and_one_of_two_can_be_played():
    for policy in (tw.Wary((0, 200)), tw.Wary((0, 1))):
        state = learned([(i % 2, policy.range[i % 2]) for i in range(20)], policy, n_arms=2)
        assert probabilities(state, policy)[1] > 0.9


def test_available_arms_have_the_probabilities_of_a_study_with_them_alone():
    """Without an interval, the ratings of an arm that is not available do not matter."""
    ratings = honest(12)
    part = copy_of(learned(ratings), np.array([0, 2]))
    alone = learned([(arm // 2, rating) for arm, rating in ratings if arm != 1], n_arms=2)
    np.testing.assert_allclose(probabilities(part), probabilities(alone), atol=1e-12)


def test_added_arm_is_as_if_it_had_been_there_without_ratings():
    ratings = honest(25, bad=lambda i, arm: (0, 10, 10)[arm] if i < 9 else None)
    for n_before in (3, 1):
        some = [(arm, rating) for arm, rating in ratings if arm < n_before]
        state = learned(some, n_arms=n_before, asks=lambda t: True)
        probabilities(state)
        grown, fresh = grow(state, POLICY.start(n_before + 1)), learned(some, n_arms=n_before + 1)
        np.testing.assert_array_equal(probabilities(grown), probabilities(fresh))


def test_bandit_accepts_an_added_arm_and_plays_it():
    bandit = tw.Bandit(POLICY, ["video", "text"], seed=0)
    for i in range(30):
        bandit.tell(bandit.ask(), 6 + i % 3)
    bandit.add_arm("quiz")
    p = bandit.probabilities()
    assert p["quiz"] > 0.2
    assert sum(p.values()) == pytest.approx(1)


def test_late_ratings_count_in_the_order_of_their_arrival():
    bandit, late = tw.Bandit(POLICY, 2, seed=0), tw.Bandit(POLICY, 2, seed=0)
    waiting = [late.ask(ticket=True) for _ in range(12)]
    for i, ticket in enumerate(reversed(waiting)):
        late.tell(ticket, 5 + i % 4)
    state = learned([(ticket.arm, 5 + i % 4) for i, ticket in enumerate(reversed(waiting))], n_arms=2)
    assert list(late.probabilities().values()) == pytest.approx(probabilities(state), abs=1e-9)
    assert list(bandit.probabilities().values()) == [0.5, 0.5]


def test_games_with_delays_learn_all_that_arrives():
    arms = tw.CategoricalArms(values=range(11), probabilities=np.eye(11)[[9, 4]])
    trace = tw.play(POLICY, arms, horizon=60, trials=2, delay=tw.GeometricDelay(8), compiled=False)
    assert trace.regret[:, -1].max() < 100  # of 300


def test_saved_bandit_resumes():
    bandit = tw.Bandit(POLICY, ["video", "text"], seed=1)
    for i in range(60):
        arm = bandit.ask()
        bandit.tell(arm, {"video": 9, "text": 7}[arm] - i % 2 if i >= 25 else {"video": 0, "text": 10}[arm])
    again = tw.Bandit.from_dict(bandit.to_dict())
    assert again.probabilities() == bandit.probabilities()
    assert again.ask() == bandit.ask()


# What was computed before never changes a result


@pytest.mark.parametrize("asks", [lambda t: True, lambda t: t % 7 == 0, lambda t: t in (31, 32, 33, 64)])
@pytest.mark.parametrize("n", [31, 32, 33, 47, 64, 65, 130])
def test_probabilities_do_not_depend_on_earlier_asks(asks, n):
    ratings = honest(44, bad=lambda i, arm: (0, 10, 10)[arm] if 4 <= i < 12 else None)[:n]
    np.testing.assert_array_equal(probabilities(learned(ratings, asks=asks)), probabilities(learned(ratings)))


def test_reset_forgets_the_counts_of_the_game_before():
    """The next game has as many ratings of each arm, and the same contaminated interval."""
    games = [honest(30, (9, 7, 8), lambda i, arm: (0, 10, 10)[arm] if i < 8 else None, seed) for seed in range(2)]
    state, rng = learned(games[0]), np.random.default_rng(0)
    first, interval = probabilities(state), state.timeline.interval.tolist()
    reset(state)
    for t, (arm, rating) in enumerate(games[1], 1):
        update(state, make_observation(arm, rating, n_arms=3, t=t), rng)
    assert state.timeline.interval.tolist() == interval != [0, 0]
    np.testing.assert_array_equal(probabilities(state), probabilities(learned(games[1])))
    assert np.abs(probabilities(state) - first).max() > 1e-6


def test_summaries_do_not_change_later_probabilities():
    ratings = honest(30, bad=lambda i, arm: (0, 10, 10)[arm] if i < 8 else None)
    state = learned(ratings)
    POLICY.estimates(state), POLICY.contamination(state), POLICY.honest_variances(state)
    np.testing.assert_array_equal(probabilities(state), probabilities(learned(ratings)))


def test_interval_with_probability_one_is_left_out_of_every_summary():
    """After 900 ratings the probability of the interval is exactly 1."""
    state = learned(honest(300, bad=lambda i, arm: (0, 10, 10)[arm] if 60 <= i < 120 else None))
    assert state.timeline.probability[0] == 1.0
    assert POLICY.estimates(state) == pytest.approx([9, 7, 7], abs=0.25)
    assert POLICY.contamination(state) == pytest.approx([0.2] * 3, abs=0.03)
    inside = POLICY.bad_probabilities(state)[:, slice(*state.timeline.interval)]
    np.testing.assert_allclose(inside, 1, atol=1e-12)
    assert POLICY.honest_variances(state) == pytest.approx([2 / 3] * 3, abs=0.3)


# Parameters


def test_pilot_gives_the_range_and_a_bad_tenth_does_not_move_it_far():
    clean = np.random.default_rng(0).normal(50, 5, 400)
    policy = tw.Wary.from_pilot(clean)
    assert policy.range == pytest.approx((50 - 19.2, 50 + 19.2), abs=2.0)  # 1.5 times 2.563 sd
    assert (policy.levels, policy.polarised, policy.outside) == (41, False, "clip")
    assert tw.Wary.from_pilot([*clean[:360], *[1e6] * 40]).range == pytest.approx(policy.range, abs=20)
    assert tw.Wary.from_pilot([50, 51, 49, 52, 48, 50, 51, 49, 50, 1e6]).range == (46, 55)


def test_continuous_rewards_are_learned_with_the_scale_of_a_pilot():
    rng = np.random.default_rng(0)
    policy = tw.Wary.from_pilot(rng.normal(50, 5, 100))
    state = learned([(i % 2, rng.normal((54, 48)[i % 2], 5)) for i in range(200)], policy, n_arms=2)
    assert policy.estimates(state) == pytest.approx([54, 48], abs=1.5)


def test_rating_outside_the_scale_is_clipped_in_games_and_refused_in_a_study():
    state = learned([(0, 70), (0, 80), (0, 9)], n_arms=1)
    assert state.scale.outside[0] == 2
    assert state.timeline.counts[0].sum(axis=0).tolist() == [0] * 9 + [1, 2]
    bandit = tw.Bandit(POLICY, ["video"])
    with pytest.raises(RewardError, match=r"must lie in \[0, 10\], got 70"):
        bandit.tell(bandit.ask(), 70)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tw.Wary((0, 1.5)), "levels must be the number of levels of the scale"),
        (lambda: tw.Wary((0, 1000)), "levels must be the number of levels of the scale"),
        (lambda: tw.Wary((5, 5)), "range"),
        (lambda: tw.Wary((0, 10), levels=1), "levels"),
        (lambda: tw.Wary((0, 10), most=0.6), "^most must be at least 0 and below 0.5, got 0.6$"),
        (lambda: tw.Wary((0, 10), most=-1), "^most must be at least 0 and below 0.5, got -1$"),
        (lambda: tw.Wary((0, 10), polarised="yes"), "^polarised must be True or False, got 'yes'$"),
        (lambda: tw.Wary((0, 10), signals="x"), "^signals must be a tuple of signals such as .*, got 'x'$"),
        (lambda: tw.Wary.from_pilot([1.0] * 9), "at least 10 rewards, got 9"),
        (lambda: tw.Wary.from_pilot([1.0] * 50), "must vary"),
        (lambda: tw.Wary.from_pilot([1.0, math.nan] * 9), "pilot"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(make, message):
    with pytest.raises(ParameterError, match=message):
        make()
