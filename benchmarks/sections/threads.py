"""Speed-up of two threads over one."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import trueward as tw
from compiled_loops import BINOMIAL
from timing import interleaved, ratio, wall_seconds
from workload import HORIZON, SD


def measure(quick: bool, step: Any) -> dict[str, Any]:
    """Return the speed of two threads relative to one."""
    trials, repeats = (100, 1) if quick else (10_000, 9)

    def on(executor: ThreadPoolExecutor) -> Any:
        return lambda: tw.play(tw.UCB(sigma=SD), BINOMIAL, horizon=HORIZON, trials=trials, executor=executor)

    step("threads")
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(2) as two:
        times = interleaved({"one": on(one), "two": on(two)}, repeats, wall_seconds)
    return {"trials": trials, "speed-up": ratio(times["one"], times["two"])}
