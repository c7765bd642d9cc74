"""Robust Thompson sampling: over what the ratings mean, and over which of them to believe (ours). The default policy.

    hypothesis ~ P(hypothesis | ratings),    spread, ends ~ P(spread, ends | ratings that count in it)
    mean_a ~ P(mean | ratings of arm a that count, spread, ends),    arm = argmax mean
    two arms are drawn so, and again until both are the same

Two kinds of contamination, two parts. Bad ratings *among* the good ones: every arm has a posterior over laws, rates
and kinds of contamination (`rating_model`), in the light of what the arms share (`judgement`), so that neither a rate
nor a sigma need be known. In each draw of an arm the study may be attacked: then the best arm is pushed down, all
others are lifted, and that arm is drawn. Bad ratings *in a row*: when the ranks of an arm's ratings change in time,
hypotheses are proposed about which of them were a burst (`hypotheses`), each with posteriors of its own, and one of
them is drawn in each round; nothing is given up for good.

Because two draws have to agree, an arm is played with probability p_a^2 / (p_1^2 + ... + p_K^2), where p_a is Thompson
sampling's. That explores about half as much. (After 20 pairs without agreement, the last arm drawn is played.) What
could get lost by it, and by a few bad ratings at the beginning, is an arm that looks hopeless; so one with fewer than
0.6 (1 + ln(t / K)) ratings is owed a look, and up to five times as many where it may be the best but for ratings lower
than the other arms' (one that is singled out is suspect): every second round goes to one of those. Here t counts
ratings, so that a study whose ratings come late is not behind, and asks under way count towards what an arm is owed.
They change no posterior, and two draws that disagree spread the asks over the arms by themselves.
"""

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Annotated, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine.kernel import Floats
from trueward.engine.protocol import Ask
from trueward.engine.states import Setting, new
from trueward.errors import ParameterError
from trueward.parameters import Range, at_least, below, check_array, check_number
from trueward.policies.declared_range import Outside, count_levels, declared_range, reward_of
from trueward.policies.policy import Policy
from trueward.policies.signals import DEFAULT_SIGNALS, Signal, signal_table
from trueward.policies.wary_thompson import account
from trueward.policies.wary_thompson.agreement import Laid, agreed_probabilities, nothing_laid
from trueward.policies.wary_thompson.belief import belief_in
from trueward.policies.wary_thompson.evidence import evidence_by
from trueward.policies.wary_thompson.grid import grid_of
from trueward.policies.wary_thompson.hypotheses import CHANGES, HELD, Labels, Log, Standing, most_likely
from trueward.policies.wary_thompson.judgement import LEAST_WEIGHT, judgement_by
from trueward.policies.wary_thompson.playing import REMEMBERED, WaryThompsonState, owed_a_look
from trueward.policies.wary_thompson.rating_model import Assumptions, bad_part, rating_model
from trueward.policies.wary_thompson.views import Drawn, views_of

PILOT_REACH = 1.5  # distances between the 10 % and the 90 % point of the pilot, to either side of its middle
PILOT_LEVELS = 101
FEWEST_PILOTS = 10


class Outlook(NamedTuple):
    """What the asks until the next reward share."""

    p: Floats  # that two draws agree on each arm
    laid: Laid  # from what it was computed


