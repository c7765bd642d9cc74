"""Rules of exclusion: who is left out, and how rules are read and written down."""

import tomllib

import pytest

import trueward as tw
from trueward.analysis.exclusion import RULES, Answers, parse_rule, parse_rules, rule_from_plain, rule_to_plain


def answers(ratings=(), seconds=(), checks=()):
    return Answers(ratings, seconds, checks)


def test_a_failed_check_leaves_out_from_the_number_of_times_on():
    twice = answers(checks=[1.0, 0.0, None, 0.0])
    assert [tw.FailedCheck(times).excludes(twice) for times in (1, 2, 3)] == [True, True, False]
    assert not tw.FailedCheck().excludes(answers(checks=[None, 1.0]))


def test_the_median_of_the_seconds_decides_and_what_is_not_known_leaves_out_nobody():
    assert tw.FasterThan(2).excludes(answers(seconds=[0.5, 1.0, 90.0, None]))
    assert not tw.FasterThan(2).excludes(answers(seconds=[0.5, 2.0, 90.0]))
    assert not tw.FasterThan(2).excludes(answers(seconds=[None]))


def test_a_run_of_equal_answers_leaves_out_only_above_the_number():
    run = answers(ratings=[3, 5, 5, None, 5, 3])
    assert tw.RunAbove(2).excludes(run)
    assert not tw.RunAbove(3).excludes(run)
    assert not tw.RunAbove(1).excludes(answers())


@pytest.mark.parametrize("rule", [tw.FailedCheck(), tw.FailedCheck(2), tw.FasterThan(1.5), tw.RunAbove(8)])
def test_a_rule_is_read_again_from_its_words_and_from_what_was_written_down(rule):
    assert parse_rule(str(rule)) == rule
    assert parse_rule(rule_to_plain(rule)) == rule
    assert rule_from_plain(rule_to_plain(rule)) == rule
    assert type(rule).__name__ in RULES


def test_other_words_stay_as_they_are_and_words_that_were_written_down_are_no_more_than_that():
    assert parse_rules(["Attention check failed", "stop in May"]) == (tw.FailedCheck(), "stop in May")
    assert parse_rules("faster than 2 seconds") == (tw.FasterThan(2),)
    assert rule_from_plain("check failed") == "check failed"
    assert rule_to_plain({"stop": "in May"}) == {"stop": "in May"}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rule": "Faster"}, "one of FailedCheck, FasterThan, RunAbove, got 'Faster'; did you mean 'FasterThan'?"),
        ({"rule": "RunAbove", "n": 3}, r"a rule RunAbove has no such parameters, got {'n': 3}"),
        ({"rule": "RunAbove", "longest": 0}, "longest must be a whole number of at least 1, got 0"),
        (3, r"a rule must be such as FasterThan\(2\), 'faster than 2 s' or .*, or other words, got 3"),
        ("faster than 0 s", "seconds must be above 0, got 0"),
    ],
)
def test_a_rule_that_is_none_is_refused(given, message):
    with pytest.raises(tw.ParameterError, match=message):
        parse_rule(given)


def test_rules_may_stand_in_toml():
    table = tomllib.loads('rules = ["check failed", {rule = "FasterThan", seconds = 2.5}, "stop in May"]')
    assert parse_rules(table["rules"]) == (tw.FailedCheck(), tw.FasterThan(2.5), "stop in May")
