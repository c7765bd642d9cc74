"""While a correction is learned anew, decisions are made from what was known before, and say so."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext, suppress

import numpy as np
import pytest

import trueward as tw
from trueward.engine.states import arrays_of
from trueward.study import correcting
from trueward.study.correcting import Which
from trueward.study.desk import Desk
from trueward.study.learning import Replay

BETA = tw.BetaThompson((1, 5))
LONG = 10.0  # seconds; nobody waits so long unless something is wrong


@pytest.fixture
def held_up(monkeypatch):
    """Return a context in which nothing is learned anew beside a lane."""
    may_go_on, run = threading.Event(), Replay._run
    may_go_on.set()

    def waiting(self):
        may_go_on.wait(LONG)
        run(self)

    @contextmanager
    def held():
        may_go_on.clear()
        try:
            yield
        finally:
            may_go_on.set()

    monkeypatch.setattr(Replay, "_run", waiting)
    return held


def wait_until(it_is_so):
    deadline = time.monotonic() + LONG
    while not it_is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def state_of(study):
    return study._look(lambda memory: [array.tobytes() for array in arrays_of(memory.bandit._state)])


def fresh_state(study, policy=BETA):
    return [array.tobytes() for array in arrays_of(study.replay(policy)._state)]


def made_with(study):
    """Return the last correction that each decision was made with."""
    return study.decisions()["corrections_seq"].to_list()


def test_an_ask_is_answered_while_a_void_is_learned_and_says_that_it_did_not_know_of_it(url, create, rate, held_up):
    study = create(url, policy=BETA)
    rate(study, 6)
    with ThreadPoolExecutor(1) as other:
        with held_up():
            voiding = other.submit(study.void, number=2, reason="odd")
            wait_until(lambda: "void" in study.decisions()["status"].to_list())
            rate(study, 3, first=7)  # asked and told meanwhile
            assert not voiding.done()
        assert voiding.result(LONG) == (2,)
    assert made_with(study) == [0] * 9
    rate(study, 1, first=10)
    assert made_with(study)[-1] == 14  # create, six asks and tells, and then the void
    assert state_of(study) == fresh_state(study)
    checked = study.verify()
    assert checked.ok, checked
    assert checked.notes == ("3 decisions were made while a correction was still being learned, and computed as such",)


def test_an_arm_that_was_added_is_shown_when_it_is_known(url, create, rate, held_up):
    study = create(url, arms=["video", "text"], policy=BETA, distinct=True)
    rate(study, 4)
    with ThreadPoolExecutor(2) as others:
        with held_up():
            adding = others.submit(study.add_arm, "song")
            wait_until(lambda: "song" in study.arms)
            asking = others.submit(study.ask, among=["song"])
            rate(study, 8, first=5)
            assert not adding.done()
            assert not asking.done()
        assert adding.result(LONG) is None
        assert asking.result(LONG).arm == "song"
    assert set(study.decisions()["arm"][4:12]) <= {"video", "text"}
    study.tell(13, 5)
    assert set(study.probabilities()) == {"video", "text", "song"}
    assert state_of(study) == fresh_state(study)
    assert study.verify().ok


def test_looks_wait_for_what_is_learned_and_asks_of_an_older_process_do_not(url, create, reopen, rate, held_up):
    study, other = create(url, policy=BETA), reopen(url)
    rate(study, 5)
    rate(other, 1, first=6)
    study.add_arm("song")
    for _ in range(3):
        study.tell(study.ask(among=["song"]), 5)
    with ThreadPoolExecutor(1) as thread, held_up():
        looking = thread.submit(other.estimates)
        shown = [other.ask() for _ in range(4)]  # it has seen rewards of an arm that it does not know yet
        other.tell(shown[0], 2)
        assert "song" not in [each.arm for each in shown]
        assert not looking.done()
        held = study.ask()
        assert made_with(study)[held.number - 1] > made_with(study)[held.number - 2]
    assert looking.result(LONG) == pytest.approx(study.estimates(), rel=0, abs=0, nan_ok=True)
    assert state_of(other) == state_of(study) == fresh_state(study)
    assert study.verify().ok


@pytest.mark.parametrize(
    "policy", [BETA, tw.EXP3((1, 5), gamma=0.2), tw.CrUCB(tw.TrimmedMean(0.1), sigma=1.0)], ids=repr
)
@pytest.mark.parametrize("seed", range(3))
def test_any_corrections_at_any_moment_can_be_computed_again(sqlite, create, reopen, held_up, policy, seed):
    studies = [create(sqlite, policy=policy, uniform_share=0.1), reopen(sqlite)]
    rng, told, arms = np.random.default_rng(seed), [], 3
    for _ in range(6):
        study = studies[rng.integers(2)]
        with held_up() if rng.random() < 0.7 else nullcontext():
            for _ in range(rng.integers(1, 8)):
                for _ in range(2):
                    shown = study.ask(participant=f"p{rng.integers(10)}", occasion=str(rng.integers(1000)))
                    if not shown.again and rng.random() < 0.8:
                        _quietly(study.tell, shown, int(rng.integers(1, 6)))
                        told.append(shown.number)
                which, kind = Which(number=int(rng.choice(told or [1]))), rng.integers(5)
                if kind == 0:
                    study._do(lambda desk, which=which: correcting.void(desk, which, "odd", False))
                elif kind == 1:
                    study._do(lambda desk, which=which: correcting.restore(desk, which, "fine"))
                elif kind == 2:
                    value = int(rng.integers(1, 6))
                    _quietly(study._do, lambda desk, n=which.number, v=value: correcting.amend(desk, n, v, "typo"))
                elif kind == 3 and arms < 5:
                    arms += 1
                    study._do(lambda desk, name=f"arm {arms}": correcting.add_arm(desk, name, None))
    checked = studies[0].verify()
    assert checked.ok, checked
    played = tw.UniformShare(policy, share=0.1)
    assert state_of(studies[0]) == state_of(studies[1]) == fresh_state(studies[0], played)


def _quietly(work, *args):
    """Do what may be refused, as where a decision is void."""
    with suppress(tw.TruewardError):
        work(*args)


def test_a_policy_that_cannot_learn_anew_is_said_to_all_who_wait(sqlite, create, rate, monkeypatch):
    study = create(sqlite)
    rate(study, 4)

    def broken(self):
        raise ValueError("no such number")

    monkeypatch.setattr("trueward.live.log.Log.counted", broken)
    study.void(number=2, reason="odd")
    with pytest.raises(tw.TruewardError, match="no such number"):
        study.estimates()
    with pytest.raises(tw.TruewardError, match="no such number"):
        study.ask()
    monkeypatch.undo()
    assert study.ask().number == 5
    assert study.verify().ok


def test_a_decision_that_names_another_correction_than_it_was_made_with_is_found(sqlite, create, rate, monkeypatch):
    study = create(sqlite, policy=BETA)
    rate(study, 20)
    study.void(number=[1, 2, 3, 4, 5], reason="odd")
    append = Desk.append
    early = lambda desk, kind, body: append(desk, kind, body | ({"corrections": 0} if kind == "ask" else {}))  # noqa: E731
    monkeypatch.setattr(Desk, "append", early)
    rate(study, 10, first=21)
    monkeypatch.undo()
    problems = study.verify().problems
    assert len(problems) == 10
    assert "is not the choice that the log leads to" in problems[0]
