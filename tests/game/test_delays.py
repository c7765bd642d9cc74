"""Rewards that come some rounds after their ask."""

import math
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
import pytest

import trueward as tw
from trueward.engine.kernel import state_classes
from trueward.engine.protocol import MISSING, Ask, Observation, choose, plan_attack, reset, update
from trueward.game import match
from trueward.game.delays import as_delay
from trueward.game.play import match_of
from trueward.game.precompile import states_of

ARMS = tw.BinomialArms(n=10, p=[0.9, 0.8, 0.7])
ATTACK = tw.BernoulliAdversary(0.1)
UCB = tw.UCB(sigma=1.3)


def assert_same(one, other):
    for field in fields(tw.Trace):
        np.testing.assert_array_equal(getattr(one, field.name), getattr(other, field.name), err_msg=field.name)


def stream(seed, role):
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0, role)))


class SpyState(NamedTuple):
    log: list


@choose.register(SpyState)
def ask_in_turn(state: SpyState, ask: Ask, rng: np.random.Generator) -> int:
    """Play the arms in turn, and put the round where the probabilities belong."""
    ask.p[:] = ask.t
    state.log.append(("ask", ask.t, ask.pending.tolist()))
    return (ask.t - 1) % ask.p.size


@update.register(SpyState)
def note(state: SpyState, seen: Observation, rng: np.random.Generator) -> None:
    state.log.append(("tell", int(seen.t), int(seen.arm), seen.p[0], seen.evidence.tolist()))


@reset.register(SpyState)
def begin(state: SpyState) -> None:
    state.log.append("begin")


@dataclass(frozen=True)
class Spy(tw.Policy):
    """Writes down what the game says to a policy."""

    log: Any

    interpreted_only = True

    def state(self, setting):
        return SpyState(self.log)

    def estimates(self, state):
        return np.zeros(3)

    def probabilities(self, state, ask):
        return np.ones(3) / 3


@dataclass(frozen=True)
class Given(tw.Delay):
    """Delays as they are given."""

    delays: Any
    rounds: float = 1

    def table(self, trials, rounds, rng):
        return np.array([self.delays[:rounds]])


class SilentState(NamedTuple):
    n_arms: int


@plan_attack.register(SilentState)
def mark_all_missing(state: SilentState, truth: Any, table: Any, rng: np.random.Generator) -> None:
    table[:, :] = MISSING


class Silence(tw.Adversary):
    """Nobody ever answers."""

    interpreted_only = True

    def __init__(self):
        """Take no parameters."""

    def start(self, arms, horizon):
        return SilentState(arms.n_arms)


def heard(delay, horizon, attack=None, **settings):
    """Return what a policy is asked and told in one game, a round's rewards and the next ask in one line."""
    log = []
    tw.play(Spy(log), ARMS, attack, horizon=horizon, delay=delay, compiled=False, **settings)
    return log[len(log) - log[::-1].index("begin") :]  # before the game, a round is rehearsed


def rewards_in(log):
    return [(event[1], event[2]) for event in log if event[0] == "tell"]


def test_fixed_delay_of_two_arrives_after_two_more_choices_and_never_past_the_horizon():
    asks = [("ask", 1, [0, 0, 0]), ("ask", 2, [1, 0, 0]), ("ask", 3, [1, 1, 0])]
    tell = lambda t: ("tell", t, (t - 1) % 3, float(t), [])  # noqa: E731 - as the spy writes it down
    assert heard(2, 5) == [*asks, tell(1), ("ask", 4, [0, 1, 1]), tell(2), ("ask", 5, [1, 0, 1]), tell(3)]


def test_delayed_rewards_are_observed_by_arrival_and_ties_by_choice():
    log = heard(Given([3, 0, 1, 0, 9]), 5)
    assert [event[1] for event in log] == [1, 2, 2, 3, 4, 1, 3, 4, 5]
    assert rewards_in(log) == [(2, 1), (1, 0), (3, 2), (4, 0)]


