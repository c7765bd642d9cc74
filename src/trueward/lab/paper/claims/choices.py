"""What the paper leaves open, one choice at a time; the first is our default reading."""

from collections.abc import Mapping
from dataclasses import dataclass, field

DEFAULT_SCHEME = "random-malicious"
DEFAULT_EPSILON = 0.1  # of figures 3 and 4, for which the paper states none


@dataclass(frozen=True)
class Choice:
    """One reading of the paper."""

    name: str
    scheme: str = DEFAULT_SCHEME  # the values of contaminated rewards
    instead: Mapping[str, str] = field(default_factory=dict)  # the policies played instead of others
    epsilon: float = DEFAULT_EPSILON  # the contaminated share in figures 3 and 4
    narrow: bool = False  # whether alpha and sigma vary from half to double only, not over the whole grid


AS_STATED = Choice("as stated")

CHOICES = (
    AS_STATED,
    Choice("values = continuous-malicious", scheme="continuous-malicious"),
    Choice("values = worst-bounded", scheme="worst-bounded"),
    Choice("values = unbounded", scheme="unbounded"),
    Choice("values = inlier", scheme="inlier"),
    Choice(
        "sigma = proxy",
        instead={name: f"{name} (proxy)" for name in ("tUCB", "sUCB", "RUCB-MAB", "UCB", "Thompson")},
    ),
    Choice("UCB1 scaled to [0, 1]", instead={"UCB": "UCB1 (scaled)"}),
    Choice("UCB1 raw", instead={"UCB": "UCB1 (raw)"}),
    Choice("Tsallis-INF by IW", instead={"Tsallis-INF": "Tsallis-INF (IW)"}),
    Choice("literal ranks", instead={"tUCB": "tUCB (literal)", "sUCB": "sUCB (literal)"}),
    Choice("epsilon = 0.05 in figures 3 and 4", epsilon=0.05),
    Choice("grids from half to double", narrow=True),
)
