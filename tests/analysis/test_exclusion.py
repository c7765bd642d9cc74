"""Exclusion rules, and results with and without them."""

import json
import tomllib

import pytest

import trueward as tw
from trueward.analysis import Decisions, analyse, exclude
from trueward.analysis.exclusion import RULES as RULES_BY_NAME
from trueward.analysis.exclusion import Answers, parse_rule, parse_rules, rule_from_plain, rule_to_plain
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


def test_exclude_removes_all_decisions_of_excluded_participants():
    decisions = panel()
    kept, found = exclude(decisions, [tw.FailedCheck(), tw.FasterThan(1), tw.RunAbove(4), "who says so"])
    assert [(left.rule, left.participants, left.ratings) for left in found.rules] == [
        ("check failed", 3, 6),  # two who are named, and a decision of nobody named
        ("faster than 1 s", 1, 3),
        ("run above 4", 1, 5),
    ]
    assert (found.participants, found.ratings, found.n_participants) == (4, 11, 25)
    assert found.manual == ("who says so",)
    assert kept.n == decisions.n - 12
    assert set(kept.included["participant"]) == {None, *(f"p{i}" for i in range(20))}
    assert found.table().height == 3


def test_analysis_has_results_with_and_without_rules():
    decisions = panel()
    found = analyse(decisions, rules=RULES)
    assert found.leaderboard == analyse(found.decisions).leaderboard
    assert found.without_rules.leaderboard == analyse(decisions).leaderboard
    assert found.leaderboard["a"].answered == 20
    assert found.without_rules.leaderboard["a"].answered == 23
    notes = "\n".join(found.notes)
    assert "rules exclude 4 of 25 participants (check failed: 3; faster than 1 s: 1; run above 4: 1)" in notes
    assert "to be applied manually: who says so" in notes
    assert f"without the rules: {found.without_rules.verdict}" in notes


def test_analyse_raises_if_rules_exclude_everybody():
    found = analyse(panel(), rules="run above 50")
    assert found.exclusion.participants == 0
    assert found.without_rules is None
    assert analyse(panel()).exclusion is None
    with pytest.raises(StudyError, match="the rules exclude all 2 participants: there is nothing to analyse"):
        analyse(Decisions.from_columns(arm=["a", "b"], rating=[1, 2], check=[0, 0]), rules=["check failed"])


def test_analysis_applies_the_rules_of_a_study(tmp_path):
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


def answers(ratings=(), seconds=(), checks=()):
    return Answers(ratings, seconds, checks)


def test_failed_check_excludes_from_the_given_number_of_failures():
    twice = answers(checks=[1.0, 0.0, None, 0.0])
    assert [tw.FailedCheck(times).excludes(twice) for times in (1, 2, 3)] == [True, True, False]
    assert not tw.FailedCheck().excludes(answers(checks=[None, 1.0]))


def test_faster_than_uses_the_median_and_ignores_unknown_times():
    assert tw.FasterThan(2).excludes(answers(seconds=[0.5, 1.0, 90.0, None]))
    assert not tw.FasterThan(2).excludes(answers(seconds=[0.5, 2.0, 90.0]))
    assert not tw.FasterThan(2).excludes(answers(seconds=[None]))


def test_run_above_excludes_only_longer_runs():
    run = answers(ratings=[3, 5, 5, None, 5, 3])
    assert tw.RunAbove(2).excludes(run)
    assert not tw.RunAbove(3).excludes(run)
    assert not tw.RunAbove(1).excludes(answers())


@pytest.mark.parametrize("rule", [tw.FailedCheck(), tw.FailedCheck(2), tw.FasterThan(1.5), tw.RunAbove(8)])
def test_rule_round_trips_through_text_and_plain_values(rule):
    assert parse_rule(str(rule)) == rule
    assert parse_rule(rule_to_plain(rule)) == rule
    assert rule_from_plain(rule_to_plain(rule)) == rule
    assert type(rule).__name__ in RULES_BY_NAME


def test_parse_rules_keeps_other_text_and_rule_from_plain_never_parses_text():
    assert parse_rules(["Attention check failed", "stop in May"]) == (tw.FailedCheck(), "stop in May")
    assert parse_rules("faster than 2 seconds") == (tw.FasterThan(2),)
    assert rule_from_plain("check failed") == "check failed"
    assert rule_to_plain({"stop": "in May"}) == {"stop": "in May"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rule": "Faster"}, "one of FailedCheck, FasterThan, RunAbove, got 'Faster'; did you mean 'FasterThan'?"),
        ({"rule": "RunAbove", "n": 3}, r"a rule RunAbove has the parameters longest, got {'n': 3}"),
        ({"rule": "RunAbove", "longest": 0}, "longest must be a whole number of at least 1, got 0"),
        (3, r"a rule must look like FasterThan\(2\), 'faster than 2 s' or .*, or be free text, got 3"),
        ("faster than 0 s", "seconds must be above 0, got 0"),
    ],
)
def test_parse_rule_raises_for_invalid_rules(given, message):
    with pytest.raises(tw.ParameterError, match=message):
        parse_rule(given)


def test_parse_rules_accepts_toml_values():
    table = tomllib.loads('rules = ["check failed", {rule = "FasterThan", seconds = 2.5}, "stop in May"]')
    assert parse_rules(table["rules"]) == (tw.FailedCheck(), tw.FasterThan(2.5), "stop in May")