def test_delayed_observation_has_probabilities_and_evidence_of_its_own_round():
    people = tw.CarelessParticipants("open web poll")
    on_time, late = (heard(delay, 30, people, seed=2) for delay in (0, 4))
    said = {event[1]: event for event in on_time if event[0] == "tell"}
    told = [event for event in late if event[0] == "tell"]
    assert len(told) > 15
    assert [str(event) for event in told] == [str(said[event[1]]) for event in told]  # NaN, where nothing was given
    assert all(t == p for _, t, _, p, _ in told)


def test_missing_rating_is_pending_until_it_would_have_arrived():
    log = heard(1, 4, Silence())
    assert [event[2] for event in log] == [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_count_pending_false_hides_pending_rewards_from_the_policy():
    log = heard(2, 5, count_pending=False)
    assert [event[2] for event in log if event[0] == "ask"] == [[0, 0, 0]] * 5
    assert rewards_in(log) == rewards_in(heard(2, 5))


def test_pending_counts_follow_the_shuffled_positions_of_arms():
    log = heard(1, 4, shuffle_arms=True, seed=3)
    assert [event[2] for event in log if event[0] == "ask"] == [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]


@pytest.mark.parametrize("delay", [0, tw.FixedDelay(0), tw.GeometricDelay(0)])
def test_zero_delay_plays_the_same_games_as_no_delay(delay):
    for policy, regrets in ((UCB, [18.0, 22.0, 51.0]), (tw.EXP3((0, 10)), [60.0, 33.0, 56.0])):
        trace = tw.play(policy, ARMS, ATTACK, horizon=50, trials=3, delay=delay, compiled=False)
        assert trace.regret[:, -1].round(9).tolist() == regrets


def test_delay_does_not_change_other_random_numbers():
    settings = {"horizon": 60, "trials": 70, "keep_history": True, "compiled": False, "shuffle_arms": True}
    on_time = tw.play(tw.Uniform(), ARMS, ATTACK, **settings)
    for delay in (7, tw.GeometricDelay(7)):
        assert_same(tw.play(tw.Uniform(), ARMS, ATTACK, delay=delay, **settings), on_time)


@pytest.mark.parametrize("delay", [tw.FixedDelay(5), tw.GeometricDelay(5.5)])
def test_delayed_game_does_not_depend_on_slices_trials_or_other_policies(delay, monkeypatch):
    settings = {"horizon": 40, "seed": 3, "delay": delay, "compiled": False}
    long = tw.play({"UCB": UCB, "uniform": tw.Uniform()}, ARMS, ATTACK, trials=70, **settings)["UCB"]
    monkeypatch.setattr(match, "SLICE_BYTES", 1)
    short = tw.play(UCB, ARMS, ATTACK, trials=66, **settings)
    np.testing.assert_array_equal(long.pulls[:66], short.pulls)


def test_adversary_acts_when_the_arm_is_chosen_and_sees_pending_rewards():
    rounds, seen = [], []

    def attack(view, t, arm, reward, rng):
        rounds.append((t, view.pulls.sum(), view.observed.size))
        seen.append(int(view.learner.pulls.sum()))
        return 0.0 if t == 2 else None

    trace = tw.play(UCB, ARMS, attack, horizon=6, delay=2, keep_history=True)
    assert rounds[-6:] == [(t, t - 1, t - 1) for t in range(1, 7)]
    assert seen[-6:] == [0, 0, 0, 1, 2, 3]  # what the learner has learned is two rounds behind
    assert trace.observed[0, 1] == 0.0
    assert trace.touched.sum() == 1


def test_geometric_delay_follows_the_geometric_distribution():
    table = tw.GeometricDelay(4).table(100, 400, np.random.default_rng(0))
    assert table.shape == (100, 400)
    for k in range(4):  # P(k) = 0.2 0.8^k, within four standard errors
        p = 0.2 * 0.8**k
        assert abs((table == k).mean() - p) < 4 * math.sqrt(p * (1 - p) / table.size)
    assert abs(table.mean() - 4) < 4 * math.sqrt(20 / table.size)  # the variance is (1 - q) / q^2


@pytest.mark.parametrize("delay", [tw.FixedDelay(10**30), tw.GeometricDelay(1e300)])
def test_rewards_delayed_past_the_horizon_are_never_observed(delay):
    trace = tw.play(UCB, ARMS, horizon=40, trials=2, delay=delay, compiled=False)
    assert (trace.pulls[:, -1] > 0).all()
    assert not any(event[0] == "tell" for event in heard(delay, 9))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tw.FixedDelay(-1), "rounds must be a whole number of at least 0, got -1"),
        (lambda: tw.FixedDelay(2.5), "rounds must be a whole number of at least 0, got 2.5"),
        (lambda: tw.GeometricDelay(math.inf), "rounds must be at least 0, got inf"),
        (lambda: as_delay("soon"), r"delay must be a whole number of rounds or a Delay such as FixedDelay\(20\)"),
        (lambda: as_delay(True), "delay must be a whole number of rounds"),
        (lambda: tw.play(UCB, ARMS, horizon=5, count_pending=2), "count_pending must be True or False, got 2"),
    ],
)
def test_invalid_delay_is_rejected_in_one_line(make, message):
    with pytest.raises(tw.ParameterError, match=message):
        make()


