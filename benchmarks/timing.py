"""Timing. Single-threaded work is measured in CPU time, which other processes disturb least."""

import json
import sys
import time
from collections.abc import Callable, Mapping
from statistics import median

from workload import HORIZON

Work = Callable[[], object]


def cpu_seconds(work: Work) -> float:
    """Return the CPU time of some work, in all threads of the process."""
    start = time.process_time()
    work()
    return time.process_time() - start


def wall_seconds(work: Work) -> float:
    """Return the wall-clock time of some work."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def interleaved(
    works: Mapping[str, Work], repeats: int, clock: Callable[[Work], float] = cpu_seconds
) -> dict[str, list[float]]:
    """Measure several functions in turn, so that changes of the machine's speed affect all of them."""
    for work in works.values():
        work()  # warm-up: load compiled code, touch memory
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            times[name].append(clock(work))
    return times


def ratio(numerators: list[float], denominators: list[float]) -> float:
    """Return the median ratio of times that were measured in turn."""
    return median(a / b for a, b in zip(numerators, denominators, strict=True))


def decisions_per_second(game: Callable[[], object], seconds: float) -> float:
    """Play games of HORIZON rounds for some seconds, and return the rate."""
    game()
    games, spent = 0, 0.0
    while spent < seconds:
        spent += cpu_seconds(game)
        games += 1
    return games * HORIZON / spent


def report_peer(library: str, version: str, games: Mapping[str, Callable[[], object]]) -> None:
    """Measure the games of a peer, each for the seconds given on the command line, and print the rates as JSON."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    rates = {name: decisions_per_second(game, seconds) for name, game in games.items()}
    print(json.dumps({"library": library, "version": version, "rates": rates}))
