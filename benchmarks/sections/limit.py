"""The same loops in C on the same tables, and the time to draw the tables beside the time to play on them."""

from statistics import median
from typing import Any

import numpy as np

import c_loops
import tables
import trueward as tw
from measuring import interleaved, ratio
from settings import ALPHA, HORIZON, SD

SIGMA = SD
UCB = tw.UCB(sigma=SIGMA)
TUCB = tw.CrUCB(tw.TrimmedMean(ALPHA), sigma=SIGMA)


def measure(quick: bool, step: Any) -> dict[str, Any]:
    """Measure us and C in turn on the same tables."""
    trials, repeats = (50, 1) if quick else (64, 101)
    binomial, gaussian = tables.drawn(tables.BINOMIAL, trials, HORIZON), tables.drawn(tables.GAUSSIAN, trials, HORIZON)
    ours = {
        "UCB": tables.playing(UCB, binomial, tables.BINOMIAL),
        "tUCB": tables.playing(TUCB, gaussian, tables.GAUSSIAN),
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
        ("UCB", c_loops.playing(library, binomial, scale)),
        ("UCB, contaminated", c_loops.playing_contaminated(library, binomial, scale)),
        ("tUCB", c_loops.playing(library, gaussian, scale / (1.0 - 2.0 * ALPHA), alpha=ALPHA)),
    ]


def shares_of_c(times: dict[str, list[float]]) -> dict[str, float]:
    """Return our speed over that of C, with the flags that make C fastest."""
    loops = {"UCB": "UCB", "UCB, contaminated": "UCB", "tUCB": "tUCB"}
    return {c: min(ratio(times[f"{c}, {flags}"], times[ours]) for flags in c_loops.FLAGS) for c, ours in loops.items()}


def check_same_games(ours: Any, theirs: Any) -> None:
    """Make sure that both loops play the same game: equal up to ties, which have their own random numbers."""
    difference = abs(ours[:, -1].mean(axis=0) - theirs[:, -1].mean(axis=0))
    spread = ours[:, -1].std(axis=0) / ours.shape[0] ** 0.5
    if (difference > 6 * spread + 1).any():
        raise AssertionError(f"the loops differ by {difference} pulls on average; standard error {spread}")


def drawing_shares(trials: int, repeats: int) -> dict[str, float]:
    """Return the time to draw tables over the time to play one UCB on them."""
    shares = {}
    for name, arms in {"binomial": tables.BINOMIAL, "Gaussian": tables.GAUSSIAN}.items():
        truths = tables.drawn(arms, trials, HORIZON)
        times = interleaved(
            {"draw": tables.drawing(arms, truths), "play": tables.playing(UCB, truths.copy(), arms)}, repeats
        )
        shares[name] = ratio(times["draw"], times["play"])
    return shares
