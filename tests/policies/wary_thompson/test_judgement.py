"""What is believed of the study: against the formula in NumPy, and what is drawn from it against its probabilities."""

from dataclasses import replace

import numba
import numpy as np
import pytest
from scipy.special import logsumexp

import trueward as tw
from policy_states import state_after
from trueward.engine.protocol import choose, make_ask, make_observation, update
from trueward.engine.states import Setting
from trueward.policies.wary_thompson.belief import learn_counts
from trueward.policies.wary_thompson.hypotheses import HYPOTHESES
from trueward.policies.wary_thompson.judgement import (
    agreed_arm,
    draw_agreed_arm,
    judge,
    judgement_by,
    time_to_judge,
)
from trueward.policies.wary_thompson.rating_model import BOTH, LOW, Assumptions, rating_model
from trueward.policies.wary_thompson.views import views_of
from trueward.statistics.best_arm_probability import best_arm_probabilities_discrete

from .reference import if_best
from .test_belief import brute_force, expecting_anything

pytestmark = pytest.mark.usefixtures("parts_compiled")

SMALL = Assumptions(means=32, ratio=2.0)


def judged(model, samples):
    """Return the belief and the judgement of arms with these ratings."""
    belief = expecting_anything(model, len(samples))
    judgement = judgement_by(model, Setting(len(samples)), 1)
    for arm, sample in enumerate(samples):
        learn_counts(belief, model, arm, 0, np.bincount(np.array(sample, int), minlength=len(model.laws)))
        judgement.counted[arm, 0] = len(sample)
        judge(judgement, belief, model, arm, 0)
    return belief, judgement


@pytest.mark.parametrize("n", [0, 1, 20, 150, 1000])
@pytest.mark.parametrize("ratings", [2, 5, 11])
def test_chances_and_support_are_those_of_the_formula(ratings, n):
    model = rating_model(ratings, SMALL)
    sample = np.random.default_rng(n).binomial(ratings - 1, 0.7, n)
    _, judgement = judged(model, [sample])
    logs = brute_force(model, sample)
    evidence = logsumexp(logs, axis=1) - np.log(logs.shape[1])  # (groups, blocks)
    zeta = np.log(1 + n / model.trusted) / (n / model.trusted) if n > 0 else 1.0
    powered = zeta * (evidence - evidence.max())
    np.testing.assert_allclose(judgement.chances[0, 0], np.exp(powered), rtol=1e-3, atol=1e-7)
    support = np.einsum("eg,sb,gb->es", model.groups, model.near, np.exp(powered))
    np.testing.assert_allclose(judgement.support[0, 0], np.log(support), atol=1e-4)


def test_views_are_weighed_by_the_support_of_all_arms():
    model = rating_model(5, replace(SMALL, attacked=0.0))
    rng = np.random.default_rng(0)
    belief, judgement = judged(model, [rng.binomial(4, p, 60) for p in (0.5, 0.7, 0.9)])
    logs = (model.ends[:, None] + judgement.support[:, 0].sum(axis=0)).ravel()
    weights = np.exp(logs - logsumexp(logs))
    views = list(views_of(judgement, belief, model, 0))
    assert [view.weight for view in views] == pytest.approx(weights[weights >= 1e-6].tolist(), rel=1e-4)
    for view in views:
        np.testing.assert_allclose(view.cells.sum(axis=(1, 2)), 1)
        np.testing.assert_allclose(view.atoms.sum(axis=1), 1)


