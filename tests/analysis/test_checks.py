"""The checks that are always on: assignment, missing ratings, drift, and raters."""

import numpy as np
import polars as pl
import pytest

import trueward as tw
from adaptive_play import adaptive_studies
from trueward.analysis import Decisions, assignment, drift, missing, raters
from trueward.analysis.assignment import BOTH_WAYS


def with_probabilities(arm, p):
    both = [{"a": 1 - each, "b": each} for each in p]
    return Decisions.from_columns(
        arm=["ab"[int(a)] for a in arm], rating=np.zeros(len(arm)), probabilities=both, scale=(0, 1)
    )


def test_arms_drawn_as_logged_raise_an_alarm_in_less_than_one_of_a_thousand_studies():
    arm, _, p = adaptive_studies(200, 150, lambda t: (0.5, 0.6))
    found = [assignment(with_probabilities(*each)) for each in zip(arm, p, strict=True)]
    assert not any(each.alarm for each in found)
    assert np.mean([each.p_value <= 0.05 for each in found]) <= 0.05


def test_arms_drawn_otherwise_than_logged_raise_an_alarm_although_the_shares_look_right():
    arm, _, p = adaptive_studies(1, 600, lambda t: (0.5, 0.6))
    swapped = assignment(with_probabilities(1 - arm[0], p[0]))
    assert swapped.alarm
    assert "NOT as logged" in str(swapped)
    rng = np.random.default_rng(0)
    p = np.tile([0.2, 0.8], 300)
    found = assignment(with_probabilities(rng.random(600) < np.tile([0.8, 0.2], 300), p))  # a half, as it should be
    assert found.alarm
    assert found.shown[0] == pytest.approx(300, abs=40)


def test_the_evidence_is_a_mean_of_bets_on_every_arm_at_its_highest():
    arm, p = [0, 1, 1, 0], [0.3, 0.4, 0.5, 0.1]
    surprise = np.array([[(a == k) - (q if k else 1 - q) for a, q in zip(arm, p, strict=True)] for k in (0, 1)])
    turned = surprise * np.where(np.array([[1 - q for q in p], p]) < 0.5, -1, 1)
    wealth = np.mean([np.cumprod(1 + b * way, axis=1) for b in BOTH_WAYS for way in (surprise, turned)], axis=0).mean(0)
    found = assignment(with_probabilities(arm, p))
    assert found.p_value == pytest.approx(1 / max(1.0, wealth.max()))
    assert found.expected == pytest.approx((4 - sum(p), sum(p)))


def test_without_probabilities_assignment_is_not_checked():
    found = assignment(Decisions.from_columns(arm=["a", "b"], rating=[1, 2], scale=(0, 5)))
    assert not found.alarm
    assert "not checked" in str(found)


def test_drop_out_that_differs_by_arm_is_named_and_pending_is_not_missing():
    rng = np.random.default_rng(0)
    arm = ["a", "b", "c"] * 200
    lost = [rng.random() < {"a": 0.05, "b": 0.4, "c": 0.1}[each] for each in arm]
    status = ["missing" if each else "rated" for each in lost]
    status[0] = "pending"
    rating = [None if word != "rated" else 1.0 for word in status]
    found = missing(Decisions.from_columns(arm=arm, rating=rating, status=status, scale=(0, 1)))
    assert found.unequal_pairs == (("b", "a"), ("b", "c"))
    assert found.closed == (199, 200, 200)
    assert found.pending == (1, 0, 0)
    assert all(low <= share <= high for low, share, high in zip(found.low, found.share, found.high, strict=True))
    assert "b loses more than a" in str(found)
    assert found.table().height == 3


def test_a_change_in_time_is_found_where_it_is_and_an_arm_without_one_is_not_named():
    rng = np.random.default_rng(1)
    ratings = np.concatenate([rng.binomial(10, 0.4, 120), rng.binomial(10, 0.8, 80)])
    both = np.stack([ratings, rng.binomial(10, 0.5, 200)], axis=1).ravel()
    found = drift(Decisions.from_columns(arm=["a", "b"] * 200, rating=both, scale=(0, 10)))
    assert found.changed == ("a",)
    assert found.changes[0].after == pytest.approx(240, abs=12)  # every other decision is of the other arm
    assert found.changes[0].mean_before < 5 < found.changes[0].mean_after
    assert "a: CHANGED after decision" in str(found)
    assert found.table()["changed"].to_list() == [True, False]


