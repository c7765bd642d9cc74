"""Wrap any policy to count missing ratings against an arm, from ignoring them to taking them as the lowest rating."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import ROUNDING_TOLERANCE, Floats, Ints, State, kernel
from trueward.engine.protocol import NOT_GIVEN, Ask, Observation, choose, update, update_missing
from trueward.engine.states import REWARDS, Setting, given, kept, new, per_arm, single
from trueward.errors import ParameterError
from trueward.parameters import Share
from trueward.policies.declared_range import declared_ranges
from trueward.policies.signals import Signal
from trueward.policies.wrappers.wrapper import Wrapper


class MissingAsState(NamedTuple):
    """The wrapped policy's state, and the numbers of ratings given and missing."""

    policy: State
    rated: Annotated[Ints, per_arm(0)]
    missing: Annotated[Ints, per_arm(0)]
    imputed: Annotated[Ints, per_arm(0)]  # missing ratings that the wrapped policy learned as the lowest rating
    is_imputed: Annotated[Ints, per_arm(kept, REWARDS)]  # 1 for those, in the order in which the policy learned
    no_evidence: Annotated[Floats, single(given)]  # (signals,) for imputed ratings
    low: float
    severity: float
    pooled: bool


@choose.register(MissingAsState)
def choose_by_wrapped_policy(state: MissingAsState, ask: Ask, rng: np.random.Generator) -> int:
    return choose(state.policy, ask, rng)


@update.register(MissingAsState)
def learn_rating(state: MissingAsState, seen: Observation, rng: np.random.Generator) -> None:
    state.is_imputed[seen.arm, state.rated[seen.arm] + state.imputed[seen.arm]] = 0
    state.rated[seen.arm] += 1
    update(state.policy, seen, rng)


@update_missing.register(MissingAsState)
def count_missing(state: MissingAsState, seen: Observation, rng: np.random.Generator) -> None:
    """Count a missing rating, and impute it as the lowest rating if the number imputed is below its target."""
    arm = seen.arm
    state.missing[arm] += 1
    target = max(1, state.rated[arm]) * (1.0 / relative_discount(state, arm) - 1.0)
    if state.imputed[arm] + 1 <= target + ROUNDING_TOLERANCE:
        state.is_imputed[arm, state.rated[arm] + state.imputed[arm]] = 1
        state.imputed[arm] += 1
        update(state.policy, Observation(seen.t, arm, state.low, seen.p, seen.available, state.no_evidence), rng)


@kernel
def relative_discount(state: MissingAsState, arm: int) -> float:
    """Return f, the factor 1 - s m of an arm relative to that of the arm with the smallest missing share."""
    smallest, overall, ratio = 0.0, 0.0, np.inf
    if state.pooled:
        overall, ratio = heterogeneity(state.rated, state.missing)
        smallest = 1.0
        for other in range(state.missing.size):
            smallest = min(smallest, shrunken_share(state, other, overall, ratio))
    share = shrunken_share(state, arm, overall, ratio)
    own_factor = max(1.0 - state.severity * share, ROUNDING_TOLERANCE)
    return own_factor / max(1.0 - state.severity * smallest, ROUNDING_TOLERANCE)


@kernel
def shrunken_share(state: MissingAsState, arm: int, overall: float, ratio: float) -> float:
    """Return the missing share of an arm, shrunken towards the overall share."""
    asked = state.rated[arm] + state.missing[arm]
    if asked == 0:
        return overall
    own: float = state.missing[arm] / asked
    return own if ratio == np.inf else overall + ratio * asked / (ratio * asked + 1.0) * (own - overall)


@kernel
def heterogeneity(rated: Ints, missing: Ints) -> tuple[float, float]:
    """Return the overall missing share, and tau^2 in units of the binomial variance of one rating."""
    total, squares, n_missing, arms = 0.0, 0.0, 0.0, 0
    for arm in range(missing.size):
        asked = float(rated[arm] + missing[arm])
        total += asked
        squares += asked * asked
        n_missing += missing[arm]
        arms += asked > 0.0
    overall = n_missing / max(total, 1.0)
    variance, effective_total = overall * (1.0 - overall), total - squares / max(total, 1.0)
    if arms < 2 or variance <= 0.0:
        return overall, 0.0
    q = 0.0  # Cochran's Q
    for arm in range(missing.size):
        asked = float(rated[arm] + missing[arm])
        if asked > 0.0:
            deviation = missing[arm] / asked - overall
            q += asked * deviation * deviation / variance
    return overall, max(0.0, (q - (arms - 1)) / effective_total)


