"""Clocks. Single-threaded work is measured in CPU time, which other work on the machine disturbs least."""

import json
import sys
import time
from collections.abc import Callable, Mapping
from statistics import median

from settings import HORIZON

Work = Callable[[], object]


def cpu_seconds(work: Work) -> float:
    """Return the CPU time of the process, all its threads, for a piece of work."""
    start = time.process_time()
    work()
    return time.process_time() - start


def wall_seconds(work: Work) -> float:
    """Return the time that passes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def interleaved(
    works: Mapping[str, Work], repeats: int, clock: Callable[[Work], float] = cpu_seconds
) -> dict[str, list[float]]:
    """Measure several pieces of work in turn, so that a change of the machine's speed meets all of them."""
    for work in works.values():
        work()  # compiled code is loaded, memory is touched
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            times[name].append(clock(work))
    return times


def ratio(above: list[float], below: list[float]) -> float:
    """Return the median ratio of times that were measured in turn."""
    return median(a / b for a, b in zip(above, below, strict=True))


def decisions_per_second(game: Callable[[], object], seconds: float) -> float:
    """Play games of the common horizon for some seconds, and return the rate."""
    game()
    games, spent = 0, 0.0
    while spent < seconds:
        spent += cpu_seconds(game)
        games += 1
    return games * HORIZON / spent


def report_peer(library: str, version: str, games: Mapping[str, Callable[[], object]]) -> None:
    """Measure a peer's games, each for as many seconds as the command line says, and print the rates as JSON."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    rates = {name: decisions_per_second(game, seconds) for name, game in games.items()}
    print(json.dumps({"library": library, "version": version, "rates": rates}))
