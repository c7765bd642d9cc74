import math

import numpy as np
import pytest

import trueward as tw
from policy_states import play_round
from trueward.engine.protocol import make_ask
from trueward.errors import ParameterError
from trueward.policies.sampling.race import Race, draw_layer, eliminate, radius

RATINGS = (0.0, 10.0)
LIKERT = tw.BinomialArms(n=10, p=(0.9, 0.8, 0.8, 0.8, 0.8))


def partly_eliminated():
    """Return a state of three arms in three layers: the first empty, the second with two arms, the third with all."""
    state = Race(lam=0.01).start(3, horizon=8)
    state.active[:] = [[False, False, True], [False, True, True], [False, True, True]]
    state.pulls[:] = [[9, 9, 4], [9, 5, 4], [9, 5, 6]]
    return state


def test_race_lambda_agrees_with_the_published_value():
    assert Race(delta=0.05).start(5, horizon=1000).lam == pytest.approx(15.198377, abs=5e-7)


def test_race_radius_resolves_a_gap_of_one_tenth_after_the_published_number_of_pulls():
    lam = Race().start(5, horizon=1000).lam
    assert 2 * radius(lam, 6673) > 0.1 > 2 * radius(lam, 6674)


def test_race_layer_probabilities_halve_and_the_first_layer_gets_the_rest():
    np.testing.assert_array_equal(Race().start(2, horizon=1000).layer_p[1:], 0.5 ** np.arange(2, 11))
    np.testing.assert_array_equal(Race().start(2, horizon=8).layer_p, [0.625, 0.25, 0.125])


def test_race_eliminates_a_clearly_worse_arm_from_its_layer_and_all_faster_ones():
    state = Race(lam=0.01).start(3, horizon=8)
    state.pulls[:, 1] = 100  # radius sqrt(0.0001) + 0.0001 = 0.0101
    state.mean[:, 1] = [0.9, 0.8799, 0.8797]  # 0.0201 and 0.0203 apart, against 0.0202
    eliminate(state, 1)
    np.testing.assert_array_equal(state.active, [[True, True, True], [True, True, True], [False, False, True]])


def test_race_neither_eliminates_nor_is_influenced_by_an_arm_without_pulls():
    state = Race(lam=0.01).start(2, horizon=8)
    state.pulls[0, 0], state.mean[0, 0] = 1000, 1.0
    eliminate(state, 0)
    assert state.active.all()


def test_race_probabilities_equal_those_of_drawing_a_layer_and_then_an_arm():
    state = partly_eliminated()
    # layer 1 (5/8) is empty and plays arm 1 or 2; layer 2 (1/4) has pulled 1 and 2 alike; layer 3 (1/8) arms 0 and 1
    expected = [0.0625, 0.3125 + 0.125 + 0.0625, 0.3125 + 0.125]
    np.testing.assert_allclose(Race().probabilities(state, make_ask(1, 3)), expected, rtol=1e-14)


def test_race_draws_the_layer_with_the_probability_that_it_chose_the_arm():
    state, rng, draws = partly_eliminated(), np.random.default_rng(4), 4000
    counts = np.bincount([draw_layer(state, 1, rng) for _ in range(draws)], minlength=4) / draws
    expected = np.array([0.0, 0.125, 0.0625, 0.3125]) / 0.5  # the last: the empty layer chose it, and no layer learns
    np.testing.assert_allclose(counts, expected, atol=4 * 0.5 / math.sqrt(draws))
    assert counts[0] == 0.0


def test_race_counts_a_late_reward_in_a_layer_where_its_arm_is_active():
    state, rng = partly_eliminated(), np.random.default_rng(4)
    state.pulls[0, 2] = 50  # no layer would choose arm 0 by now
    assert {draw_layer(state, 0, rng) for _ in range(50)} == {2}
    state.active[0] = False
    assert draw_layer(state, 0, rng) == 3


