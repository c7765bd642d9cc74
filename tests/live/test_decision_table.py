"""The decisions of a bandit as a table, in the form of those of a study."""

import json
import subprocess
import sys

import pytest

import trueward as tw
from trueward.study.reading import COLUMNS


@pytest.fixture
def bandit():
    """Return a bandit with a rated, an amended, a missing, a void and a pending decision."""
    bandit = tw.Bandit(tw.EpsilonGreedy(epsilon=0.5), arms=["a", "b", 3])
    first, second = bandit.ask(ticket=True), bandit.ask(among=["a", "b"], ticket=True)
    bandit.tell(second, 3.0, evidence={"check": False, "seconds": 2.0})
    third, fourth, _ = (bandit.ask(ticket=True) for _ in range(3))
    bandit.tell(first, 1.0)
    bandit.amend(first, 2.0)
    bandit.close([third])
    bandit.void([fourth])
    return bandit


def test_bandit_decisions_have_the_columns_of_study_decisions(bandit):
    assert bandit.decisions().columns == list(COLUMNS)
    assert tw.Bandit(tw.Uniform(), arms=2).decisions().columns == list(COLUMNS)


def test_bandit_decisions_contain_status_reward_and_evidence(bandit):
    table = bandit.decisions()
    assert table["number"].to_list() == [1, 2, 3, 4, 5]
    assert table["status"].to_list() == ["rated", "rated", "missing", "void", "pending"]
    assert table["reward"].to_list() == [2.0, 3.0, None, None, None]
    assert table["revision"].to_list() == [2, 1, None, None, None]
    assert json.loads(table["evidence"][1]) == {"check": False, "seconds": 2.0}
    assert table["evidence"].to_list()[2:] == [None] * 3


def test_bandit_decisions_contain_probabilities_of_the_available_arms_only(bandit):
    table = bandit.decisions()
    probabilities = [json.loads(text) for text in table["probabilities"]]
    assert [list(each) for each in probabilities[:2]] == [["a", "b", "3"], ["a", "b"]]
    assert table["probability"].to_list() == [p[arm] for p, arm in zip(probabilities, table["arm"], strict=True)]


def test_asked_at_and_told_at_of_a_bandit_are_places_in_its_log(bandit):
    table = bandit.decisions()
    assert table["asked_at"].to_list() == [1, 2, 4, 5, 6]
    assert table["told_at"].to_list() == [7, 3, None, None, None]


def test_bandit_without_events_has_decisions_without_times():
    bandit = tw.Bandit(tw.Uniform(), arms=["a", "b"], keep_events=False)
    bandit.tell(bandit.ask(), 1.0)
    table = bandit.decisions()
    assert table.select("reward", "asked_at", "told_at", "revision").row(0) == (1.0, None, None, None)


def test_bandit_imports_polars_only_for_its_decisions():
    program = """
import sys, trueward as tw
bandit = tw.Bandit(tw.Uniform(), arms=["a", "b"])
bandit.tell(bandit.ask(), 1.0)
assert "polars" not in sys.modules
bandit.decisions()
assert "polars" in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)
