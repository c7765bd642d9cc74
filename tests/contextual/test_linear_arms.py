import numpy as np
import pytest

from trueward.contextual import LinearArms
from trueward.errors import ParameterError


def test_linear_arms_simulate_means_and_noise_as_declared():
    arms = LinearArms([[1.0, 0.0], [0.0, 2.0]], noise=0.5)
    np.testing.assert_allclose(arms.means([[0.6, 0.8]]), [[0.6, 1.6]])
    assert arms.regret([[0.6, 0.8], [1.0, 0.0]], [0, 0]) == pytest.approx(0.5)
    log = arms.simulate_log(20_000, seed=1)
    noise = log.rewards - np.take_along_axis(arms.means(log.contexts), log.arms[:, None], axis=1)[:, 0]
    assert noise.std() == pytest.approx(0.5, abs=0.01)  # 4 standard errors of 0.5 / sqrt(40,000)
    assert np.bincount(log.arms) == pytest.approx([10_000, 10_000], abs=300)
    np.testing.assert_allclose(np.linalg.norm(log.contexts, axis=1), 1.0)
    with pytest.raises(ParameterError, match="arms must be as many as contexts, 1, got"):
        arms.regret([[0.6, 0.8]], [0, 0])
    for bad in ({"coefficients": [[1.0]]}, {"coefficients": [[1.0], [2.0]], "noise": -1.0}):
        with pytest.raises(ParameterError, match=list(bad)[-1]):
            LinearArms(**bad)