def test_race_layers_play_round_robin():
    state, rng = Race(RATINGS).start(3, horizon=1000), np.random.default_rng(2)
    for t in range(1, 601):
        play_round(state, t, lambda arm: 5.0, rng, n_arms=3)
    assert np.ptp(state.pulls, axis=0).max() <= 1
    shares = state.pulls.sum(axis=0)[:3] / 600
    np.testing.assert_allclose(shares, [0.501, 0.25, 0.125], atol=4 * 0.5 / math.sqrt(600))
    assert Race(RATINGS).estimates(state).tolist() == [5.0, 5.0, 5.0]


def test_race_with_published_constants_plays_uniformly_for_a_thousand_rounds():
    regret = tw.play(Race(RATINGS), LIKERT, horizon=1000, trials=128, checkpoints=[1000]).regret[:, -1]
    np.testing.assert_allclose(regret, 800.0, atol=10.0)  # each of ten layers is off by less than one pull
    assert abs(regret.mean() - 800.0) < 1.0


def test_race_with_published_constants_eliminates_when_the_horizon_is_long_enough():
    arms = tw.BernoulliArms([0.95, 0.05])
    trace = tw.play(Race(), arms, horizon=20_000, trials=4, checkpoints=[20_000])
    assert (trace.regret[:, -1] < 0.9 * 10_000 / 2).all()  # half of what uniform play loses


def test_race_with_practical_constants_learns_in_a_thousand_rounds():
    regret = tw.play(Race(RATINGS, preset="practical"), LIKERT, horizon=1000, trials=64, checkpoints=[1000]).regret
    assert regret.mean() < 450.0


def test_race_slow_layer_corrects_a_fast_one():
    state, rng = Race(lam=0.05).start(2, horizon=1000), np.random.default_rng(0)
    state.active[0, 0] = False  # contamination has eliminated the best arm from the fastest layer
    for t in range(1, 1001):
        play_round(state, t, lambda arm: (0.9, 0.1)[arm], rng, n_arms=2)
    assert not state.active[1, 0]
    assert Race().probabilities(state, make_ask(1001, 2))[0] > 0.9


def test_race_interpreted_equals_compiled_through_eliminations():
    settings = {"horizon": 150, "trials": 3, "seed": 3, "keep_history": True}
    policy = Race(RATINGS, lam=0.01)
    slow, fast = (tw.play(policy, LIKERT, compiled=compiled, **settings) for compiled in (False, True))
    np.testing.assert_array_equal(slow.arms, fast.arms)
    assert slow.regret[:, -1].min() < 100


def test_race_clips_huge_rewards_and_stays_finite():
    policy = Race(RATINGS, preset="practical")
    state, rng = policy.start(3, horizon=300), np.random.default_rng(1)
    for t in range(1, 301):
        play_round(state, t, lambda arm: (1e300, -1e300, 5.0)[arm], rng, n_arms=3)
    assert not state.active[1:].all()
    assert np.isfinite(policy.estimates(state)).all()
    assert policy.probabilities(state, make_ask(301, 3)).sum() == pytest.approx(1.0)


def test_race_finds_the_best_arm_in_a_live_study_with_late_rewards_and_unavailable_arms():
    bandit = tw.Bandit(Race(preset="practical"), arms=["a", "b", "c"], seed=5, horizon=400)
    waiting = []
    for number in range(400):
        among = ["b", "c"] if number % 4 == 0 else None
        waiting.append(bandit.ask(among=among, ticket=True))
        if len(waiting) > 5:
            ticket = waiting.pop(0)
            bandit.tell(ticket, {"a": 0.9, "b": 0.5, "c": 0.1}[ticket.arm])
    assert bandit.probabilities()["a"] > 0.9
    assert sum(bandit.probabilities(among=["b", "c"]).values()) == pytest.approx(1.0)


def test_race_names_invalid_parameters():
    for parameters in ({"delta": 0.0}, {"lam": -1.0}, {"preset": "mine"}):
        with pytest.raises(ParameterError, match=next(iter(parameters))):
            Race(**parameters)
    with pytest.raises(ParameterError, match="Race needs a horizon"):
        tw.Bandit(Race(), arms=2)
