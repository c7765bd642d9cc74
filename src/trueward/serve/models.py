"""What is sent to the service, and what it answers: the fields, their limits, and an example of each."""

from typing import Annotated, Any, Literal, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, model_validator

Participant = Annotated[str, Field(min_length=1, max_length=200, description="an id of your own; kept as a hash")]
Arm = Annotated[str, Field(min_length=1, max_length=200)]
Number = Annotated[int, Field(ge=1, le=2**31 - 1, strict=True)]
Value = Annotated[float, Field(allow_inf_nan=False, strict=True, description="the reward")]
Words = Annotated[str, Field(max_length=10_000)]
Reason = Annotated[str, Field(min_length=1, max_length=10_000, description="why, for the log")]
Evidence = Annotated[dict[str, Any], Field(description="what came with it: seconds, attention checks, …")]


def _example(**example: Any) -> ConfigDict:
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [example]})


class Ask(BaseModel):
    """Who is to be shown something."""

    model_config = _example(participant="p17")

    participant: Participant | None = None
    occasion: Annotated[str, Field(min_length=1, max_length=200)] = "1"
    among: Annotated[list[Arm], Field(min_length=1, max_length=1000)] | None = None
    signature: Annotated[str, Field(max_length=200, description="of the participant, by your server")] | None = None
    token: Annotated[str, Field(max_length=1000, description="that came with the decision before")] | None = None


class Decision(BaseModel):
    """What to show."""

    model_config = _example(number=1, arm="text", payload=None, probability=0.5, again=False, verified=True, token=None)

    number: int
    arm: str
    payload: Any = Field(description="what the arm shows, as it was given when the arm was added")
    probability: float
    again: bool = Field(description="whether the decision had been made before")
    verified: bool = Field(description="whether a server vouches for the participant")
    token: str | None = Field(description="with which a browser may rate this decision; for browser keys")


class Reward(BaseModel):
    """A rating, and what came with it."""

    model_config = _example(value=4, evidence={"seconds": 12, "check": True})

    value: Value
    evidence: Evidence | None = None
    token: Annotated[str, Field(max_length=1000, description="of the decision; for browser keys")] | None = None


class Amendment(BaseModel):
    """Another value for a reward."""

    model_config = _example(value=5, reason="typo, says the participant")

    value: Value
    reason: Reason


class Told(BaseModel):
    """The reward that a decision has now."""

    model_config = _example(number=1, value=4.0)

    number: int
    value: float


class Which(BaseModel):
    """Some decisions: exactly one of number, participant, pseudonym and between."""

    model_config = _example(participant="p17")

    number: Number | Annotated[list[Number], Field(min_length=1, max_length=100_000)] | None = None
    participant: Participant | None = None
    pseudonym: Annotated[str, Field(min_length=1, max_length=32)] | None = None
    between: tuple[AwareDatetime, AwareDatetime] | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        given = [part for part in (self.number, self.participant, self.pseudonym, self.between) if part is not None]
        if len(given) != 1:
            raise ValueError("exactly one of number, participant, pseudonym and between must be given")
        return self

    def which(self) -> dict[str, Any]:
        """Return it as the methods of a study take it."""
        names = ("number", "participant", "pseudonym", "between")
        return {name: getattr(self, name) for name in names}


class Void(Which):
    """Decisions that are not to count."""

    model_config = _example(participant="p17", reason="answers within a second")

    reason: Reason
    later_count: bool = Field(False, description="whether what the participant does later counts")


class Restore(Which):
    """Decisions that are to count again."""

    model_config = _example(participant="p17", reason="not a bot after all")

    reason: Reason


class Numbers(BaseModel):
    """The decisions that changed."""

    model_config = _example(numbers=[2, 3, 4])

    numbers: list[int]


class Belief(BaseModel):
    """What is believed of the arms."""

    estimates: dict[str, float | None]
    probabilities: dict[str, float]
    best: str | None


class Preview(BaseModel):
    """What a void would change."""

    numbers: list[int]
    ratings: int
    before: Belief
    after: Belief


class NewArm(BaseModel):
    """An arm to add, and what it shows."""

    model_config = _example(name="song", payload={"file": "song.mp3"})

    name: Arm
    payload: Any = None


class Retirement(BaseModel):
    """An arm to show no more."""

    model_config = _example(name="quiz", reason="too long")

    name: Arm
    reason: Words = ""


