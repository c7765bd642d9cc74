"""Live studies: on SQLite, compared with their log alone, with Optuna, and with version 0.1 of trueward.

Everything is measured in turn with what it is compared with. Other environments and versions run in their own process.
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
from workload import LOG_ALONE

WORKER = environments.HERE / "workers" / "bandit.py"
OPTUNA, EARLIER = "optuna", "trueward-0.1"
ROUNDS = {5: 300, 50: 60}  # by the number of arms
SIZES = {"threads": 40, "trials": 160, "ratings": 100_000, "ratings of 0.1": 20_000, "repeats": 5}
QUICK_ROUNDS = {5: 2}
QUICK = {"threads": 1, "trials": 0, "ratings": 40, "ratings of 0.1": 0, "repeats": 1}

Times = dict[str, list[float]]


def measure(quick: bool, step: Any) -> dict[str, Any]:
    """Return rates and ratios; the quick form compiles nothing and compares with nothing."""
    sizes, arms = (QUICK, QUICK_ROUNDS) if quick else (SIZES, ROUNDS)
    missing = [] if quick else _install(step)
    others = () if quick else tuple({OPTUNA, EARLIER} - {name for name, _ in missing})
    if not quick:
        step("study: compiling")
        sqlite_study.warm_up()
    with tempfile.TemporaryDirectory() as folder:
        return {
            "missing": [why for _, why in missing],
            "sqlite": _on_sqlite(Path(folder), sizes, OPTUNA in others, step),
            "in memory": {str(n): _in_memory(n, r, sizes, EARLIER in others, step) for n, r in arms.items()},
            "large": _large(Path(folder), sizes, EARLIER in others, step),
        }


def _install(step: Any) -> list[tuple[str, str]]:
    """Create the environments, and return those that failed, with the reason."""
    missing = []
    for name in (OPTUNA, EARLIER):
        step(f"installing {name}")
        try:
            environments.install(name)
        except RuntimeError as error:
            missing.append((name, f"{name} is not measured: {error}"))
    return missing


def _in_turn(works: Mapping[str, Work], repeats: int) -> Times:
    """Measure functions that return their own time in seconds."""
    return interleaved(works, repeats, lambda work: float(work()))  # type: ignore[arg-type] # they return floats


def _on_sqlite(folder: Path, sizes: dict[str, int], with_optuna: bool, step: Any) -> dict[str, Any]:
    """Return decisions with rewards per second by eight threads, and ratios to the others."""
    studies = {name: sqlite_study.create_study(name, folder) for name in sqlite_study.POLICIES}
    works = {name: sqlite_study.serving_work(study, sizes["threads"]) for name, study in studies.items()}
    optuna: dict[str, Any] = {}

    def optuna_seconds() -> float:
        optuna.update(json.loads(_run(OPTUNA, environments.script_of(OPTUNA), sizes["trials"])))
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


def _in_memory(n_arms: int, rounds: int, sizes: dict[str, int], with_earlier: bool, step: Any) -> dict[str, float]:
    """Return the seconds of a round, ours and 0.1's, and how many times as fast ours is."""
    step(f"study: {n_arms} arms in memory")
    works: dict[str, Work] = {
        name: lambda where=name: json.loads(_run(where, WORKER, "rounds", n_arms, rounds))["round"]
        for name in ("ours", *([EARLIER] if with_earlier else []))
    }
    return _compared(_in_turn(works, sizes["repeats"]))


def _compared(times: Times, scale: float = 1.0) -> dict[str, float]:
    results = {"seconds": median(times["ours"])}
    if EARLIER in times:
        results |= {"0.1": scale * median(times[EARLIER]), "times": scale * ratio(times[EARLIER], times["ours"])}
    return results


def _run(where: str, script: Path, *arguments: object) -> str:
    return environments.run(environments.python_of(None if where == "ours" else where), script, *arguments)


def _large(folder: Path, sizes: dict[str, int], with_earlier: bool, step: Any) -> dict[str, Any]:
    """Return the seconds of opening a large study and of voiding a participant in it, and how long asks wait then."""
    step("study: creating a large one")
    large, few = LargeStudy(folder, sizes["ratings"]), sizes["ratings of 0.1"]
    opening: Times = {"ours": [], EARLIER: []}
    from_log: Times = {"ours": [], EARLIER: opening[EARLIER]}
    voiding: Times = {"ours": [], EARLIER: []}
    waits = []
    study = large.opened()
    for _ in range(min(3, sizes["repeats"])):
        step("study: opening and voiding")
        from_log["ours"].append(large.open_seconds(from_log=True))  # it leaves a snapshot behind
        opening["ours"].append(large.open_seconds())
        seconds, longest = large.void_seconds(study)
        voiding["ours"].append(seconds)
        waits.append(longest)
        if with_earlier:
            results = json.loads(_run(EARLIER, WORKER, "replay", few))
            opening[EARLIER].append(results["opening"])
            voiding[EARLIER].append(results["voiding"])
    batch = large.batch_seconds(study, sizes["repeats"])
    study.close()
    each_of = {"opening": opening, "opening from the log": from_log, "voiding": voiding}
    scale = sizes["ratings"] / few if few else 1.0
    compared = {
        name: _compared(times if with_earlier else {"ours": times["ours"]}, scale) for name, times in each_of.items()
    }
    return {"ratings": sizes["ratings"], "of 0.1": few, **compared, "batch": batch, "longest wait": max(waits)}
