import math

import numpy as np
import pytest
from scipy import integrate, optimize, stats

import trueward as tw
from policy_states import state_after
from trueward.engine.protocol import make_ask
from trueward.errors import ParameterError
from trueward.policies.index import crimed
from trueward.policies.index.crimed import CRIMED, corrupted_divergence, dead_zone, interpolate_divergence

ARMS = tw.BinomialArms(n=10, p=(0.9, 0.8, 0.8, 0.8, 0.8))
SIGMA = 1.2649
TRIALS, PROTOTYPE_TRIALS = 128, 200


@pytest.mark.parametrize(
    ("delta", "epsilon", "divergence"),
    [
        (0.5, 0.05, 0.045957),
        (0.5, 0.1, 0.013144),
        (1.0, 0.05, 0.25577),
        (1.0, 0.1, 0.140356),
        (1.0, 0.2, 0.023712),
        (2.0, 0.1, 0.66383),
        (2.0, 0.2, 0.264311),
    ],
)
def test_corrupted_divergence_agrees_with_the_prototype(delta, epsilon, divergence):
    assert corrupted_divergence(delta, epsilon) == pytest.approx(divergence, abs=1e-6)


@pytest.mark.parametrize(("epsilon", "edge"), [(0.05, 0.1320), (0.1, 0.2794), (0.2, 0.6373)])
def test_corrupted_divergence_is_zero_within_the_dead_zone(epsilon, edge):
    assert dead_zone(epsilon) == pytest.approx(edge, abs=5e-5)
    assert corrupted_divergence(dead_zone(epsilon), epsilon) == 0.0
    assert corrupted_divergence(dead_zone(epsilon) + 0.01, epsilon) > 0.0


def test_corrupted_divergence_is_that_of_normals_without_contamination():
    for delta in (0.0, 0.3, 2.0, 9.0):
        assert corrupted_divergence(delta, 0.0) == delta * delta / 2
        assert corrupted_divergence(delta, 1e-12) == pytest.approx(delta * delta / 2, rel=0.01 if delta < 5 else 0.5)


def test_corrupted_divergence_reaches_its_limit_for_large_gaps():
    for epsilon in (0.01, 0.1, 0.3, 0.49):
        limit = (1 - 2 * epsilon) * math.log((1 - epsilon) / epsilon)
        assert corrupted_divergence(12.0, epsilon) == pytest.approx(limit, rel=1e-6)


@pytest.mark.parametrize(("delta", "epsilon"), [(0.7, 0.05), (1.5, 0.1), (3.0, 0.3)])
def test_corrupted_divergence_equals_that_of_the_least_favourable_pair_by_scipy(delta, epsilon):
    """The pair has densities (1 - eps) max(f, c g) and (1 - eps) max(g, c f), with c such that their mass is 1."""
    x = np.linspace(-12, 12 + delta, 200_001)
    f, g = stats.norm.pdf(x), stats.norm.pdf(x, delta)
    c = optimize.brentq(lambda c: integrate.trapezoid((1 - epsilon) * np.maximum(f, c * g), x) - 1, 1e-9, 1.0)
    p, q = (1 - epsilon) * np.maximum(f, c * g), (1 - epsilon) * np.maximum(g, c * f)
    kl = integrate.trapezoid(p * np.log(p / q), x)
    assert corrupted_divergence(delta, epsilon) == pytest.approx(kl, rel=1e-5)


def test_interpolated_divergence_is_close_to_the_exact_one():
    table = CRIMED(epsilon=0.1, sigma=1.0).start(2).divergences
    assert table.shape == (241,)
    assert interpolate_divergence(table, 0.1, 0.0) == 0.0
    for gap in np.random.default_rng(0).uniform(0, 14, size=200):
        # A chord of length 0.05 differs by 0.05^2 / 8 times the second derivative, which is at most 1.
        exact = corrupted_divergence(dead_zone(0.1) + gap, 0.1)
        assert interpolate_divergence(table, 0.1, gap) == pytest.approx(exact, abs=3.2e-4)


def test_crimed_counts_evidence_for_gaps_within_the_dead_zone():
    """The source's Algorithm 1 moves every median but the highest down by the dead zone before it compares them."""
    policy = CRIMED(epsilon=0.1, sigma=1.0)
    state = state_after(policy, [[5.0] * 30, [4.8] * 20])  # a gap of 0.2, within the dead zone of 0.28
    evidence = 20 * corrupted_divergence(0.2 + dead_zone(0.1), 0.1)
    assert evidence > 0.2
    np.testing.assert_allclose(
        policy.indices(state, make_ask(51, 2)), [-math.log(30), -(evidence + math.log(20))], atol=0.01
    )


