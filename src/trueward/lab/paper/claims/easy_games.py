"""The claims about games that need no robustness: nothing contaminated, few arms, large gaps."""

import numpy as np

from trueward.engine.kernel import Floats
from trueward.lab.paper.claims.claim import Claim
from trueward.lab.paper.claims.comparisons import ADDED, CRUCB, EPSILONS, OF_UNIFORM, OURS, SMALL
from trueward.lab.paper.claims.findings import Finding, below, mean, weakest
from trueward.lab.paper.claims.reading import CLEAN, Reading, clean_with, easy

EASY = "K = 2, gap 3"


def expecting_costs_little(reading: Reading) -> Finding:
    """Regret that alpha > 0 adds without contamination, in units of uniform play, below a tenth."""
    findings = []
    for policy in CRUCB:
        for alpha in EPSILONS:
            added = reading.regret(policy, clean_with(alpha)) - reading.regret(policy, clean_with(0.0))
            findings.append(
                below(mean(added / reading.uniform(clean_with(alpha))), SMALL, f"{policy} with alpha {alpha}")
            )
    return weakest(findings)


def thompson_beats_ucb(reading: Reading) -> Finding:
    """Regret of Gaussian Thompson sampling minus that of UCB, below 0."""
    return below(mean(reading.regret("Thompson", CLEAN) - reading.regret("UCB", CLEAN)), 0, "no contamination")


def easy_impotent(reading: Reading) -> Finding:
    """Regret that contamination adds to plain UCB, in units of uniform play, below a tenth."""
    return below(mean(_easy_added(reading, EASY)), SMALL, f"UCB, {EASY}")


def _easy_added(reading: Reading, arms: str) -> Floats:
    added = reading.regret("UCB", easy(arms, 0.1)) - reading.regret("UCB", easy(arms, 0.0))
    return np.asarray(added / reading.uniform(easy(arms, 0.1)))


def easy_alone(reading: Reading) -> str:
    """Say what few arms, or large gaps, do alone."""
    shares = (f"{_easy_added(reading, arms).mean():.2f} with {arms}" for arms in ("K = 2, gap 1", "K = 5, gap 3"))
    return f"Few arms or large gaps alone: {', '.join(shares)}."


def easy_needs_no_robustness(reading: Reading) -> Finding:
    """Regret of plain UCB minus that of tUCB, in units of uniform play, below a hundredth."""
    at = easy(EASY, 0.1)
    difference = (reading.regret("UCB", at) - reading.regret("tUCB", at)) / reading.uniform(at)
    return below(mean(difference), 0.01, f"UCB against tUCB, {EASY}")


EASY_GAMES = (
    Claim(
        "expecting-contamination-costs-little",
        "6, Figure 2",
        "expecting a little contamination where there is none costs little",
        ADDED.format("tUCB, sUCB and alpha 0.05, 0.1"),
        "interval below 0.1",
        expecting_costs_little,
        unit=OF_UNIFORM,
        note=OURS,
    ),
    Claim(
        "easy-games-impotent",
        "6",
        "few arms and large gaps make bounded contamination impotent",
        "regret that epsilon = 0.1 adds to plain UCB with K = 2 and gap 3, divided by that of uniform play",
        "interval below 0.1",
        easy_impotent,
        unit=OF_UNIFORM,
        note=OURS,
        remark=easy_alone,
    ),
    Claim(
        "easy-games-need-no-robustness",
        "6",
        "few arms and large gaps need no algorithm that accounts for contamination",
        "regret of plain UCB minus that of tUCB with K = 2 and gap 3, divided by that of uniform play",
        "interval below 0.01",
        easy_needs_no_robustness,
        unit=OF_UNIFORM,
        note=OURS,
    ),
    Claim(
        "thompson-beats-ucb",
        "7",
        "Thompson sampling often does better than UCB types",
        "paired difference in regret, Gaussian Thompson sampling minus UCB, without contamination",
        "interval below 0",
        thompson_beats_ucb,
        note="The paper says so of applications; this is one simulated game.",
    ),
)
