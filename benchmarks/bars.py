"""The bars that measured numbers must clear, and whether they do."""

from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from workload import CRUCB, EXP3, FIRST_GAMES, RELEARNED, TRIMMED, TSALLIS, UCB1, WARY

Results = dict[str, Any]

FIRST_COMPILATION = {"UCB": 2.8, "tUCB": 4.6, "EXP3": 1.8}  # seconds; 1.4 times those of the engine before


@dataclass(frozen=True)
class Bar:
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


def bars(results: Results) -> list[Bar]:
    """Return the bars of all sections that were measured."""
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
    return [bar for name, part in parts.items() if name in results for bar in part(results[name])]


def _peers(results: Results) -> list[Bar]:
    rates = results["rates"]
    ours = next(by for name, by in rates.items() if name.startswith("trueward"))
    current = f"trim_mean by hand, SciPy {version('scipy')}"  # the version beside trueward; others are only listed
    limits = [(UCB1, "", 70), (EXP3, "", 40), (TSALLIS, "SMPyBandits", 1000), (TRIMMED, current, 200)]
    result = []
    for algorithm, among, limit in limits:
        fastest = fastest_peer(rates, algorithm, among)
        if fastest is not None and algorithm in ours:
            result.append(
                Bar(f"{algorithm}: speed relative to {fastest[0]}", ours[algorithm] / fastest[1], limit, at_least=True)
            )
    return result


def _limit(results: Results) -> list[Bar]:
    drawing = results["drawing"]
    return [
        Bar("UCB: speed relative to the same loop in C", results["share_of_c"]["UCB"], 0.7, at_least=True),
        Bar("time to draw binomial rewards, relative to playing UCB", drawing["binomial"], 1.0, at_least=False),
        Bar("time to draw Gaussian rewards, relative to playing UCB", drawing["Gaussian"], 2.0, at_least=False),
    ]


def _growth(results: Results) -> list[Bar]:
    limits = [
        ("Gaussian", "tUCB", 10**6, 3.0),
        ("Gaussian", "sUCB", 10**5, 10.0),
        ("0 to 10", "tUCB", 10**6, 1.5),
        ("0 to 10", "sUCB", 10**6, 1.5),
        ("0 to 10", "median UCB", 10**6, 1.5),
    ]
    result = []
    if WARY in results["0 to 10"]:
        times = results["0 to 10"][WARY]
        result.append(Bar(f"{WARY}: time per decision at T = 1,000", times["1000"] / 1e3, 100, False, " µs"))
        limits.append(("0 to 10", WARY, 10**6, 1.0))  # the whole game at most in proportion to T
    for distribution, name, horizon, limit in limits:
        times = results[distribution].get(name, {})
        if str(horizon) in times:
            description = f"{name}, rewards {distribution}: time per decision at T = {horizon:,}, relative to 1,000"
            result.append(Bar(description, times[str(horizon)] / times["1000"], limit, at_least=False))
    return result


def _threads(results: Results) -> list[Bar]:
    return [Bar("speed of two threads, relative to one", results["speed-up"], 1.7, at_least=True)]


def _memory(results: Results) -> list[Bar]:
    name, peaks = max(results["peaks"].items(), key=lambda item: max(item[1]))
    return [
        Bar(f"largest peak memory, T = {results['horizon']:,}, K = 10 ({name})", max(peaks), 2048, False, " MiB"),
        Bar(
            "largest peak memory with more trials, relative to 2 trials",
            max(max(p) / p[0] for p in results["peaks"].values()),
            1.05,
            False,
        ),
    ]


def _start_up(results: Results) -> list[Bar]:
    parts = results["parts"]
    before = parts["imports"] + parts["loading compiled code"]
    return [
        Bar(
            "start-up: imports and compiled code, relative to `import numba`",
            before / results["import numba"],
            10,
            False,
        )
    ]


def _first_use(results: Results) -> list[Bar]:
    limits = {"the first Bandit.ask": 0.3, "the first Bandit.tell": 0.3, "the first game of Wary": 10.0}
    limits |= {f"the first {FIRST_GAMES} games of {name}": seconds for name, seconds in FIRST_COMPILATION.items()}
    return [Bar(f"first use: {name}", results[name], limits[name], False, " s") for name in limits if name in results]


def _study(results: Results) -> list[Bar]:
    sqlite, large = results["sqlite"], results["large"]
    limits = [(CRUCB, 0.5), (WARY, 0.25)]
    result = [
        Bar(f"study, {name}: speed relative to the log alone", sqlite["shares"][name], limit, True)
        for name, limit in limits
    ]
    if "times optuna" in sqlite:
        result.append(
            Bar(f"study, {WARY}: speed relative to Optuna {sqlite['optuna']}", sqlite["times optuna"][WARY], 30, True)
        )
    longest = large["longest wait"] / large["batch"]
    return [
        *result,
        Bar(f"{WARY}, 5 arms: an ask and a tell in memory", 1e3 * results["in memory"]["5"], 1.5, False, " ms"),
        Bar(f"{WARY}, 5 arms: learning {RELEARNED:,} ratings again", results["relearning"], 1.0, False, " s"),
        Bar("study: longest wait of an ask during a void, relative to a full batch", longest, 1.0, at_least=False),
    ]
