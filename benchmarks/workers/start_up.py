"""The time of each part of `trueward COMMAND …`, as JSON: `start_up.py STARTED_AT COMMAND …`."""

import io
import json
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Any

STARTED = float(sys.argv[1])
spent: dict[str, float] = {}


def timed(module: Any, name: str, label: str) -> None:
    """Add the time that a function of a module takes to a label."""
    function: Callable[..., Any] = getattr(module, name)

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        start = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            spent[label] = spent.get(label, 0.0) + time.perf_counter() - start

    setattr(module, name, wrapper)


def main() -> None:
    """Run it with a stopwatch on each part."""
    from trueward.cli.app import app
    from trueward.game import play as game
    from trueward.lab.experiment import runner, specification
    from trueward.lab.paper import reproduce

    spent["imports"] = time.perf_counter() - STARTED
    timed(game, "_compile", "loading compiled code")
    for module in (specification, reproduce):
        timed(module, "load", "reading the experiments")
    timed(reproduce, "run_experiments", "playing")
    timed(runner, "curve_table", "tables")
    timed(runner, "trial_table", "tables")
    timed(reproduce, "judge", "judging")
    timed(reproduce, "write_report", "drawing and report")
    with redirect_stdout(io.StringIO()):
        app(sys.argv[2:], standalone_mode=False)
    spent["playing"] -= spent["loading compiled code"] + spent["tables"]
    print(json.dumps(spent))


if __name__ == "__main__":
    main()
