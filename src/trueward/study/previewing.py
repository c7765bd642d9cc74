"""What would change if some decisions did not count: estimates, the arm that looks best, and the next allocation."""

import math
from dataclasses import dataclass

import sqlalchemy as sa

from trueward.study.correcting import Which
from trueward.study.desk import Desk
from trueward.study.learning import learned_anew
from trueward.study.ledger import Ledger
from trueward.study.memory import Memory


@dataclass(frozen=True)
class Belief:
    """What is believed of the arms at one moment."""

    estimates: dict[str, float]
    probabilities: dict[str, float]  # of the next decision
    best: str | None  # the arm with the highest estimate; None before the first reward


@dataclass(frozen=True)
class Preview:
    """The decisions that would be void, and what is believed with them and without."""

    numbers: tuple[int, ...]
    ratings: int  # how many of them have a reward
    before: Belief
    after: Belief


def preview_void(connection: sa.Connection, memory: Memory, key: str, which: Which) -> Preview:
    """Return what a void would change, by a memory of one's own: nothing is written."""
    log = memory.bandit.log
    numbers = [n for n in which.numbers(Desk(Ledger(connection, memory.study, key), memory, "")) if n not in log.void]
    before = _belief(memory)
    memory.bandit.void(numbers)
    memory.answer_from(learned_anew(memory.bandit, memory.last_correction))
    return Preview(tuple(numbers), sum(n in log.told for n in numbers), before, _belief(memory))


def _belief(memory: Memory) -> Belief:
    estimates = {str(arm): value for arm, value in memory.bandit.estimates().items()}
    known = {arm: value for arm, value in estimates.items() if not math.isnan(value) and arm not in memory.retired}
    p = {str(arm): value for arm, value in memory.bandit.probabilities(among=memory.arms).items()}
    return Belief(estimates, p, max(known, key=known.__getitem__) if known else None)
