"""Careless participants: people who rate in sessions, some of them carelessly."""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, NamedTuple

import numpy as np

from trueward.adversaries.adversary import Adversary
from trueward.adversaries.profiles import EVIDENCE_MODELS, KINDS, PROFILES, Profile
from trueward.arms.arms import Arms
from trueward.engine.kernel import Floats, Ints, exp, kernel
from trueward.engine.protocol import MISSING, UNTOUCHED, draw_evidence, plan_attack
from trueward.engine.states import scratch, single
from trueward.errors import ParameterError
from trueward.parameters import check_one_of

RANDOM, MIDPOINT, STRAIGHTLINING, EXTREME, ACQUIESCENT, REVERSE, ZIGZAG, BOT = range(len(KINDS))
ATTENTIVE, TIRED = len(KINDS), len(KINDS) + 1
SIGNALS = ("check", "seconds")


class CarelessState(NamedTuple):
    evidence_models: Floats  # (kinds, 3) pass rate of the check; median of the seconds, sd of their logarithm
    kinds: Annotated[Ints, single(scratch)]  # (rounds,) the kind of participant who rated
    cumulative_shares: Floats  # (kinds,)
    scale: Floats  # (values,)
    typical: float  # the median of the arms' medians
    session: float  # mean length
    bot_session: float
    tiring: float  # share of attentive participants who tire
    onset: float  # fraction of the session at which tiring begins
    width: float  # how gradually, in the same unit
    missing_at_top: float  # log-odds that a rating of the top is missing
    missing_per_point: float  # increase of the log-odds per point below the top


@kernel
def logistic(x: float) -> float:
    return 1.0 / (1.0 + exp(-x))


@kernel
def draw_session_length(mean: float, rng: np.random.Generator) -> int:
    """Return a geometric length of at least 1."""
    length = 1
    while rng.random() * mean >= 1.0:
        length += 1
    return length


@kernel
def draw_uniform_rating(scale: Floats, rng: np.random.Generator) -> float:
    return float(scale[int(rng.random() * scale.size)])


@kernel
def draw_kind(cumulative_shares: Floats, rng: np.random.Generator) -> int:
    """Return the kind of the next participant; ATTENTIVE past the last share."""
    u = rng.random()
    kind = 0
    while kind < cumulative_shares.size and u >= cumulative_shares[kind]:
        kind += 1
    return kind


