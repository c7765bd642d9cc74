"""The claims about games that need no robustness: nothing contaminated, few arms, large gaps."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import polars as pl

from trueward.engine.kernel import Floats
from trueward.lab.paper.claims.claim import (
    ADDED,
    CRUCB,
    OF_UNIFORM,
    OWN_THRESHOLD,
    SMALL,
    Comparison,
    below,
    claim,
    regret,
    uniform_regret,
)
from trueward.lab.paper.estimates import mean
from trueward.lab.paper.readings import CLEAN, clean_setting_name, few_arms_setting_name

EASY = "K = 2, gap 3"
EASY_CLEAN, EASY_CONTAMINATED = few_arms_setting_name(EASY, 0.0), few_arms_setting_name(EASY, 0.1)


@claim(
    "expecting-contamination-costs-little",
    "6, Figure 2",
    "expecting a little contamination where there is none costs little",
    ADDED.format("tUCB, sUCB and alpha 0.05, 0.1"),
    below(SMALL),
    policies=CRUCB,
    settings=tuple(map(clean_setting_name, (0.0, 0.05, 0.1))),
    unit=OF_UNIFORM,
    note=OWN_THRESHOLD,
)
def expecting_contamination_costs_little(games: pl.DataFrame) -> Iterator[Comparison]:
    for policy, alpha in product(CRUCB, (0.05, 0.1)):
        added = regret(games, policy, clean_setting_name(alpha)) - regret(games, policy, clean_setting_name(0.0))
        share = added / uniform_regret(games, clean_setting_name(alpha))
        yield Comparison(f"{policy} with alpha {alpha}", mean(share))


@claim(
    "thompson-beats-ucb",
    "7",
    "Thompson sampling often does better than UCB types",
    "paired difference in regret, Gaussian Thompson sampling minus UCB, without contamination",
    below(0),
    policies=("Thompson", "UCB"),
    settings=(CLEAN,),
    note="The paper says so of applications; this is one simulated game.",
)
def thompson_beats_ucb(games: pl.DataFrame) -> Iterator[Comparison]:
    yield Comparison("no contamination", mean(regret(games, "Thompson", CLEAN) - regret(games, "UCB", CLEAN)))


def added_to_ucb(games: pl.DataFrame, arms: str) -> Floats:
    """Return the regret that contamination adds to plain UCB, divided by that of uniform play."""
    clean, contaminated = few_arms_setting_name(arms, 0.0), few_arms_setting_name(arms, 0.1)
    added = regret(games, "UCB", contaminated) - regret(games, "UCB", clean)
    return np.asarray(added / uniform_regret(games, contaminated))


def few_arms_or_large_gaps_alone(games: pl.DataFrame) -> str:
    """Name what contamination adds where only one of the two makes the game easy."""
    shares = (f"{added_to_ucb(games, arms).mean():.2f} with {arms}" for arms in ("K = 2, gap 1", "K = 5, gap 3"))
    return f"Few arms or large gaps alone: {', '.join(shares)}."


@claim(
    "easy-games-impotent",
    "6",
    "few arms and large gaps make bounded contamination impotent",
    "regret that epsilon = 0.1 adds to plain UCB with K = 2 and gap 3, divided by that of uniform play",
    below(SMALL),
    policies=("UCB",),
    settings=(EASY_CLEAN, EASY_CONTAMINATED),
    unit=OF_UNIFORM,
    note=OWN_THRESHOLD,
    remark=few_arms_or_large_gaps_alone,
)
def easy_games_impotent(games: pl.DataFrame) -> Iterator[Comparison]:
    yield Comparison(f"UCB, {EASY}", mean(added_to_ucb(games, EASY)))


@claim(
    "easy-games-need-no-robustness",
    "6",
    "few arms and large gaps need no algorithm that accounts for contamination",
    "regret of plain UCB minus that of tUCB with K = 2 and gap 3, divided by that of uniform play",
    below(0.01),
    policies=("UCB", "tUCB"),
    settings=(EASY_CONTAMINATED,),
    unit=OF_UNIFORM,
    note=OWN_THRESHOLD,
)
def easy_games_need_no_robustness(games: pl.DataFrame) -> Iterator[Comparison]:
    difference = regret(games, "UCB", EASY_CONTAMINATED) - regret(games, "tUCB", EASY_CONTAMINATED)
    yield Comparison(f"UCB against tUCB, {EASY}", mean(difference / uniform_regret(games, EASY_CONTAMINATED)))


EASY_CLAIMS = (
    expecting_contamination_costs_little,
    easy_games_impotent,
    easy_games_need_no_robustness,
    thompson_beats_ucb,
)
