"""The claims of figure 1: who wins without contamination, and under the Bernoulli adversary."""

from collections.abc import Iterator
from functools import partial
from itertools import product

import polars as pl

from trueward.engine.kernel import Floats
from trueward.lab.paper.claims.claim import (
    ADDED,
    ADVERSARIAL,
    CRUCB,
    OF_UNIFORM,
    OWN_THRESHOLD,
    ROBUST,
    SMALL,
    UCB_TYPES,
    Claim,
    Comparison,
    above,
    below,
    claim,
    regret,
    uniform_regret,
)
from trueward.lab.paper.estimates import mean, proportion, saving
from trueward.lab.paper.readings import BERNOULLI_SETTINGS, CLEAN


def crucb_beats(games: pl.DataFrame, rival: str) -> Iterator[Comparison]:
    """Compare both crUCBs with a rival, at both epsilons."""
    for policy, setting in product(CRUCB, BERNOULLI_SETTINGS):
        difference = regret(games, policy, setting) - regret(games, rival, setting)
        yield Comparison(f"{policy} against {rival} at {setting}", mean(difference))


@claim(
    "constraint-broken",
    "abstract, 1",
    "the simulated adversary breaks the constraint that the theorems put on it",
    "share of crUCB's games in which it is broken at some round: the smallest of tUCB, sUCB and epsilon 0.05, 0.1",
    above(0.5, "interval (Wilson) above one half"),
    policies=CRUCB,
    settings=BERNOULLI_SETTINGS,
    unit="of the games",
)
def constraint_broken(games: pl.DataFrame) -> Iterator[Comparison]:
    for policy, setting in product(CRUCB, BERNOULLI_SETTINGS):
        first_violation = games.filter(policy=policy, setting=setting)["first_violation"].to_numpy()  # 0: never
        yield Comparison(f"{policy} at {setting}", proportion(first_violation > 0))


@claim(
    "adversarial-poor-when-clean",
    "6, Figure 1(a)",
    "without contamination, EXP3, EXP3++ and Tsallis-INF do worse than the UCB types",
    "paired difference in regret: the smallest over the 12 pairs",
    above(0),
    policies=(*ADVERSARIAL, *UCB_TYPES),
    settings=(CLEAN,),
)
def adversarial_poor_when_clean(games: pl.DataFrame) -> Iterator[Comparison]:
    for one, other in product(ADVERSARIAL, UCB_TYPES):
        yield Comparison(f"{one} against {other}", mean(regret(games, one, CLEAN) - regret(games, other, CLEAN)))


@claim(
    "tsallis-best-of-three",
    "6, Figure 1",
    "Tsallis-INF is the best of EXP3, EXP3++ and Tsallis-INF",
    "paired difference in regret to EXP3 and EXP3++: the weakest over epsilon 0, 0.05, 0.1",
    below(0),
    policies=ADVERSARIAL,
    settings=(CLEAN, *BERNOULLI_SETTINGS),
)
def tsallis_best_of_three(games: pl.DataFrame) -> Iterator[Comparison]:
    for setting, rival in product((CLEAN, *BERNOULLI_SETTINGS), ("EXP3", "EXP3++")):
        difference = regret(games, "Tsallis-INF", setting) - regret(games, rival, setting)
        yield Comparison(f"{rival} at {setting}", mean(difference))


@claim(
    "tsallis-degrades",
    "6, Figure 1",
    "Tsallis-INF gets worse as the contaminated share grows",
    "regret added by a step of epsilon, 0 to 0.05 and 0.05 to 0.1: the smaller",
    above(0),
    policies=("Tsallis-INF",),
    settings=(CLEAN, *BERNOULLI_SETTINGS),
)
def tsallis_degrades(games: pl.DataFrame) -> Iterator[Comparison]:
    clean, some, more = (regret(games, "Tsallis-INF", setting) for setting in (CLEAN, *BERNOULLI_SETTINGS))
    yield Comparison("from epsilon 0 to 0.05", mean(some - clean))
    yield Comparison("from epsilon 0.05 to 0.1", mean(more - some))


def added(games: pl.DataFrame, policy: str, setting: str) -> Floats:
    """Return the regret that contamination adds."""
    return regret(games, policy, setting) - regret(games, policy, CLEAN)


