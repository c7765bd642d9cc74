import math
from statistics import NormalDist

import pytest
from scipy.optimize import brentq
from scipy.stats import binom, norm

import trueward as tw
from trueward.errors import ParameterError
from trueward.identification import MODELS
from trueward.identification.median_uncertainty import hoeffding_error, level_shift
from trueward.theory import median_range


@pytest.mark.parametrize("epsilon", [0.0, 0.05, 0.1, 0.3, 0.45])
def test_unavoidable_uncertainty_is_the_median_of_the_contaminated_distribution(epsilon):
    # contaminated rewards all above: the median is q with (1 - epsilon) F(q) = 1/2; true ones removed from below as
    # well: F(q) - epsilon = 1/2
    mixture = brentq(lambda q: (1 - epsilon) * norm.cdf(q, scale=2) - 0.5, -1, 9, xtol=1e-13)
    removal = brentq(lambda q: norm.cdf(q, scale=2) - epsilon - 0.5, -1, 9, xtol=1e-13)
    for model, expected in zip(MODELS, (mixture, mixture, removal), strict=True):
        uncertainty = tw.unavoidable_uncertainty(tw.GaussianQuantileBound(sigma=2), epsilon=epsilon, model=model)
        assert uncertainty == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("model", "name"), [("prescient", "mixture"), ("malicious", "replacement")])
def test_unavoidable_uncertainty_is_half_the_range_of_a_symmetric_median(model, name):
    low, high = median_range(NormalDist(5, 2).inv_cdf, epsilon=0.2, model=name)
    uncertainty = tw.unavoidable_uncertainty(tw.GaussianQuantileBound(sigma=2), epsilon=0.2, model=model)
    assert uncertainty == pytest.approx((high - low) / 2)


@pytest.mark.parametrize("model", MODELS)
def test_sample_median_exceeds_the_shifted_level_with_at_most_the_promised_probability(model):
    """Compute the exact probability that too few true rewards lie below the level, for the worst contamination."""
    for epsilon in (0.0, 0.1, 0.3):
        for n in (200, 201, 1000, 5000):
            u = level_shift(epsilon, hoeffding_error(n, 3, 0.05), model)
            below = (0.5 + u - epsilon) if model == "malicious" else (1 - epsilon) * (0.5 + u)
            probability = binom.cdf(n // 2, n, below)
            assert probability <= 0.05 / (2 * 3)
            assert probability > 1e-3 * 0.05 / (2 * 3)  # and not by a radius that is far too wide


def test_hoeffding_error_uses_all_of_delta():
    assert 2 * 7 * math.exp(-2 * 100 * hoeffding_error(100, 7, 0.05) ** 2) == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"epsilon": 0.5}, "epsilon must be at least 0 and below 0.5, got 0.5"),
        ({"epsilon": 0.1, "model": "kind"}, "model must be one of 'oblivious', 'prescient', 'malicious', got 'kind'"),
        (
            {"epsilon": 0.3, "model": "malicious"},
            "epsilon must be smaller, got 0.3: the malicious model shifts the median's level by 0.3",
        ),
    ],
)
def test_unavoidable_uncertainty_names_the_invalid_parameter(settings, message):
    with pytest.raises(ParameterError, match=message):
        tw.unavoidable_uncertainty(tw.CustomQuantileBound(lambda u: u, limit=0.25), **settings)


def test_unavoidable_uncertainty_refuses_a_number_as_quantile_bound():
    with pytest.raises(
        ParameterError, match=r"quantile_bound must be a QuantileBound such as GaussianQuantileBound\(sigma=1\), got 1"
    ):
        tw.unavoidable_uncertainty(1, epsilon=0.1)
