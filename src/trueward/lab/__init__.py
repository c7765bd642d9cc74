"""The laboratory: experiments as data, played, kept, judged and drawn."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

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
    **changes: Any,
) -> Result:
    """Play an experiment: a dictionary, or the path of a TOML file; `changes` replace its top-level values.

    With `keep_in`, finished cells are kept in that folder, and found there again.
    """
    experiment = spec if isinstance(spec, Experiment) else load(spec, **changes)
    store = None if keep_in is None else Store(Path(keep_in))
    with workers(n_workers, cluster) as executor:
        return run_plan(Plan((experiment,), store), executor)[0]
