"""Rules that were written down before: results with them, and without them."""

import json

import pytest

import trueward as tw
from trueward.analysis import Decisions, analyse, exclude
from trueward.errors import StudyError

RULES = ["check failed", tw.FasterThan(1), {"rule": "RunAbove", "longest": 4}, "who says so"]


def panel():
    """Return twenty attentive participants, one who fails a check, a fast one who does too, and one with a run."""
    rows = [("ab"[i % 2], [8, 3][i % 2] + i % 3, f"p{i // 4}", 4.0, 1) for i in range(80)]
    rows += [("ab"[i % 2], 0, "failed", 4.0, i) for i in range(2)]
    rows += [("ab"[i % 2], 9 - 9 * (i % 2), "fast", 0.2, 0) for i in range(3)]
    rows += [("ab"[i % 2], 5, "run", 4.0, 1) for i in range(5)]
    rows += [("a", None, "failed", None, None), ("b", 2, None, 4.0, 0), ("b", 4, None, 4.0, 1)]
    arm, rating, participant, seconds, check = zip(*rows, strict=True)
    return Decisions.from_columns(
        arm=arm, rating=rating, participant=participant, seconds=seconds, check=check, scale=(0, 10)
    )


def test_rules_leave_out_participants_with_all_they_gave():
    decisions = panel()
    kept, found = exclude(decisions, [tw.FailedCheck(), tw.FasterThan(1), tw.RunAbove(4), "who says so"])
    assert [(left.rule, left.participants, left.ratings) for left in found.rules] == [
        ("check failed", 3, 6),  # two who are named, and a decision of nobody named
        ("faster than 1 s", 1, 3),
        ("run above 4", 1, 5),
    ]
    assert (found.participants, found.ratings, found.asked) == (4, 11, 25)
    assert found.by_hand == ("who says so",)
    assert kept.n == decisions.n - 12
    assert set(kept.included["participant"]) == {None, *(f"p{i}" for i in range(20))}
    assert found.table().height == 3


def test_an_analysis_shows_its_results_with_rules_and_without_them():
    decisions = panel()
    found = analyse(decisions, rules=RULES)
    assert found.leaderboard == analyse(found.decisions).leaderboard
    assert found.without_rules.leaderboard == analyse(decisions).leaderboard
    assert found.leaderboard["a"].answered == 20
    assert found.without_rules.leaderboard["a"].answered == 23
    notes = "\n".join(found.notes)
    assert "rules leave out 4 of 25 participants (check failed: 3; faster than 1 s: 1; run above 4: 1)" in notes
    assert "to be applied by hand: who says so" in notes
    assert f"without the rules: {found.without_rules.verdict}" in notes


def test_rules_that_leave_out_nobody_say_so_and_those_that_leave_nobody_are_refused():
    found = analyse(panel(), rules="run above 50")
    assert found.exclusion.participants == 0
    assert found.without_rules is None
    assert analyse(panel()).exclusion is None
    with pytest.raises(StudyError, match="the rules leave out all 2 participants: there is nothing to analyse"):
        analyse(Decisions.from_columns(arm=["a", "b"], rating=[1, 2], check=[0, 0]), rules=["check failed"])


def test_a_study_keeps_its_rules_in_its_first_event_and_its_analysis_applies_them(tmp_path):
    url = f"sqlite:///{tmp_path}/s.db"
    policy = tw.BetaThompson((0, 10))
    with tw.Study.create(url, "s", ["a", "b"], policy=policy, rules=RULES) as study:
        for i in range(30):
            shown = study.ask(participant=f"p{i}")
            study.tell(shown, 8 if shown.arm == "a" else 2, evidence={"check": i % 10 != 0})
    with tw.Study.open(url, "s") as again:
        first = json.loads((again.export(tmp_path / "out")[0]).read_text().splitlines()[0])
        assert again.rules == (tw.FailedCheck(), tw.FasterThan(1), tw.RunAbove(4), "who says so")
        found, other = analyse(again), analyse(again, rules=[])
    kept = json.loads(first["body"])["settings"]["rules"]
    assert kept[0] == {"rule": "FailedCheck", "times": 1}
    assert kept[3] == "who says so"
    assert found.exclusion.participants == 3
    assert found.without_rules.leaderboard == other.leaderboard
    assert other.exclusion is None
