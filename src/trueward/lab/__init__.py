"""The laboratory: experiments as data, played, kept, judged and drawn."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from trueward.lab.experiment.progress import progress_bar
from trueward.lab.experiment.result import Result
from trueward.lab.experiment.runner import Plan, run_plan, workers
from trueward.lab.experiment.specification import Experiment, load
from trueward.lab.experiment.store import Store

__all__ = ["Experiment", "Result", "load", "run"]


def run(
    spec: Experiment | Mapping[str, Any] | str | Path,
    *,
    keep_in: str | Path | None = None,
    n_workers: int | None = None,
    cluster: str | None = None,
    progress: bool = True,
    **changes: Any,
) -> Result:
    """Play an experiment: a dictionary, or the path of a TOML file; `changes` replace its top-level values.

    With `keep_in`, finished cells are kept in that folder, and found there again. Progress goes to stderr, or into the
    notebook: a bar where it can be drawn, else lines.
    """
    experiment = spec if isinstance(spec, Experiment) else load(spec, **changes)
    store = None if keep_in is None else Store(Path(keep_in))
    plan = Plan((experiment,), store)
    with workers(n_workers, cluster) as executor:
        if not progress:
            return run_plan(plan, executor)[0]
        with progress_bar(Console(stderr=True), plan.open_games) as report:
            return run_plan(plan, executor, report)[0]
