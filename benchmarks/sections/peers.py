"""The same workload with every library: decisions per second on one thread, drawing the rewards included."""

import json
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from statistics import median
from typing import Any

import environments
import trueward as tw
from compiled_loops import GAUSSIAN
from timing import decisions_per_second
from trueward.arms.arms import Arms
from trueward.policies.policy import Policy
from workload import ALGORITHMS, ALPHA, EXP3, HORIZON, SD, THOMPSON, TRIMMED, TSALLIS, UCB1, P

TRIALS = 1000
QUICK = (UCB1, TRIMMED)
BERNOULLI = tw.BernoulliArms(P)
OURS: dict[str, tuple[Policy, Arms]] = {
    UCB1: (tw.UCB1(), BERNOULLI),
    EXP3: (tw.EXP3(), BERNOULLI),
    TSALLIS: (tw.TsallisINF(), BERNOULLI),
    THOMPSON: (tw.BetaThompson(), BERNOULLI),
    TRIMMED: (tw.CrUCB(tw.TrimmedMean(ALPHA), sigma=SD), GAUSSIAN),
}


def our_rate(algorithm: str, seconds: float, trials: int = TRIALS) -> float:
    """Return our decisions per second of CPU time, drawing included, by `play` with one worker."""
    policy, arms = OURS[algorithm]
    with ThreadPoolExecutor(1) as one:
        game = partial(tw.play, policy, arms, horizon=HORIZON, trials=trials, executor=one)
        return trials * decisions_per_second(game, seconds)


def measure(quick: bool, step: Any) -> dict[str, Any]:
    """Measure all libraries in turn, several times, and return the median rates.

    The quick form plays few algorithms, and of the peers only the hand-written loops, which need no environment.
    """
    repeats, seconds, trials = (1, 0.01, 10) if quick else (3, 0.6, TRIALS)
    algorithms = QUICK if quick else ALGORITHMS
    if not quick:
        _install(step)
    rates: dict[str, dict[str, list[float]]] = {}
    for _ in range(repeats):
        for algorithm in algorithms:
            step(f"trueward: {algorithm}")
            _add(rates, f"trueward {tw.__version__}", {algorithm: our_rate(algorithm, seconds, trials)})
        for peer, environment in environments.SCRIPTS.items():
            if environment is None or not quick:
                step(f"peers: {peer}")
                _add(rates, *_peer_rates(peer, environment, seconds))
    step("first calls")
    return {
        "rates": {name: {a: median(r) for a, r in by.items()} for name, by in rates.items()},
        "first_call": {"loaded": first_calls(QUICK)} if quick else cold_and_warm_calls(),
    }


def _install(step: Any) -> None:
    for peer in dict.fromkeys(filter(None, environments.SCRIPTS.values())):
        step(f"installing {peer}")
        environments.install(peer)


def _peer_rates(peer: str, environment: str | None, seconds: float) -> tuple[str, dict[str, float]]:
    python, script = environments.python_of(environment), environments.script_of(peer)
    results = json.loads(environments.run(python, script, seconds))
    return f"{results['library']} {results['version']}", results["rates"]


def _add(rates: dict[str, dict[str, list[float]]], name: str, results: dict[str, float]) -> None:
    for algorithm, rate in results.items():
        rates.setdefault(name, {}).setdefault(algorithm, []).append(rate)


def first_calls(algorithms: Sequence[str], **variables: str) -> dict[str, float]:
    """Return the seconds of each first call in a new process."""
    script = environments.HERE / "workers" / "first_calls.py"
    return json.loads(environments.run(environments.python_of(None), script, *algorithms, **variables))


def cold_and_warm_calls() -> dict[str, dict[str, float]]:
    """Return the seconds of first calls with an empty cache of compiled code, and with a full one."""
    with tempfile.TemporaryDirectory() as cache:
        return {kind: first_calls(ALGORITHMS, NUMBA_CACHE_DIR=cache) for kind in ("compiled", "loaded")}
