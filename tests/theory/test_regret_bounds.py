import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from trueward.errors import ParameterError
from trueward.theory import RegretBound, alpha_max, compare_bounds, gap_dependent_bound, gap_free_bound, linear_bound
from trueward.theory.regret_bounds import PEELING_EXCESS_PULLS, PRINTED_EXCESS_PULLS

GAPS = [0, 1, 1, 1, 1]
PAPER = {"sigma": 1.265, "horizon": 1000}


def test_crucb_bounds_are_vacuous_in_the_paper_setting():
    assert gap_free_bound(GAPS, **PAPER).raw == pytest.approx(1941, abs=1)
    assert gap_free_bound(GAPS, constant="proof", **PAPER).raw == pytest.approx(3821, abs=1)
    assert gap_dependent_bound(GAPS, **PAPER).raw == pytest.approx(2889, abs=1)
    linear = linear_bound(GAPS, alpha=0.05, **PAPER)
    noise = 8 * 1.265 * math.sqrt(5 * 1000 * math.log(1000))
    assert linear.raw - noise == pytest.approx(8143, abs=1)  # no arm is covered: no 15 Delta
    for bound in (gap_free_bound(GAPS, **PAPER), gap_dependent_bound(GAPS, **PAPER), linear):
        assert bound.trivial == bound.value == 1000
        assert bound.vacuous


def test_gap_free_bound_has_constants_8_and_16_that_grow_with_the_root_of_c():
    root = 1.265 * math.sqrt(5 * 1000 * math.log(1000))
    for c, constant, kappa in [
        (4, "theorem", 8),
        (4, "proof", 16),
        (6, "theorem", math.sqrt(96)),
        (6, "proof", 2 * math.sqrt(96)),
    ]:
        bound = gap_free_bound(GAPS, constant=constant, c=c, **PAPER)
        assert bound.raw == pytest.approx(kappa * root + 60)


@pytest.mark.parametrize(("n_arms", "sigma", "horizon"), [(2, 1.0, 100), (5, 1.265, 1000), (50, 0.3, 10**6)])
def test_splitting_the_arms_at_one_gap_gives_at_best_16(n_arms, sigma, horizon):
    # the printed proof: Delta T for the small gaps, K 64 sigma^2 ln T / Delta for the others
    bad = 64 * sigma**2 * math.log(horizon) * n_arms
    best = minimize_scalar(lambda x: math.exp(x) * horizon + bad / math.exp(x)).fun
    assert best == pytest.approx(16 * sigma * math.sqrt(n_arms * horizon * math.log(horizon)))


def largest_regret(gaps, sigma, horizon):
    """Return max sum Delta_a n_a with n_a <= 64 sigma^2 ln T / Delta_a^2 and sum n_a <= T: largest gaps first."""
    total, left = 0.0, float(horizon)
    for gap in sorted(gaps, reverse=True):
        pulls = min(left, 64 * sigma**2 * math.log(horizon) / gap**2)
        total, left = total + gap * pulls, left - pulls
    return total


def test_cauchy_schwarz_gives_the_constant_8_of_the_theorem():
    rng = np.random.default_rng(2)
    for _ in range(2000):
        n_arms, horizon = int(rng.integers(2, 20)), int(rng.integers(20, 10**5))
        gaps = np.exp(rng.uniform(-6, 4, n_arms - 1))
        limit = 8 * 1.3 * math.sqrt((n_arms - 1) * horizon * math.log(horizon))
        assert largest_regret(gaps, 1.3, horizon) <= limit * (1 + 1e-12)


def test_constant_8_is_attained_when_every_bad_arm_has_the_critical_gap():
    n_arms, horizon, sigma = 6, 5000, 1.3
    gap = 8 * sigma * math.sqrt((n_arms - 1) * math.log(horizon) / horizon)
    limit = 8 * sigma * math.sqrt((n_arms - 1) * horizon * math.log(horizon))
    assert largest_regret([gap] * (n_arms - 1), sigma, horizon) == pytest.approx(limit)


