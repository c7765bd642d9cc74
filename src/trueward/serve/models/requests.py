"""What is sent to the service: the fields, their limits, and an example of each."""

from typing import Annotated, Any, Literal, Self

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, model_validator

from trueward.serve.models.examples import example

Participant = Annotated[str, Field(min_length=1, max_length=200, description="an id of your own; kept as a hash")]
Arm = Annotated[str, Field(min_length=1, max_length=200)]
Number = Annotated[int, Field(ge=1, le=2**31 - 1, strict=True)]
Value = Annotated[float, Field(allow_inf_nan=False, strict=True, description="the reward")]
Words = Annotated[str, Field(max_length=10_000)]
Reason = Annotated[str, Field(min_length=1, max_length=10_000, description="why, for the log")]
Evidence = Annotated[dict[str, Any], Field(description="what came with it: seconds, attention checks, …")]


class Ask(BaseModel):
    """Who is to be shown something."""

    model_config = example(participant="p17")

    participant: Participant | None = None
    occasion: Annotated[str, Field(min_length=1, max_length=200)] = "1"
    among: Annotated[list[Arm], Field(min_length=1, max_length=1000)] | None = None
    signature: Annotated[str, Field(max_length=200, description="of the participant, by your server")] | None = None
    token: Annotated[str, Field(max_length=1000, description="that came with the decision before")] | None = None


class Reward(BaseModel):
    """A rating, and what came with it."""

    model_config = example(value=4, evidence={"seconds": 12, "check": True})

    value: Value
    evidence: Evidence | None = None
    token: Annotated[str, Field(max_length=1000, description="of the decision; for browser keys")] | None = None


class Amendment(BaseModel):
    """Another value for a reward."""

    model_config = example(value=5, reason="typo, says the participant")

    value: Value
    reason: Reason


class Which(BaseModel):
    """Some decisions: exactly one of number, participant, pseudonym and between."""

    model_config = example(participant="p17")

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

    model_config = example(participant="p17", reason="answers within a second")

    reason: Reason
    later_count: bool = Field(False, description="whether what the participant does later counts")


class Restore(Which):
    """Decisions that are to count again."""

    model_config = example(participant="p17", reason="not a bot after all")

    reason: Reason


class NewArm(BaseModel):
    """An arm to add, and what it shows."""

    model_config = example(name="song", payload={"file": "song.mp3"})

    name: Arm
    payload: Any = None


class Retirement(BaseModel):
    """An arm to show no more."""

    model_config = example(name="quiz", reason="too long")

    name: Arm
    reason: Words = ""


class Transition(BaseModel):
    """What the study is to be."""

    model_config = example(to="paused", reason="holidays")

    to: Literal["paused", "running", "ended"]
    reason: Words = ""


class Expiration(BaseModel):
    """A time; the present one if it is left out."""

    model_config = example(now="2026-05-06T12:00:00Z")

    now: AwareDatetime | None = Field(None, description="decisions that had waited too long by then are missing")


class Erasure(BaseModel):
    """A participant whose id is to be forgotten."""

    model_config = example(participant="p17", reason="asked to be forgotten")

    participant: Participant
    reason: Words = ""


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

    model_config = example(rows=[{"arm": "video", "reward": 4, "participant": "pilot 1"}])

    rows: Annotated[list[Row], Field(min_length=1, max_length=100_000)]


class NewStudy(BaseModel):
    """A study to begin."""

    model_config = example(
        name="explanations", arms=["video", "text"], policy={"name": "wary", "range": [1, 5]}, horizon=600
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
    one_arm: bool = False
    stop_at_horizon: bool = False
    seed: Annotated[int, Field(ge=0, le=2**63 - 1)] = 0
    test: bool = False
