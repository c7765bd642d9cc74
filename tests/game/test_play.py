from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import fields

import numpy as np
import pytest

import trueward as tw
from trueward.engine.compiling import compiled
from trueward.errors import ParameterError, RewardError, UnknownArmError
from trueward.game import match
from trueward.game import play as play_module
from trueward.game.loop import sum_arm

ARMS = tw.BinomialArms(n=10, p=[0.9, 0.8, 0.7])
ATTACK = tw.BernoulliAdversary(0.1)
UCB = tw.UCB(sigma=1.3)


def assert_same(one, other):
    for field in fields(tw.Trace):
        np.testing.assert_array_equal(getattr(one, field.name), getattr(other, field.name), err_msg=field.name)


def first_trials(trace, n):
    return {
        f.name: getattr(trace, f.name)[:n] for f in fields(tw.Trace) if f.name not in {"checkpoints", "gaps", "outside"}
    }


@pytest.mark.parametrize("workers", [1, 3])
def test_play_does_not_depend_on_the_number_of_workers(workers):
    settings = {"horizon": 50, "trials": 200, "seed": 3, "keep_history": True}
    with ThreadPoolExecutor(workers) as executor:
        assert_same(tw.play(UCB, ARMS, ATTACK, executor=executor, **settings), tw.play(UCB, ARMS, ATTACK, **settings))


def test_process_pool_plays_the_same_games():
    settings = {"horizon": 50, "trials": 100, "seed": 3}
    with ProcessPoolExecutor(1) as executor:
        assert_same(tw.play(UCB, ARMS, ATTACK, executor=executor, **settings), tw.play(UCB, ARMS, ATTACK, **settings))


def test_play_does_not_depend_on_the_size_of_slices(monkeypatch):
    settings = {"horizon": 50, "trials": 70, "seed": 3, "keep_history": True}
    whole = tw.play(UCB, ARMS, tw.PrefixBudget(0.2), **settings)
    monkeypatch.setattr(match, "SLICE_BYTES", 1)
    assert_same(tw.play(UCB, ARMS, tw.PrefixBudget(0.2), **settings), whole)


def test_first_trials_of_a_long_run_equal_a_short_run():
    long = tw.play(UCB, ARMS, ATTACK, horizon=50, trials=150, seed=1, keep_history=True)
    short = tw.play(UCB, ARMS, ATTACK, horizon=50, trials=10, seed=1, keep_history=True)
    for name, values in first_trials(long, 10).items():
        np.testing.assert_array_equal(values, getattr(short, name), err_msg=name)


@pytest.mark.parametrize("attack", [ATTACK, tw.PrefixBudget(0.1)])
def test_play_does_not_depend_on_the_other_policies_compared(attack):
    settings = {"horizon": 50, "trials": 70, "seed": 5}
    alone = tw.play({"UCB": UCB}, ARMS, attack, **settings)
    among = tw.play({"uniform": tw.Uniform(), "UCB": UCB, "twin": UCB}, ARMS, attack, **settings)
    assert_same(alone["UCB"], among["UCB"])
    assert_same(among["twin"], among["UCB"])


def test_compared_policies_play_the_same_worlds():
    games = tw.play({"UCB": UCB, "uniform": tw.Uniform()}, ARMS, ATTACK, horizon=80, trials=5)
    np.testing.assert_array_equal(games["UCB"].best_reward, games["uniform"].best_reward)


def test_different_seeds_and_trials_give_different_games():
    a, b = (tw.play(UCB, ARMS, horizon=80, trials=3, seed=seed).best_reward for seed in (0, 1))
    assert not np.array_equal(a, b)
    assert len({tuple(row) for row in a}) == 3


def test_three_kinds_of_regret_equal_a_computation_by_hand():
    truth = {}

    def spy(view, t, arm, reward, rng):
        truth[t] = view.truth[t - 1].copy()
        return -3.0 if t % 4 == 0 else None

    trace = tw.play(UCB, ARMS, spy, horizon=40, checkpoints=[10, 40], keep_history=True)
    arms = trace.arms[0]
    world = np.array([truth[t] for t in range(1, 41)])
    earned = world[np.arange(40), arms]
    for column, t in enumerate([10, 40]):
        assert trace.regret[0, column] == pytest.approx(ARMS.gaps[arms[:t]].sum())
        assert trace.realised_regret[0, column] == pytest.approx((world[:t, 0] - earned[:t]).sum())
        assert trace.observed_regret[0, column] == pytest.approx((world[:t, 0] - trace.observed[0, :t]).sum())
    np.testing.assert_array_equal(trace.observed[0], np.where(np.arange(1, 41) % 4 == 0, -3.0, earned))
    assert trace.touched.sum() == 10
    np.testing.assert_allclose(trace.contaminated_fraction, trace.touched / trace.pulls[:, -1])


def test_uniform_policy_loses_the_mean_gap_in_each_round():
    trace = tw.play(tw.Uniform(), ARMS, horizon=1000, trials=64)
    sd = np.sqrt(1000 * ARMS.gaps.var() / 64)
    assert abs(trace.regret[:, -1].mean() - 1000 * ARMS.gaps.mean()) < 4 * sd  # 4 standard errors
    # The realised regret has the same mean and more noise.
    realised = trace.realised_regret[:, -1]
    assert abs(realised.mean() - trace.regret[:, -1].mean()) < 4 * realised.std() / 8


def test_default_checkpoints_are_evenly_spaced_and_end_at_the_horizon():
    assert match.checkpoints_of(7).tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert len(match.checkpoints_of(1000)) == 200
    assert match.checkpoints_of(123_457)[-1] == 123_457
    assert match.checkpoints_of(10, [3, 5]).tolist() == [3, 5, 10]
    for wrong in ([0, 3], [3, 3], [2.5], [11], []):
        with pytest.raises(ParameterError, match="checkpoints"):
            match.checkpoints_of(10, wrong)


