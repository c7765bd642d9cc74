"""The champion: Thompson sampling over what the ratings mean, and over which of them to believe (ours).

    story ~ P(story | ratings),    mean_a ~ P(mean | ratings of arm a that the story believes),    arm = argmax_a mean_a
    two arms are drawn so, of one story, and again until both are the same

Two kinds of contamination, two parts. Bad ratings *among* the good ones: every arm has a posterior over laws, rates
and kinds of contamination (`rating_model`), so that neither a rate nor a sigma need be known. Bad ratings *on end*:
when the ranks of an arm's ratings change in time, stories are told about which of them were a burst (`stories`), each
with posteriors of its own, and one of them is drawn in each round; nothing is given up for good.

Because two draws have to agree, an arm is played with probability p_a^2 / (p_1^2 + ... + p_K^2), where p_a is Thompson
sampling's. That explores about half as much. What could get lost by it, and by a few bad ratings at the beginning, is
an arm that looks hopeless; so one with fewer than 1.5 (1 + ln(t / K)) ratings is owed a look: every second round goes
to one of those. Here t counts ratings, so that a study whose ratings come late is not behind.

>>> policy = Champion((0, 10))
>>> state = policy.start(2, horizon=1000, capacity=60)
>>> rng = np.random.default_rng(0)
>>> for t in range(1, 61):
...     update(state, t, 0, 9 - t % 2 if t > 20 else t % 2, rng)  # 20 ratings of 0 and 1, then of 8 and 9
>>> policy.estimates(state).round(1).tolist()[0], policy.contamination(state).round(2).tolist()[0]
(8.1, 0.38)

Withstands a fifth of bad ratings on every arm, malicious ones and inliers among them; bursts, brigades and bots, at
the beginning, in the middle or late; an attack on each arm's first pulls. Does not withstand bursts that together make
up more than the truth, attacks on every rating of an arm (no policy does), ratings of two or three values, where
contamination cannot be told from the law, and arms that divide people less evenly than two to three: there the smaller
heap is taken for contamination.

Guarantee: none; the posteriors are exact for the model up to their grid, and the model is not an adversary's.

Reference: ours; Huber (1964) for the contamination model, Pettitt (1979) for the change of ranks.
"""

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine import checks
from trueward.engine.kernel import Floats, Ints, choose, kernel, outlined, reset, update
from trueward.engine.rank_guard import FIRST_TEST, SHORTEST, change_point, next_test
from trueward.errors import ParameterError
from trueward.policies.base import Policy
from trueward.policies.champion.rating_model import (
    Belief,
    RatingModel,
    forget,
    learn,
    learn_afresh,
    no_belief,
    rating_model,
)
from trueward.policies.champion.stories import (
    RATINGS,
    STORIES,
    TOLD,
    Stories,
    consider,
    hear,
    most_believed,
    no_stories,
    start_over,
    story_in_words,
    tally_believed,
)
from trueward.policies.choosing import best_of
from trueward.policies.declared_range import (
    DeclaredRange,
    Outside,
    check_declared,
    count_ratings,
    declared_range,
    rating_of,
    reward_of,
)
from trueward.policies.posterior.best_arm import highest_atom_probabilities
from trueward.policies.posterior.mixture_thompson import first_above

OWED = 1.5  # ratings of each arm, times 1 + ln(t / K): ours
WORTH_A_STORY = 2.0  # times ln T: the statistic of a change of ranks; the guard, which judges by it alone, has 2.5
RECENT = 5  # ratings of an arm: a burst may be over since then
JUDGE_CENTRES = 41  # stories are judged with a coarser model
WORTH_TELLING = 0.005  # weight of a story, in the explanation
REMEMBERED = 32  # changes, for the explanation
PILOT_REACH = 1.5  # distances between the 10 % and the 90 % point of the pilot, to either side of its middle
PILOT_RATINGS = 101
FEWEST_PILOTS = 10


