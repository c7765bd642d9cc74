"""A class that rates three ways to explain something: mostly honest, some careless, and one a bot.

The honest rate what they are shown. The careless say 3 to everything, fast. The bot says 1 forty times in a row,
within a second each, and fails most attention checks. Some do not answer. The same seed gives the same class.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from trueward.live.evidence import Evidence
from trueward.policies.wary.wary import Wary
from trueward.study.study import Study

NAME = "explanations"
TRUE = {"worked example": 0.9, "video": 0.55, "text": 0.4}  # how far up the scale, on average
SCALE = (1, 5)
STUDENTS, RATINGS = 160, 4  # of each
CARELESS, SILENT = 0.08, 0.01
BOT, BOT_RATINGS = 45, 40  # which of the students it comes as


@dataclass(frozen=True)
class Visit:
    """A participant on one occasion, and what they will say to each arm; nothing if they will not answer."""

    participant: str
    occasion: str
    rating: dict[str, int] | None
    evidence: Evidence
    is_bot: bool


def create(url: str, *, seed: int) -> Study:
    """Return the study, with the default policy."""
    return Study.create(
        url,
        NAME,
        arms=list(TRUE),
        policy=Wary(SCALE),
        horizon=(STUDENTS - 1) * RATINGS + BOT_RATINGS,
        uniform_share=0.4,
        window="20s",
        rules=["exclude who answers within a second"],
        seed=seed,
        actor="demonstration",
    )


def visits(seed: int) -> Iterator[Visit]:
    """Give everybody who comes, one after another."""
    rng = np.random.default_rng(seed)
    for student in range(1, STUDENTS + 1):
        is_bot, careless = student == BOT, rng.random() < CARELESS
        for occasion in range(BOT_RATINGS if is_bot else RATINGS):
            yield _visit(rng, student, str(occasion + 1), is_bot=is_bot, careless=careless)


def _visit(rng: np.random.Generator, student: int, occasion: str, *, is_bot: bool, careless: bool) -> Visit:
    steps = SCALE[1] - SCALE[0]
    honest = {arm: SCALE[0] + int(rng.binomial(steps, level)) for arm, level in TRUE.items()}
    seconds, luck, silent = float(rng.lognormal(2.5, 0.4)), rng.random(), rng.random() < SILENT
    if is_bot:
        return Visit("bot", occasion, dict.fromkeys(TRUE, 1), {"seconds": 0.8, "check": bool(luck < 0.4)}, True)
    said = dict.fromkeys(TRUE, 3) if careless else honest
    evidence = {"seconds": round(seconds / 4 if careless else seconds, 1), "check": bool(luck < 0.98)}
    return Visit(f"student {student}", occasion, None if silent else said, evidence, False)


def take(study: Study, visit: Visit) -> None:
    """Let a participant ask, and rate what is shown."""
    shown = study.ask(participant=visit.participant, occasion=visit.occasion)
    if visit.rating is not None:
        study.tell(shown, visit.rating[shown.arm], evidence=visit.evidence)