def test_gap_dependent_bound_sums_over_arms_with_a_positive_gap():
    by_hand = sum(64 * math.log(500) / gap + 15 * gap for gap in (0.5, 2.0))
    assert gap_dependent_bound([0, 0.5, 2.0, 0], sigma=1, horizon=500).raw == pytest.approx(by_hand)


def test_printed_excess_pulls_exceed_the_sum_of_failure_probabilities_with_c_6():
    # 1 forced pull, and 8 / t^2 in every round from K + 1 >= 3 on
    assert 1 + 8 * (math.pi**2 / 6 - 1 - 1 / 4) < 4.2 < PRINTED_EXCESS_PULLS


def test_peeling_excess_pulls_bound_the_sum_of_failure_probabilities_with_c_4():
    # P(S_n > sigma sqrt(4 n ln t) for some n <= t) <= (1 + ln t / ln b) t^(-2/b), the maximal inequality on blocks
    # [b^k, b^(k+1)]; two arms, and 2/t^2 each for the largest deviation; beyond the last t, an integral
    b, last = 1.2, 10**6
    t = np.arange(3, last + 1)
    power = 2 / b - 1
    tail = last**-power / power * (1 + (math.log(last) + 1 / power) / math.log(b)) + 2 / last
    total = 1 + 2 * (((1 + np.log(t) / math.log(b)) * t ** (-2 / b) + 2 / t**2).sum() + tail)
    assert PEELING_EXCESS_PULLS - 0.5 < total < PEELING_EXCESS_PULLS


def test_excess_pulls_multiply_the_sum_of_the_gaps():
    setting = {"sigma": 1, "horizon": 500, "alpha": 0.001}
    for function in (gap_dependent_bound, gap_free_bound, linear_bound):
        printed, peeled = (
            function([0, 1, 3], excess_pulls=excess_pulls, **setting).raw
            for excess_pulls in (PRINTED_EXCESS_PULLS, PEELING_EXCESS_PULLS)
        )
        assert peeled - printed == pytest.approx(11 * 4)


def test_gap_dependent_bound_below_the_trivial_one_is_not_vacuous():
    bound = gap_dependent_bound([0, 1], sigma=1, horizon=10_000)
    assert not bound.vacuous
    assert bound.value == bound.raw < bound.trivial == 10_000


@pytest.mark.parametrize("function", [gap_dependent_bound, gap_free_bound])
@pytest.mark.parametrize("kind", ["trim", "trim-sharpened", "shorth", "shorth-tightened", "shorth-sharpened"])
def test_bound_applies_up_to_alpha_max_of_the_smallest_positive_gap(function, kind):
    gaps = [2.0, 0, 0.5, 0]
    limit = alpha_max(0.5, kind=kind, sigma=1, horizon=1000)
    setting = {"sigma": 1, "horizon": 1000, "kind": kind, "excess_pulls": PEELING_EXCESS_PULLS}
    assert function(gaps, alpha=limit * 0.999, **setting).applies
    assert not function(gaps, alpha=limit * 1.001, **setting).applies


def test_bound_on_the_rewards_increases_the_alpha_that_applies():
    alpha = 0.04
    assert not gap_dependent_bound([0, 1], sigma=1, horizon=1000, alpha=alpha).applies
    assert gap_dependent_bound([0, 1], sigma=1, horizon=1000, alpha=alpha, bound=1.0, c=6).applies


def test_gap_free_bound_does_not_apply_with_fewer_rounds_than_arms():
    assert not gap_free_bound([0, 1, 1], sigma=1, horizon=2, c=6).applies
    assert gap_free_bound([0, 1, 1], sigma=1, horizon=3, c=6).applies


