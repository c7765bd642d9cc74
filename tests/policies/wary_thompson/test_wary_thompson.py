"""Wary Thompson sampling: its bars in the paper's setting, its probabilities, its explanation."""

import numpy as np
import pytest

import trueward as tw
from trueward.engine.stages import ask_at, choose, observed, update
from trueward.errors import ParameterError
from trueward.policies.wary_thompson.playing import draw_arm

PAPER = tw.BinomialArms(n=10, p=(0.9, 0.8, 0.8, 0.8, 0.8))
A, B, W, U = tw.RandomMalicious(), tw.ContinuousMalicious(), tw.WorstBounded(), tw.Unbounded()
BARS = {
    "clean": (tw.NoAdversary(), 50),
    "a tenth, A": (tw.BernoulliAdversary(0.1, A), 75),
    "a tenth, B": (tw.BernoulliAdversary(0.1, B), 75),
    "a tenth, W": (tw.BernoulliAdversary(0.1, W), 75),
    "a tenth, U": (tw.BernoulliAdversary(0.1, U), 75),
    "a tenth, I": (tw.BernoulliAdversary(0.1, tw.Inlier()), 100),
    "front, A": (tw.FrontCluster(0.1, A), 180),
    "front, W": (tw.FrontCluster(0.1, W), 170),
    "burst, W": (tw.Burst(201, 100, W), 110),
    "budget, W": (tw.PrefixBudget(0.1, W), 65),
    "budget, U": (tw.PrefixBudget(0.1, U), 65),
    "first 20 pulls, W": (tw.FrontCluster(0.1, W, by="pulls"), 220),
}


@pytest.mark.parametrize("name", BARS)
@pytest.mark.soak
def test_the_mean_regret_in_the_papers_setting_is_below_its_bar(name):
    adversary, bar = BARS[name]
    regret = tw.play(tw.WaryThompson((0, 10)), PAPER, adversary, horizon=1000, trials=128).regret[:, -1]
    assert regret.mean() < bar


# The second best of the arena's full suite in these two scenarios: mixture Thompson sampling, alone and guarded.
SHORT = {"a tenth, A": (tw.BernoulliAdversary(0.1, A), 0.41), "front, A": (tw.FrontCluster(0.1, A), 0.61)}


@pytest.mark.parametrize("name", SHORT)
@pytest.mark.soak
def test_the_mean_regret_in_a_short_game_is_below_that_of_every_other_policy_in_the_arena(name):
    adversary, second = SHORT[name]
    regret = tw.play(tw.WaryThompson((0, 10)), PAPER, adversary, horizon=150, trials=256).regret[:, -1]
    assert regret.mean() < second * 150 * PAPER.gaps.mean()


def learned(policy, rewards, n_arms=3, horizon=1000):
    """Return a state that has learned (arm, reward) pairs."""
    state = policy.start(n_arms, horizon=horizon, capacity=len(rewards) + 1)
    rng = np.random.default_rng(0)
    for t, (arm, reward) in enumerate(rewards, 1):
        update(state, observed(arm, reward, n_arms=n_arms, t=t), rng)
    return state


def burst_then_truth():
    """Return 15 rounds of bad ratings of three arms, then 20 good ones."""
    bad = [(arm, (0, 10, 9)[arm]) for _ in range(15) for arm in range(3)]
    return bad + [(arm, (9, 7, 7)[arm] + i % 3 - 1) for i in range(20) for arm in range(3)]


@pytest.mark.parametrize(
    ("rewards", "t"),
    [([(0, 8), (0, 9), (1, 7), (1, 7), (1, 8), (2, 8)], 7), (burst_then_truth(), 106), ([(0, 5), (0, 6)], 300)],
    ids=["few", "after a burst", "owed"],
)
def test_probabilities_are_the_frequencies_of_the_choices(rewards, t):
    policy = tw.WaryThompson((0, 10))
    state = learned(policy, rewards)
    ask = ask_at(t, 3)
    p = policy.probabilities(state, ask)
    rng = np.random.default_rng(1)
    n = 4000
    seen = np.bincount([choose(state, ask, rng) for _ in range(n)], minlength=3)
    assert p.sum() == pytest.approx(1)
    assert (np.abs(seen - n * p) < 4 * np.sqrt(n * p * (1 - p)) + 1).all()