def test_in_an_attack_the_best_arm_is_pushed_down_and_all_others_are_lifted():
    """The believed means against the joint law of the three arms, given that the one that is pushed is the best."""
    samples = [[*[3, 4, 3, 2] * 8, *[0] * 5], [*[2, 3, 2, 3] * 8, *[4] * 5], [*[2, 3, 3, 2] * 8, *[4] * 5]]
    honest, model = (rating_model(5, replace(SMALL, attacked=share)) for share in (0.0, 0.5))
    belief, judgement = judged(model, samples)
    values = np.unique(model.stretch[:, None] * model.means + model.shift[:, None])
    views = list(views_of(*reversed(judged(honest, samples)), honest, 0))
    laws = sum(view.weight * view.atoms for view in views)
    total = logsumexp(honest.ends[:, None] + judgement.support[:, 0, :4].sum(axis=0)) + np.log(0.5)
    for end, spread, pushed in np.ndindex(2, len(model.near), 3):
        parts = [6 + end if arm == pushed else 4 + end for arm in range(3)]
        log = model.ends[4 + end] + sum(judgement.support[arm, 0, part, spread] for arm, part in enumerate(parts))
        atoms = []
        for arm, part in enumerate(parts):
            cells = judgement.chances[arm, 0] * model.groups[part][:, None] * model.near[spread]
            rows = belief.weights[arm, 0] / belief.weights[arm, 0].sum(axis=1, keepdims=True)
            mean = np.einsum("gb,gmb->m", cells / cells.sum(), rows)
            atoms.append(np.bincount(np.searchsorted(values, model.means), mean, values.size))
        laws = laws + np.exp(log - total) * if_best(pushed, np.array(atoms))
    laws /= laws[0].sum()
    found = sum(view.weight * view.atoms for view in views_of(judgement, belief, model, 0))
    np.testing.assert_allclose(found, laws, atol=2e-4)
    plain, wary = (
        sum(view.weight * view.atoms for view in each) @ values
        for each in (views, views_of(judgement, belief, model, 0))
    )
    assert wary[0] - wary[1:].max() > plain[0] - plain[1:].max()


def test_an_arm_is_judged_after_every_rating_and_later_after_a_few_percent_more():
    times = [n for n in range(1, 2001) if time_to_judge(n)]
    assert times[:63] == list(range(1, 64))
    gaps = np.diff(times)
    assert (gaps <= np.maximum(1, np.array(times[1:]) / 32)).all()
    assert len(times) < 250


@numba.njit
def times_drawn(n, seen, drawn_from, agreeing, rng):
    """Count how often each arm is drawn, of n times."""
    for _ in range(n):
        seen[draw_agreed_arm(*drawn_from, agreeing, 0, rng)] += 1


def assert_frequencies(seen, p):
    """Compare to four standard errors, and a draw in ten thousand."""
    n = seen.sum()
    assert p.sum() == pytest.approx(1)
    assert (np.abs(seen / n - p) < 4 * np.sqrt(p * (1 - p) / n) + 1e-4).all(), (seen / n, p)


def frequencies(state, n=20_000):
    """Return how often each arm is drawn if nothing is excluded."""
    model, seen = state.model, np.zeros(state.due.size)
    believed = state.belief.weights, state.belief.sums, state.judgement.chances, state.judgement.support
    assumed = model.near, model.groups, model.ends, model.means, model.stretch, model.shift
    times_drawn(n, seen, (*believed, *assumed), state.agreeing, np.random.default_rng(1))
    return seen


def around(centre, n, heap=0):
    """Return ratings around a centre, and a heap at 0."""
    return [centre + (i % 3) - 1 for i in range(n)] + [0] * heap


CASES = {
    "two arms": [around(7, 12), [*around(6, 12), 9]],
    "six arms": [around(6 + (arm % 3), 9 + arm) for arm in range(6)],
    "a heap on one arm": [around(8, 16, heap=4), around(6, 18), around(7, 18)],
    "heaps on two arms": [around(8, 18, heap=2), around(7, 19), around(8, 17, heap=2)],
    "an attack": [around(7, 13, heap=4), [*around(6, 16), 10, 10, 10], [*around(6, 15), 10, 10, 10, 10]],
    "heaps on all arms": [around(8, 16, heap=4), around(7, 16, heap=4), around(8, 16, heap=5)],
}


