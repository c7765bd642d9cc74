"""Populations of participants: every number carries its source, or the word "ours"."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, NamedTuple

from trueward.errors import ParameterError
from trueward.parameters import Checked, at_least, check_number, check_one_of

KINDS = ("random", "midpoint", "straightlining", "extreme", "acquiescent", "reverse", "zigzag", "bot")

Length = Annotated[float, at_least(1)]

NEVER = -40.0  # log-odds


@dataclass(frozen=True, kw_only=True)
class Profile(Checked):
    """A population of participants: how many are careless and in which way, and how long their sessions are.

    `CarelessParticipants` describes what each kind of participant shows. Three profiles have names: "university class",
    "crowd workers" and "open web poll"; `sources` says where each of their numbers comes from.

    Parameters
    ----------
    shares : mapping of str to float
        Share of participants of each kind: "random", "midpoint", "straightlining", "extreme", "acquiescent",
        "reverse", "zigzag" or "bot". The rest are attentive.
    session : float, optional
        Mean number of ratings per participant, at least 1. Default: 5.
    bot_session : float, optional
        Mean number of ratings per bot, at least 1. Default: 20.
    fatigue : tuple of float, optional
        Share of attentive participants who tire; where in a session they start to answer at random, from 0 to 1; and
        how gradually, in the same unit. Default: (0, 0.6, 0.1), nobody tires.
    dropout : tuple of float, optional
        Log-odds that a rating at the top of the scale is missing, and how much each point below the top adds. Default:
        (-40, 0), no rating is missing.
    sources : mapping of str to str, optional
        Where the numbers come from. Not used in the game.

    Examples
    --------
    >>> import trueward as tw
    >>> students = tw.Profile(shares={"random": 0.05, "straightlining": 0.05}, session=10)
    >>> tw.CarelessParticipants(students).constraint  # the share of careless participants
    0.1

    References
    ----------
    Meade & Craig (2012) and Curran (2016) on careless responding; Welz & Alfons (2023) on its onset.
    """

    shares: Mapping[str, float]
    session: Length = 5.0
    bot_session: Length = 20.0
    fatigue: tuple[float, float, float] = (0.0, 0.6, 0.1)
    dropout: tuple[float, float] = (NEVER, 0.0)
    sources: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        for kind, share in self.shares.items():
            check_one_of("a kind in shares", kind, KINDS)
            check_number(f"shares[{kind!r}]", share, at_least=0, at_most=1)
        if sum(self.shares.values()) > 1 + 1e-12:
            raise ParameterError(f"shares must not add up to more than 1, got {sum(self.shares.values()):g}")


class EvidenceModel(NamedTuple):
    """The evidence of one kind of participant: how often a check is passed, and log-normal response times."""

    kind: str
    pass_rate: float
    median_seconds: float
    log_sd: float  # standard deviation of the logarithm of the seconds


NOT_READING = (0.4, 2.0, 0.6)  # passes a check by guessing (1 in 5) or by glancing; half of the answers within 2 s
READING = (0.96, 6.0, 0.5)  # takes less than 2 seconds once in 70 ratings

EVIDENCE_MODELS = (  # in the order of KINDS, then the participants who are of no careless kind
    EvidenceModel("random", *NOT_READING),
    EvidenceModel("midpoint", *NOT_READING),
    EvidenceModel("straightlining", *NOT_READING),
    EvidenceModel("extreme", *READING),  # a response style of people who read
    EvidenceModel("acquiescent", *READING),
    EvidenceModel("reverse", 0.8, 5.0, 0.5),  # reads the item but misreads the scale
    EvidenceModel("zigzag", *NOT_READING),
    EvidenceModel("bot", 0.2, 0.8, 0.3),
    EvidenceModel("attentive", *READING),
    EvidenceModel("tired", 0.7, 3.0, 0.6),
)
"""All numbers are ours. Log-normal response times: van der Linden (2006). Careless participants answer an item within
2 seconds: Huang et al. (2012), Bowling et al. (2023). Attention checks detect them no better than other methods do:
Goldammer et al. (2024)."""


PROFILES: dict[str, Profile] = {
    "university class": Profile(
        shares={
            "random": 0.04,
            "midpoint": 0.02,
            "straightlining": 0.03,
            "zigzag": 0.01,
            "reverse": 0.01,
            "extreme": 0.05,
        },
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
        shares={"random": 0.06, "straightlining": 0.04, "zigzag": 0.02, "acquiescent": 0.05, "bot": 0.01},
        session=10.0,
        fatigue=(0.2, 0.6, 0.1),
        sources={
            "careless in all, 0.13": "2 to 30 % of crowd workers: Niss & Tewari (2020), section 1; the point is ours",
            "acquiescent, bot, session, bot_session, fatigue": "ours",
        },
    ),
    "open web poll": Profile(
        shares={"random": 0.12, "straightlining": 0.06, "extreme": 0.08, "acquiescent": 0.04, "bot": 0.02},
        session=2.0,
        dropout=(-2.0, 0.3),
        sources={
            "careless in all, 0.20": "within the 1 to 30 % of surveys, Curran (2016); the point is ours",
            "extreme, acquiescent, bot, session, bot_session": "ours",
            "dropout": "dissatisfied people leave; both numbers are ours",
        },
    ),
}
