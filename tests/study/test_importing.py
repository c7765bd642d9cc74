"""What was rated before a study began: by a bandit, or in a pilot."""

import json

import pytest

import trueward as tw
from trueward.engine.states import arrays_of


def learned(bandit):
    return [array.tobytes() for array in arrays_of(bandit._state)]


@pytest.mark.parametrize("policy", [tw.UCB(sigma=1.0), tw.EXP3((1, 5), gamma=0.2), tw.BetaThompson((1, 5))], ids=repr)
def test_a_study_goes_on_where_a_bandit_was(sqlite, policy):
    bandit = tw.Bandit(policy, ["a", "b", "c"], seed=3)
    tickets = [bandit.ask(ticket=True) for _ in range(8)]
    for ticket in reversed(tickets[1:]):
        bandit.tell(ticket, 1 + ticket.number % 5, evidence={"seconds": 2})
    bandit.retract(5)
    bandit.void([3])
    bandit.tell(bandit.ask(ticket=True, among=["b"]), 4)
    saved = tw.Bandit.from_dict(json.loads(json.dumps(bandit.to_dict())))
    with tw.Study.from_bandit(sqlite, "goes on", saved, window="48h") as study:
        assert study._do(lambda desk: learned(desk.memory.bandit)) == learned(bandit)
        assert study.decisions()["status"].to_list() == [
            *("pending", "rated", "void", "rated", "pending", "rated", "rated", "rated", "rated")
        ]
        for _ in range(4):
            shown, ticket = study.ask(), bandit.ask(ticket=True)
            assert (shown.number, shown.arm, shown.probability) == (ticket.number, ticket.arm, ticket.probability)
        assert study.verify().ok


def test_a_pilot_is_taken_over(url, create, reopen):
    study = create(url)
    rows = [
        {"arm": "text", "reward": 4, "participant": "p1", "evidence": {"check": True}},
        {"arm": "quiz", "reward": 2},
    ]
    assert study.import_ratings(rows) == (1, 2)
    assert reopen(url).estimates() == pytest.approx({"video": float("nan"), "text": 4.0, "quiz": 2.0}, nan_ok=True)
    assert study.ask(participant="p1").again
    assert study.ask(participant="p2").arm == "video"  # the only one without a rating
    assert study.decisions()["kind"].to_list() == ["forced", "forced", "policy"]
    assert study.decisions()["probability"][0] == pytest.approx(1 / 3)
    assert study.verify().ok


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"arm": "song", "reward": 3}, "there is no arm 'song'"),
        ({"arm": "text"}, "row 1 must have arm and reward, and may have evidence, occasion, participant"),
        ({"arm": "text", "reward": 3, "colour": "red"}, "row 1 must have"),
        ({"arm": "text", "reward": float("inf")}, "finite"),
        ({"arm": "text", "reward": 3, "participant": "p1"}, "row 1: 'p1' has a decision for occasion '1' already"),
    ],
)
def test_a_pilot_with_a_bad_row_is_refused_as_a_whole(url, create, row, words):
    study = create(url)
    with pytest.raises(tw.TruewardError, match=words):
        study.import_ratings([{"arm": "text", "reward": 4, "participant": "p1"}, row])
    assert study.decisions().height == 0
    assert study.ask(participant="p1").number == 1
    assert study.verify().ok


def test_a_bandit_that_cannot_be_taken_over_leaves_no_study(sqlite, create):
    create(sqlite)
    with pytest.raises(tw.ParameterError, match="arms must be different names"):
        tw.Study.from_bandit(sqlite, "mixed", tw.Bandit(tw.UCB(sigma=1.0), ["1", 1]))
    with pytest.raises(tw.ParameterError, match="arm must be a name"):
        tw.Study.from_bandit(sqlite, "unnamed", tw.Bandit(tw.UCB(sigma=1.0), [""]))
    assert [study.name for study in tw.Study.list(sqlite)] == ["explanations"]