def test_curves_do_not_depend_on_the_checkpoints():
    fine = tw.play(UCB, ARMS, ATTACK, horizon=60, trials=3)
    coarse = tw.play(UCB, ARMS, ATTACK, horizon=60, trials=3, checkpoints=[20, 60])
    np.testing.assert_array_equal(fine.pulls[:, [19, 59]], coarse.pulls)


class FollowTheLast:
    """A plain policy: stays while the reward is high, else moves on."""

    def __init__(self):
        self.arm, self.told = 0, 0

    def choose(self, t):
        assert self.told == t - 1  # a fresh copy per trial
        return self.arm

    def update(self, arm, reward):
        self.told += 1
        if reward < 8:
            self.arm = (self.arm + 1) % 3


class Random:
    """A plain policy that asks for random numbers."""

    def begin(self, n_arms, horizon, rng):
        self.n_arms, self.rng = n_arms, rng

    def choose(self, t):
        return int(self.rng.integers(self.n_arms))

    def update(self, arm, reward):
        pass


def test_plain_object_with_choose_and_update_plays():
    games = tw.play({"mine": FollowTheLast(), "random": Random(), "UCB": UCB}, ARMS, ATTACK, horizon=60, trials=70)
    assert_same(games["UCB"], tw.play(UCB, ARMS, ATTACK, horizon=60, trials=70))
    assert (games["mine"].pulls[:, -1].sum(axis=1) == 60).all()
    again = tw.play(Random(), ARMS, ATTACK, horizon=60, trials=70)
    assert_same(games["random"], again)
    assert len(np.unique(again.pulls[:, -1, 0])) > 5


def test_plain_policy_that_returns_no_arm_is_rejected():
    class Lost(Random):
        def choose(self, t):
            return 3

    with pytest.raises(UnknownArmError, match=r"the arm that Lost chose in round 1 must be .* from 0 to 2, got 3"):
        tw.play(Lost(), ARMS, horizon=5)


def test_play_returns_a_trace_for_a_policy_and_a_mapping_for_a_mapping():
    assert isinstance(tw.play(UCB, ARMS, horizon=5), tw.Trace)
    assert list(tw.play({"b": UCB, "a": UCB}, ARMS, horizon=5)) == ["b", "a"]


def test_play_reports_progress():
    seen = []
    tw.play(UCB, ARMS, horizon=5, trials=130, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(64, 130), (128, 130), (130, 130)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"horizon": 0}, "horizon must be a whole number of at least 1, got 0"),
        ({"horizon": 2.5}, "horizon must be a whole number"),
        ({"trials": 0}, "trials must be a whole number of at least 1, got 0"),
        ({"seed": -1}, "seed must be a whole number of at least 0, got -1"),
        ({"policies": {}}, "policies must not be empty"),
        ({"policies": "UCB"}, "the policy must be a Policy"),
        ({"policies": {"mine": 3}}, r"policies\['mine'\] must be a Policy"),
        ({"arms": [0.1, 0.2]}, "arms must be Arms"),
        ({"adversary": 3}, "adversary must be an Adversary, a function or None"),
    ],
)
def test_play_rejects_invalid_settings_by_name(change, message):
    settings = {"policies": UCB, "arms": ARMS, "adversary": None, "horizon": 5} | change
    with pytest.raises(ParameterError, match=message):
        tw.play(settings.pop("policies"), settings.pop("arms"), settings.pop("adversary"), **settings)


def test_error_in_a_custom_adversary_reaches_the_caller():
    with pytest.raises(RewardError, match=r"the reward of arm . in round 1, as the adversary contaminated it"):
        tw.play(UCB, ARMS, lambda view, t, arm, reward, rng: float("inf"), horizon=5)


def test_play_announces_each_policy_before_compiling_it():
    told = []
    tw.play(
        {"a": UCB, "mine": FollowTheLast(), "b": tw.Uniform()},
        ARMS,
        horizon=5,
        compiled=True,
        announce=told.append,
        progress=lambda done, total: told.append(done),
    )
    assert told == ["a", "b", 1]


def test_sum_arm_adds_the_rewards_of_one_arm_up_to_each_checkpoint():
    truths, rounds = np.random.default_rng(0).normal(size=(3, 20, 4)), np.array([1, 7, 20])
    for add_up in (sum_arm, compiled(sum_arm)):
        sums = np.empty((3, 3))
        add_up(truths, 2, rounds, sums)
        np.testing.assert_array_equal(sums, truths[:, :, 2].cumsum(axis=1)[:, rounds - 1])


def test_short_games_are_interpreted_and_long_ones_compiled_by_default(monkeypatch):
    announced = []
    monkeypatch.setattr(
        play_module, "uncompiled_matches", lambda matches: list(matches)
    )  # as if nothing had been compiled yet
    tw.play(UCB, ARMS, horizon=40, trials=2, announce=announced.append)
    assert announced == []
    tw.play({"UCB": UCB}, ARMS, horizon=1001, trials=2, announce=announced.append)
    assert announced == ["UCB"]
    tw.play({"again": UCB}, ARMS, horizon=40, compiled=True, announce=announced.append)
    assert announced == ["UCB", "again"]
    monkeypatch.setattr(play_module, "uncompiled_matches", lambda _: [])  # all of it is on disk
    tw.play({"found": UCB}, ARMS, horizon=40, announce=announced.append)
    assert announced == ["UCB", "again", "found"]