class ChampionState(NamedTuple):
    """What is believed of each arm in each story."""

    belief: Belief
    model: RatingModel
    stories: Stories
    due: Ints  # (arms,) how many ratings there must be for the next test
    drawn: Floats  # (arms,)
    kept: Floats  # (1, capacity) room for the ratings under test
    places: Ints  # (1, capacity) where they stand
    ranks: Floats  # (1, capacity) and for their ranks
    found: Floats  # (1, REMEMBERED, 4) changes: arm, its rating, that of all, statistic
    n_found: Ints  # (1,)
    scale: DeclaredRange
    horizon: int  # 0 if unknown


@reset.register(ChampionState)
def reset_champion(state: ChampionState) -> None:
    """Forget everything."""
    start_over(state.stories)
    for arm in range(state.due.size):
        forget(state.belief, state.model, arm, 0)
    state.due[:] = FIRST_TEST
    state.n_found[:] = 0


@kernel
def owed(state: ChampionState) -> float:
    """Return how many ratings each arm should have by now."""
    return OWED * (1.0 + math.log((state.stories.counts[0, RATINGS] + 1) / state.drawn.size))


@kernel
def drawn_story(state: ChampionState, rng: np.random.Generator) -> int:
    """Return a story, drawn by weight."""
    story, last = 0, state.stories.counts[0, TOLD] - 1
    if last > 0:
        u = rng.random()
        while story < last and u >= state.stories.weights[0, story]:
            u -= state.stories.weights[0, story]
            story += 1
    return story


@choose.register(ChampionState)
def choose_champion(state: ChampionState, t: int, rng: np.random.Generator) -> int:
    """Look at an arm that is owed it; or draw a story, and pairs of arms by it until a pair agrees."""
    few, bar = 0, owed(state)
    for arm in range(state.drawn.size):
        few += state.stories.sizes[arm] < bar
    if few > 0 and rng.random() < 0.5:
        for arm in range(state.drawn.size):
            state.drawn[arm] = 1.0 if state.stories.sizes[arm] < bar else 0.0
        return best_of(state.drawn, rng)
    story, one, other = drawn_story(state, rng), 0, 1
    while one != other:
        one, other = drawn_arm(state, story, rng), drawn_arm(state, story, rng)
    return one


@outlined
def drawn_arm(state: ChampionState, story: int, rng: np.random.Generator) -> int:
    """Draw a mean for each arm as the story has it, and return the arm with the highest."""
    last = state.belief.cumulative.shape[2] - 1
    for arm in range(state.drawn.size):
        cumulative = state.belief.cumulative[arm, story]
        state.drawn[arm] = state.model.means[0, first_above(cumulative, rng.random() * cumulative[last])]
    return best_of(state.drawn, rng)


@update.register(ChampionState)
def update_champion(state: ChampionState, t: int, arm: int, reward: float, rng: np.random.Generator) -> None:
    """Learn the nearest rating in every story that believes it, and test the arm when it is due."""
    rating = rating_of(state.scale, t, arm, reward, state.model.laws.shape[1])
    n = state.stories.sizes[arm]
    hear(state.stories, arm, rating, rounds(state, t))
    for story in range(state.stories.counts[0, TOLD]):
        if state.stories.aside[arm, story, n] == 0:
            learn(state.belief, state.model, arm, story, rating)
    if n + 1 >= state.due[arm]:
        examine(state, arm, rounds(state, t))


@kernel
def rounds(state: ChampionState, t: int) -> int:
    """Return how long the game is, or already lasts; where nobody said, as long again, and not too short."""
    return max(state.horizon, t) if state.horizon > 0 else max(SHORTEST, 2 * t)


@outlined
def examine(state: ChampionState, arm: int, horizon: int) -> None:
    """Test whether the arm's ratings changed, those labelled as its last one is; and see whether bursts are over."""
    stories, size = state.stories, state.stories.sizes[arm]
    state.due[arm] = next_test(size)
    story, n = most_believed(stories), 0
    for i in range(size):
        if stories.aside[arm, story, i] == stories.aside[arm, story, size - 1]:
            state.kept[0, n] = stories.ratings[arm, i]
            state.places[0, n] = i
            n += 1
    place, when = -1, 0
    if n >= FIRST_TEST:
        z2, before = change_point(state.kept[0, :n], state.ranks[0, :n])
        if z2 > WORTH_A_STORY * math.log(horizon):
            place = state.places[0, before]
            when = stories.arrivals[arm, place]
            note_down(state, arm, place, when, z2)
    consider(stories, arm, stories.arrivals[arm, max(0, size - RECENT)], place, when, horizon)
    learn_fresh(state)


