"""Peak memory of long games, each policy in a process of its own, with one worker."""

import pickle
from typing import Any

import environments
from players import Player, players

SCRIPT = environments.HERE / "workers" / "peak_memory.py"
TRIALS = (2, 4)
MANY = 100  # trials, by one policy of each kind of memory that is quick enough: none, counts, rewards in order
PLAY_MANY = ("UCB", "tUCB, ratings", "tUCB, continuous")
QUICK = ("tUCB, continuous",)


def measure(quick: bool, step: Any) -> dict[str, Any]:
    """Return the peaks in MiB: of every policy for 2 and 4 trials, of some also for 100; the quick form has few."""
    horizon, found = 10**3 if quick else 10**6, {}
    for name, player in players(horizon).items():
        if name in QUICK or not quick:
            step(f"memory: {name}")
            trials = (*TRIALS, MANY) if name in PLAY_MANY and not quick else TRIALS
            if not quick:
                peak(player, 1, 1)  # compiles, which takes memory of its own
            found[name] = [peak(player, horizon, n) for n in trials]
    return {"horizon": horizon, "trials": [*TRIALS, MANY], "peaks": found}


def peak(player: Player, horizon: int, trials: int) -> float:
    """Return the most memory that a process of its own needs to play so many trials."""
    return float(environments.run(environments.python_of(None), SCRIPT, pickle.dumps(player).hex(), horizon, trials))
