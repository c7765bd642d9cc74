"""The script that measures policies on real ratings."""

import functools
from dataclasses import replace

import pytest

import loading
import trueward as tw
from trueward.lab.arena.suite import PAPER


@pytest.fixture
def script():
    return loading.script("real_ratings")


@pytest.mark.parametrize(
    ("words", "policy"),
    [
        ("WaryThompson", tw.WaryThompson((0, 10))),
        ("UCB(sigma=arms.sd)", tw.UCB(sigma=PAPER.sd)),
        ("BetaThompson(range, outside='clip')", tw.BetaThompson((0, 10), outside="clip")),
        ("lambda scale: WaryThompson(scale, ratings=21)", tw.WaryThompson((0, 10), ratings=21)),
    ],
)
def test_a_policy_is_given_by_its_name_or_by_an_expression(script, words, policy):
    assert script.maker(words)(PAPER) == policy


def test_plain_thompson_sampling_has_a_ratio_of_one_in_its_own_games(script, monkeypatch):
    monkeypatch.setattr(tw, "play", functools.partial(tw.play, compiled=False), raising=False)
    plain = script.maker("BetaThompson")
    assert script.ratios(plain, plain, "items", "a tenth W", groups=2, games=1) == pytest.approx((1, 1, 1))


def test_assumptions_may_be_others(script):
    as_it_is, other = (script.maker(words)(PAPER) for words in ("WaryThompson", "assuming(owed=2.0)"))
    assert other.assumed.owed == 2.0
    assert other.assumed == replace(as_it_is.assumed, owed=2.0)
    assert other.range == as_it_is.range
