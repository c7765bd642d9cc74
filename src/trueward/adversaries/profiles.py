"""Populations of raters: every number carries its source, or the word "ours"."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, NamedTuple

from trueward.errors import ParameterError
from trueward.parameters import Checked, at_least, check_number, check_one_of

KINDS = ("random", "midpoint", "straight", "extreme", "acquiescent", "reverse", "zigzag", "bot")

Length = Annotated[float, at_least(1)]

NEVER = -40.0  # log-odds


@dataclass(frozen=True, kw_only=True)
class Profile(Checked):
    """Shares of raters by kind (the rest are attentive), lengths of sessions, fatigue and drop-out."""

    shares: Mapping[str, float]
    session: Length = 5.0  # mean ratings per rater
    bot_session: Length = 20.0
    fatigue: tuple[float, float, float] = (0.0, 0.6, 0.1)  # share of attentive raters, onset and width in the session
    dropout: tuple[float, float] = (NEVER, 0.0)  # log-odds at the top of the scale, and per point below it
    sources: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        for kind, share in self.shares.items():
            check_one_of("a kind of rater", kind, KINDS)
            check_number(f"shares[{kind!r}]", share, at_least=0, at_most=1)
        if sum(self.shares.values()) > 1 + 1e-12:
            raise ParameterError(f"shares must not add up to more than 1, got {sum(self.shares.values()):g}")


class Signs(NamedTuple):
    """How often raters of a kind pass an attention check, and how long they take: log-normal seconds."""

    kind: str
    passed: float
    seconds: float  # median
    spread: float  # standard deviation of the logarithm


BLIND = (0.4, 2.0, 0.6)  # a check passed by chance, once in five, or by looking up; half of the answers in 2 seconds
READS = (0.96, 6.0, 0.5)  # below 2 seconds once in 70 ratings

SIGNS = (  # in the order of KINDS, and behind them those of nobody's kind
    Signs("random", *BLIND),
    Signs("midpoint", *BLIND),
    Signs("straight", *BLIND),
    Signs("extreme", *READS),  # a style of people who read
    Signs("acquiescent", *READS),
    Signs("reverse", 0.8, 5.0, 0.5),  # reads the item, and not the scale
    Signs("zigzag", *BLIND),
    Signs("bot", 0.2, 0.8, 0.3),
    Signs("attentive", *READS),
    Signs("tired", 0.7, 3.0, 0.6),
)
"""All numbers are ours. Log-normal times: van der Linden (2006). That the careless answer within 2 seconds an item:
Huang et al. (2012), Bowling et al. (2023). That checks find them no better than other means do: Goldammer
et al. (2024)."""


PROFILES: dict[str, Profile] = {
    "university class": Profile(
        shares={"random": 0.04, "midpoint": 0.02, "straight": 0.03, "zigzag": 0.01, "reverse": 0.01, "extreme": 0.05},
        fatigue=(0.1, 0.6, 0.1),
        sources={
            "careless in all, 0.11": "10 to 12 % of undergraduates: Meade & Craig (2012)",
            "two patterns, random and not": "Meade & Craig (2012); how they divide is ours",
            "extreme": "ours",
            "fatigue": "carelessness with an onset: Welz & Alfons (2023); share, onset and width are ours",
            "session": "ours",
        },
    ),
    "crowd workers": Profile(
        shares={"random": 0.06, "straight": 0.04, "zigzag": 0.02, "acquiescent": 0.05, "bot": 0.01},
        session=10.0,
        fatigue=(0.2, 0.6, 0.1),
        sources={
            "careless in all, 0.13": "2 to 30 % of crowd workers: Niss & Tewari (2020), section 1; the point is ours",
            "acquiescent, bot, session, bot_session, fatigue": "ours",
        },
    ),
    "open web poll": Profile(
        shares={"random": 0.12, "straight": 0.06, "extreme": 0.08, "acquiescent": 0.04, "bot": 0.02},
        session=2.0,
        dropout=(-2.0, 0.3),
        sources={
            "careless in all, 0.20": "within the 1 to 30 % of surveys, Curran (2016); the point is ours",
            "extreme, acquiescent, bot, session, bot_session": "ours",
            "dropout": "unhappy people leave; both numbers are ours",
        },
    ),
}
