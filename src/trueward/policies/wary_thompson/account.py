"""What Wary Thompson sampling believes, in words."""

from collections.abc import Iterator, Sequence

import numpy as np

from trueward.engine.kernel import Bools, Floats
from trueward.policies.declared_range import DeclaredRange
from trueward.policies.wary_thompson.hypotheses import (
    FIRST_RATINGS,
    HYPOTHESES,
    NOTHING,
    Labels,
    Log,
    Standing,
    most_likely,
)

WORTH_TELLING = 0.005  # weight of a hypothesis
WORTH_A_WARNING = 0.05  # share of an arm's ratings that are believed bad and the same
BOUND = 0.1  # share of bad ratings that most studies stay below
MOST_BURSTS = 3  # that are told one by one

Names = Sequence[str | int]


def weights_held(standing: Standing) -> Floats:
    """Return how likely each of the hypotheses that are held is drawn: the most likely one for any that is dormant."""
    held = standing.counts.item(HYPOTHESES)
    drawn = np.where(standing.dormant[:held] == 1, 0.0, standing.weights[:held]) if held > 1 else np.ones(1)
    if held > 1:
        drawn[most_likely(standing)] += 1.0 - drawn.sum()
    return drawn


def of_arms(mean: Floats, interval: tuple[Floats, Floats], bad: list[Floats], arms: Names) -> Iterator[str]:
    """Tell what is believed of each arm that has ratings."""
    for name, middle, low, high, likely in zip(arms, mean, *interval, bad, strict=True):
        if likely.size > 0:
            believed = f"mean {middle:.3g}, with 95 % probability between {low:.3g} and {high:.3g}"
            yield f"{name}: {believed}; {_percent(likely.mean())} of its {_ratings(likely.size)} believed bad"


def of_heaps(log: Log, counts: list[Bools], bad: list[Floats], values: Floats, arms: Names) -> Iterator[str]:
    """Warn of ratings in one place, of those that count, that are believed bad but could be of honest people.

    A heap is apart where those next to it are less than half as many.
    """
    for name, ratings, which, likely in zip(arms, log.ratings, counts, bad, strict=True):
        given = ratings[: which.size][which]
        heap = np.bincount(given, likely[which], values.size)
        place, share = int(heap.argmax()), float(heap.max() / max(1, given.size))
        if share >= WORTH_A_WARNING:
            plain = values[given].mean()
            some = min(BOUND, share)
            bounded = (plain - some * values[place]) / (1.0 - some)
            heap_share, counts_of = _percent((given == place).mean()), np.bincount(given, minlength=values.size)
            beside = counts_of[max(0, place - 1) : place + 2].sum() - counts_of[place]
            words = "apart from the others" if 2 * beside < counts_of[place] else "more than the others make likely"
            yield (
                f"{name}: {heap_share} of its ratings are {values[place]:g}, {words}. "
                f"People who mean it cannot be told from sabotage: if they do, its mean is {plain:.3g}; "
                f"with at most {_percent(some)} bad, {bounded:.3g}"
            )


def of_hypotheses(log: Log, labels: Labels, standing: Standing, arms: Names) -> Iterator[str]:
    """Tell each hypothesis that has some weight, if there are several."""
    weights = weights_held(standing)
    for hypothesis, weight in enumerate(weights):
        if weight >= WORTH_TELLING and len(weights) > 1:
            likely = "Most likely" if hypothesis == most_likely(standing) else "Possible"
            excluded = "" if labels.kind[hypothesis] == NOTHING else "; they are excluded"
            to_come = ", and so are those to come" if labels.open[:, hypothesis].any() else ""
            yield f"{likely} ({_percent(weight)}): {what_happened(log, labels, hypothesis, arms)}{excluded}{to_come}"


def of_changes(found: Floats, arms: Names) -> Iterator[str]:
    """Tell where the ratings of an arm changed."""
    for arm, place, when, z2 in found.tolist():
        yield f"{arms[int(arm)]} changed at its rating {place:.0f}, rating {when:.0f} of all (z² = {z2:.1f})"


def of_clipping(scale: DeclaredRange) -> Iterator[str]:
    """Tell how many ratings were clipped."""
    if scale.outside[0] > 0:
        yield f"{_ratings(scale.outside[0])} lay outside the scale from {scale.low:g} to {scale.high:g}: clipped"


def what_happened(log: Log, labels: Labels, hypothesis: int, arms: Names | None = None) -> str:
    """Return which ratings were bad, if a hypothesis is true."""
    if labels.kind[hypothesis] == NOTHING:
        return "all ratings count"
    if labels.kind[hypothesis] == FIRST_RATINGS:
        return f"the first {_ratings(labels.first[hypothesis])} of each arm were bad"
    hit = [a for a, n in enumerate(log.sizes) if labels.excluded[a, hypothesis, :n].any()]
    labelled = [(log.arrivals[a, i], labels.excluded[a, hypothesis, i] == 1) for a in hit for i in range(log.sizes[a])]
    numbers, were_bursts = _bursts(sorted(labelled))
    alone = f" of {arms[hit[0]]}" if arms is not None and len(hit) == 1 and log.sizes.size > 1 else ""
    return f"{numbers}{alone} {were_bursts}"


def _bursts(ratings: list[tuple[int, bool]]) -> tuple[str, str]:
    """Return the numbers of the ratings that are excluded, of all that could be, and what they were."""
    numbers = np.array([number for number, _ in ratings])
    out = np.array([excluded for _, excluded in ratings])
    edges = np.diff(np.concatenate([[0], out.astype(np.int64), [0]]))
    runs = list(zip(numbers[np.flatnonzero(edges == 1)], numbers[np.flatnonzero(edges == -1) - 1], strict=True))
    if len(runs) > MOST_BURSTS:
        return f"{out.sum()} of ratings {runs[0][0]} to {runs[-1][1]}", "were bursts"
    told = " and ".join(f"{first} to {last}" if first < last else f"{first}" for first, last in runs)
    return f"ratings {told}", "were a burst" if len(runs) == 1 else "were bursts"


def _ratings(n: int) -> str:
    return "1 rating" if n == 1 else f"{n} ratings"


def _percent(share: float) -> str:
    return f"{100.0 * share:.0f} %"