def test_crimed_index_is_evidence_plus_log_pulls():
    policy = CRIMED(epsilon=0.0, sigma=2.0)
    state = state_after(policy, [[5.0] * 7, [4.0] * 3])
    np.testing.assert_allclose(policy.indices(state, make_ask(11, 2)), [-math.log(7), -(3 * 0.125 + math.log(3))])
    assert policy.probabilities(state, make_ask(11, 2)).tolist() == [0.0, 1.0]


def test_crimed_pulls_every_arm_n0_times_first():
    policy = CRIMED(epsilon=0.1, sigma=1.0, n0=3)
    state = state_after(policy, [[9.0] * 3, [1.0] * 2, []])
    assert policy.probabilities(state, make_ask(6, 3)).tolist() == [0.0, 0.5, 0.5]
    trace = tw.play(policy, ARMS, horizon=15, trials=3, compiled=False)
    assert (trace.pulls[:, -1] == 3).all()


@pytest.mark.parametrize(
    ("policy", "arms"),
    [
        (CRIMED(epsilon=0.1, sigma=SIGMA), ARMS),
        (CRIMED(epsilon=0.0, sigma=1e-9), tw.GaussianArms(means=[1e300, -1e300, 0.0], sd=1.0)),
    ],
    ids=["ratings", "huge rewards"],
)
def test_crimed_interpreted_equals_compiled(policy, arms):
    settings = {"horizon": 150, "trials": 3, "seed": 11, "keep_history": True}
    adversary = tw.BernoulliAdversary(0.1, tw.WorstBounded()) if arms is ARMS else tw.NoAdversary()
    slow = tw.play(policy, arms, adversary, compiled=False, **settings)
    fast = tw.play(policy, arms, adversary, compiled=True, **settings)
    np.testing.assert_array_equal(slow.arms, fast.arms)


@pytest.mark.parametrize(
    ("adversary", "mean", "sd"),
    [
        (tw.NoAdversary(), 55, 21),
        (tw.BernoulliAdversary(0.1, tw.RandomMalicious()), 197, 103),
        (tw.BernoulliAdversary(0.1, tw.WorstBounded()), 216, 161),
        (tw.PrefixBudget(0.1, tw.Unbounded()), 175, 43),
    ],
    ids=["clean", "random", "worst", "prefix, unbounded"],
)
@pytest.mark.soak
def test_crimed_regret_agrees_with_the_prototype_when_the_dead_zone_is_not_added(monkeypatch, adversary, mean, sd):
    gaps = np.linspace(0, 12, 241)
    monkeypatch.setattr(crimed, "tabulate_divergences", lambda e: [corrupted_divergence(gap, e) for gap in gaps])
    policy = CRIMED(epsilon=0.0 if isinstance(adversary, tw.NoAdversary) else 0.1, sigma=SIGMA)
    ours = tw.play(policy, ARMS, adversary, horizon=1000, trials=TRIALS, seed=0, checkpoints=[1000]).regret[:, -1]
    error = math.sqrt(ours.var() / TRIALS + sd * sd / PROTOTYPE_TRIALS + 1 / 12)  # rounded to whole numbers
    assert abs(ours.mean() - mean) < 4 * error, (ours.mean(), mean)  # 4 standard errors


@pytest.mark.parametrize(("values", "before"), [(tw.RandomMalicious(), 197), (tw.Inlier(), 199)], ids=["A", "inliers"])
def test_crimed_regret_is_lower_when_the_dead_zone_is_added(values, before):
    adversary = tw.BernoulliAdversary(0.1, values)
    trace = tw.play(CRIMED(epsilon=0.1, sigma=SIGMA), ARMS, adversary, horizon=1000, trials=TRIALS, checkpoints=[1000])
    assert trace.regret.mean() < 0.85 * before


def test_crimed_error_names_the_wrong_parameter():
    with pytest.raises(ParameterError, match=r"epsilon must be at least 0 and below 0.5, got 0.5"):
        CRIMED(epsilon=0.5, sigma=1)
    with pytest.raises(ParameterError, match="sigma must be above 0, got 0"):
        CRIMED(epsilon=0.1, sigma=0)
    with pytest.raises(ParameterError, match="n0 must be a whole number of at least 1, got 0"):
        CRIMED(epsilon=0.1, sigma=1, n0=0)
    with pytest.raises(ParameterError, match="estimator must be an Estimator"):
        CRIMED(epsilon=0.1, sigma=1, estimator=None)