def test_a_few_ratings_or_equal_ones_do_not_change():
    found = drift(Decisions.from_columns(arm=["a"] * 5 + ["b"] * 40, rating=[1, 2, 3, 4, 5] + [3] * 40, scale=(1, 5)))
    assert found.changed == ()
    assert str(found) == "drift: no arm changed in time"


def panel():
    """Return ten attentive raters of six ratings each, and four who are not."""
    rng = np.random.default_rng(2)
    rows = []
    for person in range(10):
        for i in range(6):
            arm = "ab"[i % 2]
            rows.append((arm, rng.binomial(10, 0.8 if arm == "a" else 0.4), f"p{person}", rng.uniform(3, 6), 1))
    rows += [("ab"[i % 2], 0, "same", 4.0, 1) for i in range(6)]
    rows += [("ab"[i % 2], 6, "fast", 0.5, 1) for i in (0, 1)]
    rows += [("ab"[i % 2], [8, 4][i % 2], "failed", 4.0, i) for i in range(2)]
    rows += [(arm, rating, "copy", 5.0, 1) for arm, rating, who, *_ in rows if who == "p3"]
    rows += [("a", 9, "once", 4.0, 1)]
    arm, rating, participant, seconds, check = zip(*rows, strict=True)
    return Decisions.from_columns(
        arm=arm, rating=rating, participant=participant, seconds=seconds, check=check, scale=(0, 10)
    )


def test_careless_raters_are_flagged_for_what_they_did():
    found = raters(panel())
    flags = {rater.participant: rater.flags for rater in found.raters}
    assert {"run", "far"} <= set(flags["same"])
    assert flags["fast"] == ("fast",)
    assert flags["failed"] == ("check",)
    assert flags["copy"] == ("duplicate",)
    assert "once" not in flags
    assert {name for name, raised in flags.items() if raised} == {"same", "fast", "failed", "copy"}
    assert found.raters[0].participant == "same"


def test_influence_is_the_lead_without_the_rater_computed_anew():
    decisions = panel()
    found = raters(decisions)
    kept = decisions.table.filter(decisions.table["participant"] != "same")
    by_person = kept.group_by("arm", "participant").agg(pl.col("rating").mean())
    means = by_person.group_by("arm").agg(pl.col("rating").mean()).sort("arm")["rating"]
    without = next(rater for rater in found.raters if rater.participant == "same")
    assert found.leader == "a"
    assert without.lead == pytest.approx(means[0] - means[1])
    assert without.lead > found.lead


def test_nobody_with_two_ratings_is_no_trouble():
    found = raters(Decisions.from_columns(arm=["a", "b"], rating=[1, 2], scale=(0, 5)))
    assert found.raters == ()
    assert found.table().is_empty()


def test_an_analysis_bundles_it_all_and_says_it_in_a_sentence():
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


def test_where_there_is_nothing_to_analyse_it_says_so():
    bandit = tw.Bandit(tw.BetaThompson((0, 10)), arms=["a", "b"])
    bandit.ask()
    with pytest.raises(tw.TruewardError, match="there are no ratings to analyse yet"):
        tw.analysis.analyse(bandit)
    with pytest.raises(
        tw.ParameterError, match=r"source must be Decisions, the path of a CSV file, or an object with .* got 3"
    ):
        tw.analysis.analyse(3)


def test_an_arm_that_nobody_rated_leads_nobody_and_decides_nothing():
    found = tw.analysis.analyse(
        Decisions.from_columns(arm=["a", "a", "b"], rating=[1, 2, None], participant="xxy", scale=(0, 5))
    )
    assert found.leaderboard.leader == "a"
    assert found.leaderboard["b"].whole == (0.0, 5.0)
    assert found.break_even.share == 0.0
    assert np.isnan(found.raters.lead)


def test_a_source_may_be_a_bandit_a_file_or_a_study(tmp_path):
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
