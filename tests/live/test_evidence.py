"""Evidence that comes with a rating in a live study: learned, logged, resumed, retracted, or refused."""

import json
import warnings

import numpy as np
import pytest

import trueward as tw
from evidence_weighted import EvidenceWeighted
from trueward.errors import LogError, ParameterError

HASTY = {"check": False, "seconds": 1.7}


def study(policy=None, count=30):
    """Return a bandit that was told ratings, every third with evidence."""
    bandit = tw.Bandit(policy or EvidenceWeighted(), ["video", "text"])
    for person in range(count):
        evidence = {"check": person % 2 == 0, "seconds": person / 10} if person % 3 == 0 else None
        bandit.tell(bandit.ask(ticket=True), person % 7, evidence=evidence)
    return bandit


def resume(bandit):
    saved = json.loads(json.dumps(bandit.to_dict(), allow_nan=False))
    return tw.Bandit.from_dict(saved, policy=bandit.policy)


def test_a_rating_with_evidence_against_it_counts_less():
    plain, doubted, trusted = (tw.Bandit(EvidenceWeighted(), ["video"]) for _ in range(3))
    for bandit, evidence in ((plain, None), (doubted, HASTY), (trusted, {"check": True, "seconds": 6})):
        for reward, given in ((9, None), (1, evidence)):
            bandit.tell(bandit.ask(), reward, evidence=given)
    assert trusted.estimates()["video"] < plain.estimates()["video"] < doubted.estimates()["video"]


def test_evidence_is_logged_with_its_rating():
    bandit = tw.Bandit(EvidenceWeighted(), ["video"])
    bandit.tell(bandit.ask(), 7, evidence={"check": np.False_, "seconds": np.float32(1.5), "mouse": 3})
    bandit.tell(bandit.ask(), 8, evidence={})
    tells = [event for event in bandit.to_dict()["events"] if "tell" in event]
    assert tells == [
        {"tell": 1, "reward": 7.0, "evidence": {"check": False, "seconds": 1.5, "mouse": 3.0}},
        {"tell": 2, "reward": 8.0},
    ]


@pytest.mark.parametrize("count", [30, 200])
def test_a_study_with_evidence_is_resumed_bit_for_bit(count, small_memory, snapshot):
    assert count < small_memory or count > 4 * small_memory  # one that fits, and one that does not
    bandit = study(count=count)
    resumed = resume(bandit)
    assert snapshot(resumed) == snapshot(bandit) != snapshot(study(EvidenceWeighted(()), count))
    assert resumed.to_dict() == bandit.to_dict()
    assert resumed.explain() == bandit.explain()


def test_a_retracted_rating_takes_its_evidence_with_it(snapshot):
    bandit, other = study(), study(count=29)
    other.ask()
    ticket = 30
    bandit.retract(ticket)
    assert snapshot(bandit) == snapshot(other)
    bandit.tell(bandit.arms[bandit._log.asks[29].arm], 5, ticket=ticket)  # told again, now without
    assert snapshot(resume(bandit)) == snapshot(bandit)


def test_many_ratings_come_with_evidence_or_without(snapshot):
    one_by_one, together = (tw.Bandit(EvidenceWeighted(), ["video"]) for _ in range(2))
    told = [("video", 9), ("video", 1, HASTY), ("video", 5, None)]
    for bandit in (one_by_one, together):
        for _ in told:
            bandit.ask()
    together.tell_many(told)
    one_by_one.tell("video", 9)
    one_by_one.tell("video", 1, evidence=HASTY)
    one_by_one.tell("video", 5)
    assert snapshot(together) == snapshot(one_by_one)
    assert together.to_dict() == one_by_one.to_dict()


@pytest.mark.parametrize(
    ("evidence", "message"),
    [
        (
            ["check"],
            r"the evidence of arm 'video' in round 2 must be a mapping such as {'check': False}, got \['check'\]",
        ),
        (False, "must be a mapping such as {'check': False}, got False"),
        ({"seconds": float("nan")}, "the evidence 'seconds' of arm 'video' in round 2 must be at least 0, got nan"),
        ({"seconds": float("inf")}, "must be at least 0, got inf"),
        ({"seconds": -1}, "must be at least 0, got -1"),
        ({"seconds": "1.7"}, "the evidence 'seconds' of arm 'video' in round 2 must be a number, got '1.7'"),
        ({"check": None}, "must be a number, got None"),
        ({1: True}, "the evidence of arm 'video' in round 2 must have names for keys, got 1"),
    ],
)
def test_bad_evidence_is_refused_and_changes_nothing(evidence, message, snapshot):
    bandit = tw.Bandit(EvidenceWeighted(), ["video"])
    bandit.ask(), bandit.ask()
    before, learned = bandit.to_dict(), snapshot(bandit)
    with pytest.raises(ParameterError, match=message):
        bandit.tell_many([("video", 3, HASTY), ("video", 4, evidence)])
    assert bandit.to_dict() == before
    assert snapshot(bandit) == learned


def test_a_log_with_bad_evidence_is_refused():
    saved = study(count=3).to_dict()
    saved["events"][1]["evidence"] = {"seconds": -2}
    with pytest.raises(LogError, match="the evidence 'seconds' of ticket 1 must be at least 0, got -2"):
        tw.Bandit.from_dict(saved, policy=EvidenceWeighted())


def test_a_log_without_evidence_is_resumed_as_before(snapshot):
    bandit = study(tw.UCB(sigma=1.3), count=10)
    saved = bandit.to_dict()
    for event in saved["events"]:
        event.pop("evidence", None)
    assert snapshot(tw.Bandit.from_dict(saved)) == snapshot(bandit)


def test_a_policy_that_does_not_use_evidence_says_so_and_learns_the_same(snapshot):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bandit = study(tw.UCB(sigma=1.3), count=12)
    assert bandit.explain().remarks == ("4 ratings came with evidence (check, seconds), which UCB does not use",)
    other = tw.Bandit(tw.UCB(sigma=1.3), ["video", "text"])
    for person in range(12):
        other.tell(other.ask(), person % 7)
    assert snapshot(bandit) == snapshot(other)
    assert other.explain().remarks == ()


def test_a_name_without_a_signal_is_kept_and_said_not_to_be_used(snapshot):
    bandit, other = (tw.Bandit(EvidenceWeighted(), ["video"]) for _ in range(2))
    bandit.tell(bandit.ask(), 7, evidence=HASTY | {"mouse": 3})
    other.tell(other.ask(), 7, evidence=HASTY)
    assert snapshot(bandit) == snapshot(other)
    assert bandit.explain().remarks == ("1 rating came with evidence (mouse), which EvidenceWeighted does not use",)
    assert other.explain().remarks == ()
