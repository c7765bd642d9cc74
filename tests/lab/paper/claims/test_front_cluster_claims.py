import numpy as np
import pytest

from made_up_results import judged, like_the_paper, made_up
from trueward.lab.paper.claims.front_cluster_claims import barbar_lambda


def test_policy_recovers_when_the_end_of_its_curve_is_flatter():
    def slope(policy, t):  # Tsallis-INF: 1 per round until 500, then nothing; EXP3++: 0.8 per round throughout
        return min(t, 500) if policy.startswith("Tsallis") else 0.8 * t

    entries = judged(made_up("figure5", like_the_paper, slope=slope))
    assert entries["cluster-tsallis-recovers"].checks[0].value == -1
    assert entries["cluster-tsallis-recovers"].verdict == "holds"
    assert entries["cluster-exp3pp-recovers"].verdict == "undecided"


def test_first_epoch_of_barbar_is_as_long_as_the_published_constants_imply():
    assert barbar_lambda(5, 1000, delta=0.1) == pytest.approx(8490, abs=0.5)
    assert 5 * barbar_lambda(5, 1000, delta=0.1) == pytest.approx(42448, abs=1)
    check = judged(made_up("figure5", like_the_paper))["barbar-one-epoch"].checks[0]
    assert check.outcome == "holds"
    assert check.value == pytest.approx(5 * 1024 * np.log(40 * np.log2(1000)) / 1000)
