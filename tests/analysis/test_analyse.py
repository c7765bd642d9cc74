"""The verdict, the notes, and the sources of an analysis."""

import numpy as np
import pytest

import trueward as tw
from trueward.analysis import Decisions


def test_analysis_states_its_verdict_in_one_sentence():
    decisions = Decisions.from_columns(arm=["a", "b"] * 60, rating=[9, 3] * 60, scale=(0, 10))
    found = tw.analysis.analyse(decisions, epsilon=0.05)
    assert found.leaderboard.decided
    share = f"{100 * found.break_even.share:.1f} %"
    assert found.verdict == (
        f"a is ahead, and stays so even if {share} of each arm's participants are bad; "
        f"{found.break_even.fewest} bad participants, placed anywhere, would be needed to undo that."
    )
    too_many = tw.analysis.analyse(decisions, epsilon=0.9)
    assert too_many.verdict.startswith("a leads, but with 90 % of each arm's participants bad that is not certain")
    few = tw.analysis.analyse(Decisions.from_columns(arm=["a", "b"], rating=[9, 3], scale=(0, 10)))
    assert few.verdict == "a leads, but that is not certain, not even if no participant is bad."
    lost = Decisions.from_columns(
        arm=["a", "b"] * 60, rating=[None if i % 3 == 0 else [9, 3][i % 2] for i in range(120)], scale=(0, 10)
    )
    assert tw.analysis.analyse(lost).verdict == (
        "a leads, but that is not certain: 40 missing or pending ratings could undo it, even if no participant is bad."
    )
    assert str(found).startswith(found.verdict)
    assert found.table()["arm"].to_list() == ["a", "b"]


def test_analyse_raises_without_ratings_or_with_an_unknown_source():
    bandit = tw.Bandit(tw.BetaThompson((0, 10)), arms=["a", "b"])
    bandit.ask()
    with pytest.raises(tw.TruewardError, match="there are no ratings to analyse yet"):
        tw.analysis.analyse(bandit)
    with pytest.raises(
        tw.ParameterError, match=r"source must be Decisions, the path of a CSV file, or an object with .* got 3"
    ):
        tw.analysis.analyse(3)


def test_arm_without_ratings_never_leads_and_leaves_the_verdict_open():
    found = tw.analysis.analyse(
        Decisions.from_columns(arm=["a", "a", "b"], rating=[1, 2, None], participant="xxy", scale=(0, 5))
    )
    assert found.leaderboard.leader == "a"
    assert found.leaderboard["b"].whole == (0.0, 5.0)
    assert found.break_even.share == 0.0
    assert np.isnan(found.raters.lead)


def test_analyse_accepts_a_bandit_a_file_and_a_study(tmp_path):
    bandit = tw.Bandit(tw.BetaThompson((0, 10)), arms=["a", "b"])
    for _ in range(5):
        bandit.tell(bandit.ask(), 5)
    assert tw.analysis.analyse(bandit).decisions.n == 5
    file = tmp_path / "ratings.csv"
    file.write_text("arm,rating\na,4\nb,5\n")
    assert tw.analysis.analyse(file, scale=(0, 10)).decisions.n == 2
    with tw.Study.from_bandit(f"sqlite:///{tmp_path}/s.db", "s", bandit) as study:
        found = tw.analysis.analyse(study)
    assert found.decisions.n == 5
    assert found.no_differences.startswith("differences are not estimated: ")
