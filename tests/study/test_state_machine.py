"""All verbs in any order, against a model so simple that it cannot be wrong."""

import itertools
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

import trueward as tw
from trueward.errors import ConflictError, StudyError
from trueward.study import snapshot

numbers = itertools.count()
PEOPLE = st.sampled_from(["ann", "bob", "cem"])
RATINGS = st.integers(1, 5)


class StudyMachine(RuleBasedStateMachine):
    """A study, and beside it what should be known of each decision."""

    decisions = Bundle("decisions")
    url = ""
    policy = tw.BetaThompson((1, 5))

    @initialize()
    def begin(self):
        self.folder = tempfile.TemporaryDirectory()
        self.address = self.url or f"sqlite:///{Path(self.folder.name)}/ratings.db"
        self.name = f"study {next(numbers)}"
        self.study = tw.Study.create(
            self.address, self.name, ["a", "b"], policy=self.policy, uniform_share=0.2, window=3600, test=True
        )
        self.arms, self.retired, self.state = ["a", "b"], set(), "running"
        self.shown, self.made = {}, 0  # by whose occasion it is, as long as that is known; and how many of all
        self.told, self.void, self.shut_out = {}, set(), set()

    @rule(target=decisions, person=PEOPLE, occasion=st.sampled_from(["1", "2"]))
    def ask(self, person, occasion):
        known = self.shown.get((person, occasion))
        if known is None and self.state != "running":
            with pytest.raises(StudyError, match=self.state):
                self.study.ask(participant=person, occasion=occasion)
            return None
        shown = self.study.ask(participant=person, occasion=occasion)
        assert shown.again == (known is not None)
        assert shown.number == (self.made + 1 if known is None else known)
        if known is None:
            self.made += 1
            assert shown.arm in set(self.arms) - self.retired
            self.shown[person, occasion] = shown.number
            self.void |= {shown.number} if person in self.shut_out else set()
        return shown.number

    @rule(number=decisions, reward=RATINGS)
    def tell(self, number, reward):
        if number is None:
            return
        if number in self.void or self.told.get(number, reward) != reward:
            with pytest.raises(ConflictError):
                self.study.tell(number, reward)
            return
        self.study.tell(number, reward)
        self.told[number] = reward

    @rule(target=decisions, reward=RATINGS)
    def take_a_pilot_over(self, reward):
        row = {"arm": next(arm for arm in self.arms if arm not in self.retired), "reward": reward}
        if self.state != "running":
            with pytest.raises(StudyError, match=self.state):
                self.study.import_ratings([row])
            return None
        self.made += 1
        assert self.study.import_ratings([row]) == (self.made,)
        self.told[self.made] = reward
        return self.made

    @rule()
    def give_up_waiting(self):
        late = self.study.expire(now=datetime.now(UTC) + timedelta(hours=2))
        assert not {*late} & (self.told.keys() | self.void)

    @rule(number=decisions, reward=RATINGS)
    def amend(self, number, reward):
        if number in self.told and number not in self.void:
            self.study.amend(number, reward, reason="typo")
            self.told[number] = reward

    def void_or_restore(self, back, numbers, **which):
        """Let decisions not count, or count again; beforehand, a look at what that would change."""
        if back:
            assert set(self.study.restore(**which, reason="fine")) == numbers & self.void
            self.void -= numbers
        else:
            assert set(self.study.preview_void(**which).numbers) == numbers - self.void
            assert set(self.study.void(**which, reason="bot")) == numbers - self.void
            self.void |= numbers

    @rule(number=decisions, back=st.booleans())
    def void_or_restore_one(self, number, back):
        if number is not None:
            self.void_or_restore(back, {number}, number=number)

    @rule(back=st.booleans())
    def void_or_restore_all(self, back):
        ever = datetime(2000, 1, 1, tzinfo=UTC), datetime(3000, 1, 1, tzinfo=UTC)
        self.void_or_restore(back, {*range(1, self.made + 1)}, between=ever)

    def of_person(self, person):
        return {number for (who, _), number in self.shown.items() if who == person}

    @rule(person=PEOPLE, back=st.booleans())
    def void_or_restore_a_person(self, person, back):
        if self.of_person(person):
            self.void_or_restore(back, self.of_person(person), participant=person)
            self.shut_out = self.shut_out - {person} if back else self.shut_out | {person}

    @rule(person=PEOPLE)
    def forget_who_it_was(self, person):
        assert self.study.erase(participant=person) == bool(self.of_person(person))
        self.shown = {whose: number for whose, number in self.shown.items() if whose[0] != person}
        self.shut_out -= {person}

    @rule()
    def add_an_arm(self):
        if len(self.arms) < 4 and self.state != "ended":
            self.arms.append(f"arm {len(self.arms)}")
            self.study.add_arm(self.arms[-1])

    @rule()
    def retire_the_oldest(self):
        left = [arm for arm in self.arms if arm not in self.retired]
        if len(left) > 1 and self.state != "ended":
            self.study.retire_arm(left[0])
            self.retired.add(left[0])

    @rule(verb=st.sampled_from(["pause", "resume", "pause", "resume", "end"]))
    def turn(self, verb):
        to = {"pause": "paused", "resume": "running", "end": "ended"}[verb]
        if self.state == "ended" != to:
            with pytest.raises(StudyError, match="is ended"):
                getattr(self.study, verb)()
        else:
            getattr(self.study, verb)()
            self.state = to

    @rule()
    def another_process_takes_over(self):
        self.study.close()
        self.study = tw.Study.open(self.address, self.name)

    @invariant()
    def counts_are_those_of_the_model(self):
        if hasattr(self, "study"):
            rated = len(self.told.keys() - self.void)
            found = self.study.summary()
            assert (sum(a.shown for a in found), sum(a.rated for a in found)) == (self.made, rated)
            assert sum(a.void for a in found) == len(self.void)

    def teardown(self):
        if hasattr(self, "study"):
            table = self.study.decisions()
            told = dict(table.filter(table["reward"].is_not_null()).select("number", "reward").rows())
            assert told == self.told
            assert self.study.verify().ok
            live, fresh = self.study.estimates(), self.study.replay(self.policy).estimates()
            assert repr(live) == repr(fresh)
            self.study.close()
            self.folder.cleanup()


@pytest.fixture(autouse=True)
def snapshots_at_every_end(monkeypatch):
    monkeypatch.setattr(snapshot, "AT_THE_END", 1)


def where(kind, request):
    """Return where a study is, and on SQLite a policy that counts missing answers."""
    if kind == "sqlite":
        return {"policy": tw.MissingAs(tw.BetaThompson((1, 5)), severity=1.0)}
    return {"url": request.getfixturevalue("postgresql")}


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_any_order_of_verbs_gives_what_a_simple_model_gives(kind, request):
    machine = type("Machine", (StudyMachine,), where(kind, request))
    few = settings(max_examples=4, stateful_step_count=15, deadline=None, derandomize=True, database=None)
    run_state_machine_as_test(machine, settings=settings(few, suppress_health_check=list(HealthCheck)))


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_many_orders_of_verbs_give_what_a_simple_model_gives(kind, request):
    machine = type("Machine", (StudyMachine,), where(kind, request))
    many = settings(max_examples=40, stateful_step_count=40, deadline=None, database=None)
    run_state_machine_as_test(machine, settings=settings(many, suppress_health_check=list(HealthCheck)))
