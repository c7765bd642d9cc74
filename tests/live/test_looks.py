import copy
import math

import numpy as np
import pytest

import trueward as tw
from trueward.errors import TruewardError
from trueward.live.streams import Streams
from trueward.policies.policy import Policy


def test_looking_changes_nothing(policy, fresh, play, snapshot):
    bandit, other = fresh(policy), fresh(policy)
    for rounds in (0, 1, 25):
        play(bandit, rounds)
        play(other, rounds)
        before = snapshot(bandit), copy.deepcopy(bandit.to_dict())
        looks = [
            (bandit.estimates(), bandit.probabilities(), bandit.probabilities(among=["text", "quiz"]), bandit.explain())
            for _ in range(2)
        ]
        assert repr(looks[0]) == repr(looks[1])
        if type(policy).indices is not Policy.indices:
            assert bandit.indices() == bandit.indices()
        assert (snapshot(bandit), bandit.to_dict()) == before
        assert bandit.ask(ticket=True) == other.ask(ticket=True)
        assert snapshot(bandit) == before[0]  # to ask is not to learn
    assert play(bandit, 10) == play(other, 10)


def test_choices_come_as_often_as_the_probabilities_say(policy, fresh, play):
    # the same moment of the same study, with 1,500 seeds
    draws = 1_500
    bandit = fresh(policy)
    play(bandit, 25)
    p = np.array(list(bandit.probabilities().values()))
    counts = np.zeros(3)
    for seed in range(draws):
        bandit._learner.stream = Streams(seed).stream
        counts[bandit._choose(np.ones(3, np.bool_)).arm] += 1
    allowed = 4.5 * np.sqrt(p * (1 - p) / draws) + 2 / draws  # standard errors, and two rare events
    assert (np.abs(counts / draws - p) <= allowed).all()


def test_the_same_seed_gives_the_same_study_and_another_seed_another(policy, fresh, play):
    assert play(fresh(policy, seed=3), 30) == play(fresh(policy, seed=3), 30)
    assert len({tuple(play(fresh(policy, seed=seed), 30)) for seed in range(5)}) > 1


def test_the_highest_index_is_played(policy, fresh, play):
    bandit = fresh(policy)
    play(bandit, 25)
    if type(policy).indices is Policy.indices:
        with pytest.raises(TruewardError, match=f"{type(policy).__name__} has no index; use its probabilities instead"):
            bandit.indices()
        return
    indices = bandit.indices()
    assert indices[bandit.ask()] >= max(indices.values()) - 1e-12


def test_before_the_first_reward_nothing_is_believed(policy, fresh):
    bandit = fresh(policy)
    assert all(math.isnan(estimate) for estimate in bandit.estimates().values())
    assert list(bandit.probabilities().values()) == pytest.approx([1 / 3] * 3)
    bandit.ask()
    assert all(math.isnan(estimate) for estimate in bandit.estimates().values())


def test_the_index_by_hand(fresh):
    bandit = fresh(tw.UCB(sigma=1.5))
    for arm, reward in (("text", 2.0), ("text", 4.0), ("quiz", 1.0)):
        bandit.ask(among=[arm])
        bandit.tell(arm, reward)
    root = 1.5 * math.sqrt(4 * math.log(4))  # the next round is the fourth
    assert bandit.indices() == pytest.approx({"video": math.inf, "text": 3 + root / math.sqrt(2), "quiz": 1 + root})
    assert bandit.probabilities() == {"video": 1, "text": 0, "quiz": 0}


def test_thompson_probabilities_of_a_bandit_are_the_closed_form(fresh):
    bandit = tw.Bandit(tw.GaussianThompson(sigma=2), ["a", "b"])
    for arm, rewards in (("a", [4, 5, 6, 5]), ("b", [5, 7])):
        for reward in rewards:
            bandit.ask(among=[arm])
            bandit.tell(arm, reward)
    z = (5 - 6) / math.sqrt(4 / 4 + 4 / 2)
    assert bandit.probabilities()["a"] == pytest.approx(0.5 * math.erfc(-z / math.sqrt(2)), abs=1e-5)
