"""Time per decision as the horizon grows, without drawing the rewards."""

from statistics import median
from typing import Any

import compiled_loops
import trueward as tw
from timing import cpu_seconds
from trueward.policies.policy import Policy
from workload import ALPHA, SD, WARY

POLICIES: dict[str, Policy] = {
    "UCB": tw.UCB(sigma=SD),
    "tUCB": tw.CrUCB(tw.TrimmedMean(ALPHA), sigma=SD),
    "sUCB": tw.CrUCB(tw.ShorthMean(ALPHA), sigma=SD),
    "median UCB": tw.CrUCB(tw.Median(), sigma=SD),
    WARY: tw.Wary((0, 10)),
}
DISTRIBUTIONS = {"Gaussian": compiled_loops.GAUSSIAN, "0 to 10": compiled_loops.BINOMIAL}
TRIALS = {10**3: 64, 10**4: 16, 10**5: 4, 10**6: 1}
LONGEST = {("Gaussian", "sUCB"): 10**5}
NOT_PLAYED = {("Gaussian", WARY)}  # it needs a rating scale
FEW_DECISIONS = {WARY: 64_000}  # of a policy that takes microseconds, not nanoseconds; measured once
QUICK_HORIZONS, QUICK_POLICIES = (10**3, 10**4), ("UCB", "tUCB")


def measure(quick: bool, step: Any) -> dict[str, Any]:
    """Return nanoseconds per decision by distribution, policy and horizon."""
    horizons, names, repeats = (QUICK_HORIZONS, QUICK_POLICIES, 1) if quick else (TRIALS, POLICIES, 5)
    return {
        distribution: {
            name: _times(distribution, name, list(horizons), 1 if name in FEW_DECISIONS else repeats, step)
            for name in names
            if (distribution, name) not in NOT_PLAYED
        }
        for distribution in DISTRIBUTIONS
    }


def _times(distribution: str, name: str, horizons: list[int], repeats: int, step: Any) -> dict[str, float]:
    arms, works = DISTRIBUTIONS[distribution], {}
    policy = POLICIES[name]
    few = FEW_DECISIONS.get(name)
    trials = TRIALS if few is None else {horizon: max(1, few // horizon) for horizon in horizons}
    step(f"growth: {name}, {distribution}")
    for horizon in horizons:
        if horizon <= LONGEST.get((distribution, name), horizon):
            truths = compiled_loops.draw_tables(arms, trials[horizon], horizon)
            works[horizon] = compiled_loops.playing_work(policy, truths, arms)
            if horizon == horizons[0] or name not in FEW_DECISIONS:
                works[horizon]()
    seconds: dict[int, list[float]] = {horizon: [] for horizon in works}
    for _ in range(repeats):
        for horizon, work in works.items():
            seconds[horizon].append(cpu_seconds(work) / (trials[horizon] * horizon) * 1e9)
    return {str(horizon): median(times) for horizon, times in seconds.items()}