@dataclass(frozen=True)
class MissingAs(Wrapper):
    """Wrap any policy to count missing ratings against an arm, from ignoring them to taking them as the lowest rating.

        mean of arm a  =  (1 - m_a) y_a  +  m_a [ (1 - s) y_a + s low ]  =  low + (1 - s m_a) (y_a - low)

    m_a is the missing share of the arm's ratings, y_a the mean of those that were given, and s the severity. With
    s = 0 ratings are missing at random and say nothing; with s = 1 every missing participant would have given
    the lowest rating; in between, the mean of the missing ratings lies that far from y_a towards it. Only differences
    between the factors 1 - s m_a matter: a missing share that all arms have in common decides nothing. So some of an
    arm's missing ratings are imputed, that is, the wrapped policy learns them as the lowest rating, just enough to
    multiply the arm's mean above `low` by

        f_a  =  (1 - s m_a) / (1 - s min_b m_b):        imputed ratings  =  (ratings given)  (1 / f_a - 1)

    and none where all arms have the same missing share. To separate differences from chance, each m_a is the arm's own
    share, shrunken towards the overall share: its distance from the overall share is multiplied by
    n_a tau^2 / (1 + n_a tau^2), with n_a the ratings asked of the arm. tau^2 is DerSimonian & Laird's variance between
    arms, in units of the binomial variance of one rating.

    It withstands dropout that depends on the rating, on one arm or on all, as far as the severity describes the missing
    ratings. It does not withstand a wrong severity: if people leave one arm for reasons unrelated to their rating, that
    arm is penalised. Otherwise it withstands what the wrapped policy withstands; a robust policy may take many lowest
    ratings of one arm for contamination, as it would if they had been given.

    Parameters
    ----------
    policy : Policy
        The policy to wrap. It must not learn from missing ratings itself.
    severity : float
        s in [0, 1]: where the mean of the missing ratings lies between that of the given ones (0) and `low` (1).
    low : float, optional
        The lowest rating. Default: the low end of the range that `policy` declares; required if it declares none.
    pooled : bool
        Whether to count only differences between arms. With False an arm's missing ratings are imputed with weight s
        whatever the shares of the other arms are. If ratings are missing at random, that multiplies the regret
        several times, because zeros among eights and nines add much noise.

    Notes
    -----
    Guarantee: none in general. With s = 1, if every missing rating would have been the lowest and the missing shares
    are known, the means are the true ones.

    Ratings are imputed one at a time, without random numbers or a clock. What is learned depends only on the
    order in which ratings were given or declared missing.

    Examples
    --------
    >>> from trueward.engine.protocol import UNTOUCHED, make_observation
    >>> from trueward.policies.posterior.beta_thompson import BetaThompson
    >>> policy = MissingAs(BetaThompson((0, 10)), severity=1.0)
    >>> state, rng = policy.start(2, capacity=100), np.random.default_rng(0)
    >>> for t in range(1, 201):  # half of the ratings of arm 0 are missing; all others are 8
    ...     missing = t % 4 == 0
    ...     seen = make_observation(t % 2, UNTOUCHED if missing else 8.0, n_arms=2, t=t)
    ...     update_missing(state, seen, rng) if missing else update(state, seen, rng)
    >>> state.missing.tolist(), state.imputed.tolist(), policy.estimates(state).round(1).tolist()
    ([50, 0], [48, 0], [4.1, 8.0])

    References
    ----------
    New in trueward. It builds on Rubin (1976), Inference and missing data; Little (1993), Pattern-mixture models for
    multivariate incomplete data, for s; Manski (1989), Anatomy of the selection problem, for s = 1; DerSimonian & Laird
    (1986), Meta-analysis in clinical trials, for tau^2.
    """

    _: KW_ONLY
    severity: Share = 0.5
    low: float | None = None
    pooled: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.policy.learns_from_missing:
            raise ParameterError(f"policy must not learn from missing ratings itself, got {self.policy!r}")

    @property
    def signals(self) -> tuple[Signal, ...]:
        return self.policy.signals

    @property
    def learns_from_missing(self) -> bool:
        """Whether the severity is above 0."""
        return self.severity > 0

    def state(self, setting: Setting) -> MissingAsState:
        inner = self.policy.state(setting)
        low = self._lowest(inner)
        if setting.scale is not None and low not in setting.scale:
            inner = self.policy.state(replace(setting, scale=None))  # the imputed rating is not on the scale
        return new(
            MissingAsState,
            setting,
            policy=inner,
            no_evidence=np.full(len(setting.signals), NOT_GIVEN),
            low=low,
            severity=float(self.severity),
            pooled=self.pooled,
        )

    def _lowest(self, inner: State) -> float:
        ranges = list(declared_ranges(inner))
        low = max((scale.low for scale in ranges), default=None) if self.low is None else self.low
        if low is None:
            raise ParameterError(
                f"low is required: {type(self.policy).__name__} declares no range from which to take the lowest rating"
            )
        if any(not scale.low <= low <= scale.high for scale in ranges):
            raise ParameterError(f"low must lie in the range of {self.policy!r}, got {low!r}")
        return float(low)

    def estimates(self, state: MissingAsState) -> Floats:
        """Return the means with all missing ratings counted, including the share that all arms have in common."""
        relative = self.policy.estimates(state.policy)
        overall, ratio = heterogeneity(state.rated, state.missing) if self.pooled else (0.0, 0.0)
        shares = [shrunken_share(state, arm, overall, ratio) for arm in range(relative.size)] if self.pooled else [0.0]
        return np.asarray(state.low + (1.0 - self.severity * min(shares)) * (relative - state.low))

    def indices(self, state: MissingAsState, ask: Ask) -> Floats:
        return self.policy.indices(state.policy, ask)

    def why_down_weighted(self, state: MissingAsState, arm: int, ratings: Sequence[float]) -> list[str]:
        """Return why the wrapped policy down-weights a rating; imputed ratings are left out of the answer."""
        given_ratings = iter(ratings)
        imputed = state.is_imputed[arm, : len(ratings) + state.imputed[arm]].tolist()
        learned = [state.low if is_imputed else next(given_ratings) for is_imputed in imputed]
        reasons = self.policy.why_down_weighted(state.policy, arm, learned)
        return [reason for reason, is_imputed in zip(reasons, imputed, strict=True) if not is_imputed]

    def explain_state(self, state: MissingAsState, arms: Sequence[str | int]) -> list[str]:
        """Return how many ratings are missing, how many of them count, and the explanation of the wrapped policy."""
        asked = (state.rated + state.missing).tolist()
        counts = zip(arms, asked, state.missing.tolist(), state.imputed.tolist(), strict=True)
        sentences = [
            f"{arm}: {missing} of {n} ratings are missing; {imputed} count as {state.low:g}"
            for arm, n, missing, imputed in counts
            if missing > 0
        ]
        return [*sentences, *self.policy.explain_state(state.policy, arms)]