class Transition(BaseModel):
    """What the study is to be."""

    model_config = _example(to="paused", reason="holidays")

    to: Literal["paused", "running", "ended"]
    reason: Words = ""


class Erasure(BaseModel):
    """A participant whose id is to be forgotten."""

    model_config = _example(participant="p17", reason="asked to be forgotten")

    participant: Participant
    reason: Words = ""


class Erased(BaseModel):
    """Whether there was such a participant."""

    erased: bool


class Row(BaseModel):
    """A rating of a pilot."""

    model_config = ConfigDict(extra="forbid")

    arm: Arm
    reward: Value
    participant: Participant | None = None
    occasion: Annotated[str, Field(min_length=1, max_length=200)] = "1"
    evidence: Evidence | None = None


class Ratings(BaseModel):
    """Ratings of a pilot: all are taken, or none."""

    model_config = _example(rows=[{"arm": "video", "reward": 4, "participant": "pilot 1"}])

    rows: Annotated[list[Row], Field(min_length=1, max_length=100_000)]


class NewStudy(BaseModel):
    """A study to begin."""

    model_config = _example(
        name="explanations", arms=["video", "text"], policy={"name": "wary-thompson", "range": [1, 5]}, horizon=600
    )

    name: Annotated[str, Field(min_length=1, max_length=100)]
    arms: Annotated[list[Arm], Field(min_length=1, max_length=1000)] | dict[str, Any]
    policy: str | dict[str, Any] = Field(description="a name in the table of policies, or one with its parameters")
    horizon: Annotated[int, Field(ge=1, le=10**9)] | None = None
    uniform_share: Annotated[float, Field(ge=0, le=1)] = 0.0
    window: str | None = Field(
        None, max_length=20, description="after which a decision without a reward is missing: 48h"
    )
    rules: Annotated[list[Any], Field(max_length=1000)] = []
    distinct: bool = False
    stop_at_horizon: bool = False
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = 0
    test: bool = False


class Arms(BaseModel):
    """The arms that there are, retired ones too, with what they show."""

    arms: dict[str, Any]


class StudyState(BaseModel):
    """A study, and whether it runs."""

    model_config = _example(name="explanations", state="running", decisions=17, test=False, created_at="2026-05-04T…")

    name: str
    state: str
    decisions: int
    test: bool
    created_at: str


class StudyList(BaseModel):
    """The studies that a key may see."""

    studies: list[StudyState]


class LoggedEvent(BaseModel):
    """An event of the log."""

    seq: int
    kind: str
    at: str
    actor: str
    body: dict[str, Any]
    previous_hash: str
    hash: str


class Events(BaseModel):
    """A part of the log; `next` is what to ask for `after`, or null at the end."""

    events: list[LoggedEvent]
    next: int | None


class Decisions(BaseModel):
    """A part of the table of decisions; `next` is what to ask for `after`, or null at the end."""

    decisions: list[dict[str, Any]]
    next: int | None


class ArmResult(BaseModel):
    """One arm: its counts, what the policy believes, and a robust interval of its true mean."""

    arm: str
    shown: int
    rated: int
    pending: int
    missing: int
    void: int
    retired: bool
    estimate: float | None
    probability: float | None
    mean: float | None
    low: float | None
    high: float | None


class Results(BaseModel):
    """What may be concluded when so many of each arm's participants are bad."""

    study: str
    state: str
    epsilon: float
    verdict: str | None
    break_even: float | None = Field(description="the share of bad participants up to which the leader is ahead")
    arms: list[ArmResult]
    notes: list[str]
    account: list[str] = Field(description="what the policy says of itself")


class Verified(BaseModel):
    """Whether the log is whole, and every choice comes out again."""

    ok: bool
    events: int
    decisions: int
    head: str
    problems: list[str]
    notes: list[str]


class FieldError(BaseModel):
    """What was wrong with one field."""

    field: str
    message: str


class Problem(BaseModel):
    """Why a request was refused: RFC 9457."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "type": "about:blank",
                    "title": "Conflict",
                    "status": 409,
                    "detail": "decision 1 has the reward 4, got 5; use amend",
                }
            ]
        }
    )

    type: str
    title: str
    status: int
    detail: str
    errors: list[FieldError] | None = None
