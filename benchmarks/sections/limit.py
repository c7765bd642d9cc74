"""The same loops in C on the same tables, and the time to draw the tables relative to the time to play on them."""

from statistics import median
from typing import Any

import numpy as np

import c_loops
import compiled_loops
import trueward as tw
from timing import interleaved, ratio
from workload import ALPHA, HORIZON, SD

SIGMA = SD
UCB = tw.UCB(sigma=SIGMA)
TUCB = tw.CrUCB(tw.TrimmedMean(ALPHA), sigma=SIGMA)


def measure(quick: bool, step: Any) -> dict[str, Any]:
    """Measure trueward and C in turn on the same tables."""
    trials, repeats = (50, 1) if quick else (64, 101)
    binomial, gaussian = (
        compiled_loops.draw_tables(compiled_loops.BINOMIAL, trials, HORIZON),
        compiled_loops.draw_tables(compiled_loops.GAUSSIAN, trials, HORIZON),
    )
    ours = {
        "UCB": compiled_loops.playing_work(UCB, binomial, compiled_loops.BINOMIAL),
        "tUCB": compiled_loops.playing_work(TUCB, gaussian, compiled_loops.GAUSSIAN),
    }
    limits = {f"{n}, {flags}": work for flags in c_loops.FLAGS for n, work in loops_in_c(flags, binomial, gaussian)}
    for name, work in limits.items():
        check_same_games(ours[name.split(",")[0]]().pulls, work())
    step("the loops in C")
    times = interleaved({**ours, **limits}, repeats)
    step("drawing")
    return {
        "rates": {name: trials * HORIZON / median(seconds) for name, seconds in times.items()},
        "share_of_c": shares_of_c(times),
        "drawing": drawing_shares(trials, repeats),
    }


def loops_in_c(flags: str, binomial: np.ndarray, gaussian: np.ndarray) -> list[tuple[str, c_loops.Work]]:
    """Return the loops, compiled with some flags."""
    library, scale = c_loops.compiled(c_loops.FLAGS[flags]), 2.0 * SIGMA
    return [
        ("UCB", c_loops.playing_work(library, binomial, scale)),
        ("UCB, contaminated", c_loops.contaminated_playing_work(library, binomial, scale)),
        ("tUCB", c_loops.playing_work(library, gaussian, scale / (1.0 - 2.0 * ALPHA), alpha=ALPHA)),
    ]


def shares_of_c(times: dict[str, list[float]]) -> dict[str, float]:
    """Return our speed relative to C, with the flags that make C fastest."""
    loops = {"UCB": "UCB", "UCB, contaminated": "UCB", "tUCB": "tUCB"}
    return {c: min(ratio(times[f"{c}, {flags}"], times[ours]) for flags in c_loops.FLAGS) for c, ours in loops.items()}


def check_same_games(ours: Any, theirs: Any) -> None:
    """Check that both loops play the same game, up to ties, which they break with different random numbers."""
    difference = abs(ours[:, -1].mean(axis=0) - theirs[:, -1].mean(axis=0))
    standard_error = ours[:, -1].std(axis=0) / ours.shape[0] ** 0.5
    if (difference > 6 * standard_error + 1).any():
        raise AssertionError(f"the loops differ by {difference} pulls on average; standard error {standard_error}")


def drawing_shares(trials: int, repeats: int) -> dict[str, float]:
    """Return the time to draw tables relative to the time to play UCB on them."""
    shares = {}
    for name, arms in {"binomial": compiled_loops.BINOMIAL, "Gaussian": compiled_loops.GAUSSIAN}.items():
        truths = compiled_loops.draw_tables(arms, trials, HORIZON)
        times = interleaved(
            {
                "draw": compiled_loops.drawing_work(arms, truths),
                "play": compiled_loops.playing_work(UCB, truths.copy(), arms),
            },
            repeats,
        )
        shares[name] = ratio(times["draw"], times["play"])
    return shares
