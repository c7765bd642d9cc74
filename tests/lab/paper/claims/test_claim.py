import numpy as np

from trueward import lab
from trueward.lab.experiment.example_files import example_file
from trueward.lab.paper.claims import CLAIMS
from trueward.lab.paper.claims.claim import ARMS, HORIZON
from trueward.lab.paper.readings import POLICIES, READINGS, settings


def test_names_of_claims_are_unique():
    assert len({claim.name for claim in CLAIMS}) == len(CLAIMS)


def test_claims_use_only_known_policies_and_settings():
    known = {setting.name for changes in READINGS.values() for setting in settings(changes)}
    for claim in CLAIMS:
        assert set(claim.policies) <= set(POLICIES)
        assert claim.settings
        assert set(claim.settings) <= known


def test_arms_and_horizon_are_those_of_the_figures():
    for number in range(1, 6):
        for cell in lab.load(example_file(f"figure{number}")).cells:
            assert repr(cell.arms) == repr(ARMS)
            assert cell.horizon == HORIZON
    assert np.mean(ARMS.gaps) * HORIZON == 800
