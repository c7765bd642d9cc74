"""Live studies: on SQLite, compared with their log alone and with Optuna; in memory; and with many ratings.

Everything is measured in turn with what it is compared with. Optuna runs in a process of its own.
"""

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

import environments
import sqlite_study
from large_study import LargeStudy
from timing import Work, interleaved, ratio
from workload import LOG_ALONE, RELEARNED

WORKER = environments.HERE / "workers" / "bandit.py"
OPTUNA = "optuna"
ROUNDS = {5: 300, 50: 60}  # by the number of arms
SIZES = {"threads": 40, "trials": 160, "ratings": 100_000, "repeats": 5}
QUICK_ROUNDS, QUICK_RELEARNED = {5: 2}, 20
QUICK = {"threads": 1, "trials": 0, "ratings": 40, "repeats": 1}

Times = dict[str, list[float]]


def measure(quick: bool, step: Any) -> dict[str, Any]:
    """Return rates, ratios and seconds; the quick form compares with nothing."""
    sizes, arms = (QUICK, QUICK_ROUNDS) if quick else (SIZES, ROUNDS)
    missing = None if quick else _install(step)
    with tempfile.TemporaryDirectory() as folder:
        return {
            "missing": [] if missing is None else [missing],
            "sqlite": _on_sqlite(Path(folder), sizes, not quick and missing is None, step),
            "in memory": {str(n): _in_memory(n, r, sizes, step) for n, r in arms.items()},
            "relearning": _relearning(QUICK_RELEARNED if quick else RELEARNED, sizes, step),
            "large": _large(Path(folder), sizes, step),
        }


def _install(step: Any) -> str | None:
    """Create Optuna's environment, or return why that failed."""
    step(f"installing {OPTUNA}")
    try:
        environments.install(OPTUNA)
    except RuntimeError as error:
        return f"{OPTUNA} is not measured: {error}"
    return None


def _in_turn(works: Mapping[str, Work], repeats: int) -> Times:
    """Measure functions that return their own time in seconds."""
    return interleaved(works, repeats, lambda work: float(work()))  # type: ignore[arg-type] # they return floats


def _on_sqlite(folder: Path, sizes: dict[str, int], with_optuna: bool, step: Any) -> dict[str, Any]:
    """Return decisions with rewards per second by eight threads, and ratios to the others."""
    studies = {name: sqlite_study.create_study(name, folder) for name in sqlite_study.POLICIES}
    works = {name: sqlite_study.serving_work(study, sizes["threads"]) for name, study in studies.items()}
    optuna: dict[str, Any] = {}

    def optuna_seconds() -> float:
        script = environments.python_of(OPTUNA), environments.script_of(OPTUNA)
        optuna.update(json.loads(environments.run(*script, sizes["trials"])))
        return float(min(optuna["seconds"].values()))

    step("study: eight threads on SQLite")
    times = _in_turn(works | ({OPTUNA: optuna_seconds} if with_optuna else {}), sizes["repeats"])
    for study in studies.values():
        study.close()
    rates = {name: 1.0 / median(seconds) for name, seconds in times.items()}
    shares = {name: ratio(times[LOG_ALONE], times[name]) for name in works if name != LOG_ALONE}
    results = {"rates": rates, "shares": shares}
    if with_optuna:
        results["optuna"] = optuna["version"]
        results["times optuna"] = {name: ratio(times[OPTUNA], times[name]) for name in works}
    return results


def _in_memory(n_arms: int, rounds: int, sizes: dict[str, int], step: Any) -> float:
    """Return the seconds of a round."""
    step(f"study: {n_arms} arms in memory")
    script = environments.python_of(None), WORKER, "rounds", n_arms, rounds
    return median(float(environments.run(*script)) for _ in range(sizes["repeats"]))


def _relearning(n_ratings: int, sizes: dict[str, int], step: Any) -> float:
    """Return the seconds in which a bandit learns its ratings again."""
    step(f"study: learning {n_ratings:,} ratings again")
    script = environments.python_of(None), WORKER, "relearning", n_ratings
    return median(float(environments.run(*script)) for _ in range(sizes["repeats"]))


def _large(folder: Path, sizes: dict[str, int], step: Any) -> dict[str, Any]:
    """Return the seconds of opening a large study and of voiding a participant in it, and how long asks wait then."""
    step("study: creating a large one")
    large = LargeStudy(folder, sizes["ratings"])
    seconds: Times = {"opening": [], "opening from the log": [], "voiding": []}
    waits = []
    study = large.opened()
    for _ in range(min(3, sizes["repeats"])):
        step("study: opening and voiding")
        seconds["opening from the log"].append(large.open_seconds(from_log=True))  # it leaves a snapshot behind
        seconds["opening"].append(large.open_seconds())
        voiding, longest = large.void_seconds(study)
        seconds["voiding"].append(voiding)
        waits.append(longest)
    batch = large.batch_seconds(study, sizes["repeats"])
    study.close()
    medians = {name: median(times) for name, times in seconds.items()}
    return {"ratings": sizes["ratings"], **medians, "batch": batch, "longest wait": max(waits)}
