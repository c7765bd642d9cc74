"""Time per decision as the horizon grows, drawing left out: does a reward cost more when there are many?"""

from statistics import median
from typing import Any

import tables
import trueward as tw
from measuring import cpu_seconds
from settings import ALPHA, SD
from trueward.policies.policy import Policy

POLICIES: dict[str, Policy] = {
    "UCB": tw.UCB(sigma=SD),
    "tUCB": tw.CrUCB(tw.TrimmedMean(ALPHA), sigma=SD),
    "sUCB": tw.CrUCB(tw.ShorthMean(ALPHA), sigma=SD),
    "median UCB": tw.CrUCB(tw.Median(), sigma=SD),
}
LAWS = {"Gaussian": tables.GAUSSIAN, "0 to 10": tables.BINOMIAL}
TRIALS = {10**3: 64, 10**4: 16, 10**5: 4, 10**6: 1}
LONGEST = {("Gaussian", "sUCB"): 10**5}
QUICK_HORIZONS, QUICK_POLICIES = (10**3, 10**4), ("UCB", "tUCB")


def measure(quick: bool, step: Any) -> dict[str, Any]:
    """Return nanoseconds per decision by law, policy and horizon."""
    horizons, names, repeats = (QUICK_HORIZONS, QUICK_POLICIES, 1) if quick else (TRIALS, POLICIES, 5)
    return {
        distribution: {name: _times(distribution, name, list(horizons), repeats, step) for name in names}
        for distribution in LAWS
    }


def _times(distribution: str, name: str, horizons: list[int], repeats: int, step: Any) -> dict[str, float]:
    arms, works = LAWS[distribution], {}
    policy = POLICIES[name]
    step(f"growth: {name}, {distribution}")
    for horizon in horizons:
        if horizon <= LONGEST.get((distribution, name), horizon):
            truths = tables.drawn(arms, TRIALS[horizon], horizon)
            works[horizon] = tables.playing(policy, truths, arms)
            works[horizon]()
    found: dict[int, list[float]] = {horizon: [] for horizon in works}
    for _ in range(repeats):
        for horizon, work in works.items():
            found[horizon].append(cpu_seconds(work) / (TRIALS[horizon] * horizon) * 1e9)
    return {str(horizon): median(times) for horizon, times in found.items()}
