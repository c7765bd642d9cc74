import numpy as np
import pytest
from scipy import stats

from made_up_results import CENTRED, TRIALS, judged, like_the_paper, made_up


def test_weakest_pair_decides_crucb_beats_ucb1():
    entry = judged(made_up("figure1", like_the_paper))["crucb-beats-ucb1"]
    assert entry.verdict == "holds"
    assert entry.checks[0].value == pytest.approx((110 - 200) * 1.05)  # sUCB at 0.05 wins by least
    assert "sUCB against UCB at epsilon 0.05" in entry.comment


def test_difference_is_undecided_when_its_interval_contains_zero():
    def close(policy, point):
        return 199.9 if policy in ("tUCB", "sUCB") else like_the_paper(policy, {})

    # tUCB and UCB have noise of opposite sign: the half-width is 1.96 * 2 * sd / 4 = 0.62
    entry = judged(made_up("figure1", close, noise=1.0))["crucb-beats-ucb1"]
    assert entry.verdict == "undecided"
    assert entry.checks[0].low < 0 < entry.checks[0].high
    assert "undecided: the interval contains 0" in entry.comment


def test_interval_is_that_of_paired_differences():
    check = judged(made_up("figure1", like_the_paper, noise=1.0))["crucb-beats-exp3"].checks[0]
    half = stats.norm.ppf(0.975) * np.std(2 * CENTRED, ddof=1) / np.sqrt(TRIALS)
    assert check.high - check.value == pytest.approx(half)


@pytest.mark.parametrize(("violation", "verdict"), [(7, "holds"), (0, "does not hold")])
def test_constraint_is_broken_when_a_first_violation_is_recorded(violation, verdict):
    assert judged(made_up("figure1", like_the_paper, violation=violation))["constraint-broken"].verdict == verdict


@pytest.mark.parametrize(("added", "holds"), [(79, True), (81, False)])
def test_slightly_affected_means_less_than_a_tenth_of_uniform_regret(added, holds):
    def regret(policy, point):
        return 100.0 + added * (point["epsilon"] == 0.05)

    check = judged(made_up("figure1", regret))["robust-slightly-affected-0.05"].checks[0]
    assert check.value == pytest.approx(added / 800)
    assert check.outcome == ("holds" if holds else "does not hold")


@pytest.mark.parametrize(("step", "verdict"), [(1.0, "holds"), (-1.0, "does not hold")])
def test_tsallis_degrades_when_every_step_of_epsilon_adds_regret(step, verdict):
    def regret(policy, point):
        return 300.0 + {0.0: 0, 0.05: 50, 0.1: 50 + step}[point["epsilon"]]

    assert judged(made_up("figure1", regret))["tsallis-degrades"].verdict == verdict


def test_clear_benefit_is_a_share_of_the_regret_of_ucb():
    check = judged(made_up("figure1", like_the_paper))["clear-benefit-over-ucb"].checks[0]
    assert check.value == pytest.approx(1 - 110 / 200)
    assert check.outcome == "holds"
