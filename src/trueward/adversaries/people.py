"""People: raters with sessions, some of them careless, in ways that surveys know.

Raters come one after the other, each for a session of a few ratings, and carelessness is a trait of the rater: so bad
ratings come in runs, and break the paper's constraint although their share is as declared. What each kind shows, on a
scale from `bottom` to `top`, where an attentive rater would have given r:

    random        any value                             extreme      r from the middle up: top, else bottom; sometimes
    midpoint      the middle                            acquiescent  r + 1, 2 or 3, up to the top
    straight      one value, all session                reverse      bottom + top - r
    zigzag        bottom, middle, top, bottom, …        bot          one of two templates, for a long session

Attentive raters may tire (careless with a probability that rises past an onset in the session), and any rating may be
missing, the more likely the worse it would have been: the learner sees nothing. Oblivious; no budget is declared.

With `evidence`, each rating comes with an attention check, passed or not, and the seconds that it took: see `SIGNS`.
The ratings are the same as without.

Reference: Meade & Craig (2012), Curran (2016) on careless responding; each number of a profile carries its source.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, NamedTuple

import numpy as np

from trueward.adversaries.adversary import Adversary
from trueward.adversaries.profiles import KINDS, PROFILES, SIGNS, Profile
from trueward.arms.arms import Arms
from trueward.engine.kernel import Floats, Ints, exp, kernel
from trueward.engine.protocol import MISSING, UNTOUCHED, draw_evidence, plan_attack
from trueward.engine.states import scratch, single
from trueward.errors import ParameterError
from trueward.parameters import check_one_of

RANDOM, MIDPOINT, STRAIGHT, EXTREME, ACQUIESCENT, REVERSE, ZIGZAG, BOT = range(len(KINDS))
ATTENTIVE, TIRED = len(KINDS), len(KINDS) + 1
SIGNALS = ("check", "seconds")


class PeopleAttack(NamedTuple):
    """Who comes, for how long, and what may happen to their ratings."""

    signs: Floats  # (kinds, 3) how often a check is passed; median of the seconds, and the spread of their logarithm
    raters: Annotated[Ints, single(scratch)]  # (rounds,) of which kind
    upto: Floats  # (kinds,) shares of raters, added up
    scale: Floats  # (values,)
    modal: float  # the median arm's median: about the value most often seen
    session: float  # mean length
    bot_session: float
    tiring: float  # share of attentive raters who tire
    onset: float  # where in a session
    width: float  # how suddenly
    missing_at_top: float  # log-odds that a rating of the top is missing
    missing_per_point: float  # what each point below adds


@kernel
def logistic(x: float) -> float:
    """Return 1 / (1 + e^-x)."""
    return 1.0 / (1.0 + exp(-x))


@kernel
def session_length(mean: float, rng: np.random.Generator) -> int:
    """Return a geometric length of at least 1."""
    length = 1
    while rng.random() * mean >= 1.0:
        length += 1
    return length


@kernel
def any_value(scale: Floats, rng: np.random.Generator) -> float:
    """Return any value of the scale."""
    return float(scale[int(rng.random() * scale.size)])


@kernel
def kind_of_rater(upto: Floats, rng: np.random.Generator) -> int:
    """Return the kind of the next rater."""
    u = rng.random()
    kind = 0
    while kind < upto.size and u >= upto[kind]:
        kind += 1
    return kind


@kernel
def careless_rating(
    kind: int, r: float, position: int, own: float, strength: float, scale: Floats, rng: np.random.Generator
) -> float:
    """Return what a rater of a kind shows in place of r, or UNTOUCHED."""
    bottom, top = scale[0], scale[scale.size - 1]
    middle = scale[(scale.size - 1) // 2]
    if kind == RANDOM:
        return any_value(scale, rng)
    if kind == MIDPOINT:
        return float(middle)
    if kind in (STRAIGHT, BOT):
        return own
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


@plan_attack.register(PeopleAttack)
def mark_people(state: PeopleAttack, truth: Floats, table: Floats, rng: np.random.Generator) -> None:
    """Let raters come until all rounds are rated."""
    scale = state.scale
    top = scale[scale.size - 1]
    t = 0
    while t < truth.shape[0]:
        kind = kind_of_rater(state.upto, rng)
        length = session_length(state.bot_session if kind == BOT else state.session, rng)
        tires = kind == ATTENTIVE and rng.random() < state.tiring
        own = state.modal if rng.random() < 0.5 else any_value(scale, rng)
        if kind == BOT:
            own = float(top if rng.random() < 0.5 else scale[0])
        strength = rng.beta(2.0, 5.0) if kind == EXTREME else rng.random()
        for position in range(min(length, truth.shape[0] - t)):
            tired = tires and rng.random() < logistic(((position + 1.0) / length - state.onset) / state.width)
            state.raters[t] = TIRED if tired else kind
            for arm in range(truth.shape[1]):
                r = truth[t, arm]
                shown = careless_rating(RANDOM if tired else kind, r, position, own, strength, scale, rng)
                lost = rng.random() < logistic(state.missing_at_top + state.missing_per_point * (top - r))
                table[t, arm] = MISSING if lost else shown
            t += 1


@draw_evidence.register(PeopleAttack)
def sign_people(state: PeopleAttack, evidence: Floats, rng: np.random.Generator) -> None:
    """Let every rater meet a check with each rating, and take some time over it."""
    if evidence.shape[1] > 0:
        for t in range(evidence.shape[0]):
            signs = state.signs[state.raters[t]]
            evidence[t, 0] = 1.0 if rng.random() < signs[0] else 0.0
            evidence[t, 1] = signs[1] * exp(signs[2] * rng.standard_normal())


@dataclass(frozen=True)
class People(Adversary):
    """Raters of a named profile, or of one of your own; with `evidence`, their ratings come with it."""

    profile: Profile | str = "university class"
    _: KW_ONLY
    evidence: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.profile, Profile):
            check_one_of("profile", self.profile, tuple(PROFILES))

    @property
    def settings(self) -> Profile:
        """The profile itself."""
        return self.profile if isinstance(self.profile, Profile) else PROFILES[self.profile]

    @property
    def signals(self) -> tuple[str, ...]:
        """An attention check (1 if it was passed) and the seconds taken, with `evidence`."""
        return SIGNALS if self.evidence else ()

    @property
    def constraint(self) -> float:
        """The share of raters who are not attentive."""
        return sum(self.settings.shares.values())

    def keeps_scale(self, arms: Arms) -> bool:
        """Return whether a rating raised by whole points, or turned around, is on the scale."""
        return arms.scale is not None and bool((np.diff(arms.scale) == 1).all())

    def start(self, arms: Arms, horizon: int) -> PeopleAttack:
        if arms.scale is None:
            raise ParameterError("People give ratings: the arms must have a scale")
        who = self.settings
        shares = np.array([who.shares.get(kind, 0.0) for kind in KINDS])
        return PeopleAttack(
            np.array([signs[1:] for signs in SIGNS]),
            np.zeros(horizon, np.int64),
            np.cumsum(shares),
            np.array(arms.scale, dtype=np.float64),
            float(np.quantile(arms.quantiles(0.5), 0.5, method="inverted_cdf")),  # of two in the middle, the lower
            float(who.session),
            float(who.bot_session),
            *map(float, who.fatigue),
            *map(float, who.dropout),
        )
