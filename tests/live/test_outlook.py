"""What many asks share is computed once, and never outlives a reward."""

import numpy as np
import pytest

import trueward as tw

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
