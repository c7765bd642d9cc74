"""How many decisions of each arm there are, and what became of them."""

from dataclasses import dataclass

from trueward.study.memory import Memory


@dataclass(frozen=True)
class ArmSummary:
    """The decisions of one arm: all that were shown, and each of them in one of the other counts."""

    arm: str
    shown: int
    rated: int
    pending: int
    missing: int  # expired without a reward
    void: int
    retired: bool


def summary_of(memory: Memory) -> list[ArmSummary]:
    """Return the summary of every arm."""
    counts = {str(arm): dict.fromkeys(("rated", "pending", "missing", "void"), 0) for arm in memory.bandit.arms}
    for made in memory.made:
        counts[made.arm][memory.status(made.number)] += 1
    return [ArmSummary(arm, sum(by.values()), **by, retired=arm in memory.retired) for arm, by in counts.items()]
