"""What was promised of speed, and whether it holds."""

from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from settings import CRUCB, EXP3, TRIMMED, TSALLIS, UCB1, WARY

Found = dict[str, Any]


@dataclass(frozen=True)
class Bar:
    """A promise: a number that must reach, or must not exceed, another."""

    promise: str
    measured: float
    bound: float
    at_least: bool
    unit: str = "x"

    @property
    def held(self) -> bool:
        """Whether it holds."""
        return self.measured >= self.bound if self.at_least else self.measured <= self.bound

    @property
    def row(self) -> tuple[str, str, str, str]:
        """The bar in words: promise, bound, measured, held."""
        digits = "{:.0f}" if self.bound >= 20 else "{:.2f}"
        sign = "≥" if self.at_least else "≤"
        measured = digits.format(self.measured) + self.unit
        return self.promise, f"{sign} {self.bound:g}{self.unit}", measured, "yes" if self.held else "no"


def fastest_peer(rates: dict[str, dict[str, float]], algorithm: str, among: str = "") -> tuple[str, float] | None:
    """Return the fastest peer at an algorithm, of those whose name begins so, and its rate; None if there is none."""
    peers = {name: by[algorithm] for name, by in rates.items() if algorithm in by and not name.startswith("trueward")}
    return max(((n, r) for n, r in peers.items() if n.startswith(among)), key=lambda pair: pair[1], default=None)


def bars(found: Found) -> list[Bar]:
    """Return the bars of all that was measured."""
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
    return [bar for name, part in parts.items() if name in found for bar in part(found[name])]


def _peers(found: Found) -> list[Bar]:
    rates = found["rates"]
    ours = next(by for name, by in rates.items() if name.startswith("trueward"))
    current = f"trim_mean by hand, SciPy {version('scipy')}"  # the one that a user of ours has; older ones stand beside
    asked = [(UCB1, "", 100), (EXP3, "", 40), (TSALLIS, "SMPyBandits", 1000), (TRIMMED, current, 200)]
    made = []
    for algorithm, among, bound in asked:
        fastest = fastest_peer(rates, algorithm, among)
        if fastest is not None and algorithm in ours:
            made.append(Bar(f"{algorithm}: times {fastest[0]}", ours[algorithm] / fastest[1], bound, at_least=True))
    return made


def _limit(found: Found) -> list[Bar]:
    drawing = found["drawing"]
    return [
        Bar("UCB: speed over the same loop in C", found["share_of_c"]["UCB"], 0.7, at_least=True),
        Bar("drawing binomial rewards over playing UCB", drawing["binomial"], 1.0, at_least=False),
        Bar("drawing Gaussian rewards over playing UCB", drawing["Gaussian"], 2.0, at_least=False),
    ]


def _growth(found: Found) -> list[Bar]:
    asked = [
        ("Gaussian", "tUCB", 10**6, 3.0),
        ("Gaussian", "sUCB", 10**5, 10.0),
        ("0 to 10", "tUCB", 10**6, 1.5),
        ("0 to 10", "sUCB", 10**6, 1.5),
        ("0 to 10", "median UCB", 10**6, 1.5),
    ]
    made = []
    for distribution, name, horizon, bound in asked:
        times = found[distribution].get(name, {})
        if str(horizon) in times:
            promise = f"{name}, rewards {distribution}: time per decision, T = {horizon:,} over 1,000"
            made.append(Bar(promise, times[str(horizon)] / times["1000"], bound, at_least=False))
    return made


def _threads(found: Found) -> list[Bar]:
    return [Bar("two threads over one", found["speed-up"], 1.7, at_least=True)]


def _memory(found: Found) -> list[Bar]:
    name, peaks = max(found["peaks"].items(), key=lambda item: max(item[1]))
    return [
        Bar(f"peak memory, T = {found['horizon']:,}, K = 10: the most ({name})", max(peaks), 2048, False, " MiB"),
        Bar(
            "peak memory, more trials over 2: the most",
            max(max(p) / p[0] for p in found["peaks"].values()),
            1.05,
            False,
        ),
    ]


def _start_up(found: Found) -> list[Bar]:
    parts = found["parts"]
    before = parts["imports"] + parts["loading compiled code"]
    return [Bar("start-up: imports and compiled code, over `import numba`", before / found["import numba"], 10, False)]


def _first_use(found: Found) -> list[Bar]:
    asked = [("the first Bandit.ask", 1.0), ("the first Bandit.tell", 1.0), ("the first game of Wary Thompson", 10.0)]
    return [Bar(f"first use: {name}", found[name], bound, False, " s") for name, bound in asked if name in found]


def _study(found: Found) -> list[Bar]:
    sqlite, large = found["sqlite"], found["large"]
    asked = [(CRUCB, 0.5), (WARY, 0.25)]
    made = [Bar(f"study, {name}: speed over the log alone", sqlite["shares"][name], b, True) for name, b in asked]
    if "times optuna" in sqlite:
        made.append(Bar(f"study, {WARY}: times Optuna {sqlite['optuna']}", sqlite["times optuna"][WARY], 30, True))
    compared = {f"{WARY} in memory, {n} arms": each for n, each in found["in memory"].items()}
    compared |= {f"study of {large['ratings']:,} ratings, {name}": large[name] for name in ("opening", "voiding")}
    made += [
        Bar(f"{name}: times version 0.1", each["times"], 8, True) for name, each in compared.items() if "times" in each
    ]
    longest = large["longest wait"] / large["batch"]
    return [*made, Bar("study: longest wait of an ask during a void, over a full batch", longest, 1.0, at_least=False)]