@pytest.mark.parametrize("polarised", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_arms_are_drawn_by_their_probabilities(name, polarised):
    policy = tw.WaryThompson((0, 10), polarised=polarised)
    ratings = CASES[name]
    state = state_after(policy, ratings, horizon=1000, capacity=40)
    assert_frequencies(frequencies(state), policy.probabilities(state, make_ask(1, len(ratings))))


def test_where_three_draws_have_to_agree_arms_are_drawn_by_their_probabilities():
    policy = type("Three", (tw.WaryThompson,), {"assumed": Assumptions(agreeing=3)})((0, 10))
    state = state_after(policy, CASES["six arms"], horizon=1000, capacity=40)
    assert_frequencies(frequencies(state), policy.probabilities(state, make_ask(1, 6)))


def test_the_more_arms_have_a_heap_the_likelier_it_is_honest():
    policy, honest = tw.WaryThompson((0, 10)), []
    for name in ("a heap on one arm", "heaps on two arms", "heaps on all arms"):
        state = state_after(policy, CASES[name], horizon=1000, capacity=40)
        logs = state.model.ends[:4] + logsumexp(state.judgement.support[:, 0, :4].sum(axis=0), axis=1)
        honest.append(np.exp(logs - logsumexp(logs))[[LOW, BOTH]].sum())
    assert honest == sorted(honest)
    assert 0.05 < honest[0] < 0.5  # so views of both kinds are drawn above
    assert honest[2] > 0.95


def test_arms_are_chosen_by_their_probabilities_under_several_hypotheses():
    policy = tw.WaryThompson((0, 10))
    state = policy.start(3, horizon=150, capacity=40)
    rng, n = np.random.default_rng(0), 4000
    bad = [(arm, (4, 9, 8)[arm] + i % 2) for i in range(10) for arm in range(3)]
    good = [(arm, (8, 7, 7)[arm] + i % 3 - 1) for i in range(8) for arm in range(3)]
    for t, (arm, rating) in enumerate(bad + good, 1):
        update(state, make_observation(arm, rating, n_arms=3, t=t), rng)
    held = state.standing.weights[: state.standing.counts[HYPOTHESES]]
    assert (held > 0.05).sum() >= 2
    seen = np.bincount([choose(state, make_ask(1, 3), rng) for _ in range(n)], minlength=3)
    assert_frequencies(seen, policy.probabilities(state, make_ask(1, 3)))


def test_after_many_pairs_that_do_not_agree_the_last_arm_drawn_is_played():
    """Pairs of thirty arms seldom agree; if they had to, the better arms would be played more often than they are."""
    policy, n_arms = tw.WaryThompson((0, 1)), 30
    ratings = [[1, 1, 1, 0, 1] if arm < 5 else [1, 0, 1, 0, 1] for arm in range(n_arms)]
    state = state_after(policy, ratings, horizon=1000, capacity=8)
    seen = frequencies(state, 8000)
    assert_frequencies(seen, policy.probabilities(state, make_ask(1, n_arms)))
    (view,) = views_of(state.judgement, state.belief, state.model, 0)
    one = best_arm_probabilities_discrete(view.atoms)
    agreed = one**2 / (one**2).sum()
    assert seen[:5].sum() / seen.sum() < agreed[:5].sum() - 0.02


def numbers_drawn(rng, before):
    """Return how many random numbers a generator gave since a state."""
    other, n = np.random.PCG64(), 0
    other.state = before
    while other.state != rng.bit_generator.state:
        other.advance(1)
        n += 1
    return n


@pytest.mark.parametrize("n_arms", [2, 500])
def test_an_ask_draws_at_most_twenty_pairs_of_arms_however_many_arms_there_are(n_arms):
    model = rating_model(5, Assumptions(means=32, places=0, heaps=(), honest=0.0))
    belief, judgement = judged(model, [[]] * n_arms)
    rng, most = np.random.default_rng(0), 0
    for _ in range(3):
        before = rng.bit_generator.state
        assert 0 <= agreed_arm(judgement, belief, model, 2, 0, rng) < n_arms
        most = max(most, numbers_drawn(rng, before))
    each = 3  # group and block; mean; who of equals
    assert most <= 1 + 2 * 20 * n_arms * each
    if n_arms == 500:
        assert most >= 2 * 20 * n_arms * (each - 1)  # the cap is reached: none agreed