@dataclass(frozen=True)
class WaryThompson(Policy):
    """Wary Thompson sampling: Thompson sampling over arms, kinds of contamination and bursts. The default policy.

    It plays well with honest people and under most contamination, and needs to know only the rating scale.

    It withstands a fifth of bad ratings on every arm, malicious ones and inliers included; bursts, brigades and bots,
    at the beginning, in the middle or late; and an attack on each arm's first pulls. It does not withstand bursts that
    outnumber the true ratings, attacks on every rating of an arm (no policy does), contamination on a scale of two or
    three values, which cannot be distinguished from true ratings, and malice that hides among honest extreme ratings on
    a short scale.

    Parameters
    ----------
    range : tuple of float
        Lowest and highest rating. For continuous rewards, see `from_pilot`.
    levels : int, optional
        Number of equally spaced values on the scale; other ratings are rounded to the nearest one. Default: the whole
        numbers of the range.
    most : float
        The largest share of bad ratings to consider.
    polarised : bool, optional
        Whether many honest ratings may lie at the lowest and highest values: True, always; False, never. By default
        they are suspect, unless most arms have them.
    signals : tuple of Signal
        The signals of a bad rating that may come with it, such as a failed attention check.
    outside : {"clip", "raise"}, optional
        Whether to clip a rating outside `range` or to raise an error. Default: clip in games, raise in a live study.

    Notes
    -----
    Guarantee: none; the posteriors are those of the model up to its grid, but an adversary need not follow the model.

    Examples
    --------
    >>> import numpy as np
    >>> import trueward as tw
    >>> from trueward.engine.protocol import make_observation, update
    >>> policy, rng = tw.WaryThompson((0, 10)), np.random.default_rng(0)
    >>> state = policy.start(n_arms=2, horizon=1000)
    >>> for t in range(1, 61):
    ...     rating = 9 - t % 2 if t > 20 else t % 2  # 20 ratings of 0 and 1, then of 8 and 9
    ...     update(state, make_observation(0, rating, n_arms=2, t=t), rng)
    >>> policy.estimates(state).round(1).tolist()[0], policy.contamination(state).round(2).tolist()[0]
    (8.1, 0.35)

    References
    ----------
    Ours; Huber (1964) for the contamination model, Pettitt (1979) for the change of ranks.
    """

    assumed: ClassVar[Assumptions] = Assumptions()

    range: Range
    _: KW_ONLY
    levels: int | None = None
    most: Annotated[float, at_least(0), below(0.5)] = 0.35
    polarised: bool | None = None
    signals: tuple[Signal, ...] = DEFAULT_SIGNALS
    outside: Outside = None

    def __post_init__(self) -> None:
        super().__post_init__()
        count_levels(self.range, self.levels)

    @classmethod
    def from_pilot(cls, pilot: ArrayLike) -> Self:
        """Return a policy for continuous rewards like those of a pilot, on all arms together; a tenth may be bad.

        Its range reaches one and a half times as far to either side of the pilot's middle as the middle 80 % are wide,
        in a hundred steps; what lies outside is clipped.
        """
        rewards = check_array("pilot", pilot)
        if rewards.size < FEWEST_PILOTS:
            raise ParameterError(f"pilot must have at least {FEWEST_PILOTS} rewards, got {rewards.size}")
        low = float(np.quantile(rewards, 0.1, method="higher"))  # no mean of a good reward and a bad one
        high = float(np.quantile(rewards, 0.9, method="lower"))
        if low == high:
            raise ParameterError(f"pilot must vary: its middle 80 % are all {low:g}")
        middle, reach = (low + high) / 2.0, PILOT_REACH * (high - low)
        scale = (middle - reach, middle + reach)
        return cls(scale, levels=PILOT_LEVELS, polarised=False, outside="clip")  # what is clipped heaps at the ends

    def state(self, setting: Setting) -> WaryThompsonState:
        """Return the prior, and the hypothesis that nothing is excluded."""
        ratings = count_levels(self.range, self.levels)
        assumed = replace(self.assumed, most=self.most, polarised=self.polarised is True)
        if self.polarised is False:
            assumed = replace(assumed, honest=0.0, heaps=())
        if setting.n_arms == 1:
            assumed = replace(assumed, attacked=0.0)  # there is no other arm to lift
        model, coarse = rating_model(ratings, assumed), rating_model(ratings, assumed.in_short)
        return new(
            WaryThompsonState,
            setting,
            belief=belief_in(model, setting, HELD),
            judgement=judgement_by(model, setting, HELD),
            model=model,
            log=new(Log, setting, axes={"ratings": ratings}),
            labels=new(Labels, setting),
            standing=new(Standing, setting),
            evidence=evidence_by(coarse, setting),
            scale=declared_range(self.range, self.outside),
            signals=signal_table(self.signals, setting),
            owed=assumed.owed,
            owed_if_odd=assumed.owed_if_odd,
            hoped=assumed.hoped,
            agreeing=assumed.agreeing,
            horizon=setting.horizon or 0,
        )

    def _views(self, state: WaryThompsonState) -> Iterator[tuple[int, Drawn]]:
        """Give all that may be drawn in a round, with its weight, by hypothesis."""
        for hypothesis, weight in enumerate(account.weights_held(state.standing).tolist()):
            if weight > LEAST_WEIGHT:
                for drawn in views_of(state.judgement, state.belief, state.model, hypothesis):
                    yield hypothesis, drawn._replace(weight=weight * drawn.weight)

    def _believed(self, state: WaryThompsonState) -> tuple[Floats, Floats]:
        """Return the means that an arm may have, and how likely each is, (arms, means)."""
        laws = sum(drawn.weight * drawn.atoms for _, drawn in self._views(state))
        return reward_of(state.scale, grid_of(state.model).values), np.asarray(laws)

    def posterior(self, state: WaryThompsonState) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of what is believed of each arm's mean, over all hypotheses."""
        values, laws = self._believed(state)
        mean = np.asarray(laws @ values)
        return mean, np.sqrt(np.maximum(laws @ (values * values) - mean * mean, 0.0))

    def intervals(self, state: WaryThompsonState, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return between which means each arm's lies with this probability, as far as is believed."""
        values, laws = self._believed(state)
        cumulative, tail = np.cumsum(laws, axis=1), (1.0 - check_number("level", level, above=0, below=1)) / 2.0
        first, last = (np.minimum((cumulative < q).sum(axis=1), values.size - 1) for q in (tail, 1.0 - tail))
        grid = grid_of(state.model)
        low, high = reward_of(state.scale, grid.low), reward_of(state.scale, grid.high)
        return low[first], high[last]

    def estimates(self, state: WaryThompsonState) -> Floats:
        """Return the posterior means, over all hypotheses."""
        return np.where(state.log.sizes > 0, self.posterior(state)[0], np.nan)

    def contamination(self, state: WaryThompsonState) -> Floats:
        """Return the share of each arm's ratings that is believed bad: excluded, or contaminated among the rest."""
        bad = self.believed_bad(state)
        return np.array([arm.mean() if arm.size > 0 else 0.0 for arm in bad])

    def believed_bad(self, state: WaryThompsonState) -> list[Floats]:
        """Return for each arm how likely each of its ratings is bad."""
        log, model, likely = state.log, state.model, dict[int, Floats]()
        for hypothesis, drawn in self._views(state):
            likely[hypothesis] = likely.get(hypothesis, 0.0) + drawn.weight * drawn.cells
        bad = [np.zeros(size) for size in log.sizes.tolist()]
        for hypothesis, cells in likely.items():
            for arm, size in enumerate(log.sizes.tolist()):
                excluded = state.labels.excluded[arm, hypothesis, :size] == 1
                seen, where = np.unique([log.ratings[arm, :size], log.doubts[arm, :size]], axis=1, return_inverse=True)
                laws = state.belief.weights[arm, hypothesis].astype(np.float64)
                laws *= (cells[arm] / laws.sum(axis=1))[:, None]
                among = [bad_part(model, laws, int(rating), doubt) for rating, doubt in seen.T.tolist()]
                bad[arm] += np.where(excluded, cells[arm].sum(), np.array(among)[where.ravel()])
        return bad

    def probabilities(self, state: WaryThompsonState, ask: Ask) -> Floats:
        """Return the probability of each arm: that two draws agree on it, whatever is true, or that it is owed."""
        return self.probabilities_by(self.outlook(state), state, ask)

    def outlook(self, state: WaryThompsonState, before: Outlook | None = None) -> Outlook:
        """Return the probability of each arm that two draws agree on it: it does not depend on who is asked."""
        held = account.weights_held(state.standing)
        laid = nothing_laid(state.judgement, state.model) if before is None else before.laid
        believed = state.judgement, state.belief, state.model
        return Outlook(agreed_probabilities(*believed, state.agreeing, held, laid), laid)

    def probabilities_by(self, outlook: Outlook, state: WaryThompsonState, ask: Ask) -> Floats:
        """Return the probability of each arm, with looks at those that are owed one."""
        p, few = outlook.p, np.empty(outlook.p.size)
        log, owed = state.log, (state.owed, state.owed_if_odd, state.hoped)
        owing = owed_a_look(log.given, log.sizes, ask.pending, *owed, few)
        return 0.5 * p + 0.5 * few / owing if owing > 0 else p

    def why_down_weighted(self, state: WaryThompsonState, arm: int, ratings: Sequence[float]) -> list[str]:
        """Return which ratings the most likely hypothesis excludes, and which of the others are more likely bad."""
        hypothesis = most_likely(state.standing)
        reason = f"excluded: {account.what_happened(state.log, state.labels, hypothesis)}"
        excluded = state.labels.excluded[arm, hypothesis, : len(ratings)].tolist()
        bad = self.believed_bad(state)[arm].tolist()
        return [
            reason if out else f"believed bad with probability {p:.2f}" if p > 0.5 else ""
            for out, p in zip(excluded, bad, strict=True)
        ]

    def explain_state(self, state: WaryThompsonState, arms: Sequence[str | int]) -> list[str]:
        """Return what is believed of each arm, what does not fit, the hypotheses, and the changes behind them."""
        changes = state.standing.counts[CHANGES]
        latest = np.arange(max(0, changes - REMEMBERED), changes) % REMEMBERED
        bad = self.believed_bad(state)
        labels = state.labels.excluded[:, most_likely(state.standing)]
        counts = [arm[:size] == 0 for arm, size in zip(labels, state.log.sizes.tolist(), strict=True)]
        values = reward_of(state.scale, np.linspace(0.0, 1.0, state.model.laws.shape[0]))
        return [
            *account.of_arms(self.estimates(state), self.intervals(state), bad, arms),
            *account.of_heaps(state.log, counts, bad, values, arms),
            *account.of_hypotheses(state.log, state.labels, state.standing, arms),
            *account.of_changes(state.found[latest], arms),
            *account.of_clipping(state.scale),
        ]
