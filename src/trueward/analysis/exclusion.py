"""Who is left out by rules that were written down before, and the decisions without them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from trueward.analysis.decisions import Decisions
from trueward.analysis.participants import WHOSE
from trueward.live.rules import Answers, Rule
from trueward.pages.labels import count


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
