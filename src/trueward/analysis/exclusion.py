"""Rules of exclusion, written down before a study begins: who is left out whatever they said about which arm.

    FailedCheck()          "check failed"        who failed an attention check, or so many
    FasterThan(2)          "faster than 2 s"     whose answers took less than so many seconds, by their median
    RunAbove(8)            "run above 8"         who gave more than so many equal answers in a row

A rule is about a participant, and leaves out all that the participant gave; a decision of nobody named is a participant
of its own. What is not known excludes nobody. An analysis shows its results with the rules and without them. A rule in
any other words is kept as it is, for people to apply.

>>> rule_of("faster than 2 s")
FasterThan(seconds=2)
>>> rule_of("exclude who says so")
'exclude who says so'
>>> described(FailedCheck(2))
{'rule': 'FailedCheck', 'times': 2}
"""

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from statistics import median
from typing import Annotated, Any, NamedTuple

import polars as pl

from trueward.analysis.decisions import Decisions
from trueward.analysis.participants import WHOSE
from trueward.errors import ParameterError, did_you_mean
from trueward.parameters import Checked, Positive, at_least
from trueward.reporting.labels import count


class Answers(NamedTuple):
    """What a participant gave, in the order of asking; None is not known."""

    ratings: Sequence[float | None]
    seconds: Sequence[float | None]
    checks: Sequence[float | None]  # 1 for one that was passed, 0 for one that was not


@dataclass(frozen=True)
class Rule(Checked):
    """A rule of exclusion."""

    @abstractmethod
    def excludes(self, answers: Answers) -> bool:
        """Return whether a participant is left out."""


@dataclass(frozen=True)
class FailedCheck(Rule):
    """Leaves out who failed an attention check, or at least so many."""

    times: Annotated[int, at_least(1)] = 1

    def excludes(self, answers: Answers) -> bool:
        """Return whether so many checks were failed."""
        return sum(check == 0.0 for check in answers.checks) >= self.times

    def __str__(self) -> str:
        return "check failed" if self.times == 1 else f"check failed {self.times} times"


@dataclass(frozen=True)
class FasterThan(Rule):
    """Leaves out whose answers took less than so many seconds, by their median."""

    seconds: Positive

    def excludes(self, answers: Answers) -> bool:
        """Return whether the median is below."""
        known = [each for each in answers.seconds if each is not None]
        return bool(known) and median(known) < self.seconds

    def __str__(self) -> str:
        return f"faster than {self.seconds:g} s"


@dataclass(frozen=True)
class RunAbove(Rule):
    """Leaves out who gave more than so many equal answers in a row. It looks at the ratings: it may prefer an arm."""

    longest: Annotated[int, at_least(1)]

    def excludes(self, answers: Answers) -> bool:
        """Return whether there is a longer run."""
        given = [each for each in answers.ratings if each is not None]
        return max((len(list(run)) for _, run in groupby(given)), default=0) > self.longest

    def __str__(self) -> str:
        return f"run above {self.longest}"


RULES: dict[str, type[Rule]] = {"FailedCheck": FailedCheck, "FasterThan": FasterThan, "RunAbove": RunAbove}
WORDS = {
    r"(?:attention )?checks? failed(?: (?P<times>\d+) times?)?": FailedCheck,
    r"faster than (?P<seconds>\d+(?:\.\d+)?) ?(?:s|seconds?)": FasterThan,
    r"(?:longest )?run above (?P<longest>\d+)": RunAbove,
}


def rule_of(given: object) -> Rule | str:
    """Return a rule as given, from words or from its description; other words are for people, and stay as they are."""
    if isinstance(given, Rule):
        return given
    if isinstance(given, str) and given.strip():
        return _in_words(given)
    if isinstance(given, Mapping) and "rule" in given:
        return _from_description(dict(given))
    raise ParameterError(
        f"a rule must be such as FasterThan(2), 'faster than 2 s' or {{'rule': 'FasterThan', 'seconds': 2}}, "
        f"or other words, got {given!r}"
    )


