"""The results as a Markdown page."""

from collections.abc import Iterable, Sequence
from typing import Any

from bars import bars
from workload import ALGORITHMS, RELEARNED, THREADS

Results = dict[str, Any]
TITLE = """# Measured

Written by `make bench`. [How fast, and why](../../docs/how-fast.md) explains what is measured and what limits it.
"""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def rate(value: float | None) -> str:
    """Return decisions per second in thousands (k) or millions (M)."""
    if value is None:
        return ""
    return f"{value / 1e6:.1f} M" if value >= 1e6 else f"{value / 1e3:.{1 if value < 1e4 else 0}f} k"


def page(results: Results) -> str:
    """Return the page of all sections that were measured."""
    parts = {
        "peers": _peers,
        "limit": _limit,
        "growth": _growth,
        "threads": _threads,
        "memory": _memory,
        "start_up": _start_up,
        "first_use": _first_use,
        "study": _study,
    }
    summary = table(("bar", "limit", "measured", "met"), [bar.row for bar in bars(results)])
    measured = [part(results[name]) for name, part in parts.items() if name in results]
    failed = [f"Not measured: {name}, which failed with `{error}`.\n" for name, error in results["failed"].items()]
    return "\n".join([TITLE, _machine(results["machine"]), "## Targets\n", summary, *failed, *measured])


def _machine(machine: dict[str, str]) -> str:
    return table(("machine", ""), machine.items())


def _peers(results: Results) -> str:
    rates, first = results["rates"], results["first_call"]
    ours = next(by for name, by in rates.items() if name.startswith("trueward"))
    rows = []
    for name, by in rates.items():
        cells = [
            rate(by.get(a)) + (f" ({_times(ours[a] / by[a])})" if a in by and a in ours and by is not ours else "")
            for a in ALGORITHMS
        ]
        rows.append([name, *cells])
    calls = [
        [f"first call, {kind}", *(_seconds(seconds.get(a)) for a in ALGORITHMS)] for kind, seconds in first.items()
    ]
    return (
        "## Compared with other libraries\n\nDecisions per second of CPU time on one thread, five arms, 1,000 rounds; "
        "in brackets, how many times as fast trueward is. The first call of a policy in a process is not included; "
        "it takes:\n\n"
        + table(("", *ALGORITHMS), calls)
        + "\n"
        + table(("decisions per second", *ALGORITHMS), rows)
        + "\n![decisions per second](peers.png)\n"
    )


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.2f} s"


def _times(factor: float) -> str:
    return f"{factor:,.0f}x" if factor >= 9.5 else f"{factor:.1f}x"


def _limit(results: Results) -> str:
    rates = [[name, rate(value)] for name, value in results["rates"].items()]
    shares = [[name, f"{value:.2f}"] for name, value in results["share_of_c"].items()]
    drawing = [[name, f"{value:.2f}"] for name, value in results["drawing"].items()]
    return (
        "## Compared with the same loops in C\n\nOn tables drawn in advance.\n\n"
        + table(("loop", "decisions per second"), rates)
        + "\n"
        + table(("loop", "speed relative to C"), shares)
        + "\n## Drawing the rewards\n\n"
        + table(("rewards", "time to draw over time to play UCB"), drawing)
    )


def _growth(results: Results) -> str:
    text = "## As the horizon grows\n\n"
    text += "Nanoseconds per decision on tables drawn in advance; in brackets, relative to T = 1,000.\n"
    for distribution, policies in results.items():
        horizons = list(next(iter(policies.values())))
        rows = []
        for name, times in policies.items():
            cells = [f"{times[h]:.0f} ({times[h] / times['1000']:.2f}x)" if h in times else "" for h in horizons]
            rows.append([name, *cells])
        text += f"\nRewards: {distribution}\n\n" + table(("policy", *(f"T = {int(h):,}" for h in horizons)), rows)
    return text + "\n![time per decision](growth.png)\n"


def _threads(results: Results) -> str:
    text = f"{results['trials']:,} trials of UCB: two threads are {results['speed-up']:.2f} times as fast as one."
    return f"## Threads\n\n{text}\n"


def _memory(results: Results) -> str:
    trials = results["trials"]
    rows = [
        [name, *(f"{peak:.0f}" for peak in peaks), *[""] * (len(trials) - len(peaks))]
        for name, peaks in results["peaks"].items()
    ]
    text = f"## Memory\n\nPeak in MiB, T = {results['horizon']:,}, K = 10, one worker, everything included.\n\n"
    return text + table(("policy", *(f"{n} trials" for n in trials)), rows)


def _start_up(results: Results) -> str:
    rows = [
        [name, f"{seconds:.2f}"]
        for name, seconds in {**results["parts"], "`import numba`": results["import numba"]}.items()
    ]
    return "## Start-up\n\n`trueward reproduce --trials 10`, all code compiled in advance.\n\n" + table(
        ("part", "seconds"), rows
    )


def _first_use(results: Results) -> str:
    rows = [[name, f"{seconds:.2f}"] for name, seconds in results.items()]
    return "## First use\n\nIn a new process, with nothing compiled.\n\n" + table(("", "seconds"), rows)


def _study(results: Results) -> str:
    sqlite, large = results["sqlite"], results["large"]
    shares, optuna = sqlite["shares"], sqlite.get("times optuna", {})
    rows = [
        [name, f"{value:,.0f}", _factor(shares.get(name)), _factor(optuna.get(name))]
        for name, value in sqlite["rates"].items()
    ]
    learned = f"learning {RELEARNED:,} ratings again, 5 arms"
    of_many = f"a study of {large['ratings']:,} ratings"
    seconds = {f"ask with its probability and tell, {n} arms": each for n, each in results["in memory"].items()} | {
        learned: results["relearning"],
        f"opening {of_many}": large["opening"],
        "opening it from the log alone, without its snapshot": large["opening from the log"],
        f"voiding a participant in {of_many}": large["voiding"],
    }
    waits = {
        "a full batch of 64 asks": large["batch"],
        "the longest wait of an ask during a void": large["longest wait"],
    }
    return (
        f"## Live studies\n\nDecisions with their rewards per second by {THREADS} threads on SQLite.\n\n"
        + table(("on SQLite", "per second", "relative to the log alone", "relative to Optuna"), rows)
        + "\nWary, in milliseconds of CPU time.\n\n"
        + table(("", "milliseconds"), [[name, _milliseconds(value)] for name, value in seconds.items()])
        + "\n"
        + table(("in the large study", "milliseconds"), [[name, _milliseconds(value)] for name, value in waits.items()])
        + "".join(f"\n{why}\n" for why in results["missing"])
    )


def _factor(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}x"


def _milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:,.{3 if seconds < 0.01 else 0}f}"