def test_all_delays_share_one_compiled_game_apart_from_games_without_delay():
    games = [
        match_of({"UCB": UCB}, ARMS, None, horizon=9, trials=2, seed=0, delay=as_delay(delay))
        for delay in (0, 3, tw.GeometricDelay(4))
    ]
    at_once, fixed, geometric = (tuple(state_classes(*states_of(match.short_match(game, "UCB")))) for game in games)
    assert at_once != fixed == geometric


def textbook_ucb1(truth, delays, rng, *, count_pending):
    """Play UCB1 for rewards from 0 to 10 as a textbook has it, with late rewards, in plain Python."""
    rounds, n_arms = truth.shape
    rewards, asked, under_way, arms = [[] for _ in range(n_arms)], [0] * n_arms, [], []
    for t in range(1, rounds + 1):
        index = []
        for arm in range(n_arms):
            n = asked[arm] if count_pending else len(rewards[arm])
            waits = n > 0 and asked[arm] - len(rewards[arm]) >= 1 + math.log(max(1, t / n_arms))
            untried = -math.inf if waits else math.inf
            mean = sum(rewards[arm]) / len(rewards[arm]) if rewards[arm] else untried
            index.append(mean + 10 * math.sqrt(2 * math.log(t) / n) if rewards[arm] else mean)
        best = [arm for arm in range(n_arms) if index[arm] >= max(index) - 1e-12]
        arm = best[int(rng.random() * len(best))] if len(best) > 1 else best[0]
        arms.append(arm)
        asked[arm] += 1
        under_way.append((t + delays[t - 1], t, arm, truth[t - 1, arm]))
        for due in sorted(each for each in under_way if each[0] == t):
            rewards[due[2]].append(due[3])
    return arms


@pytest.mark.parametrize("count_pending", [True, False])
@pytest.mark.parametrize("delay", [tw.FixedDelay(0), tw.FixedDelay(13), tw.GeometricDelay(13)])
def test_ucb1_with_delays_equals_a_textbook_implementation(delay, count_pending):
    truth = ARMS.draw(300, stream(5, match.REWARDS))
    delays = delay.table(1, 300, stream(5, match.DELAY))[0].tolist()
    by_hand = textbook_ucb1(truth, delays, stream(5, match.POLICY), count_pending=count_pending)
    settings = {"horizon": 300, "seed": 5, "delay": delay, "count_pending": count_pending, "keep_history": True}
    assert tw.play(tw.UCB1((0, 10)), ARMS, compiled=False, **settings).arms[0].tolist() == by_hand