def rules_of(given: object) -> tuple[Rule | str, ...]:
    """Return several rules, or the only one that is given."""
    several = isinstance(given, Sequence) and not isinstance(given, str)
    return tuple(map(rule_of, given if several else [given]))  # type: ignore[call-overload] # a sequence


def described(rule: object) -> Any:
    """Return a rule as it is written down; what is none is left to whoever reads it."""
    if isinstance(rule, str) or (isinstance(rule, Mapping) and "rule" in rule):
        rule = rule_of(rule)
    return {"rule": type(rule).__name__, **asdict(rule)} if isinstance(rule, Rule) else rule


def written(kept: object) -> Rule | str:
    """Return what was written down: words are no more than that."""
    return rule_of(kept) if isinstance(kept, Mapping) and "rule" in kept else str(kept)


def _in_words(words: str) -> Rule | str:
    for pattern, kind in WORDS.items():
        if match := re.fullmatch(pattern, " ".join(words.casefold().split())):
            rule: Rule = kind(**{name: _number(text) for name, text in match.groupdict().items() if text})
            return rule
    return words


def _number(text: str) -> int | float:
    return int(text) if text.isdecimal() else float(text)


def _from_description(given: dict[str, Any]) -> Rule:
    name = given.pop("rule")
    if name not in RULES:
        raise ParameterError(f"a rule must be one of {', '.join(RULES)}, got {name!r}{did_you_mean(str(name), RULES)}")
    try:
        return RULES[name](**given)
    except TypeError:
        raise ParameterError(f"a rule {name} has no such parameters, got {given!r}") from None


@dataclass(frozen=True)
class LeftOut:
    """What one rule leaves out; a participant may be left out by several."""

    rule: str
    participants: int
    ratings: int


@dataclass(frozen=True)
class Exclusion:
    """What all rules together leave out; those in other words are for people to apply, by voiding."""

    rules: tuple[LeftOut, ...]
    by_hand: tuple[str, ...]
    participants: int
    ratings: int
    of: int  # participants who were asked

    def __str__(self) -> str:
        each = "; ".join(f"{left.rule}: {left.participants}" for left in self.rules)
        words = f"rules leave out {self.participants:,} of {count(self.of, 'participant')}"
        hand = [f"to be applied by hand: {rule}" for rule in self.by_hand]
        return "; ".join([f"{words} ({each})" if self.rules else "rules: none that is computed", *hand])

    def table(self) -> pl.DataFrame:
        """Return a row per rule."""
        schema = {"rule": pl.String, "participants": pl.Int64, "ratings": pl.Int64}
        return pl.DataFrame([vars(left) for left in self.rules], schema=schema)

    def plot(self) -> Any:
        """Return a chart of how many each rule leaves out."""
        from trueward.analysis.check_charts import draw_rules

        return draw_rules(self.table())


def exclude(decisions: Decisions, rules: Sequence[Rule | str]) -> tuple[Decisions, Exclusion]:
    """Return the decisions with those of excluded participants void, and who that was."""
    computed = [rule for rule in rules if isinstance(rule, Rule)]
    people = _people(decisions)
    hit = {str(rule): {name for name, answers in people.items() if rule.excludes(answers)} for rule in computed}
    gone = set().union(*hit.values())

    def ratings(names: set[str]) -> int:
        return sum(each is not None for name in names for each in people[name].ratings)

    theirs = WHOSE.is_in(list(gone))
    status = pl.when(theirs).then(pl.lit("void")).otherwise("status").alias("status")
    left = tuple(LeftOut(rule, len(names), ratings(names)) for rule, names in hit.items())
    by_hand = tuple(rule for rule in rules if isinstance(rule, str))
    found = Exclusion(left, by_hand, len(gone), ratings(gone), len(people))
    return replace(decisions, table=decisions.table.with_columns(status)) if gone else decisions, found


def _people(decisions: Decisions) -> dict[str, Answers]:
    """Return what every participant gave, of the decisions that count, in the order of asking."""
    columns = ("rating", "seconds", "check")
    rows = decisions.counting.with_columns(WHOSE)
    grouped = rows.group_by("whose", maintain_order=True).agg(*columns)
    return {name: Answers(*answers) for name, *answers in grouped.select("whose", *columns).iter_rows()}