@outlined
def note_down(state: ChampionState, arm: int, place: int, when: int, z2: float) -> None:
    """Remember a change for the explanation; one that is found again, only once."""
    n = state.n_found[0]
    which = n
    for i in range(max(0, n - REMEMBERED), n):
        if state.found[0, i % REMEMBERED, 0] == arm and state.found[0, i % REMEMBERED, 1] == place + 1:
            which = i
    note = state.found[0, which % REMEMBERED]
    note[0], note[1], note[2], note[3] = arm, place + 1, when, z2
    state.n_found[0] = max(n, which + 1)


@outlined
def learn_fresh(state: ChampionState) -> None:
    """Learn anew what stories believe that were told just now."""
    stories = state.stories
    for story in range(1, stories.counts[0, TOLD]):
        if stories.fresh[0, story] == 1:
            stories.fresh[0, story] = 0
            for arm in range(stories.sizes.size):
                tally_believed(stories, story, arm, stories.tally[0, 0])
                learn_afresh(state.belief, state.model, arm, story, stories.tally[0, 0])


@dataclass(frozen=True)
class Champion(Policy):
    """Plays well under most contamination, and needs to know the rating scale only.

    Ratings lie on a scale of `ratings` equally spaced values from one end of the range to the other, by default the
    whole numbers; what lies between two is rounded. For continuous rewards, see `from_pilot`.
    """

    range: tuple[float, float]
    _: KW_ONLY
    ratings: int | None = None
    outside: Outside = "clip"

    def __post_init__(self) -> None:
        check_declared(self.range, self.outside)
        count_ratings(self.range, self.ratings)

    @classmethod
    def from_pilot(cls, pilot: ArrayLike) -> Self:
        """Return a champion for continuous rewards like those of a pilot, on all arms together; a tenth may be bad.

        Its range reaches one and a half times as far to either side of the pilot's middle as the middle 80 % are wide,
        in a hundred steps; what lies outside is clipped.
        """
        rewards = checks.array("pilot", pilot)
        if rewards.size < FEWEST_PILOTS:
            raise ParameterError(f"pilot must have at least {FEWEST_PILOTS} rewards, got {rewards.size}")
        low = float(np.quantile(rewards, 0.1, method="higher"))  # no mean of a good reward and a bad one
        high = float(np.quantile(rewards, 0.9, method="lower"))
        if low == high:
            raise ParameterError(f"pilot must vary: its middle 80 % are all {low:g}")
        middle, reach = (low + high) / 2.0, PILOT_REACH * (high - low)
        return cls((middle - reach, middle + reach), ratings=PILOT_RATINGS)

    def start(self, n_arms: int, *, horizon: int | None, capacity: int) -> ChampionState:
        """Return a fresh state."""
        ratings = count_ratings(self.range, self.ratings)
        model = rating_model(ratings)
        judge = rating_model(ratings, centres=JUDGE_CENTRES, places=0, divided=0.0)
        kept, ranks = np.zeros((2, 1, capacity))
        return ChampionState(
            belief=no_belief(n_arms, STORIES, model),
            model=model,
            stories=no_stories(n_arms, capacity, judge),
            due=np.full(n_arms, FIRST_TEST, np.int64),
            drawn=np.zeros(n_arms),
            kept=kept,
            places=np.zeros((1, capacity), np.int64),
            ranks=ranks,
            found=np.zeros((1, REMEMBERED, 4)),
            n_found=np.zeros(1, np.int64),
            scale=declared_range(self.range, self.outside),
            horizon=0 if horizon is None else horizon,
        )

    def _stories(self, state: ChampionState) -> list[tuple[int, float]]:
        """Return the stories that are told, and their weights."""
        return list(enumerate(state.stories.weights[0, : state.stories.counts[0, TOLD]].tolist()))

    def _laws(self, state: ChampionState, story: int) -> Floats:
        """Return each arm's posterior over laws in a story, (arms, laws)."""
        cumulative = state.belief.cumulative[:, story]
        return np.diff(cumulative, axis=1, prepend=0.0) / cumulative[:, -1:]

    def posterior(self, state: ChampionState) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of what is believed of each arm's mean, over all stories."""
        values = reward_of(state.scale, state.model.means[0])
        laws = sum(weight * self._laws(state, story) for story, weight in self._stories(state))
        mean = np.asarray(laws @ values)
        return mean, np.sqrt(np.maximum(laws @ (values * values) - mean * mean, 0.0))

    def estimates(self, state: ChampionState) -> Floats:
        """Return the posterior means, over all stories."""
        return np.where(state.stories.sizes > 0, self.posterior(state)[0], np.nan)

    def contamination(self, state: ChampionState) -> Floats:
        """Return the share of each arm's ratings that is believed bad: set aside, or contaminated among the rest."""
        share = np.zeros(state.due.size)
        rates = 1.0 - state.model.clean[0]
        for story, weight in self._stories(state):
            groups = state.belief.weights[:, story].sum(axis=2)
            rate = groups @ rates / groups.sum(axis=1)
            for arm, size in enumerate(state.stories.sizes.tolist()):
                aside = float(state.stories.aside[arm, story, :size].mean()) if size > 0 else 0.0
                share[arm] += weight * (aside + (1.0 - aside) * rate[arm])
        return share

    def probabilities(self, state: ChampionState, t: int) -> Floats:  # noqa: ARG002 - ratings count, not asks
        """Return the probability of each arm: that two draws agree on it, in all stories, or that it is owed."""
        values, place = np.unique(state.model.means[0], return_inverse=True)
        p = np.zeros(state.due.size)
        for story, weight in self._stories(state):
            atoms = np.array([np.bincount(place, laws, values.size) for laws in self._laws(state, story)])
            agreed = highest_atom_probabilities(atoms) ** 2
            p += weight * agreed / agreed.sum()
        few = state.stories.sizes < owed(state)
        return 0.5 * p + 0.5 * few / few.sum() if few.any() else p

    def why_aside(self, state: ChampionState, arm: int, ratings: Sequence[float]) -> list[str]:
        """Return which ratings the story believed most sets aside."""
        story = most_believed(state.stories)
        words = story_in_words(state.stories, story)
        return [words if aside else "" for aside in state.stories.aside[arm, story, : len(ratings)].tolist()]

    def account(self, state: ChampionState, arms: Sequence[str | int]) -> list[str]:
        """Return what is believed of each arm, the stories that are told, and the changes that made them be told."""
        mean, sd = self.posterior(state)
        share = self.contamination(state)
        lines = [
            f"{label}: mean {mean[arm]:.3g} ± {sd[arm]:.2g}, {share[arm]:.0%} of its ratings believed bad"
            for arm, label in enumerate(arms)
            if state.stories.sizes[arm] > 0
        ]
        stories = self._stories(state)
        told = [(story, weight) for story, weight in stories if weight >= WORTH_TELLING and len(stories) > 1]
        lines += [f"believed to {weight:.0%}: {story_in_words(state.stories, story, arms)}" for story, weight in told]
        n_found = int(state.n_found[0])
        latest = np.arange(max(0, n_found - REMEMBERED), n_found) % REMEMBERED
        for arm, place, when, z2 in state.found[0, latest].tolist():
            lines.append(
                f"{arms[int(arm)]} changed at its rating {place:.0f}, number {when:.0f} of all (z² = {z2:.1f})"
            )
        if state.scale.outside[0, 0] > 0:
            low, high = state.scale.low, state.scale.high
            lines.append(f"{state.scale.outside[0, 0]} ratings lay outside the scale from {low:g} to {high:g}: clipped")
        return lines
