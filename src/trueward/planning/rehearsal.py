"""A rehearsal: what an attack of each group of the arena would do to the planned study."""

from collections.abc import Mapping

import polars as pl

from trueward.lab.arena.suite import SUITE
from trueward.planning.chances import chances_table
from trueward.planning.games import Played

REHEARSED = (
    "clean: ratings",
    "tenth: W",
    "rates: A 20 %",
    "people: poll",
    "missing: low raters 30 %",
    "bursts: front W",
    "first pulls: W",
    "adaptive: Jun on UCB, as ratings",
    "no limit: Jun on UCB",
)
"""One scenario of each group, as the arena calls it. Groups that differ in their arms alone are left out."""

ATTACKS = {scenario.group: scenario for scenario in SUITE if scenario.name in REHEARSED}
# what comes before the colon names an attack in a sentence
WORDS = {
    "clean": "nobody is careless",
    "tenth": "a tenth of the ratings, at random: the best arm's the lowest, the others' the highest",
    "rates": "a fifth of the ratings, at random: on the wrong side of the mean",
    "people": "an open web poll: a third are careless or of an extreme style, bots come in rows, the unhappy leave",
    "missing": "three in ten never rate: the more likely, the lower they would have",
    "bursts": "all of the first tenth of the participants: the best arm's ratings the lowest, the others' the highest",
    "first pulls": "each arm's first ratings, a tenth of the participants in all: as in a burst",
    "adaptive": "somebody who sees all ratings: lowers a tenth of the best arm's, so that another one looks better",
    "no limit": "somebody who sees all ratings, without a limit: hardly any policy withstands that",
}


def rehearsal_table(played: Mapping[str, Mapping[str, Played]]) -> pl.DataFrame:
    """Return a row per attack and policy, after as many participants as are planned."""
    rows = [
        chances_table(games).with_columns(attack=pl.lit(group), words=pl.lit(WORDS[group]))
        for group, games in played.items()
    ]
    return pl.concat(rows).select("attack", "words", pl.exclude("attack", "words"))
