import math

import numpy as np
import pytest

from trueward.errors import ParameterError
from trueward.theory import exp3_bound, exp3pp_bound, tsallis_inf_bound, ucb1_bound, ucb_bound

GAPS = [0, 0.1, 0.1, 0.1, 0.1]
ADVERSARIAL = [
    exp3_bound,
    exp3pp_bound,
    tsallis_inf_bound,
    lambda gaps, **k: exp3_bound(gaps, kind="anytime", **k),
    lambda gaps, **k: exp3_bound(gaps, kind="exp3.1", **k),
    lambda gaps, **k: tsallis_inf_bound(gaps, kind="iw", **k),
]


def test_peer_bounds_have_hand_computed_values_for_five_arms():
    # K = 5, T = 1000: ln T = 6.907755, sqrt(KT) = 70.710678, sqrt(KT ln K) = 89.7061289
    assert ucb1_bound(GAPS, horizon=1000).raw == pytest.approx(4 * (80 * 6.907755 + 0.42898681), rel=1e-6)
    assert exp3_bound(GAPS, horizon=1000).raw == pytest.approx(2.621665 * 89.7061289, rel=1e-6)
    assert exp3_bound(GAPS, horizon=1000, kind="anytime").raw == pytest.approx(179.4122578, rel=1e-6)
    assert exp3_bound(GAPS, horizon=1000, kind="exp3.1").raw == pytest.approx(
        10.48666 * 89.7061289 + 68.731273 + 16.094379, rel=1e-6
    )
    assert exp3pp_bound(GAPS, horizon=1000).raw == pytest.approx(358.8245156, rel=1e-6)
    assert tsallis_inf_bound(GAPS, horizon=1000, kind="iw").raw == pytest.approx(283.842712, rel=1e-6)
    assert tsallis_inf_bound(GAPS, horizon=1000, kind="rv").raw == pytest.approx(
        141.421356 + 70 * 6.907755 + 16, rel=1e-6
    )


def test_ucb_bound_has_hand_computed_value():
    bound = ucb_bound([0, 0.5], sigma=2, horizon=1000, c=6)
    assert bound.raw == pytest.approx(24 * 4 * math.log(1000) / 0.5 + 3 * 0.5)


@pytest.mark.parametrize("bound", [*ADVERSARIAL, ucb1_bound])
def test_peer_bounds_scale_with_the_unit_of_the_rewards(bound):
    unit = bound(GAPS, horizon=10_000, corruption=3.0)
    tenfold = bound([10 * gap for gap in GAPS], horizon=10_000, width=10, corruption=30.0)
    assert tenfold.raw == pytest.approx(10 * unit.raw)
    assert tenfold.trivial == pytest.approx(10 * unit.trivial)


def test_ucb_bound_scales_with_the_unit_of_the_rewards():
    assert ucb_bound([0, 5.0], sigma=10, horizon=100).raw == pytest.approx(
        10 * ucb_bound([0, 0.5], sigma=1, horizon=100).raw
    )


@pytest.mark.parametrize("bound", ADVERSARIAL)
def test_adversarial_bounds_add_twice_the_corruption_and_still_apply(bound):
    # far from the logarithmic regime, where corruption enters Tsallis-INF's bound a second time
    clean, corrupted = (bound(GAPS, horizon=1000, corruption=total) for total in (0.0, 7.0))
    assert corrupted.raw == pytest.approx(clean.raw + 14)
    assert corrupted.applies


def test_stochastic_bounds_do_not_apply_with_corruption():
    assert ucb1_bound(GAPS, horizon=1000).applies
    assert not ucb1_bound(GAPS, horizon=1000, corruption=1).applies
    assert ucb_bound(GAPS, sigma=1, horizon=1000).applies
    assert not ucb_bound(GAPS, sigma=1, horizon=1000, corruption=1).applies


def test_tsallis_inf_bound_is_logarithmic_for_a_long_horizon():
    long = tsallis_inf_bound([0, 0.5], horizon=10**9)
    x = (math.log(10**9) + 3) / 0.5 + 2 / 0.5
    assert long.raw == pytest.approx(x + 56 * math.log(10**9) + 1.5 * math.sqrt(2) + 32)
    assert tsallis_inf_bound([0, 0.5], horizon=10**12).raw < 1.5 * long.raw


def test_tsallis_inf_bound_grows_with_the_root_of_a_large_corruption():
    horizon, total = 10**9, 5000.0
    x = (math.log(horizon) + 3) / 0.5 + 2 / 0.5
    rest = 56 * math.log(horizon) + 1.5 * math.sqrt(2) + 32
    corrupted = tsallis_inf_bound([0, 0.5], horizon=horizon, corruption=total)
    assert corrupted.raw == pytest.approx(2 * math.sqrt(x * 2 * total) + rest + 2 * total)


def test_tsallis_inf_bound_is_the_worst_case_one_with_two_best_arms():
    bound = tsallis_inf_bound([0, 0, 0.5], horizon=10**9)
    assert bound.raw == pytest.approx(2 * math.sqrt(3e9) + 42 * math.log(1e9) + 16)


@pytest.mark.parametrize("bound", ADVERSARIAL)
def test_adversarial_bounds_increase_with_horizon_and_arms(bound):
    by_horizon = [bound(GAPS, horizon=10**k).raw for k in range(1, 7)]
    assert (np.diff(by_horizon) > 0).all()
    by_arms = [bound([0, *[0.1] * k], horizon=1000).raw for k in range(1, 10)]
    assert (np.diff(by_arms) > 0).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: exp3_bound([0, 1], horizon=10, kind="exp4"), "kind must be one of 'exp3'"),
        (lambda: tsallis_inf_bound([0, 1], horizon=10, kind="x"), "kind must be one of 'iw', 'rv'"),
        (lambda: ucb_bound([0, 1], sigma=1, horizon=10, c=4), "c must be above 4, got 4"),
        (lambda: ucb1_bound([0, 1], horizon=10, corruption=-1), "corruption must be at least 0, got -1"),
        (lambda: exp3pp_bound([0, 1], horizon=1.5), "horizon must be a whole number of at least 1, got 1.5"),
    ],
)
def test_peer_bounds_name_the_invalid_parameter(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
