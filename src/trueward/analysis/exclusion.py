"""Rules that exclude participants from an analysis."""

import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from statistics import median
from typing import Annotated, Any, NamedTuple

import polars as pl

from trueward.analysis.decisions import PARTICIPANT_KEY, Decisions
from trueward.errors import ParameterError, did_you_mean
from trueward.parameters import Checked, Positive, at_least
from trueward.reporting.labels import count


class Answers(NamedTuple):
    """The answers of a participant in chronological order; an unknown value is None."""

    ratings: Sequence[float | None]
    seconds: Sequence[float | None]
    checks: Sequence[float | None]  # 1 passed, 0 failed


@dataclass(frozen=True)
class Rule(Checked):
    """An exclusion rule, to be fixed before a study begins.

        FailedCheck()          "check failed"        participants who failed at least one attention check
        FasterThan(2)          "faster than 2 s"     participants whose median answer took less than 2 seconds
        RunAbove(8)            "run above 8"         participants with more than 8 equal ratings in a row

    A rule is about a participant and excludes all of the participant's decisions. A decision without a named
    participant counts as a participant of its own. Unknown values exclude nobody. An analysis shows its results with
    the rules and without them. Text that matches no rule is kept as a note for manual exclusion.

    Examples
    --------
    >>> parse_rule("faster than 2 s")
    FasterThan(seconds=2)
    >>> parse_rule("exclude anyone who asks to withdraw")
    'exclude anyone who asks to withdraw'
    """

    @abstractmethod
    def excludes(self, answers: Answers) -> bool:
        """Return whether a participant with these answers is excluded."""


@dataclass(frozen=True)
class FailedCheck(Rule):
    """Exclude participants who failed attention checks.

    Parameters
    ----------
    times : int, optional
        Minimum number of failed checks for exclusion.

    Examples
    --------
    >>> print(FailedCheck(2))
    check failed 2 times

    References
    ----------
    Meade & Craig (2012), Identifying careless responses in survey data.
    """

    times: Annotated[int, at_least(1)] = 1

    def excludes(self, answers: Answers) -> bool:
        return sum(check == 0.0 for check in answers.checks) >= self.times

    def __str__(self) -> str:
        return "check failed" if self.times == 1 else f"check failed {self.times} times"


@dataclass(frozen=True)
class FasterThan(Rule):
    """Exclude participants whose median answer took less than a number of seconds.

    Parameters
    ----------
    seconds : float
        Minimum median time per answer.

    Examples
    --------
    >>> print(FasterThan(2))
    faster than 2 s

    References
    ----------
    Curran (2016), Methods for the detection of carelessly invalid responses in survey data.
    """

    seconds: Positive

    def excludes(self, answers: Answers) -> bool:
        known = [each for each in answers.seconds if each is not None]
        return bool(known) and median(known) < self.seconds

    def __str__(self) -> str:
        return f"faster than {self.seconds:g} s"


@dataclass(frozen=True)
class RunAbove(Rule):
    """Exclude participants with too many equal ratings in a row. It uses the ratings, so it may favour an arm.

    Parameters
    ----------
    longest : int
        Longest run allowed.

    Examples
    --------
    >>> print(RunAbove(8))
    run above 8

    References
    ----------
    Curran (2016), Methods for the detection of carelessly invalid responses in survey data.
    """

    longest: Annotated[int, at_least(1)]

    def excludes(self, answers: Answers) -> bool:
        known = [each for each in answers.ratings if each is not None]
        return max((len(list(run)) for _, run in groupby(known)), default=0) > self.longest

    def __str__(self) -> str:
        return f"run above {self.longest}"


RULES: dict[str, type[Rule]] = {"FailedCheck": FailedCheck, "FasterThan": FasterThan, "RunAbove": RunAbove}
PATTERNS = {
    r"(?:attention )?checks? failed(?: (?P<times>\d+) times?)?": FailedCheck,
    r"faster than (?P<seconds>\d+(?:\.\d+)?) ?(?:s|seconds?)": FasterThan,
    r"(?:longest )?run above (?P<longest>\d+)": RunAbove,
}


def parse_rule(value: object) -> Rule | str:
    """Parse a rule from a `Rule`, text or dictionary; unrecognised text is returned unchanged."""
    if isinstance(value, Rule):
        return value
    if isinstance(value, str) and value.strip():
        return _rule_from_text(value)
    if isinstance(value, Mapping) and "rule" in value:
        return _rule_from_mapping(dict(value))
    raise ParameterError(
        f"a rule must look like FasterThan(2), 'faster than 2 s' or {{'rule': 'FasterThan', 'seconds': 2}}, "
        f"or be free text, got {value!r}"
    )


