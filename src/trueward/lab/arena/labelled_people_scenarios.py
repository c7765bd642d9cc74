"""Scenarios with people of whom it is known whether they paid attention: the attentive alone, and with the careless.

The arms are groups of five questionnaire items or video clips (`adversaries.labelled_people`); the best arm is the one
that attentive people rate highest. Careless people come in the share of their own study.
"""

from collections.abc import Iterator

from trueward.adversaries.labelled_people import LABELLED_SOURCES, labelled_people
from trueward.adversaries.none import NoAdversary
from trueward.lab.arena.field import Size
from trueward.lab.arena.scenario import Scenario

GROUP = "labelled people"
GROUPS_PER_SOURCE = 3
HORIZON = 500
QUICK = "symptoms_0_3 1"


def labelled_people_scenarios() -> Iterator[Scenario]:
    """Yield groups of arms of every source, with attentive people and with the source's share of careless ones."""
    for source in LABELLED_SOURCES:
        people = labelled_people(source)
        for i, items in enumerate(people.groups(GROUPS_PER_SOURCE), 1):
            name, arms, careless = f"{source} {i}", people.arms(items), people.careless_people(items)
            size: Size = "quick" if name == QUICK else "full"
            yield Scenario(GROUP, f"attentive, {name}", arms, NoAdversary(), HORIZON, None, size)
            yield Scenario(GROUP, f"careless, {name}", arms, careless, HORIZON, people.share, size)
