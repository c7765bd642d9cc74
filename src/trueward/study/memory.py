"""What a process knows of a study: a function of its events, one after another, and of nothing else."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from numpy.typing import NDArray

from trueward.errors import LogError, StudyError, TicketError
from trueward.live.bandit import Bandit
from trueward.parameters import is_integer
from trueward.policies.policy import Policy
from trueward.policies.wrappers.uniform_share import UniformShare
from trueward.study.chain import Event
from trueward.study.learning import GRACE, Known, NotYet, Pupil, Replay, learned_anew, nothing_known
from trueward.study.settings import Settings

RUNNING, PAUSED, ENDED = "running", "paused", "ended"
POLICY, UNIFORM, FORCED = "policy", "uniform", "forced"  # who chose: forced is made elsewhere
TURNS = {"pause": PAUSED, "resume": RUNNING, "end": ENDED}


class Made(NamedTuple):
    """A decision that was made, and for whom."""

    number: int
    arm: str
    probability: float
    participant: str | None  # a pseudonym
    occasion: str
    asked_at: str


class Memory:
    """The bandit of a study, and what else its events say."""

    def __init__(self, first: Event, policy: Policy | None) -> None:
        if first.kind != "create" or first.seq != 1:
            raise LogError(f"the log of study {first.study!r} must begin with its creation, got {first.kind!r}")
        self.settings = Settings(**first.body["settings"])
        self.policy = self.settings.playing(policy)
        arms, seed, horizon = list(self.settings.arms), self.settings.seed, self.settings.horizon
        self.bandit = Bandit(self.policy, arms, seed=seed, horizon=horizon, keep_events=False)
        self.study = first.study
        self.made: list[Made] = []
        self.by_occasion: dict[tuple[str, str], Made] = {}
        self.seen: dict[str, list[str]] = {}  # by pseudonym, the arms shown, in order; where it matters
        self.retired: set[str] = set()
        self.shut_out: set[str] = set()  # pseudonyms of those whose later decisions are void as well
        self.state = RUNNING
        self.snapshot = 0  # the event of the last snapshot that is known: see there
        self.last_correction = 0  # the last event that changed what had been learned before
        self._pupils: list[Pupil] = []
        self._lessons: list[int] = []  # decisions whose rewards the pupils have not been taught yet
        self._replay: Replay | None = None
        self.answer_from(nothing_known(self.bandit, 0))
        self.code, self.platform = first.body["code"], first.body["platform"]
        self.last_seq, self.head = first.seq, first.hash

    def apply(self, event: Event) -> None:
        """Take the next event in."""
        if event.seq != self.last_seq + 1 or event.previous_hash != self.head:
            raise LogError(f"event {event.seq} of study {self.study!r} does not follow the one before it; see verify")
        body = event.body
        match event.kind:
            case "ask":
                self.bandit.apply(body, event.seq)
                self._remember(body, event.at)
            case "tell" | "close":
                self.bandit.apply(body, event.seq)
                self._note_lessons(event)
            case "amend" | "void" | "restore" | "add":
                self.teach()  # as it was told
                self.bandit.apply(body, event.seq)
                self._note_correction(event)
            case "retire":
                self.retired.add(body["retire"])
            case "erase":  # nothing that is learned, nor any decision, depends on whose pseudonym it was
                pass
            case "upgrade":
                self.code, self.platform = body["code"], body["platform"]
            case kind if kind in TURNS:
                self.state = TURNS[kind]
            case kind:
                raise LogError(f"event {event.seq} of study {self.study!r} is of an unknown kind, {kind!r}")
        self._shut_out(body)
        self.last_seq, self.head = event.seq, event.hash

    def apply_all(self, events: Iterable[Event]) -> None:
        """Take many events in, in order."""
        for event in events:
            self.apply(event)

    @property
    def pupils(self) -> list[Pupil]:
        """Who learns what is told; nobody while a log is read."""
        return self._pupils

    @pupils.setter
    def pupils(self, pupils: list[Pupil]) -> None:
        self.teach()
        self._pupils = pupils

    def _note_lessons(self, event: Event) -> None:
        """Note a reward, or that it is missing, to be learned before the next decision: many are learned at once."""
        if self._pupils:
            self._lessons += self.bandit.log.lessons(event.body)
            if (
                self.settings.policy is None or self.policy.learns_from_missing
            ):  # a policy of the user's own may refuse a
                self.teach()  # reward: who told it hears of it; and what was missing may come yet, as a correction
        self._note_correction(event)

    def _note_correction(self, event: Event) -> None:
        if self.bandit.log.is_corrected_by(event.body):
            self.last_correction = event.seq

    def teach(self) -> None:
        """Let all that was told be learned."""
        if self._lessons:
            ratings, self._lessons = self.bandit.log.rated(self._lessons), []
            for pupil in self._pupils:
                pupil.learn(ratings)

    def answer_from(self, known: Known) -> None:
        """Make decisions from what is known there."""
        self.teach()
        self.known = known
        self.bandit.answer_from(known.learner)

    def learn(self) -> None:
        """Learn all that there is now, and what is told from now on."""
        self.teach()
        if self.settled:  # what counts has only grown
            self.known.learn(self.bandit.log.counted(after=self.known.learner.learned))
        else:
            self.answer_from(learned_anew(self.bandit, self.last_correction))
        self._replay, self.pupils = None, [self.known]

    def take_known(self, kept: Sequence[NDArray[Any]]) -> None:
        """Know what another process had learned, with all corrections; nothing was learned before."""
        known = nothing_known(self.bandit, self.last_correction)
        known.learner.take(kept)
        self.answer_from(known)

    def keep_learning(self, done: Callable[[], None]) -> None:
        """Take over what was learned anew; begin to, beside the lane, where there was a correction: see `learning`."""
        patience = 0.0
        self.teach()
        while self._replay is not None or not self.settled:
            if self._replay is None:
                self._replay, patience = Replay(self.bandit, self.last_correction, done), GRACE
                self.pupils = [*self.pupils, self._replay]
            if not self._replay.finished.wait(patience):
                return
            self.answer_from(self._replay.known())
            self._replay, self.pupils = None, [self.known]

    @property
    def settled(self) -> bool:
        """Whether all corrections have been learned."""
        return self.known.corrections == self.last_correction

    def wait_until_settled(self) -> None:
        """Let a request be served again when all corrections have been learned, if they have not been yet."""
        self.teach()
        if not self.settled:
            raise NotYet

    def _remember(self, body: dict[str, Any], at: str) -> None:
        probability = body["p"][self.bandit.arms.index(body["arm"])]
        self.remember_all([Made(body["ask"], body["arm"], probability, body["participant"], body["occasion"], at)])

    def remember_all(self, decisions: Sequence[Made]) -> None:
        """Know of decisions, behind those that are known."""
        self.made += decisions
        for made in decisions:
            if made.participant:
                self.by_occasion[made.participant, made.occasion] = made
        if self.settings.distinct or self.settings.one_arm:
            for made in decisions:
                self.seen.setdefault(made.participant or "", []).append(made.arm)

    def _shut_out(self, body: dict[str, Any]) -> None:
        if "shut_out" in body:
            self.shut_out.add(body["shut_out"])
        if "let_in" in body:
            self.shut_out.discard(body["let_in"])

    @property
    def arms(self) -> list[str]:
        """The arms that may be shown, once they are known."""
        names = [*map(str, self.bandit.arms)]
        return [name for name in names if name not in self.retired] if self.retired else names

    def is_known(self, arm: str) -> bool:
        """Return whether decisions can show an arm already."""
        return arm in self.bandit.arms[: self.known.n_arms]

    def decision(self, number: int) -> Made:
        """Return a decision that was made."""
        if not is_integer(number) or not 1 <= number <= len(self.made):
            raise TicketError(f"study {self.study!r} has no decision {number!r}; {len(self.made)} have been made")
        return self.made[int(number) - 1]

    def status(self, number: int) -> str:
        """Return what became of a decision: rated, pending, missing (expired without a reward) or void."""
        log = self.bandit.log
        if number in log.void:
            return "void"
        if number in log.told:
            return "rated"
        return "missing" if number in log.closed else "pending"

    def refuse_unless(self, *states: str) -> None:
        """Refuse what is not done in the present state."""
        if self.state not in states:
            raise StudyError(f"study {self.study!r} is {self.state}: this needs it to be {' or '.join(states)}")

    def kind_of_next(self) -> str:
        """Return whether the next decision is one of the uniform share, or the policy's own."""
        if not isinstance(self.policy, UniformShare):
            return POLICY
        return UNIFORM if self.policy.draws_uniformly(self.bandit.stream_of_next_ask()) else POLICY
