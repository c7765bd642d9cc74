"""What many asks share is computed once, and never outlives a reward."""

import numpy as np
import pytest

import trueward as tw
from trueward.policies.wary_thompson.hypotheses import most_likely

pytestmark = pytest.mark.usefixtures("parts_compiled")

ARMS = ["video", "text", "quiz"]
WARY = tw.WaryThompson((1, 5))


@pytest.mark.parametrize("policy", [WARY, tw.UniformShare(WARY, share=0.2)], ids=["wary", "with a uniform share"])
def test_every_ask_logs_the_probabilities_of_its_own_moment(policy):
    bandit, moves = tw.Bandit(policy, ARMS), []
    for i in range(12):
        among = ARMS[:2] if i % 4 == 3 else ARMS
        state, ask = bandit._at_hand(np.array([arm in among for arm in ARMS]))
        expected = policy.probabilities(state, ask).tolist()
        ticket = bandit.ask(among=among, ticket=True)
        assert bandit.log.asks[-1].p[: len(expected)].tolist() == expected
        moves.append(expected)
        if i % 3 == 2:  # others ask meanwhile
            bandit.tell(ticket, 1 + i % 5)
    assert len({tuple(p) for p in moves}) > 4  # they move


def test_a_retracted_reward_takes_its_probabilities_with_it():
    bandit = tw.Bandit(WARY, ARMS)
    for rating in (5, 4, 1, 5):
        bandit.tell(bandit.ask(), rating)
    before = bandit.probabilities()
    ticket = bandit.ask(ticket=True)
    bandit.tell(ticket, 1)
    assert bandit.probabilities() != before
    bandit.retract(ticket)
    bandit.close([ticket])
    assert bandit.probabilities() == before


def test_what_is_kept_of_the_arms_gives_the_same_whatever_hypothesis_is_the_likeliest():
    bandit, likeliest = tw.Bandit(WARY, ARMS), set()
    rng = np.random.default_rng(3)
    for i in range(110):
        burst = 50 <= i < 80
        arm = "video" if burst else ARMS[i % 3]
        bandit.tell(bandit.ask(among=[arm]), 1 if burst else 1 + int(rng.binomial(4, 0.8)))
        state, ask = bandit._at_hand(np.ones(3, np.bool_))
        likeliest.add(most_likely(state.standing))
        assert [*bandit.probabilities().values()] == WARY.probabilities(state, ask).tolist()
    assert len(likeliest) > 1