@pytest.mark.parametrize("function", [gap_dependent_bound, gap_free_bound, linear_bound])
def test_bound_applies_only_with_proved_constants(function):
    for c, excess_pulls, proved in [
        (4, 15, False),
        (4, 26, True),
        (5.9, 15, False),
        (6, 15, True),
        (6, 14, False),
        (3, 99, False),
    ]:
        assert function([0, 1], sigma=1, horizon=1000, alpha=0.001, c=c, excess_pulls=excess_pulls).applies == proved
    assert not function([0, 1], sigma=1, horizon=1000, alpha=0.001).applies  # as printed


def test_bound_that_does_not_apply_guarantees_only_the_trivial_bound():
    bound = gap_dependent_bound([0, 1], sigma=1, horizon=10_000, alpha=0.2, c=6)
    assert not bound.applies
    assert bound.guaranteed == 10_000 > bound.value


def test_linear_bound_equals_gap_free_bound_when_every_gap_is_resolved():
    setting = {"sigma": 0.1, "horizon": 1000, "alpha": 0.01}
    assert linear_bound(GAPS, **setting).raw == gap_free_bound(GAPS, **setting).raw


def test_linear_bound_adds_a_linear_term_for_unresolved_gaps():
    gaps = [0, 0.1, 0.3, 5.0, 40.0]
    bound = linear_bound(gaps, sigma=1, horizon=1000, alpha=0.05)
    per_round = 16 * 0.05 * math.sqrt(6 * math.log(1000)) / (1 - 0.2)
    covered = [gap for gap in gaps if gap >= per_round]
    assert covered == [40.0]
    noise = 8 * math.sqrt(5 * 1000 * math.log(1000))
    assert bound.raw == pytest.approx(noise + 15 * 40 + per_round * 1000)


def test_compare_bounds_states_what_applies_with_and_without_contamination():
    clean = {b.name: b for b in compare_bounds([0, 1], sigma=1, horizon=10_000, alpha=0, width=4)}
    contaminated = {b.name: b for b in compare_bounds([0, 1], sigma=1, horizon=10_000, alpha=0.1, width=4)}
    assert len(clean) == len(contaminated) == 12
    assert all(bound.applies for bound in clean.values())
    assert {name for name, bound in contaminated.items() if not bound.applies} == {
        "crUCB trim, gap-dependent",
        "crUCB trim, gap-free",
        "crUCB trim, gap-free (proof)",
        "UCB",
        "UCB1",
    }
    assert all(isinstance(bound, RegretBound) for bound in contaminated.values())
    assert all(contaminated[name].raw >= clean[name].raw for name in clean)
    assert contaminated["EXP3"].raw == pytest.approx(clean["EXP3"].raw + 2 * 0.1 * 10_000 * 4)


def test_compare_bounds_omits_the_linear_bound_where_it_is_undefined():
    names = [b.name for b in compare_bounds([0, 1], sigma=1, horizon=100, alpha=0.3, width=4)]
    assert "crUCB trim, linear" not in names
    sharpened = compare_bounds([0, 1], sigma=1, horizon=100, alpha=0.3, width=4, kind="shorth-sharpened")
    assert "crUCB shorth-sharpened, linear" in [b.name for b in sharpened]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gap_dependent_bound([1, 2], sigma=1, horizon=10), "gaps must hold a 0 for the best arm"),
        (lambda: gap_dependent_bound([0, -1], sigma=1, horizon=10), r"gaps\[1\] must be at least 0, got -1"),
        (lambda: gap_dependent_bound([0, 1], sigma=1, horizon=10, alpha=0.5), "alpha must be at least 0 and below 0.5"),
        (lambda: gap_free_bound([0, 1], sigma=1, horizon=10, constant="best"), "constant must be one of"),
        (lambda: gap_free_bound([0, 0], sigma=-1, horizon=10), "sigma must be above 0, got -1"),
        (lambda: linear_bound([0, 1], sigma=1, horizon=10, alpha=0.3), "alpha must be at least 0 and below 0.25"),
        (lambda: compare_bounds([0, 1], sigma=1, horizon=10, alpha=0.1, width=0), "width must be above 0, got 0"),
    ],
)
def test_regret_bounds_name_the_invalid_parameter(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
