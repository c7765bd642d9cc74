"""A plan from a description: its games, its chances, its recommendation, and what to copy."""

from statistics import NormalDist

import numpy as np
import polars as pl
import pytest

import trueward as tw
from trueward.analysis import Decisions, leaderboard
from trueward.lab.arena.suite import GROUPS
from trueward.planning.deciding import counts_of, decided_for, decided_for_one
from trueward.planning.field import DEFAULT, EQUAL
from trueward.planning.games import ends_on, learning
from trueward.planning.hidden import hidden
from trueward.planning.laws import rating_law, sd_range
from trueward.planning.outline import Outline, described_arms, values_of
from trueward.planning.people import raters, seen_of, share_of_bad
from trueward.planning.recommending import recommended, weak_points
from trueward.planning.rehearsal import ATTACKS, WORDS

QUICK = {"scale": (1, 5), "arms": ["video", "text"], "difference": 1.0, "participants": 12, "games": 6}
QUIET = {"compiled": False, "progress": False}


@pytest.fixture(scope="module")
def small():
    return tw.plan(**QUICK, **QUIET)


def test_the_same_seed_gives_the_same_plan_and_another_seed_another(small):
    again = tw.plan(**QUICK, **QUIET)
    assert small.chances.equals(again.chances)
    assert small.rehearsal.equals(again.rehearsal)
    assert not small.chances.equals(tw.plan(**QUICK, **QUIET, seed=1, rehearse=False).chances)


def test_chances_have_a_row_per_policy_and_number_with_their_error(small):
    table = small.table()
    assert table["participants"].unique().to_list() == [3, 6, 9, 12, 18, 24, 36]
    assert table["policy"].unique(maintain_order=True).to_list() == ["Wary", "tUCB", "uniform"]
    for name in ("best", "decides", "misleads", "lost"):
        assert (table[f"{name}_low"] <= table[name]).all()
        assert (table[name] <= table[f"{name}_high"]).all()


def test_the_rehearsal_holds_an_attack_of_every_group_of_the_arena(small):
    own_arms = {"labelled people", "real ratings", "real, attacked"}
    assert set(ATTACKS) == set(WORDS) == set(GROUPS) - own_arms
    assert set(small.rehearsal["attack"]) == set(ATTACKS)
    assert small.rehearsal.height == 3 * len(ATTACKS)


