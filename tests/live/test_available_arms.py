import math

import numpy as np
import pytest

import trueward as tw
from trueward.errors import ParameterError, UnknownArmError


def test_an_ask_among_available_arms_chooses_none_of_the_others(policy, fresh):
    bandit = fresh(policy)
    for round_, among in enumerate([["text", "quiz"], ["quiz"], ["video", "quiz"], ["text", "quiz"]] * 6):
        p = bandit.probabilities(among=among)
        assert list(p) == ["video", "text", "quiz"]
        assert sum(p.values()) == pytest.approx(1, abs=1e-12)
        assert all(p[arm] == 0 for arm in p if arm not in among)
        ticket = bandit.ask(among=among, ticket=True)
        assert ticket.arm in among
        assert ticket.probability is None or ticket.probability == pytest.approx(p[ticket.arm], rel=1e-12)
        bandit.tell(ticket, (round_ % 5) / 5)


def test_all_arms_available_is_the_same_as_no_restriction(policy, fresh, play):
    bandit, other = fresh(policy), fresh(policy)
    play(bandit, 20)
    play(other, 20)
    assert bandit.ask(among=iter(["quiz", "text", "video"])) == other.ask()
    assert bandit.probabilities(among=["quiz", "text", "video", "text"]) == bandit.probabilities()


@pytest.mark.parametrize("method", ["ask", "probabilities"])
def test_available_arms_that_make_no_sense_are_refused(method, fresh):
    bandit = fresh(tw.Uniform())
    look = getattr(bandit, method)
    with pytest.raises(ParameterError, match="among must name at least one arm, got none"):
        look(among=[])
    with pytest.raises(UnknownArmError, match="there is no arm 'radio'; the arms are 'video', 'text', 'quiz'"):
        look(among=["text", "radio"])
    for among in ("text", 3):
        with pytest.raises(ParameterError, match=f"among must be a list of arms, got {among!r}"):
            look(among=among)
    assert bandit.to_dict()["events"] == []


def test_an_absent_arm_is_credited_what_the_policy_got_by_hand():
    # two of three arms awake, each with p = 1/2; the reward 0.6 is a gain of 0.6 and a loss of 0.4
    def after_one_reward(policy, field):
        bandit = tw.Bandit(policy, 3, seed=0)
        arm = bandit.ask(among=[0, 1])
        bandit.tell(arm, 0.6)
        learned = getattr(bandit._state, field)
        return learned[arm], learned[1 - arm], learned[2]

    assert after_one_reward(tw.EXP3(gamma=0.3), "gains") == pytest.approx((0.6 / 0.5, 0.0, 0.6))
    assert after_one_reward(tw.TsallisINF(loss_estimator="iw"), "losses") == pytest.approx((0.4 / 0.5, 0.0, 0.4))
    # eta_1 = 4, so that no arm has p >= 16 and B = 0
    assert after_one_reward(tw.TsallisINF(loss_estimator="rv"), "losses") == pytest.approx((0.4 / 0.5, 0.0, 0.4))


def test_reduced_variance_gives_its_baseline_to_arms_that_are_awake_alone():
    bandit = tw.Bandit(tw.TsallisINF(loss_estimator="rv"), 3, seed=0)
    for _ in range(99):
        bandit.ask()
    ticket = bandit.ask(among=[0, 1], ticket=True)  # eta_100^2 = 0.16 < 1/2 = p, so B = 1/2 for arms 0 and 1
    bandit.tell(ticket, 0.6)
    losses = bandit._state.losses
    assert losses[ticket.arm] == pytest.approx(0.5 + (0.4 - 0.5) / 0.5)
    assert losses[1 - ticket.arm] == pytest.approx(0.5)
    assert losses[2] == pytest.approx(0.4)


SLEEPERS = {
    "exp3": (tw.EXP3(gamma=0.3), "gains"),
    "tsallis iw": (tw.TsallisINF(loss_estimator="iw"), "losses"),
    "tsallis rv": (tw.TsallisINF(loss_estimator="rv"), "losses"),
    "exp3++": (tw.EXP3PP(), "weighted"),
}


@pytest.mark.parametrize(("policy", "field"), SLEEPERS.values(), ids=SLEEPERS)
def test_an_arm_long_unavailable_is_neither_favoured_nor_punished(policy, field):
    # Every reward is 1/2, so that all arms are worth the same. Of an arm awake, the weighted sum has expectation n/2;
    # the sleeper's must have the same. Then all wake up once (for EXP3++, which plays its first pull with weight 1).
    games, rounds = 80, 25
    ahead = np.empty(games)
    for game in range(games):
        bandit = tw.Bandit(policy, 3, seed=game)
        for _ in range(rounds):
            bandit.tell(bandit.ask(among=[0, 1]), 0.5)
        bandit.tell(bandit.ask(), 0.5)
        sums = getattr(bandit._state, field)
        ahead[game] = sums[2] - 0.5 * (sums[0] + sums[1])
    assert abs(ahead.mean()) < 4 * ahead.std(ddof=1) / math.sqrt(games)  # four standard errors
    # without the credit the sleeper would be behind by half a point for each round; the test can see a fifth of that
    assert 4 * ahead.std(ddof=1) / math.sqrt(games) < 0.2 * 0.5 * rounds
