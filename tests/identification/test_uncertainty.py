import math
from statistics import NormalDist

import pytest
from scipy.optimize import brentq
from scipy.stats import binom, norm

import trueward as tw
from trueward.errors import ParameterError
from trueward.identification import MODELS
from trueward.identification.uncertainty import level_shift, noise_of_a_look
from trueward.theory import median_range


@pytest.mark.parametrize("epsilon", [0.0, 0.05, 0.1, 0.3, 0.45])
def test_unavoidable_uncertainty_is_where_the_contaminated_law_has_its_median(epsilon):
    # All fakes above: the median is q with (1 - epsilon) F(q) = 1/2. Taken from below as well: F(q) - epsilon = 1/2.
    mixture = brentq(lambda q: (1 - epsilon) * norm.cdf(q, scale=2) - 0.5, -1, 9, xtol=1e-13)
    removal = brentq(lambda q: norm.cdf(q, scale=2) - epsilon - 0.5, -1, 9, xtol=1e-13)
    for model, expected in zip(MODELS, (mixture, mixture, removal), strict=True):
        found = tw.unavoidable_uncertainty(tw.GaussianSpread(sigma=2), epsilon=epsilon, model=model)
        assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("model", "name"), [("prescient", "mixture"), ("malicious", "replacement")])
def test_unavoidable_uncertainty_is_half_the_range_of_a_symmetric_median(model, name):
    low, high = median_range(NormalDist(5, 2).inv_cdf, epsilon=0.2, model=name)
    found = tw.unavoidable_uncertainty(tw.GaussianSpread(sigma=2), epsilon=0.2, model=model)
    assert found == pytest.approx((high - low) / 2)


@pytest.mark.parametrize("model", MODELS)
def test_the_sample_median_passes_the_shifted_level_no_oftener_than_promised(model):
    """The exact chance, for the worst contamination: true rewards below the level are too few for a majority."""
    for epsilon in (0.0, 0.1, 0.3):
        for n in (200, 201, 1000, 5000):
            u = level_shift(epsilon, noise_of_a_look(n, 3, 0.05), model)
            below = (0.5 + u - epsilon) if model == "malicious" else (1 - epsilon) * (0.5 + u)
            chance = binom.cdf(n // 2, n, below)
            assert chance <= 0.05 / (2 * 3)
            assert chance > 1e-3 * 0.05 / (2 * 3)  # and not by a radius that is far too wide


def test_the_noise_of_a_look_spends_all_of_delta():
    assert 2 * 7 * math.exp(-2 * 100 * noise_of_a_look(100, 7, 0.05) ** 2) == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"epsilon": 0.5}, "epsilon must be at least 0 and below 0.5, got 0.5"),
        ({"epsilon": 0.1, "model": "kind"}, "model must be one of 'oblivious', 'prescient', 'malicious', got 'kind'"),
        ({"epsilon": 0.3, "model": "malicious"}, "epsilon must be smaller: the malicious model shifts levels by 0.3"),
    ],
)
def test_what_cannot_be_known_is_refused_in_one_line(settings, message):
    with pytest.raises(ParameterError, match=message):
        tw.unavoidable_uncertainty(tw.FunctionSpread(lambda u: u, limit=0.25), **settings)


def test_a_number_is_not_a_spread():
    with pytest.raises(ParameterError, match=r"spread must be a Spread such as GaussianSpread\(sigma=1\), got 1"):
        tw.unavoidable_uncertainty(1, epsilon=0.1)
