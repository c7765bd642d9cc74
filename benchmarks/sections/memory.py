"""Peak memory of long games: each policy in its own process, with one worker."""

import pickle
from typing import Any

import environments
from arena_policies import PolicyAndArms, arena_policies

SCRIPT = environments.HERE / "workers" / "peak_memory.py"
TRIALS = (2, 4)
MANY = 100  # trials, for one fast policy per kind of memory: none, counts, sorted rewards
PLAY_MANY = ("UCB", "tUCB, ratings", "tUCB, continuous")
QUICK = ("tUCB, continuous",)


def measure(quick: bool, step: Any) -> dict[str, Any]:
    """Return the peaks in MiB: every policy with 2 and 4 trials, some with 100; the quick form has one policy."""
    horizon, results = 10**3 if quick else 10**6, {}
    for name, policy_and_arms in arena_policies(horizon).items():
        if name in QUICK or not quick:
            step(f"memory: {name}")
            trials = (*TRIALS, MANY) if name in PLAY_MANY and not quick else TRIALS
            if not quick:
                peak(policy_and_arms, 1, 1)  # compilation takes memory, too
            results[name] = [peak(policy_and_arms, horizon, n) for n in trials]
    return {"horizon": horizon, "trials": [*TRIALS, MANY], "peaks": results}


def peak(policy_and_arms: PolicyAndArms, horizon: int, trials: int) -> float:
    """Return the peak memory of a new process that plays these trials."""
    return float(
        environments.run(environments.python_of(None), SCRIPT, pickle.dumps(policy_and_arms).hex(), horizon, trials)
    )
