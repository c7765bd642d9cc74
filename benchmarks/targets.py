"""Speed targets, and whether the measured numbers meet them."""

from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from workload import CRUCB, EXP3, TRIMMED, TSALLIS, UCB1, WARY

Results = dict[str, Any]


@dataclass(frozen=True)
class Target:
    """A measured number with the limit that it must reach, or must not exceed."""

    description: str
    measured: float
    limit: float
    at_least: bool
    unit: str = "x"

    @property
    def met(self) -> bool:
        """Whether the measured number meets the limit."""
        return self.measured >= self.limit if self.at_least else self.measured <= self.limit

    @property
    def row(self) -> tuple[str, str, str, str]:
        """The cells of a table: description, limit, measured, met."""
        digits = "{:.0f}" if self.limit >= 20 else "{:.2f}"
        sign = "≥" if self.at_least else "≤"
        measured = digits.format(self.measured) + self.unit
        return self.description, f"{sign} {self.limit:g}{self.unit}", measured, "yes" if self.met else "no"


def fastest_peer(rates: dict[str, dict[str, float]], algorithm: str, among: str = "") -> tuple[str, float] | None:
    """Return the name and the rate of the fastest peer at an algorithm whose name starts with `among`, if any."""
    peers = {name: by[algorithm] for name, by in rates.items() if algorithm in by and not name.startswith("trueward")}
    return max(((n, r) for n, r in peers.items() if n.startswith(among)), key=lambda pair: pair[1], default=None)


def targets(results: Results) -> list[Target]:
    """Return the targets of all sections that were measured."""
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
    return [target for name, part in parts.items() if name in results for target in part(results[name])]


def _peers(results: Results) -> list[Target]:
    rates = results["rates"]
    ours = next(by for name, by in rates.items() if name.startswith("trueward"))
    current = f"trim_mean by hand, SciPy {version('scipy')}"  # the version beside trueward; others are only listed
    limits = [(UCB1, "", 100), (EXP3, "", 40), (TSALLIS, "SMPyBandits", 1000), (TRIMMED, current, 200)]
    result = []
    for algorithm, among, limit in limits:
        fastest = fastest_peer(rates, algorithm, among)
        if fastest is not None and algorithm in ours:
            result.append(
                Target(
                    f"{algorithm}: speed relative to {fastest[0]}", ours[algorithm] / fastest[1], limit, at_least=True
                )
            )
    return result


def _limit(results: Results) -> list[Target]:
    drawing = results["drawing"]
    return [
        Target("UCB: speed relative to the same loop in C", results["share_of_c"]["UCB"], 0.7, at_least=True),
        Target("time to draw binomial rewards, relative to playing UCB", drawing["binomial"], 1.0, at_least=False),
        Target("time to draw Gaussian rewards, relative to playing UCB", drawing["Gaussian"], 2.0, at_least=False),
    ]


def _growth(results: Results) -> list[Target]:
    limits = [
        ("Gaussian", "tUCB", 10**6, 3.0),
        ("Gaussian", "sUCB", 10**5, 10.0),
        ("0 to 10", "tUCB", 10**6, 1.5),
        ("0 to 10", "sUCB", 10**6, 1.5),
        ("0 to 10", "median UCB", 10**6, 1.5),
    ]
    result = []
    for distribution, name, horizon, limit in limits:
        times = results[distribution].get(name, {})
        if str(horizon) in times:
            description = f"{name}, rewards {distribution}: time per decision at T = {horizon:,}, relative to 1,000"
            result.append(Target(description, times[str(horizon)] / times["1000"], limit, at_least=False))
    return result


def _threads(results: Results) -> list[Target]:
    return [Target("speed of two threads, relative to one", results["speed-up"], 1.7, at_least=True)]


def _memory(results: Results) -> list[Target]:
    name, peaks = max(results["peaks"].items(), key=lambda item: max(item[1]))
    return [
        Target(f"largest peak memory, T = {results['horizon']:,}, K = 10 ({name})", max(peaks), 2048, False, " MiB"),
        Target(
            "largest peak memory with more trials, relative to 2 trials",
            max(max(p) / p[0] for p in results["peaks"].values()),
            1.05,
            False,
        ),
    ]


def _start_up(results: Results) -> list[Target]:
    parts = results["parts"]
    before = parts["imports"] + parts["loading compiled code"]
    return [
        Target(
            "start-up: imports and compiled code, relative to `import numba`",
            before / results["import numba"],
            10,
            False,
        )
    ]


def _first_use(results: Results) -> list[Target]:
    limits = [("the first Bandit.ask", 1.0), ("the first Bandit.tell", 1.0), ("the first game of Wary", 10.0)]
    return [
        Target(f"first use: {name}", results[name], limit, False, " s") for name, limit in limits if name in results
    ]


def _study(results: Results) -> list[Target]:
    sqlite, large = results["sqlite"], results["large"]
    limits = [(CRUCB, 0.5), (WARY, 0.25)]
    result = [
        Target(f"study, {name}: speed relative to the log alone", sqlite["shares"][name], limit, True)
        for name, limit in limits
    ]
    if "times optuna" in sqlite:
        result.append(
            Target(
                f"study, {WARY}: speed relative to Optuna {sqlite['optuna']}", sqlite["times optuna"][WARY], 30, True
            )
        )
    longest = large["longest wait"] / large["batch"]
    return [
        *result,
        Target("study: longest wait of an ask during a void, relative to a full batch", longest, 1.0, at_least=False),
    ]