def test_an_arm_is_played_by_the_square_of_its_chance_in_thompson_sampling():
    policy = tw.WaryThompson((0, 10))
    state = learned(policy, [(arm, 7 + i % 3 + (arm == 2 and i < 4)) for i in range(9) for arm in range(3)])
    rng, n, room = np.random.default_rng(2), 20_000, np.zeros(3)
    thompson = (
        np.bincount([draw_arm(state.belief.cumulative, state.means, 0, room, rng) for _ in range(n)], minlength=3) / n
    )
    assert 0.6 < thompson[2] < 0.95
    assert policy.probabilities(state, ask_at(28, 3)) == pytest.approx(thompson**2 / (thompson**2).sum(), abs=0.01)


def test_an_arm_with_few_ratings_is_owed_a_look_however_bad_it_seems():
    policy = tw.WaryThompson((0, 10))
    state = learned(policy, [(0, 0)] + [(1, 9)] * 20 + [(2, 9)] * 20)
    assert policy.probabilities(state, ask_at(42, 3))[0] >= 0.5
    few = learned(policy, [(0, 0)] * 6 + [(1, 9)] * 20 + [(2, 9)] * 20)
    assert policy.probabilities(few, ask_at(46, 3))[0] < 0.05


def test_a_burst_is_excluded_and_told():
    policy = tw.WaryThompson((0, 10))
    state = learned(policy, burst_then_truth())
    assert policy.estimates(state).round().tolist() == [9, 7, 7]
    assert policy.contamination(state) == pytest.approx([15 / 35] * 3, abs=0.06)
    words = "\n".join(policy.account(state, ["video", "text", "quiz"]))
    assert "video: mean 8.6" in words
    assert "ratings 1 to 45 were a burst; they are excluded" in words
    assert "changed at its rating 16" in words


def test_a_bandit_explains_what_was_excluded_and_resumes():
    bandit = tw.Bandit(tw.WaryThompson((0, 10)), ["video", "text"], seed=1, horizon=500)
    for i in range(60):
        arm = bandit.ask()
        bandit.tell(arm, {"video": 9, "text": 7}[arm] - i % 2 if i >= 25 else {"video": 0, "text": 10}[arm])
    explained = bandit.explain()
    asides = [rating for arm in explained.arms for rating in arm.trimmed]
    assert {rating.ticket for rating in asides} == set(range(1, 26))
    assert all("burst" in rating.reason for rating in asides)
    assert "of its ratings believed bad" in str(explained)
    again = tw.Bandit.from_dict(bandit.to_dict())
    assert again.probabilities() == bandit.probabilities()
    assert again.ask() == bandit.ask()


def test_a_ticket_bears_the_probability_that_its_arm_had():
    bandit = tw.Bandit(tw.WaryThompson((0, 10)), 3, seed=0)
    for reward in (8, 3, 9, 9):
        expected = bandit.probabilities()
        ticket = bandit.ask(ticket=True)
        assert ticket.probability == expected[ticket.arm]
        bandit.tell(ticket, reward)
    assert [event["p"][ticket.arm] for event in bandit.to_dict()["events"] if "ask" in event][-1] == ticket.probability


def test_without_a_horizon_it_still_recovers_from_a_front_cluster():
    bandit = tw.Bandit(tw.WaryThompson((0, 10)), 3, seed=0)
    rng = np.random.default_rng(0)
    late = []
    for t in range(260):
        arm = bandit.ask()
        bandit.tell(arm, (0, 10, 10)[arm] if t < 60 else rng.binomial(10, (0.9, 0.6, 0.6)[arm]))
        late.append(arm == 0)
    assert np.mean(late[180:]) > 0.8


