import math

import numpy as np
import pytest
from scipy.optimize import brentq

from trueward.errors import ParameterError
from trueward.estimators.shorth_mean.shorth_mean import ShorthMean
from trueward.estimators.trimmed_mean import TrimmedMean
from trueward.theory import alpha_max, pull_threshold, resolved_gap
from trueward.theory.admissible_alpha import CONSTANTS

SETTING = {"sigma": 1.2649, "horizon": 1000}
KINDS = tuple(CONSTANTS)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("trim", 0.0074464),
        ("shorth", 0.0033652),
        ("shorth-tightened", 0.0050141),
        ("shorth-sharpened", 0.0060655),
        ("trim-sharpened", 0.0144621),  # 1 / (4 (1 + 2 * 1.2649 * 6.43789))
    ],
)
def test_alpha_max_has_hand_computed_values_in_the_paper_setting(kind, value):
    assert alpha_max(1, kind=kind, **SETTING) == pytest.approx(value, abs=6e-8)


@pytest.mark.parametrize(("kind", "value"), [("trim", 1 / 164), ("shorth", 1 / 364)])
def test_alpha_max_with_bound_matches_the_corollaries(kind, value):
    assert alpha_max(1, bound=10, kind=kind) == pytest.approx(value)


def excess(alpha, gap, s, inflation, bias):
    """Return how far the index of a bad arm can lie above the best mean after 64 sigma^2 ln T / gap^2 pulls.

    -gap + gap/2 * inflation + 2 bias s: twice the radius, whose noise part is gap/4 * inflation then.
    """
    return -gap + 0.5 * gap * inflation(alpha) + 2 * bias(alpha) * s


PROOFS = {
    "trim": (lambda a: TrimmedMean(a).inflation, lambda a: TrimmedMean(a).bias),
    "trim-sharpened": (lambda a: TrimmedMean(a).inflation, lambda a: TrimmedMean(a).bias / 2),
    "shorth-sharpened": (
        lambda a: ShorthMean(a, sharpened=True).inflation,
        lambda a: ShorthMean(a, sharpened=True).bias,
    ),
    "shorth-tightened": (lambda a: ShorthMean(a).inflation, lambda a: 6 * a / (1 - 2 * a)),
    "shorth": (lambda a: ShorthMean(a).inflation, lambda a: 9 * a / (1 - 2 * a)),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("gap", [0.01, 1.0, 30.0])
def test_alpha_max_is_the_root_of_the_inequality_in_the_proof(kind, gap):
    s = 1.2649 * math.sqrt(6 * math.log(1000))
    root = brentq(lambda a: excess(a, gap, s, *PROOFS[kind]), 0, 0.49, xtol=1e-15, rtol=1e-14)
    assert alpha_max(gap, kind=kind, **SETTING) == pytest.approx(root, rel=1e-9)


@pytest.mark.parametrize("gap", [0.01, 1.0, 30.0])
def test_shorth_tightened_alpha_max_is_just_below_what_theorem_2_supports(gap):
    s = 1.2649 * math.sqrt(6 * math.log(1000))
    own = lambda a: ShorthMean(a).bias  # noqa: E731 - next to the other pairs of functions
    root = brentq(lambda a: excess(a, gap, s, lambda a: ShorthMean(a).inflation, own), 0, 0.33, xtol=1e-15)
    tightened = alpha_max(gap, kind="shorth-tightened", **SETTING)
    assert alpha_max(gap, kind="shorth", **SETTING) < tightened <= root < 1.1 * tightened


def test_twice_the_bias_of_theorem_2_is_below_twelve_alpha():
    alpha = np.linspace(0, 1 / 3, 1001)[1:-1]
    ratio = 2 * (6 * alpha - 8 * alpha**2) / (1 - alpha) / alpha
    assert (ratio < 12).all()
    assert ratio[0] > 11.99  # and 12 cannot be lowered for all alpha


@pytest.mark.parametrize("kind", KINDS)
def test_alpha_max_increases_with_the_gap_and_decreases_with_the_horizon(kind):
    assert (np.diff([alpha_max(gap, kind=kind, **SETTING) for gap in np.linspace(0.01, 100, 50)]) > 0).all()
    by_horizon = [alpha_max(1, sigma=1, horizon=10**k, kind=kind) for k in range(1, 8)]
    assert (np.diff(by_horizon) < 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_resolved_gap_is_the_inverse_of_alpha_max(kind):
    for gap in (0.1, 1.0, 50.0):
        alpha = alpha_max(gap, kind=kind, **SETTING)
        assert resolved_gap(alpha, kind=kind, **SETTING) == pytest.approx(gap)


def test_pull_threshold_has_constant_64_for_c_4_and_96_for_c_6():
    assert pull_threshold(0.5, sigma=2, horizon=1000) == pytest.approx(64 * 4 * math.log(1000) / 0.25)
    assert pull_threshold(0.5, sigma=2, horizon=1000, c=6) == pytest.approx(96 * 4 * math.log(1000) / 0.25)


@pytest.mark.parametrize("c", [4, 6])
def test_pull_threshold_makes_twice_the_noise_half_the_gap(c):
    n = pull_threshold(0.3, sigma=1.5, horizon=500, c=c)
    assert 2 * 1.5 * math.sqrt(c * math.log(500) / n) == pytest.approx(0.15)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: alpha_max(0, **SETTING), "gap must be above 0, got 0"),
        (lambda: alpha_max(1, sigma=1), "sigma and horizon, or bound, must be given"),
        (lambda: alpha_max(1, kind="mean", **SETTING), "kind must be one of 'trim'"),
        (lambda: alpha_max(1, sigma=1, horizon=0), "horizon must be a whole number of at least 1, got 0"),
        (lambda: resolved_gap(0.25, **SETTING), "alpha must be at least 0 and below 0.25, got 0.25"),
        (lambda: pull_threshold(1, sigma=-1, horizon=10), "sigma must be above 0, got -1"),
    ],
)
def test_admissible_alpha_functions_name_the_invalid_parameter(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
