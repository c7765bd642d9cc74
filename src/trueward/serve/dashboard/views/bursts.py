"""What the policy believes of bad ratings, and why: groups of ratings that it leaves out, on a line of time."""

import re
import statistics
from collections import Counter
from dataclasses import dataclass

import polars as pl

from trueward.serve.dashboard.views.look import Look

COUNTS, ASIDE, SUSPECT, VOID = "counts", "left out", "probably bad", "void"
"""What became of a rating."""

MOST_GIVERS = 8
ALONE = re.compile(r"^down-weighted: bad with probability")
OF_AN_ARM = re.compile(r": robust estimate .* expected share of bad ratings ")


@dataclass(frozen=True)
class Giver:
    """A rater who gave some of a group's ratings."""

    pseudonym: str
    inside: int
    ratings: int  # in all

    @property
    def share(self) -> float:
        """How much of what the rater gave is in the group."""
        return self.inside / self.ratings


@dataclass(frozen=True)
class Group:
    """Ratings that are left out for one reason."""

    reason: str
    numbers: tuple[int, ...]
    mean: float
    mean_of_others: float | None
    seconds: float | None  # the median of those known
    seconds_of_others: float | None
    givers: tuple[Giver, ...]

    @property
    def first(self) -> int:
        """The first decision of the group."""
        return self.numbers[0]

    @property
    def last(self) -> int:
        """The last one."""
        return self.numbers[-1]


@dataclass(frozen=True)
class Point:
    """A rating on the line of time."""

    number: int
    rating: float
    what: str
    why: str


@dataclass(frozen=True)
class Bursts:
    """Groups of ratings that are left out as one, single suspects, and the sentences of the policy."""

    policy: str
    groups: tuple[Group, ...]
    suspects: tuple[Point, ...]  # one by one, with how likely each is bad
    beliefs: tuple[str, ...]  # what happened, as the policy sees it
    of_arms: tuple[str, ...]
    points: tuple[Point, ...]


def bursts_of(look: Look) -> Bursts:
    """Return what the policy believes."""
    points = tuple(_points(look))
    by_reason: dict[str, list[int]] = {}
    for number, reason in sorted(look.aside.items()):
        if not ALONE.search(reason):
            by_reason.setdefault(reason, []).append(number)
    groups = [_group(look, reason, numbers) for reason, numbers in by_reason.items()]
    remarks = look.explanation.remarks
    return Bursts(
        policy=type(_inner(look)).__name__,
        groups=tuple(sorted(groups, key=lambda group: -len(group.numbers))),
        suspects=tuple(point for point in points if point.what == SUSPECT),
        beliefs=tuple(line for line in remarks if not OF_AN_ARM.search(line)),
        of_arms=tuple(line for line in remarks if OF_AN_ARM.search(line)),
        points=points,
    )


def _inner(look: Look) -> object:
    """Return the policy within the uniform share."""
    return getattr(look.policy, "policy", look.policy)


def _points(look: Look) -> list[Point]:
    rated = look.table.drop_nulls("reward").select("number", "reward", "status").iter_rows()
    return [Point(number, reward, *_what(look, number, status)) for number, reward, status in rated]


def _what(look: Look, number: int, status: str) -> tuple[str, str]:
    if status == "void":
        return VOID, "taken out by a person"
    reason = look.aside.get(number, "")
    return (SUSPECT if ALONE.search(reason) else ASIDE if reason else COUNTS), reason


def _group(look: Look, reason: str, numbers: list[int]) -> Group:
    rated = look.table.filter(status="rated")
    inside = rated["number"].is_in(numbers)
    mine, others = rated.filter(inside), rated.filter(~inside)
    in_all = Counter(rated["participant"].drop_nulls().to_list())
    here = Counter(mine["participant"].drop_nulls().to_list())
    givers = [Giver(who, n, in_all[who]) for who, n in here.items()]
    givers.sort(key=lambda giver: (-giver.inside, -giver.share, giver.pseudonym))
    return Group(
        reason=reason.removeprefix("excluded: ").removeprefix("trimmed: ").removeprefix("down-weighted: "),
        numbers=tuple(numbers),
        mean=_float(mine["reward"].mean()) or 0.0,
        mean_of_others=_float(others["reward"].mean()),
        seconds=_median(look, mine),
        seconds_of_others=_median(look, others),
        givers=tuple(givers[:MOST_GIVERS]),
    )


def _median(look: Look, rated: pl.DataFrame) -> float | None:
    """Return how long it took to give a rating, in the middle."""
    known = [look.seconds[number] for number in rated["number"] if number in look.seconds]
    return statistics.median(known) if known else None


def _float(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
