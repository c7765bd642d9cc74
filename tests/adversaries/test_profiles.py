import pytest

import trueward as tw
from trueward.adversaries.profiles import EVIDENCE_MODELS, KINDS, PROFILES
from trueward.errors import ParameterError


@pytest.mark.parametrize("name", PROFILES)
def test_profile_names_the_source_of_every_number(name):
    profile = PROFILES[name]
    sources = " ".join(profile.sources)
    for kind in ("extreme", "acquiescent", "bot"):
        assert kind in sources or kind not in profile.shares
    assert set(profile.shares) <= set(KINDS)
    assert tw.CarelessParticipants(name).constraint == pytest.approx(sum(profile.shares.values()))


def test_attentive_participants_pass_more_checks_and_take_longer():
    models = {model.kind: model for model in EVIDENCE_MODELS}
    attentive = models.pop("attentive")
    for other in models.values():
        assert other.pass_rate <= attentive.pass_rate
        assert other.median_seconds <= attentive.median_seconds


def test_profile_refuses_wrong_parameters():
    with pytest.raises(ParameterError, match=r"shares must not add up to more than 1, got 1\.2"):
        tw.Profile(shares={"random": 0.6, "straightlining": 0.6})
    with pytest.raises(ParameterError, match="a kind in shares must be one of"):
        tw.Profile(shares={"lazy": 0.1})
