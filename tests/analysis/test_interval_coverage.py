"""Streams through the library: robust intervals cover at every moment, a t interval of the plain mean does not."""

import numpy as np
import pytest

import trueward as tw
from loading import SCRIPTS, script
from soak_size import size
from trueward.analysis import Decisions, leaderboard

models, coverage = script("participant_models"), script("interval_coverage")
CASES, SCALES, POLICIES = coverage.CASES, coverage.SCALES, coverage.POLICIES
SHORT = {"horizon": 60, "trials": 100, "seed": 0, "compiled": False}
LONG = {"horizon": 300, "trials": size(2000, 100), "seed": 0}


PLAYED = [(case, policy) for case in CASES for policy in ("tUCB", "uniform")]
PLAYED += [(case, "Wary") for case in ("15 % careless, sessions of 5", "10 % chosen, lowest to the top")]


@pytest.mark.parametrize(("case", "policy"), PLAYED)
def test_robust_intervals_cover_in_95_percent_of_streams(case, policy):
    scale = list(SCALES)[list(CASES).index(case) % len(SCALES)]
    found = coverage.missed(CASES[case], SCALES[scale], POLICIES[policy](SCALES[scale]), **SHORT)
    assert found.robust <= 0.05


@pytest.mark.soak
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("case", CASES)
def test_robust_intervals_cover_in_95_percent_of_two_thousand_streams(case, scale, policy):
    found = coverage.missed(CASES[case], SCALES[scale], POLICIES[policy](SCALES[scale]), **LONG)
    assert found.robust <= 0.05
    assert found.t_ever > 0.05


@pytest.mark.parametrize("case", ["clean", "15 % careless, singly", "person effect, 5 ratings each"])
def test_t_intervals_of_the_plain_mean_do_not_cover(case):
    arms, played = SCALES["five stars"], {**SHORT, "horizon": 150}
    trace = tw.play(tw.Uniform(), arms, CASES[case].adversary, keep_history=True, **played)
    past = [coverage.t_past(trace.arms == arm, trace.observed, arms.means[arm], 3)[0] for arm in range(3)]
    assert np.any(past, axis=0).mean() > 0.15  # three standard errors above .05 are .115


@pytest.mark.parametrize("name", CASES)
def test_ever_past_agrees_with_the_bounds_of_the_leaderboard(name):
    case, arms = CASES[name], SCALES["five stars"]
    trace = tw.play(tw.Uniform(), arms, case.adversary, horizon=75, trials=1, keep_history=True, compiled=False)
    moments = np.flatnonzero(trace.arms[0] == 0) + 1
    lower = max(leaderboard_at(trace, t, case).intervals[0].low for t in moments.tolist())
    for mean in (max(lower - 0.01, 1.001), lower + 0.01):
        share = (mean - 1.0) / 4.0
        past = coverage.ever_past(trace.arms == 0, (trace.observed - 1.0) / 4.0, share, case, arms.n_arms)
        assert past[0] == (lower > mean)


def clicks_of_people_who_return(*, liked_only):
    """Return (streams, rounds) of an arm that sixty people are shown on five days, and what they gave.

    With `liked_only` it is shown again only to those whose own ratings were half or more so far.
    """
    rng = np.random.default_rng(0)
    shown, shares = np.ones((100, 300), np.bool_), np.zeros((100, 300))
    chance = np.where(rng.random((100, 60)) < 0.5, 0.4, 0.6)
    sums, seen = np.zeros((100, 60)), np.zeros((100, 60))
    for day in range(5):
        now = slice(60 * day, 60 * day + 60)
        shown[:, now] = (sums >= seen / 2) | (not liked_only)
        shares[:, now] = rng.random((100, 60)) < chance
        sums += shown[:, now] * shares[:, now]
        seen += shown[:, now]
    return shown, shares


def test_intervals_cover_returning_participants_unless_their_own_ratings_lead_them_back():
    case = coverage.Case(tw.NoAdversary(), "careless", 0.0, people=60)
    for liked_only, at_least, at_most in ((False, 0.0, 0.05), (True, 0.5, 1.0)):
        shown, shares = clicks_of_people_who_return(liked_only=liked_only)
        past = coverage.ever_past(shown, shares, 0.5, case, 1)
        past |= coverage.ever_past(shown, 1.0 - shares, 0.5, case, 1)
        assert at_least <= past.mean() <= at_most


def leaderboard_at(trace, t, case):
    """Return the leaderboard after t rounds, through the public names."""
    arm, rating = trace.arms[0, :t], trace.observed[0, :t]
    decisions = Decisions.from_columns(
        arm=[*map(str, arm), "0", "1", "2"],
        rating=[*rating.tolist(), 1, 1, 1],
        participant=[*(f"p{i}" for i in case.participants(np.arange(t))), None, None, None],
        status=[*("missing" if np.isnan(r) else "rated" for r in rating), "void", "void", "void"],
        probabilities=[{"0": 1 / 3, "1": 1 / 3, "2": 1 / 3}] * (t + 3),
        scale=(1, 5),
    )
    return leaderboard(decisions.first_decisions() if case.first else decisions, epsilon=case.epsilon, bad=case.bad)


def test_coverage_table_in_docs_has_every_case_within_five_percent():
    page = (SCRIPTS.parent / "docs" / "what-may-be-concluded.md").read_text()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if " % |" in line]
    assert [(case, scale) for case, scale, *_ in rows] == [(case, scale) for case in CASES for scale in SCALES]
    for _, _, *cells in rows:
        *robust, t_ever, t_end = (float(cell.removesuffix(" %")) for cell in cells)
        assert len(robust) == len(POLICIES) - 1  # the table has no column for Wary
        assert max(robust) <= 5.0 < t_ever
        assert t_end <= t_ever


def test_adversaries_of_coverage_cases_contaminate_as_named():
    arms = SCALES["five stars"]

    def played(case, horizon=150, trials=20):
        return tw.play(
            tw.Uniform(), arms, CASES[case].adversary, horizon=horizon, trials=trials, keep_history=True, compiled=False
        )

    careless = played("15 % careless, sessions of 5")
    assert careless.touched.sum() / (150 * 20) == pytest.approx(0.15, abs=0.045)  # 600 people: .015
    lost = played("30 % drop out, by the rating")
    assert lost.missing.sum() / (150 * 20) == pytest.approx(0.3, abs=0.03)
    differ = played("person effect, 5 ratings each")
    seen = [differ.observed[differ.arms == arm].mean() for arm in range(3)]
    np.testing.assert_allclose(seen, arms.means, atol=0.12)
    persons = differ.observed.reshape(-1, 5)
    assert persons.mean(1).var() > 1.5 * persons.var(1).mean() / 5
    for case in ("10 % capped, random times", "10 % chosen, lowest to the top", "10 % chosen, highest to the bottom"):
        spoiled = played(case)
        assert (spoiled.touched <= 0.1 * spoiled.pulls[:, -1] + 1e-9).all()
        assert spoiled.touched.sum() > 0.07 * 150 * 20