def test_the_python_creates_a_study_as_recommended(small, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    room = {}
    exec(small.python, room)
    with room["study"] as study:
        assert study.ask(participant="p1").arm in small.outline.names
        assert study.policy == tw.UniformShare(small.settings["policy"], share=0.1)
    with tw.Study.create(f"sqlite:///{tmp_path}/other.db", "other", **small.settings) as study:
        assert study.ask(participant="p1").number == 1


def test_the_toml_plays_the_planned_study(small, tmp_path):
    file = tmp_path / "study.toml"
    file.write_text(small.toml)
    cell = tw.lab.load(file).cells[0]
    assert cell.arms.means == pytest.approx(small.outline.arms.means)
    assert cell.adversary.population.shares == pytest.approx(dict(small.outline.people.population.shares))
    assert cell.policies == {name: small.outline.playing(policy) for name, policy in small.policies.items()}
    assert cell.horizon == small.recommended.participants


def test_described_arms_have_the_means_and_the_spread_they_were_told():
    arms = described_arms(values_of((0, 10), None), 4, difference=0.7, mean=5.5, sd=2.2)
    assert arms.means == pytest.approx([6.2, 5.5, 5.5, 5.5], abs=1e-8)
    assert arms.sds == pytest.approx([2.2] * 4, abs=1e-8)


@pytest.mark.parametrize(("mean", "sd"), [(3.4, 1.2), (4.8, 0.45), (3.0, 1.95), (1.2, 0.42), (3.5, 0.52)])
def test_a_law_of_largest_entropy_meets_its_moments_also_at_the_edges(mean, sd):
    values = np.arange(1.0, 6.0)
    p = rating_law(values, mean=mean, sd=sd)
    assert p @ values == pytest.approx(mean, abs=1e-7)
    assert np.sqrt(p @ values**2 - (p @ values) ** 2) == pytest.approx(sd, abs=1e-6)


def test_a_law_of_largest_entropy_is_the_uniform_one_if_its_moments_are_asked_for():
    assert rating_law(np.arange(1.0, 6.0), mean=3.0, sd=np.sqrt(2.0)) == pytest.approx([0.2] * 5)


def test_an_impossible_spread_is_refused_with_what_is_possible():
    low, high = sd_range(np.arange(1.0, 6.0), 4.5)
    assert low == pytest.approx(0.5, abs=0.01)
    assert high == pytest.approx(np.sqrt(3.5 * 0.5), abs=0.01)
    with pytest.raises(
        tw.ParameterError, match=r"sd must be above 0\.50. and below 1\.32 for ratings with a mean of 4\.5"
    ):
        rating_law(np.arange(1.0, 6.0), mean=4.5, sd=1.6)


@pytest.mark.parametrize("bad", ["careless", "capped", "chosen"])
def test_the_interval_decides_exactly_when_the_leaderboard_does(bad):
    rng = np.random.default_rng(3)
    values, n = np.arange(1.0, 6.0), 300
    outcomes = []
    for gap in (0.0, 0.6, 1.2, 1.6, 2.2) * 4:
        arms = rng.integers(0, 3, (1, n))
        rating = np.clip(np.rint(rng.normal(2.0 + gap * (arms == 1), 0.8)), 1, 5)
        rating[rng.random((1, n)) < 0.03] = np.nan
        found = decided_for(counts_of(arms, rating, values, 3), values, epsilon=0.05, bad=bad, level=0.95)[0]
        board = leaderboard(
            Decisions.from_columns(arm=arms[0].astype(str), rating=rating[0].tolist(), scale=(1, 5)),
            epsilon=0.05,
            bad=bad,
        )
        outcomes.append((str(found), board.leader if board.decided else "-1"))
    assert {ours for ours, _ in outcomes} == {"-1", "1"}  # both happen, and
    assert all(ours == theirs for ours, theirs in outcomes)  # never one without the other


def test_a_study_ends_on_the_arm_that_a_bandit_would_believe_the_best():
    rng = np.random.default_rng(5)
    policy = tw.CrUCB(tw.TrimmedMean(0.1), sigma=1.0)
    arms, ratings = rng.integers(0, 3, 60), rng.integers(1, 6, 60).astype(float)
    ratings[::7] = np.nan
    numbers = np.array([20, 60])
    found = ends_on(policy, arms, ratings, numbers=numbers, n_arms=3, learn=learning(policy, 3, compiled=False))
    for n, end in zip(numbers, found, strict=True):
        kept = ~np.isnan(ratings[:n])
        means = [policy.estimator(ratings[:n][kept & (arms[:n] == a)]) for a in range(3)]
        assert end == int(np.argmax(means))


def test_losses_and_endings_of_uniform_play_are_what_a_calculation_says():
    told = {**QUICK, "participants": 24, "games": 128, "careless": 0.0, "uniform_share": 0.0, "sd": 1.0}
    plan = tw.plan(**told, **QUIET, rehearse=False, policies=["uniform"])
    at = plan.table().filter((pl.col("policy") == EQUAL) & (pl.col("participants") == 24)).row(0, named=True)
    assert at["lost"] == pytest.approx(24 * 0.5, abs=4 * 0.5 * np.sqrt(24 / 128))  # four standard errors
    right = NormalDist().cdf(1.0 / np.sqrt(1.0 / 12 + 1.0 / 12))  # two means of 12 ratings: 0.993
    assert at["best"] == pytest.approx(right, abs=0.03)  # four standard errors: 4 sqrt(0.007 * 0.993 / 128)


def test_careless_people_rate_once_and_their_share_is_the_share_that_was_told():
    people = raters(0.15)
    assert people.constraint == pytest.approx(0.15)
    assert people.population.session == 1.0
    crowd = raters("crowd workers").population
    assert crowd.fatigue[0] == 0.0
    assert crowd.shares == tw.CarelessParticipants("crowd workers").population.shares


def test_bots_that_come_in_rows_are_as_many_participants():
    crowd = raters("crowd workers")
    assert crowd.population.bot_session == 2.0  # twice as long as the others' sessions, as in the profile
    assert share_of_bad(crowd) == pytest.approx((0.18 + 0.01) / 1.01)
    assert share_of_bad(raters(0.15)) == pytest.approx(0.15)


def test_what_is_seen_is_what_games_show():
    arms, people = described_arms(values_of((1, 5), None), 2, difference=0.5), raters("open web poll")
    trace = tw.play(tw.Uniform(), arms, people, horizon=1000, trials=8, keep_history=True, compiled=False)
    counts = counts_of(trace.arms, trace.observed, arms.scale, 2).sum(axis=0)
    shares = counts / counts.sum(axis=1, keepdims=True)
    # ratings in rows of ten on average, some 4,000 of an arm: four standard errors of a share are 0.03
    assert seen_of(people, arms) == pytest.approx(shares, abs=0.03)
    assert seen_of(raters(0.0), arms)[:, :-1] == pytest.approx(arms.probabilities)


def test_where_contamination_hides_the_difference_it_says_so_and_what_would_decide():
    plan = tw.plan(
        **{**QUICK, "difference": 0.2, "careless": 0.2, "games": 40}, **QUIET, rehearse=False, policies=["uniform"]
    )
    assert not plan.hidden.decidable
    assert "no number of participants will let the robust interval decide" in plan.recommendation
    note = plan.notes[0]
    assert note.startswith("No number of participants will decide a difference of 0.2 points while 20 % may be bad")
    assert "The interval would decide if at most" in note
    assert 0.0 < plan.hidden.share < 0.2
    assert plan.hidden.difference > 0.2


@pytest.mark.parametrize("bad", ["careless", "capped", "chosen"])
@pytest.mark.parametrize("leaving", [False, True])
def test_where_the_interval_comes_to_rest_is_where_endless_ratings_leave_it(bad, leaving):
    who = tw.Profile(shares={"random": 0.03}, dropout=(-2.0, 0.3) if leaving else (-40.0, 0.0))
    found = []
    for difference in (0.05, 0.5, 2.4):
        arms = described_arms(values_of((1, 5), None), 2, difference=difference, mean=2.0)
        outline = Outline(("a", "b"), arms, raters(who), 10, tw.FixedDelay(0), 0.0, 0.03, bad, 0.95, difference)
        told = {"epsilon": 0.03, "bad": bad, "level": 0.95}
        endless = decided_for_one(1e9 * seen_of(outline.people, arms), arms.scale, **told)
        found.append((hidden(outline, None).decidable, endless == 0))
    assert all(ours == endless for ours, endless in found)
    assert len(set(found)) == 2  # small differences stay hidden, large ones do not


def test_the_share_that_decides_is_the_share_that_theory_hides_for_laws_at_the_ends_of_the_scale():
    plan = tw.plan(
        **{**QUICK, "scale": (0, 1), "difference": 0.2, "careless": 0.0}, **QUIET, rehearse=False, policies=["uniform"]
    )
    # clicks at 0.6 and 0.8: with c = 1, the ends rest at (0.8 - e) / (1 - e) and 0.6 / (1 - e)
    assert plan.hidden.share == pytest.approx(0.2, abs=0.02)


def test_the_attacks_that_a_study_does_not_withstand_are_named_in_words():
    rows = [("clean", 0.9), ("tenth", 0.8), ("rates", 0.2)]
    table = pl.DataFrame([{"policy": "p", "attack": a, "words": WORDS[a], "best": best} for a, best in rows])
    assert weak_points(table, "p").endswith("p falls far behind under: a fifth of the ratings, at random (20 %).")
    assert "keeps at least 75 %" in weak_points(table.head(2), "p")


def chances(rows):
    shown = ("policy", "participants", "best", "best_high", "lost")
    return pl.DataFrame([dict(zip(shown, row, strict=True)) for row in rows])


def test_of_policies_that_reach_the_wanted_chance_the_one_that_loses_least_is_recommended():
    table = chances(
        [
            (DEFAULT, 100, 0.92, 0.95, 30.0),
            (DEFAULT, 200, 0.95, 0.97, 40.0),
            (EQUAL, 100, 0.8, 0.9, 50.0),
            (EQUAL, 200, 0.99, 1.0, 90.0),
        ]
    )
    found = recommended(table, 200, 0.9)
    assert (found.policy, found.participants, found.reached) == (DEFAULT, 100, True)


def test_where_none_reaches_it_the_default_gives_way_only_to_one_that_is_surely_better():
    close = chances([(DEFAULT, 100, 0.5, 0.56, 30.0), (EQUAL, 100, 0.55, 0.61, 50.0)])
    far = chances([(DEFAULT, 100, 0.5, 0.56, 30.0), (EQUAL, 100, 0.7, 0.76, 50.0)])
    assert recommended(close, 100, 0.9).policy == DEFAULT
    assert recommended(far, 100, 0.9).policy == EQUAL
    assert not recommended(far, 100, 0.9).reached


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"arms": 1}, "arms must be a whole number of at least 2, got 1"),
        ({"arms": "video"}, "arms must be a number, or a list of names, got 'video'"),
        ({"arms": ["a", "a"]}, "arms must be at least two different names"),
        ({"difference": 3}, "difference must leave room on the scale"),
        ({"difference": 0}, "difference must be above 0, got 0"),
        ({"careless": 0.6}, "careless must be at least 0 and below 0.5, got 0.6"),
        ({"careless": "a class"}, "careless must be a share, a Profile, or one of 'university class'"),
        ({"scale": (5, 1)}, "scale must have low below high"),
        ({"policies": ["ucb"]}, "policies must be some of 'Wary', 'tUCB', 'uniform', got 'ucb'"),
    ],
)
def test_what_cannot_be_planned_is_refused_in_a_line(wrong, words):
    with pytest.raises(tw.ParameterError) as error:
        tw.plan(**{**QUICK, **wrong}, **QUIET)
    assert str(error.value).startswith(words)
    assert "\n" not in str(error.value)