def parse_rules(values: object) -> tuple[Rule | str, ...]:
    """Parse one rule or several, and return a tuple."""
    several = isinstance(values, Sequence) and not isinstance(values, str)
    return tuple(map(parse_rule, values if several else [values]))  # type: ignore[call-overload] # a sequence


def rule_to_plain(rule: object) -> Any:
    """Return a rule as a dictionary for JSON; other values are returned unchanged.

    >>> rule_to_plain(FailedCheck(2))
    {'rule': 'FailedCheck', 'times': 2}
    """
    if isinstance(rule, str) or (isinstance(rule, Mapping) and "rule" in rule):
        rule = parse_rule(rule)
    return {"rule": type(rule).__name__, **asdict(rule)} if isinstance(rule, Rule) else rule


def rule_from_plain(saved: object) -> Rule | str:
    """Return the rule that `rule_to_plain` has saved; saved text stays text, even if it reads like a rule."""
    return parse_rule(saved) if isinstance(saved, Mapping) and "rule" in saved else str(saved)


def _rule_from_text(text: str) -> Rule | str:
    for pattern, kind in PATTERNS.items():
        if match := re.fullmatch(pattern, " ".join(text.casefold().split())):
            rule: Rule = kind(**{name: _number(digits) for name, digits in match.groupdict().items() if digits})
            return rule
    return text


def _number(text: str) -> int | float:
    return int(text) if text.isdecimal() else float(text)


def _rule_from_mapping(mapping: dict[str, Any]) -> Rule:
    name = mapping.pop("rule")
    if name not in RULES:
        raise ParameterError(f"a rule must be one of {', '.join(RULES)}, got {name!r}{did_you_mean(str(name), RULES)}")
    try:
        return RULES[name](**mapping)
    except TypeError:
        names = ", ".join(RULES[name].__dataclass_fields__)
        raise ParameterError(f"a rule {name} has the parameters {names}, got {mapping!r}") from None


@dataclass(frozen=True)
class RuleCount:
    """Numbers of participants and ratings that one rule excludes; several rules may exclude the same participant."""

    rule: str
    participants: int
    ratings: int


@dataclass(frozen=True)
class Exclusion:
    """Participants excluded by any rule.

    Parameters
    ----------
    rules : tuple of RuleCount
        Counts for each rule.
    manual : tuple of str
        Free-text rules, to be applied manually.
    participants, ratings : int
        Excluded participants, and the number of their ratings.
    n_participants : int
        Number of all participants.
    """

    rules: tuple[RuleCount, ...]
    manual: tuple[str, ...]
    participants: int
    ratings: int
    n_participants: int

    def __str__(self) -> str:
        each = "; ".join(f"{rule.rule}: {rule.participants}" for rule in self.rules)
        total = f"rules exclude {self.participants:,} of {count(self.n_participants, 'participant')}"
        manual = [f"to be applied manually: {rule}" for rule in self.manual]
        return "; ".join([f"{total} ({each})" if self.rules else "rules: none can be applied automatically", *manual])

    def table(self) -> pl.DataFrame:
        """Return a row per rule."""
        schema = {"rule": pl.String, "participants": pl.Int64, "ratings": pl.Int64}
        return pl.DataFrame([vars(rule) for rule in self.rules], schema=schema)

    def plot(self) -> Any:
        """Return a chart of how many participants each rule excludes."""
        from trueward.analysis.analysis_charts import draw_rules

        return draw_rules(self.table())


def exclude(decisions: Decisions, rules: Sequence[Rule | str]) -> tuple[Decisions, Exclusion]:
    """Return the decisions without the participants that the rules exclude, and a summary of the exclusion."""
    automatic = [rule for rule in rules if isinstance(rule, Rule)]
    answers = _answers_by_participant(decisions)
    excluded_by = {str(rule): {key for key, each in answers.items() if rule.excludes(each)} for rule in automatic}
    excluded = set().union(*excluded_by.values())

    def n_ratings(keys: set[str]) -> int:
        return sum(each is not None for key in keys for each in answers[key].ratings)

    counts = tuple(RuleCount(rule, len(keys), n_ratings(keys)) for rule, keys in excluded_by.items())
    manual = tuple(rule for rule in rules if isinstance(rule, str))
    exclusion = Exclusion(counts, manual, len(excluded), n_ratings(excluded), len(answers))
    return decisions.exclude_where(PARTICIPANT_KEY.is_in(list(excluded))) if excluded else decisions, exclusion


def _answers_by_participant(decisions: Decisions) -> dict[str, Answers]:
    columns = ("rating", "seconds", "check")
    rows = decisions.included.with_columns(PARTICIPANT_KEY)
    grouped = rows.group_by("key", maintain_order=True).agg(*columns)
    return {key: Answers(*answers) for key, *answers in grouped.select("key", *columns).iter_rows()}
