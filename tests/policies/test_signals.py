"""Signals: the likelihood ratio of the evidence that comes with a rating, and how a policy sees it."""

import json
import math

import numpy as np
import pytest

import trueward as tw
from evidence_weighted import ODDS, EvidenceWeighted
from trueward.engine.protocol import make_observation, update
from trueward.engine.states import Setting
from trueward.errors import ParameterError
from trueward.policies import POLICIES
from trueward.policies.signals import DEFAULT_SIGNALS, MAX_RATIO, evidence_ratio, signal_table
from trueward.serialization import from_plain, to_plain

CHECK = tw.Signal("check", bad=0.5, good=0.05)
SECONDS = tw.Signal("seconds", below=2.0, bad=0.4, good=0.1)
PASSED, SLOW = 0.5 / 0.95, 0.6 / 0.9


def ratio_of(evidence, signals=(CHECK, SECONDS), columns=("check", "seconds")):
    return evidence_ratio(signal_table(signals, Setting(2, signals=columns)), np.array(evidence, dtype=float))


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ([False, 1.7], 10 * 4),
        ([True, 1.7], PASSED * 4),
        ([False, 2.0], 10 * SLOW),  # exactly two seconds do not show the signal
        ([True, 60.0], PASSED * SLOW),
        ([math.nan, 0.0], 4),
        ([False, math.nan], 10),
        ([math.nan, math.nan], 1),
        ([1e-300, math.nan], PASSED),  # only 0 is a failed check
    ],
)
def test_evidence_ratio_is_the_product_over_the_given_evidence(evidence, expected):
    assert ratio_of(evidence) == pytest.approx(expected, rel=1e-12)


def test_evidence_ratio_ignores_columns_without_a_signal():
    assert ratio_of([1.7, 0, 5, False], columns=("seconds", "mouse", "typos", "check")) == pytest.approx(40)
    assert ratio_of([0, 0], columns=("mouse", "typos")) == 1.0
    assert ratio_of([], columns=()) == 1.0
    assert ratio_of([False, 1.7], columns=()) == 1.0


def test_evidence_ratio_is_limited():
    sure = tuple(tw.Signal(name, bad=0.999, good=0.001) for name in ("a", "b"))
    assert ratio_of([0, 0], sure, ("a", "b")) == MAX_RATIO
    assert ratio_of([1, 1], sure, ("a", "b")) == 1 / MAX_RATIO


def test_default_signals_count_against_failed_checks_and_short_times():
    table = signal_table(DEFAULT_SIGNALS, Setting(1, signals=("check", "seconds")))
    assert (table.ratio_shown > 4).all()
    assert (table.ratio_absent < 1).all()
    assert (table.ratio_absent > 0.5).all()  # a passed check is weak evidence


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tw.Signal("check", bad=0.0, good=0.1), "bad must be above 0 and below 1, got 0.0"),
        (lambda: tw.Signal("check", bad=0.5, good=1), "good must be above 0 and below 1, got 1"),
        (lambda: tw.Signal("seconds", below=-1, bad=0.5, good=0.1), "below must be above 0, got -1"),
        (lambda: tw.Signal("", bad=0.5, good=0.1), "name must be a non-empty string, the key of the evidence, got ''"),
        (lambda: EvidenceWeighted(signals=(CHECK, CHECK)), "signals must have different names, got 'check', 'check'"),
        (lambda: EvidenceWeighted(signals=("check",)), r"signals must be a tuple of signals such as Signal\('check'"),
        (lambda: EvidenceWeighted(signals=CHECK), "signals must be a tuple of signals"),
    ],
)
def test_invalid_signals_are_named(make, message):
    with pytest.raises(ParameterError, match=message):
        make()


def test_signals_survive_a_round_trip_through_json(monkeypatch):
    monkeypatch.setitem(POLICIES._places, "evidence-weighted", ("evidence_weighted", "EvidenceWeighted"))
    monkeypatch.setitem(POLICIES.modules, "EvidenceWeighted", "evidence_weighted")
    described = json.loads(json.dumps(to_plain(EvidenceWeighted((CHECK, SECONDS)))))
    assert described["signals"] == [
        {"name": "check", "below": None, "bad": 0.5, "good": 0.05},
        {"name": "seconds", "below": 2.0, "bad": 0.4, "good": 0.1},
    ]
    assert from_plain("policy", described) == EvidenceWeighted((CHECK, SECONDS))
    assert from_plain("policy", {"name": "evidence-weighted", "signals": []}) == EvidenceWeighted(())
    assert from_plain("policy", to_plain(EvidenceWeighted(()))) == EvidenceWeighted(())
    for wrong, message in (({"good": 1.5}, "good must be above 0 and below 1, got 1.5"), ({"when": 1}, "'when'")):
        described["signals"][1] |= wrong
        with pytest.raises(ParameterError, match=rf"policy\.signals\[1\]: .*{message}"):
            from_plain("policy", described)


def test_policy_sees_the_evidence_of_each_rating():
    policy = EvidenceWeighted((CHECK,))
    state, rng = policy.start(2, signals=("seconds", "check")), np.random.default_rng(0)
    update(state, make_observation(0, 5, n_arms=2, evidence=[0.1, False]), rng)
    update(state, make_observation(1, 5, n_arms=2), rng)
    np.testing.assert_allclose(state.weight, [1 / (1 + ODDS * 10), 1 / (1 + ODDS)])
