"""What the service answers: the fields, and an example of each."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from trueward.serve.models.examples import example


class Decision(BaseModel):
    """What to show."""

    model_config = example(number=1, arm="text", payload=None, probability=0.5, again=False, verified=True, token=None)

    number: int
    arm: str
    payload: Any = Field(description="what the arm shows, as it was given when the arm was added")
    probability: float
    again: bool = Field(description="whether the decision had been made before")
    verified: bool = Field(description="whether a server vouches for the participant")
    token: str | None = Field(description="with which a browser may rate this decision; for browser keys")


class Told(BaseModel):
    """The reward that a decision has now."""

    model_config = example(number=1, value=4.0)

    number: int
    value: float


class Numbers(BaseModel):
    """The decisions that changed."""

    model_config = example(numbers=[2, 3, 4])

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


class Erased(BaseModel):
    """Whether there was such a participant."""

    erased: bool


class SetAside(BaseModel):
    """A rating that does not count, and why."""

    ticket: int = Field(description="the number of its decision")
    reward: float
    reason: str


class ArmExplained(BaseModel):
    """What the policy believes of one arm, beside the plain mean of its ratings."""

    arm: str
    ratings: int
    estimate: float | None
    mean: float | None
    trimmed: list[SetAside]


class Explained(BaseModel):
    """What the policy believes of every arm, and what it says of itself."""

    arms: list[ArmExplained]
    remarks: list[str]


class Arms(BaseModel):
    """The arms that there are, retired ones too, with what they show."""

    arms: dict[str, Any]


class StudyState(BaseModel):
    """A study, and whether it runs."""

    model_config = example(
        name="explanations", state="running", decisions=17, test=False, created_at="2026-05-04T…", head="3f1c…"
    )

    name: str
    state: str
    decisions: int
    test: bool
    created_at: str
    head: str = Field(description="the hash of the last event of its log")


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
    remarks: list[str] = Field(description="what the policy says of itself")


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
