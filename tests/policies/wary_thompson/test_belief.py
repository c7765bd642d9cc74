"""The likelihoods behind Wary Thompson sampling, against brute force in logarithms of 64 bits."""

import numpy as np
import pytest
from scipy.special import logsumexp

from trueward.engine.states import Setting
from trueward.policies.wary_thompson.belief import belief_in, expect_anything, learn, learn_counts
from trueward.policies.wary_thompson.rating_model import Assumptions, rating_model

pytestmark = pytest.mark.usefixtures("parts_compiled")

TRUE = Assumptions()
SMALL = Assumptions(means=32, ratio=3.0)


def expecting_anything(model, n_arms=1, hypotheses=1):
    """Return beliefs that have learned nothing yet."""
    belief = belief_in(model, Setting(n_arms), hypotheses)
    for arm in range(n_arms):
        for hypothesis in range(hypotheses):
            expect_anything(belief, arm, hypothesis)
    return belief


def brute_force(model, sample, doubts=None):
    """Return the logs of the likelihoods, (groups, means, blocks)."""
    logs = np.zeros(model.logs.shape[1:])
    for rating, doubt in zip(sample, np.ones(len(sample)) if doubts is None else doubts, strict=True):
        rest = model.heap[rating] + doubt * model.bad[rating]
        logs += np.log(model.clean[:, None, None] * model.laws[rating].astype(float) + rest[:, None, None])
    return logs


def assert_learned(belief, model, logs, arm=0, hypothesis=0):
    """Compare rows, as far as 32 bits go, and the average likelihood of each."""
    weights = belief.weights[arm, hypothesis].astype(float)
    rows = weights / weights.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(rows, np.exp(logs - logsumexp(logs, axis=1, keepdims=True)), atol=2e-5)
    average = belief.logs[arm, hypothesis] + np.log(belief.sums[arm, hypothesis].astype(float))
    np.testing.assert_allclose(average, logsumexp(logs, axis=1) - np.log(logs.shape[1]), rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(belief.sums[arm, hypothesis], weights.sum(axis=1), rtol=1e-5)


@pytest.mark.parametrize("ratings", [2, 3, 5, 11, 41])
def test_learning_multiplies_by_likelihoods(ratings):
    model = rating_model(ratings, SMALL)
    belief = expecting_anything(model, n_arms=2, hypotheses=3)
    sample = np.random.default_rng(1).integers(0, ratings, 40)
    for rating in sample:
        learn(belief, model, 1, 2, int(rating), 1.0)
    assert_learned(belief, model, brute_force(model, sample), 1, 2)
    assert_learned(belief, model, brute_force(model, []), 0, 2)
    assert_learned(belief, model, brute_force(model, []), 1, 1)


def test_doubt_multiplies_the_bad_part_alone():
    model = rating_model(5, SMALL)
    belief = expecting_anything(model)
    sample, doubts = [4, 4, 0, 3, 0, 4, 2], [0.5, 1.0, 10.0, 0.02, 1000.0, 1.0, 4.0]
    for rating, doubt in zip(sample, doubts, strict=True):
        learn(belief, model, 0, 0, rating, doubt)
    assert_learned(belief, model, brute_force(model, sample, doubts))
    assert np.abs(brute_force(model, sample, doubts) - brute_force(model, sample)).max() > 1


def test_counts_are_learned_as_the_ratings_one_by_one():
    model = rating_model(11, SMALL)
    one, other = expecting_anything(model), expecting_anything(model)
    counts = np.array([0, 1, 0, 0, 15, 16, 17, 40, 3, 0, 0])
    sample = np.random.default_rng(2).permutation(np.repeat(np.arange(11), counts))
    for rating in sample:
        learn(one, model, 0, 0, int(rating), 1.0)
    learn(other, model, 0, 0, 3, 1.0)  # forgotten
    learn_counts(other, model, 0, 0, counts)
    assert not counts.any()
    for belief in (one, other):
        assert_learned(belief, model, brute_force(model, sample))


def test_the_order_of_ratings_does_not_matter():
    model = rating_model(5, SMALL)
    rng = np.random.default_rng(3)
    sample = rng.choice(5, 200, p=[0.08, 0.05, 0.12, 0.30, 0.45])
    for order in (sample, sample[::-1], rng.permutation(sample)):
        belief = expecting_anything(model)
        for rating in order:
            learn(belief, model, 0, 0, int(rating), 1.0)
        assert_learned(belief, model, brute_force(model, sample))


def test_thousands_of_ratings_do_not_underflow():
    model = rating_model(11, TRUE)
    one, other = expecting_anything(model), expecting_anything(model)
    sample = np.random.default_rng(4).binomial(10, 0.9, 5000)
    for rating in sample:
        learn(one, model, 0, 0, int(rating), 1.0)
    learn_counts(other, model, 0, 0, np.bincount(sample, minlength=11))
    logs = np.tensordot(np.bincount(sample, minlength=11), model.logs, 1)
    for belief in (one, other):
        assert np.isfinite(belief.logs).all()
        assert (belief.weights > 0).all()
        weights = belief.weights[0, 0].astype(float)
        average = belief.logs[0, 0] + np.log(belief.sums[0, 0].astype(float))
        expected = logsumexp(logs, axis=1) - np.log(logs.shape[1])
        likely = expected > expected.max() - 30
        np.testing.assert_allclose(average[likely], expected[likely], atol=0.02)
        rows = (weights / weights.sum(axis=1, keepdims=True)).transpose(0, 2, 1)[likely]
        exact = np.exp(logs - logsumexp(logs, axis=1, keepdims=True)).transpose(0, 2, 1)[likely]
        np.testing.assert_allclose(rows, exact, atol=2e-3)


def test_no_mean_is_given_up_for_good():
    """Sixty ratings of 9, then more of 2: what was a floor grows back."""
    model = rating_model(11, SMALL)
    belief = expecting_anything(model)
    for rating in [9] * 60 + [2] * 400:
        learn(belief, model, 0, 0, rating, 1.0)
    assert model.means[belief.weights[0, 0, :, :, :3].argmax(axis=1)] == pytest.approx(0.22, abs=0.05)


def test_one_may_begin_anew():
    model = rating_model(5, SMALL)
    belief = expecting_anything(model)
    for rating in [3] * 50:
        learn(belief, model, 0, 0, rating, 1.0)
    expect_anything(belief, 0, 0)
    assert_learned(belief, model, brute_force(model, []))


def test_a_product_in_64_bits_is_a_quotient_in_32():
    """A quotient of 24 bits by 24 is never nearer than 2^-49 to where rounding turns; the product is off by 2^-52."""
    rng = np.random.default_rng(0)
    weights = np.append(rng.random(200_000), 2.0**-100 * np.arange(2**23, 2**23 + 10_000)).astype(np.float32)
    for total in [*(1e-5 * rng.random(20)), 1e-30, 1e-5]:
        divisor = np.float32(total)
        product = (weights.astype(np.float64) * (1.0 / float(divisor))).astype(np.float32)
        np.testing.assert_array_equal(product, weights / divisor)
