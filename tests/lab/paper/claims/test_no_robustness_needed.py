import pytest

from made_up_results import judged, made_up


def test_easy_game_is_compared_with_its_own_uniform_regret():
    def regret(policy, point):
        return 20.0 + 30 * (point["epsilon"] > 0)

    entry = judged(made_up("readings-easy", regret))["easy-games-impotent"]
    assert entry.checks[0].value == pytest.approx(30 / 1500)  # 2 arms, gap 3: 1000 * 3 / 2
    assert entry.verdict == "holds"
    assert "0.06 with K = 2, gap 1" in entry.comment  # 30 / 500
    assert {check.reading for check in entry.checks} == {
        "default reading",
        "contamination values: continuous-malicious",
        "contamination values: worst-bounded",
        "contamination values: inlier",
    }
