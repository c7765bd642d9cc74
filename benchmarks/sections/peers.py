"""The same work by every library, and by us: decisions per second on one thread, worlds included."""

import json
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import environments
import trueward as tw
from measuring import decisions_per_second
from settings import ALGORITHMS, ALPHA, EXP3, HORIZON, SD, THOMPSON, TRIMMED, TSALLIS, UCB1, P
from tables import GAUSSIAN
from trueward.arms import Arms
from trueward.policies import Policy

TRIALS = 1000
BERNOULLI = tw.BernoulliArms(P)
OURS: dict[str, tuple[Policy, Arms]] = {
    UCB1: (tw.UCB1(), BERNOULLI),
    EXP3: (tw.EXP3(), BERNOULLI),
    TSALLIS: (tw.TsallisINF(), BERNOULLI),
    THOMPSON: (tw.BetaThompson(), BERNOULLI),
    TRIMMED: (tw.CrUCB(tw.TrimmedMean(ALPHA), sigma=SD), GAUSSIAN),
}


def our_rate(algorithm: str, seconds: float) -> float:
    """Return our decisions per second of CPU time, drawing included, by `play` on one worker; peers play as long."""
    policy, arms = OURS[algorithm]
    with ThreadPoolExecutor(1) as one:
        game = partial(tw.play, policy, arms, horizon=HORIZON, trials=TRIALS, executor=one)
        return TRIALS * decisions_per_second(game, seconds)


def measure(quick: bool, step: Any) -> dict[str, Any]:
    """Measure everybody in turn, several times over, and return the median rates."""
    repeats, seconds = (1, 0.2) if quick else (3, 0.6)
    for peer in environments.PEERS:
        step(f"installing {peer}")
        environments.install(peer)
    rates: dict[str, dict[str, list[float]]] = {}
    for _ in range(repeats):
        for algorithm in ALGORITHMS:
            step(f"trueward: {algorithm}")
            rates.setdefault(f"trueward {tw.__version__}", {}).setdefault(algorithm, []).append(
                our_rate(algorithm, seconds)
            )
        for peer, environment in environments.SCRIPTS.items():
            step(f"peers: {peer}")
            python, script = environments.python_of(environment), environments.script_of(peer)
            found = json.loads(environments.run(python, script, seconds))
            for algorithm, rate in found["rates"].items():
                name = f"{found['library']} {found['version']}"
                rates.setdefault(name, {}).setdefault(algorithm, []).append(rate)
    step("compile times")
    return {
        "rates": {name: {a: median(r) for a, r in by.items()} for name, by in rates.items()},
        "first_call": first_calls(),
    }


def first_calls() -> dict[str, dict[str, float]]:
    """Return the seconds of each first call in a new process: with an empty cache of compiled code, and with a full."""
    script = environments.HERE / "workers" / "first_calls.py"
    with tempfile.TemporaryDirectory() as cache:
        cold, warm = (
            json.loads(environments.run(Path(environments.python_of(None)), script, NUMBA_CACHE_DIR=cache))
            for _ in range(2)
        )
    return {"compiled": cold, "loaded": warm}