@kernel
def careless_rating(
    kind: int, r: float, position: int, favourite: float, strength: float, scale: Floats, rng: np.random.Generator
) -> float:
    """Return the rating that a participant of a kind gives in place of r, or UNTOUCHED.

    `strength` in [0, 1] is a trait of the participant.
    """
    bottom, top = scale[0], scale[scale.size - 1]
    middle = scale[(scale.size - 1) // 2]
    if kind == RANDOM:
        return draw_uniform_rating(scale, rng)
    if kind == MIDPOINT:
        return float(middle)
    if kind in (STRAIGHTLINING, BOT):
        return favourite
    if kind == EXTREME:
        if rng.random() >= strength:
            return UNTOUCHED
        return float(top if r >= middle else bottom)
    if kind == ACQUIESCENT:
        return float(min(top, r + 1.0 + int(strength * 3.0)))
    if kind == REVERSE:
        return float(bottom + top - r)
    if kind == ZIGZAG:
        return float(bottom if position % 3 == 0 else middle if position % 3 == 1 else top)
    return UNTOUCHED


@plan_attack.register(CarelessState)
def rate_in_sessions(state: CarelessState, truth: Floats, table: Floats, rng: np.random.Generator) -> None:
    """Let one participant after another rate a session, until all rounds are rated."""
    scale = state.scale
    top = scale[scale.size - 1]
    t = 0
    while t < truth.shape[0]:
        kind = draw_kind(state.cumulative_shares, rng)
        length = draw_session_length(state.bot_session if kind == BOT else state.session, rng)
        tires = kind == ATTENTIVE and rng.random() < state.tiring
        favourite = state.typical if rng.random() < 0.5 else draw_uniform_rating(scale, rng)
        if kind == BOT:
            favourite = float(top if rng.random() < 0.5 else scale[0])
        strength = rng.beta(2.0, 5.0) if kind == EXTREME else rng.random()
        for position in range(min(length, truth.shape[0] - t)):
            tired = tires and rng.random() < logistic(((position + 1.0) / length - state.onset) / state.width)
            state.kinds[t] = TIRED if tired else kind
            for arm in range(truth.shape[1]):
                r = truth[t, arm]
                shown = careless_rating(RANDOM if tired else kind, r, position, favourite, strength, scale, rng)
                missing = rng.random() < logistic(state.missing_at_top + state.missing_per_point * (top - r))
                table[t, arm] = MISSING if missing else shown
            t += 1


@draw_evidence.register(CarelessState)
def draw_check_and_seconds(state: CarelessState, evidence: Floats, rng: np.random.Generator) -> None:
    if evidence.shape[1] > 0:
        for t in range(evidence.shape[0]):
            model = state.evidence_models[state.kinds[t]]
            evidence[t, 0] = 1.0 if rng.random() < model[0] else 0.0
            evidence[t, 1] = model[1] * exp(model[2] * rng.standard_normal())


@dataclass(frozen=True)
class CarelessParticipants(Adversary):
    """Careless participants: people who rate in sessions, some of them carelessly.

    Participants come one after the other, each for a session of a few ratings. Carelessness is a trait of the
    participant, so careless ratings come in runs, and an arm's share may exceed the declared one for a while, against
    the constraint of Niss & Tewari (2020). On a scale from bottom to top, where an attentive participant would rate r,
    each kind shows:

        random          any value                          extreme       sometimes top (r >= middle) or bottom, else r
        midpoint        the middle                         acquiescent   r + 1, r + 2 or r + 3, at most top
        straightlining  one value for the whole session    reverse       bottom + top - r
        zigzag          bottom, middle, top, bottom, …     bot           top, or bottom, for a long session

    Attentive participants may tire: past an onset in the session, they answer at random with rising probability. Any
    rating may be missing, with a probability that is higher for lower ratings; the learner then sees nothing.

    It is oblivious and declares no budget. The arms must have a scale of ratings.

    Parameters
    ----------
    profile : Profile or str, optional
        The population: a `Profile`, or the name of one: "university class" (the default), "crowd workers" or
        "open web poll".
    evidence : bool, optional
        Send two signals with each rating: "check", an attention check (1 if passed), and "seconds", the response time.
        The ratings are the same with and without. Default: False.

    Examples
    --------
    >>> import trueward as tw
    >>> arms = tw.BinomialArms(n=10, p=[0.9, 0.8])
    >>> participants = tw.CarelessParticipants("open web poll")
    >>> trace = tw.play(tw.UCB(sigma=1.3), arms, participants, horizon=200, compiled=False)
    >>> int(trace.touched.sum()), int(trace.missing.sum())  # contaminated and missing ratings, of 200
    (59, 31)

    References
    ----------
    Meade & Craig (2012), Curran (2016) on careless responding. The sources of each number are in `Profile.sources`;
    the model of sessions is new in trueward.
    """

    profile: Profile | str = "university class"
    _: KW_ONLY
    evidence: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.profile, Profile):
            check_one_of("profile", self.profile, tuple(PROFILES))

    @property
    def population(self) -> Profile:
        """The profile itself, where `profile` is a name."""
        return self.profile if isinstance(self.profile, Profile) else PROFILES[self.profile]

    @property
    def signals(self) -> tuple[str, ...]:
        """With `evidence`: an attention check (1 if passed) and the seconds taken."""
        return SIGNALS if self.evidence else ()

    @property
    def constraint(self) -> float:
        """The share of participants who are not attentive."""
        return sum(self.population.shares.values())

    def keeps_scale(self, arms: Arms) -> bool:
        """Return whether the scale has steps of 1, so that all ratings stay on it."""
        return arms.scale is not None and bool((np.diff(arms.scale) == 1).all())

    def start(self, arms: Arms, horizon: int) -> CarelessState:
        if arms.scale is None:
            raise ParameterError(
                f"CarelessParticipants give ratings: the arms must have a scale, got {type(arms).__name__}"
            )
        population = self.population
        shares = np.array([population.shares.get(kind, 0.0) for kind in KINDS])
        return CarelessState(
            np.array([model[1:] for model in EVIDENCE_MODELS]),
            np.zeros(horizon, np.int64),
            np.cumsum(shares),
            np.array(arms.scale, dtype=np.float64),
            float(np.quantile(arms.quantiles(0.5), 0.5, method="inverted_cdf")),  # the lower one of two in the middle
            float(population.session),
            float(population.bot_session),
            *map(float, population.fatigue),
            *map(float, population.dropout),
        )
