"""What Wary says about arms and ratings, in sentences."""

from collections.abc import Iterator, Sequence

import numpy as np

from trueward.engine.kernel import Floats, Ints
from trueward.policies.declared_range import DeclaredRange
from trueward.policies.wary.intervals import Timeline

WORTH_SAYING = 0.05  # probability, or share of an arm's ratings
PROBABLE = 0.5
FEWEST_IN_HEAP = 3  # ratings

Names = Sequence[str | int]


def describe_arms(
    estimates: Floats, means: Floats, intervals: tuple[Floats, Floats], bad: Floats, sizes: Ints, arms: Names
) -> Iterator[str]:
    """Say what is known about each arm that has ratings."""
    for name, estimate, mean, low, high, share, n in zip(arms, estimates, means, *intervals, bad, sizes, strict=True):
        if n > 0:
            interval = "too few for an interval" if np.isnan(low) else f"95 % interval {low:.3g} to {high:.3g}"
            own = f"mean of its {_ratings(n)} {mean:.3g} ({interval})"
            yield f"{name}: robust estimate {estimate:.3g}; {own}; expected share of bad ratings {_percent(share)}"


def describe_heaps(counts: Ints, bad: Floats, heaps: Floats, values: Floats, arms: Names) -> Iterator[str]:
    """Warn of heaps at an end of the scale, which may be an opinion or bad ratings.

    `counts` are the ratings of each arm that are not left out, `bad` the probability that each is bad, and `heaps` the
    probability of an honest heap at it: all (arms, ratings).
    """
    for arm, (name, mine) in enumerate(zip(arms, counts, strict=True)):
        for end, beside in ((0, 1), (-1, -2)):
            share, p_bad, p_heap = mine[end] / max(mine.sum(), 1), float(bad[arm, end]), float(heaps[arm, end])
            apart = mine[end] >= FEWEST_IN_HEAP and mine[end] > 2 * mine[beside]
            if apart and share * min(p_heap + p_bad, 1.0) >= WORTH_SAYING:
                others = np.delete(mine, end) @ np.delete(values, end) / max(mine.sum() - mine[end], 1)
                taken = (
                    f"bad ratings ({_percent(p_bad)})" if p_bad > PROBABLE else f"an opinion ({_percent(1 - p_bad)})"
                )
                yield (
                    f"{name}: {_percent(share)} of its ratings are {values[end]:g}, apart from the others. They are "
                    f"taken for {taken}. The mean is {mine @ values / mine.sum():.3g} with them, {others:.3g} without"
                )


def describe_attack(attack_on: Floats, arms: Names) -> Iterator[str]:
    """Say which arm is attacked, if an attack is probable."""
    if attack_on.sum() > PROBABLE:
        victim = int(attack_on.argmax())
        yield (
            f"Probably there is an attack ({_percent(attack_on.sum())}): bad ratings push {arms[victim]} down "
            f"({_percent(attack_on[victim])}) and lift the other arms"
        )


def describe_interval(timeline: Timeline, first: int, stop: int) -> Iterator[str]:
    """Say which ratings are in the contaminated interval, from piece `first` to before piece `stop`."""
    probability = float(timeline.probability[0])
    if probability >= WORTH_SAYING:
        probable = "probably" if probability > PROBABLE else "possibly"
        yield (
            f"{span(timeline, first, stop).capitalize()}, in the order of arrival, are {probable} contaminated. "
            f"They are left out with probability {_percent(probability)}"
        )


def span(timeline: Timeline, first: int, stop: int) -> str:
    """Return the numbers of the ratings from piece `first` to before piece `stop`."""
    length, learned = int(timeline.length[0]), int(timeline.learned[0])
    return f"ratings {first * length + 1} to {min(stop * length, learned)}"


def describe_clipping(scale: DeclaredRange) -> Iterator[str]:
    """Say how many ratings were clipped."""
    n = int(scale.outside[0])
    if n > 0:
        were = "was" if n == 1 else "were"
        yield f"{_ratings(n)} outside the scale from {scale.low:g} to {scale.high:g} {were} clipped"


def reasons(timeline: Timeline, arm: int, rows: Ints, bad: Floats, first: int, stop: int) -> list[str]:
    """Return why each rating of an arm is down-weighted, in the order of arrival; "" if it is not.

    `rows` are the ratings and `bad` the probabilities that they are bad, (pieces, evidence levels, ratings). The
    evidence of a rating is not known here: its probability is the mean over equal ratings in the same piece of time.
    """
    counts = timeline.counts[arm].reshape(bad.shape)
    total = counts.sum(axis=1)
    of_piece = np.where(total > 0, (counts * bad).sum(axis=1) / np.maximum(total, 1), 0.0)  # (pieces, ratings)
    piece_of = np.repeat(np.arange(len(total)), total.sum(axis=1))
    probability = float(timeline.probability[0])
    contaminated = f"down-weighted: {span(timeline, first, stop)} are contaminated with probability {probability:.2f}"
    found = []
    for piece, row in zip(piece_of.tolist(), rows.tolist(), strict=True):
        p = float(of_piece[piece, row])
        if first <= piece < stop and probability > PROBABLE:
            found.append(contaminated)
        else:
            found.append(f"down-weighted: bad with probability {p:.2f}" if p > PROBABLE else "")
    return found


def _ratings(n: int) -> str:
    return "1 rating" if n == 1 else f"{n} ratings"


def _percent(share: float) -> str:
    return f"{100.0 * share:.0f} %"
