"""What contamination can hide: whether any number of participants would decide, and what would if none does.

Two answers. *No method* can tell two arms apart whose laws contamination can make the same (`theory.identifiable`).
The *robust interval* must allow for every law on the scale, and so hides more: with ratings without end, its lower end
comes to rest at

    careless   max over c of (E min(Y, c) - epsilon c) / (1 - epsilon)        Y what is seen, from 0 to 1
    capped     the mean without the largest epsilon, as far as these are above it
    chosen     the mean with the largest epsilon counted as 0

and its upper end at the same of the mirrored ratings. With c = 1 alone, and people whose bad ratings look the same on
all arms, that hides differences of epsilon / (1 - epsilon) of the scale: `theory.bounded_gap_threshold`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from trueward.analysis.betting import CLIPS, Bad, worst_case
from trueward.engine.kernel import Floats
from trueward.planning.deciding import NOBODY, decided_for_one
from trueward.planning.outline import Outline
from trueward.planning.people import seen_of
from trueward.theory.gap_thresholds import bounded_gap_threshold
from trueward.theory.identifiability import ContaminationModel, identifiability_threshold, total_variation

HALVINGS = 40
MOST = 10_000_000  # participants
NEAR = 1.02  # the number of participants is found up to this factor
MODELS: dict[Bad, ContaminationModel] = {"careless": "mixture", "capped": "mixture", "chosen": "replacement"}


@dataclass(frozen=True)
class Hidden:
    """Whether enough participants would decide."""

    decidable: bool  # by the interval, with enough participants
    participants: int | None  # about how many that takes, shown the arms evenly; None if none do, or more than MOST
    tellable: bool  # by any method at all
    share: float  # of bad participants up to which the interval would decide; 0 for none
    difference: float | None  # from which on it would decide, in points; None if no difference was given, or none does
    tellable_share: float  # up to which any method could
    any_law: float  # the difference that this share can hide between some two laws on the scale, in points


def hidden(outline: Outline, arms_at: Callable[[float], Floats] | None) -> Hidden:
    """Return what contamination hides; `arms_at` gives the honest laws of the arms at another difference."""
    seen = seen_of(outline.people, outline.arms)
    honest = outline.arms.probabilities
    best, rival = np.argsort(-outline.arms.means, kind="stable")[:2]
    tv = total_variation(honest[best], honest[rival])
    model, epsilon = MODELS[outline.bad], outline.epsilon
    threshold = identifiability_threshold(tv, model=model)
    return Hidden(
        decidable=_decides(outline, seen, epsilon),
        participants=_enough(outline, seen),
        tellable=epsilon < threshold,
        share=_largest_share(outline, seen),
        difference=None if arms_at is None else _smallest_difference(outline, seen, arms_at),
        tellable_share=threshold,
        any_law=bounded_gap_threshold(epsilon, width=outline.width, model=model),
    )


def resting_end(values: Floats, p: Floats, *, epsilon: float, bad: Bad) -> float:
    """Return where the lower end comes to rest with ratings without end of this law, on a scale from 0 to 1."""
    if bad == "careless":
        clipped = np.minimum(values[:, None], CLIPS)
        return max(0.0, float(((p @ clipped - epsilon * CLIPS) / (1.0 - epsilon)).max()))
    low, high = 0.0, float(p @ values)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        left = worst_case(values, p, middle, epsilon, bad)
        low, high = (middle, high) if left @ values > middle * left.sum() else (low, middle)
    return low


def _decides(outline: Outline, seen: Floats, epsilon: float) -> bool:
    """Return whether the best arm's lower end comes to rest above the upper ends of all others."""
    values = np.linspace(0.0, 1.0, seen.shape[1] - 1)
    lower, upper = [], []
    for given, missing in zip(seen[:, :-1], seen[:, -1], strict=True):
        low, high = given.copy(), given[::-1].copy()
        low[0] += missing
        high[0] += missing
        lower.append(resting_end(values, low, epsilon=epsilon, bad=outline.bad))
        upper.append(1.0 - resting_end(1.0 - values[::-1], high, epsilon=epsilon, bad=outline.bad))
    best = int(np.argmax(outline.arms.means))
    return bool(lower[best] > np.delete(upper, best).max())


def _enough(outline: Outline, seen: Floats) -> int | None:
    """Return from how many participants on, shown the arms evenly, the ratings to expect would decide."""
    how = {"epsilon": outline.epsilon, "bad": outline.bad, "level": outline.level}

    def decides(participants: float) -> bool:
        counts = participants / len(outline.names) * seen
        return decided_for_one(counts, outline.arms.scale, **how) != NOBODY  # type: ignore[arg-type] # so named

    few, many = 1.0, float(MOST)
    if not decides(many):
        return None
    while many / few > NEAR:
        middle = float(np.sqrt(few * many))
        few, many = (few, middle) if decides(middle) else (middle, many)
    return round(many)


def _largest_share(outline: Outline, seen: Floats) -> float:
    """Return up to which share the interval would decide, if that share of the people were bad, in the same ways."""
    clean = np.pad(outline.arms.probabilities, ((0, 0), (0, 1)))
    told = outline.epsilon

    def decides(share: float) -> bool:
        part = 0.0 if told == 0.0 else share / told
        return _decides(outline, clean + part * (seen - clean), share)

    return _edge(decides, 0.0, 0.5) if decides(0.0) else 0.0


def _smallest_difference(outline: Outline, seen: Floats, arms_at: Callable[[float], Floats]) -> float | None:
    """Return from which difference on the interval would decide, with the same bad ratings."""
    assert outline.difference is not None
    epsilon, clean = outline.epsilon, np.pad(outline.arms.probabilities, ((0, 0), (0, 1)))
    bad = seen - (1.0 - epsilon) * clean  # their part of what is seen

    def undecided(difference: float) -> bool:
        return not _decides(outline, (1.0 - epsilon) * np.pad(arms_at(difference), ((0, 0), (0, 1))) + bad, epsilon)

    most = outline.scale[1] - float(np.sort(outline.arms.means)[-2])
    widest = 0.98 * most
    if outline.difference >= widest or undecided(widest):
        return None
    return _edge(undecided, outline.difference, widest) if undecided(outline.difference) else outline.difference


def _edge(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Return up to where something holds, that holds at the lower end."""
    if holds(high):
        return high
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
