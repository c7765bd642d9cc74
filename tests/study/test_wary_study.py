"""The default policy in a study to which everything happens."""

import numpy as np
import pytest

import trueward as tw
from soak_size import size
from trueward.engine.states import arrays_of

POLICY = tw.Wary((1, 5))
LIKED = {"video": 0.75, "text": 0.5, "quiz": 0.4, "song": 0.8}


def conduct(url, people, restart_each):
    """Play a study with late, missing and double ratings, a bot, voids, amendments, a new arm and restarts."""
    rng = np.random.default_rng(5)
    settings = {"policy": POLICY, "horizon": people, "uniform_share": 0.1, "window": "48h", "seed": 7}
    study = tw.Study.create(url, "explanations", ["video", "text", "quiz"], **settings)
    late = []
    for person in range(people):
        if person and person % restart_each == 0:
            study.close()
            study = tw.Study.open(url, "explanations")
        is_bot = people // 3 <= person < people // 3 + people // 20
        shown = study.ask(participant="bot" if is_bot else f"p{person}", occasion=str(person))
        stars = 1 if is_bot else 1 + int(rng.binomial(4, LIKED[shown.arm]))
        evidence = {"check": not is_bot or rng.random() < 0.5, "seconds": 1.0 if is_bot else 8.0}
        fate = rng.random()
        if fate < 0.2 and not is_bot:  # a void decision would take no rating
            late.append((shown.number, stars))
        elif fate < 0.9:  # else it never comes
            study.tell(shown, stars, evidence=evidence)
            if fate > 0.8:
                study.tell(shown, stars)  # the browser sent it twice
        while late and rng.random() < 0.15:
            study.tell(*late.pop(int(rng.integers(len(late)))))
        happen(study, person, people, late)
    return study


def happen(study, person, people, late):
    """Do what researchers do, each at its time."""
    if person == people // 2:
        study.void(participant="bot", reason="fails the checks")
        study.add_arm("song")
    if person == people * 5 // 8:
        rated = study.decisions().filter(status="rated")["number"].to_list()
        study.void(number=rated[::17], reason="a wrong link")
        study.restore(number=rated[:34:17], reason="the link was right")
        study.amend(rated[1], 3, reason="typo")
    if person == people * 3 // 4:
        study.retire_arm("quiz", reason="too long")
        study.pause()
        for number, stars in late[:3]:
            study.tell(number, stars)
        del late[:3]
        study.resume()


def looked_at(study, people):
    """Check that all of it can be computed again, by anybody, and return what is believed."""
    checked = study.verify()
    assert checked.ok, checked
    assert checked.decisions == people
    statuses = set(study.decisions()["status"])
    assert statuses == {"rated", "pending", "void"}
    fresh = study.replay(tw.UniformShare(POLICY, share=0.1))
    with tw.Study.open(study._database.url, "explanations") as other:
        for each in (study, other):
            learned = each._look(lambda memory: [array.tobytes() for array in arrays_of(memory.bandit._state)])
            assert learned == [array.tobytes() for array in arrays_of(fresh._state)]
        assert repr(other.explain()) == repr(study.explain())
    estimates = study.estimates()
    study.close()
    return estimates


def test_an_eventful_study_of_the_default_policy_is_computed_again(sqlite):
    looked_at(conduct(sqlite, 30, restart_each=10), 30)


@pytest.mark.soak
def test_six_hundred_people_and_six_restarts_are_computed_again(url):
    people = size(600, 200)
    estimates = looked_at(conduct(url, people, restart_each=people // 6), people)
    assert max(estimates, key=estimates.get) in ("video", "song")  # 4.0 and 4.2 stars; the others 3.0 and 2.6