def slightly_affected(games: pl.DataFrame, setting: str) -> Iterator[Comparison]:
    """Measure what contamination adds to the robust UCBs."""
    for policy in ROBUST:
        share = added(games, policy, setting) / uniform_regret(games, setting)
        yield Comparison(f"{policy} at {setting}", mean(share))


@claim(
    "robust-degrade-less-than-tsallis",
    "6, Figure 1",
    "contamination adds less regret to the robust UCBs than to Tsallis-INF",
    "difference of the added regrets: the largest of tUCB, sUCB, RUCB-MAB and epsilon 0.05, 0.1",
    below(0),
    policies=(*ROBUST, "Tsallis-INF"),
    settings=(CLEAN, *BERNOULLI_SETTINGS),
)
def degrade_less_than_tsallis(games: pl.DataFrame) -> Iterator[Comparison]:
    for policy, setting in product(ROBUST, BERNOULLI_SETTINGS):
        difference = added(games, policy, setting) - added(games, "Tsallis-INF", setting)
        yield Comparison(f"{policy} at {setting}", mean(difference))


@claim(
    "clear-benefit-over-ucb",
    "6, Figure 1",
    "algorithms that account for contamination have a clear benefit over plain UCB",
    "share of UCB's regret that is saved: the smallest of tUCB, sUCB, RUCB-MAB and epsilon 0.05, 0.1",
    above(0.1, "interval (bootstrap) above 0.1"),
    policies=(*ROBUST, "UCB"),
    settings=BERNOULLI_SETTINGS,
    unit="of UCB's regret",
    note=OWN_THRESHOLD,
)
def clear_benefit_over_ucb(games: pl.DataFrame) -> Iterator[Comparison]:
    for policy, setting in product(ROBUST, BERNOULLI_SETTINGS):
        saved = saving(regret(games, policy, setting), regret(games, "UCB", setting))
        yield Comparison(f"{policy} at {setting}", saved)


@claim(
    "median-similar",
    "6, Figure 1",
    "RUCB-MAB can do about as well as the crUCBs",
    "regret of RUCB-MAB minus that of tUCB and sUCB, divided by that of uniform play: the largest",
    below(SMALL),
    policies=ROBUST,
    settings=BERNOULLI_SETTINGS,
    unit=OF_UNIFORM,
    note=OWN_THRESHOLD,
)
def median_similar(games: pl.DataFrame) -> Iterator[Comparison]:
    for policy, setting in product(CRUCB, BERNOULLI_SETTINGS):
        difference = regret(games, "RUCB-MAB", setting) - regret(games, policy, setting)
        yield Comparison(f"against {policy} at {setting}", mean(difference / uniform_regret(games, setting)))


BERNOULLI_CLAIMS = (
    *(
        Claim(
            f"crucb-beats-{name}",
            "abstract, 1, 7; Figure 1",
            f"under a Bernoulli adversary, both crUCBs have less regret than {rival}",
            f"paired difference in regret, crUCB minus {rival}: the weakest of tUCB, sUCB and epsilon 0.05, 0.1",
            below(0),
            partial(crucb_beats, rival=policy),
            policies=(*CRUCB, policy),
            settings=BERNOULLI_SETTINGS,
        )
        for name, rival, policy in (
            ("ucb1", "UCB1", "UCB"),
            ("exp3", "EXP3", "EXP3"),
            ("exp3pp", "EXP3++", "EXP3++"),
            ("tsallis", "Tsallis-INF", "Tsallis-INF"),
        )
    ),
    constraint_broken,
    adversarial_poor_when_clean,
    tsallis_best_of_three,
    tsallis_degrades,
    *(
        Claim(
            f"robust-slightly-affected-{setting.removeprefix('epsilon ')}",
            "6, Figure 1",
            f"contamination with {setting.replace(' ', ' = ')} affects the robust UCBs only slightly",
            ADDED.format("tUCB, sUCB, RUCB-MAB"),
            below(SMALL),
            partial(slightly_affected, setting=setting),
            policies=ROBUST,
            settings=(CLEAN, setting),
            unit=OF_UNIFORM,
            note=OWN_THRESHOLD,
        )
        for setting in BERNOULLI_SETTINGS
    ),
    degrade_less_than_tsallis,
    clear_benefit_over_ucb,
    median_similar,
)
