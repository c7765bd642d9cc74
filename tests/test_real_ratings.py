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
    ("expression", "policy"),
    [
        ("WaryThompson", tw.WaryThompson((0, 10))),
        ("UCB(sigma=arms.sd)", tw.UCB(sigma=PAPER.sd)),
        ("BetaThompson(range, outside='clip')", tw.BetaThompson((0, 10), outside="clip")),
        ("lambda scale: WaryThompson(scale, levels=21)", tw.WaryThompson((0, 10), levels=21)),
    ],
)
def test_policy_is_a_name_or_an_expression(script, expression, policy):
    assert script.maker(expression)(PAPER) == policy


def test_ratio_of_a_policy_to_itself_is_one(script, monkeypatch):
    monkeypatch.setattr(tw, "play", functools.partial(tw.play, compiled=False), raising=False)
    plain = script.maker("BetaThompson")
    assert script.ratios(plain, plain, "items", "a tenth W", groups=2, games=1) == pytest.approx((1, 1, 1))


def test_assumptions_can_be_replaced(script):
    as_it_is, other = (script.maker(words)(PAPER) for words in ("WaryThompson", "assuming(owed=2.0)"))
    assert other.assumed.owed == 2.0
    assert other.assumed == replace(as_it_is.assumed, owed=2.0)
    assert other.range == as_it_is.range
