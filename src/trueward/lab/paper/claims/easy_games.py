"""The claims about games that need no robustness: nothing contaminated, few arms, large gaps."""

from collections.abc import Iterator
from itertools import product

import numpy as np

from trueward.engine.kernel import Floats
from trueward.lab.paper.claims.claim import claim
from trueward.lab.paper.claims.comparisons import ADDED, CRUCB, EPSILONS, OF_UNIFORM, OURS, SMALL
from trueward.lab.paper.claims.findings import Compared, below, mean
from trueward.lab.paper.claims.reading import CLEAN, Reading, clean_with, easy

EASY = "K = 2, gap 3"


@claim(
    "expecting-contamination-costs-little",
    "6, Figure 2",
    "expecting a little contamination where there is none costs little",
    ADDED.format("tUCB, sUCB and alpha 0.05, 0.1"),
    below(SMALL),
    unit=OF_UNIFORM,
    note=OURS,
)
def _expecting_costs_little(reading: Reading) -> Iterator[Compared]:
    for policy, alpha in product(CRUCB, EPSILONS):
        added = reading.regret(policy, clean_with(alpha)) - reading.regret(policy, clean_with(0.0))
        yield mean(added / reading.uniform(clean_with(alpha))), f"{policy} with alpha {alpha}"


@claim(
    "thompson-beats-ucb",
    "7",
    "Thompson sampling often does better than UCB types",
    "paired difference in regret, Gaussian Thompson sampling minus UCB, without contamination",
    below(0),
    note="The paper says so of applications; this is one simulated game.",
)
def _thompson_beats_ucb(reading: Reading) -> Iterator[Compared]:
    yield mean(reading.regret("Thompson", CLEAN) - reading.regret("UCB", CLEAN)), "no contamination"


def _easy_added(reading: Reading, arms: str) -> Floats:
    added = reading.regret("UCB", easy(arms, 0.1)) - reading.regret("UCB", easy(arms, 0.0))
    return np.asarray(added / reading.uniform(easy(arms, 0.1)))


def easy_alone(reading: Reading) -> str:
    """Say what few arms, or large gaps, do alone."""
    shares = (f"{_easy_added(reading, arms).mean():.2f} with {arms}" for arms in ("K = 2, gap 1", "K = 5, gap 3"))
    return f"Few arms or large gaps alone: {', '.join(shares)}."


@claim(
    "easy-games-impotent",
    "6",
    "few arms and large gaps make bounded contamination impotent",
    "regret that epsilon = 0.1 adds to plain UCB with K = 2 and gap 3, divided by that of uniform play",
    below(SMALL),
    unit=OF_UNIFORM,
    note=OURS,
    remark=easy_alone,
)
def _easy_impotent(reading: Reading) -> Iterator[Compared]:
    yield mean(_easy_added(reading, EASY)), f"UCB, {EASY}"


@claim(
    "easy-games-need-no-robustness",
    "6",
    "few arms and large gaps need no algorithm that accounts for contamination",
    "regret of plain UCB minus that of tUCB with K = 2 and gap 3, divided by that of uniform play",
    below(0.01),
    unit=OF_UNIFORM,
    note=OURS,
)
def _easy_needs_no_robustness(reading: Reading) -> Iterator[Compared]:
    at = easy(EASY, 0.1)
    difference = (reading.regret("UCB", at) - reading.regret("tUCB", at)) / reading.uniform(at)
    yield mean(difference), f"UCB against tUCB, {EASY}"


EASY_GAMES = (_expecting_costs_little, _easy_impotent, _easy_needs_no_robustness, _thompson_beats_ucb)