def test_a_pilot_gives_the_range_and_a_bad_tenth_does_not_move_it_far():
    rng = np.random.default_rng(0)
    clean = rng.normal(50, 5, 400)
    policy = tw.WaryThompson.from_pilot(clean)
    low, high = policy.range
    assert (low, high) == pytest.approx((50 - 19.2, 50 + 19.2), abs=2.0)  # 1.5 times 2.563 sd
    assert policy.ratings == 101
    bad = tw.WaryThompson.from_pilot([*clean[:360], *[1e6] * 40])
    assert bad.range == pytest.approx(policy.range, abs=20)  # reaches as far as the highest good one
    assert tw.WaryThompson.from_pilot([50, 51, 49, 52, 48, 50, 51, 49, 50, 1e6]).range == (46, 55)


@pytest.mark.soak
def test_an_arm_that_divides_people_is_not_taken_for_one_that_all_love():
    liked, divisive = [0, 0, 0, 0, 0, 0.05, 0.2, 0.5, 0.2, 0.05, 0], [0.4, *[0] * 9, 0.6]
    arms = tw.CategoricalArms(values=range(11), probabilities=[liked, divisive, divisive])
    regret = tw.play(tw.WaryThompson((0, 10)), arms, horizon=1000, trials=64).regret[:, -1]
    assert regret.mean() < 150  # of 667; the median has 800


@pytest.mark.parametrize("values", [W, U])
@pytest.mark.soak
def test_continuous_rewards_need_a_pilot_only(values):
    arms = tw.GaussianArms(means=[1, 0, 0, 0, 0], sd=1)
    pilot = arms.draw(20, np.random.default_rng(0)).ravel()
    adversary = tw.BernoulliAdversary(0.1, values)
    regret = tw.play(tw.WaryThompson.from_pilot(pilot), arms, adversary, horizon=1000, trials=64).regret[:, -1]
    assert regret.mean() < 120  # of 800; UCB that knows sigma has more than 500


def test_a_study_may_go_on_past_its_horizon():
    bandit = tw.Bandit(tw.WaryThompson((0, 10)), ["video"], horizon=12)
    for rating in [*[4, 5, 3, 4] * 5, *[8, 9, 8, 10] * 5, *[6, 7] * 6]:
        bandit.tell(bandit.ask(), rating)
    told = bandit.explain().account
    assert any("excluded" in line for line in told)
    assert not any("ratings  were" in line for line in told)


def test_a_change_that_is_found_again_is_told_once_and_clipped_ratings_are_told():
    policy = tw.WaryThompson((0, 10))
    state = learned(policy, [(0, 5 + i % 2 if i < 12 else 8 + i % 3) for i in range(60)], n_arms=1, horizon=150)
    told = policy.account(state, ["video"])
    changes = [line.partition(" (")[0] for line in told if "changed" in line]
    assert len(changes) == len(set(changes)) > 0
    assert not any("clipped" in line for line in told)
    beyond = learned(policy, [(0, 70), (0, 80), (0, 9)], n_arms=1)
    assert "2 ratings lay outside the scale from 0 to 10: clipped" in policy.account(beyond, ["video"])


def test_an_arm_whose_ratings_never_come_does_not_put_all_others_behind():
    bandit = tw.Bandit(tw.WaryThompson((0, 10)), 3, seed=0)
    for i in range(60):
        arm = bandit.ask()
        if i < 9:
            bandit.tell(arm, 8)
    assert min(bandit.probabilities().values()) > 0.05  # few ratings have come: nothing is settled


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tw.WaryThompson((0, 1.5)), "ratings must say how many values the scale has"),
        (lambda: tw.WaryThompson((0, 1000)), "ratings must say how many values the scale has"),
        (lambda: tw.WaryThompson((5, 5)), "range"),
        (lambda: tw.WaryThompson((0, 10), ratings=1), "ratings"),
        (lambda: tw.WaryThompson.from_pilot([1.0] * 9), "at least 10 rewards, got 9"),
        (lambda: tw.WaryThompson.from_pilot([1.0] * 50), "must vary"),
        (lambda: tw.WaryThompson.from_pilot([1.0, float("nan")] * 9), "pilot"),
    ],
)
def test_what_cannot_be_played_is_refused_in_a_line(make, message):
    with pytest.raises(ParameterError, match=message):
        make()
