"""A plan from a pilot: the arms as rated, how many are careless, how far ratings lie apart, and crUCB's two numbers."""

import numpy as np
import pytest
from scipy.stats import binom

import trueward as tw
from soak_size import size
from trueward.analysis import Decisions
from trueward.errors import DataError
from trueward.planning.laws import tilted_law
from trueward.planning.outline import Outline, described_arms, piloted_arms, values_of
from trueward.planning.people import raters
from trueward.planning.pilot import alpha_bound, read_pilot
from trueward.planning.tuning import replays_of, tune

VALUES = values_of((1.0, 5.0), None)
TRUE = described_arms(VALUES, 3, difference=0.5)
QUIET = {"compiled": False, "progress": False, "rehearse": False}


def piloted(careless, n=200, *, seed=0, sensitivity=1 / 3, arms=TRUE):
    """A pilot in which a share is careless, and some of these fail a check."""
    rng = np.random.default_rng(seed)
    arm = np.arange(n) % arms.n_arms
    bad = rng.permutation(n) < round(careless * n)
    rating = np.where(bad, rng.integers(1, 6, n), arms.draw(n, rng)[np.arange(n), arm])
    failed = bad & (rng.random(n) < sensitivity)
    names = [f"p{i}" for i in range(n)]
    return Decisions.from_columns(
        arm=["abc"[a] for a in arm], rating=rating, participant=names, check=(~failed).astype(int), scale=(1, 5)
    )


@pytest.mark.parametrize("careless", [0.05, 0.1, 0.2])
def test_the_bound_of_alpha_covers_at_its_level(careless):
    """Of 200 participants a share is careless, a third of whom fail a check, which was told; exact, not simulated."""
    k = np.arange(201)
    bounds = np.array([alpha_bound(int(each), 200, sensitivity=1 / 3).bound for each in k])
    by_chance = binom.pmf(k, 200, careless / 3)  # each participant careless, and found, by chance
    in_number = binom.pmf(k, round(200 * careless), 1 / 3)  # just so many careless, each found by chance
    for p in (by_chance, in_number):
        assert p[bounds >= careless].sum() >= 0.95


def test_undivided_by_the_sensitivity_the_bound_would_hardly_ever_cover():
    k = np.arange(201)
    bounds = np.array([alpha_bound(int(each), 200, sensitivity=1.0).bound for each in k])
    assert binom.pmf(k, 200, 0.1 / 3)[bounds >= 0.1].sum() <= 0.05


def test_a_sensitivity_told_by_counts_is_bounded_itself():
    told = alpha_bound(7, 200, sensitivity=(10, 30))
    assert told.bound > alpha_bound(7, 200, sensitivity=1 / 3).bound
    rng, covered = np.random.default_rng(0), 0
    for _ in range(300):  # sensitivity 1/3 estimated from 30 people; a tenth careless
        found = max(1, rng.binomial(30, 1 / 3))
        covered += alpha_bound(int(rng.binomial(200, 0.1 / 3)), 200, sensitivity=(found, 30)).bound >= 0.1
    assert covered >= 300 * 0.95 - 3 * np.sqrt(300 * 0.95 * 0.05)  # three standard errors


def test_told_nothing_a_third_is_assumed_and_a_half_and_a_fifth_shown_beside():
    found = alpha_bound(4, 100)
    assert found.bound == pytest.approx(3 * alpha_bound(4, 100, sensitivity=1.0).bound)
    assert found.lowest == pytest.approx(2 * found.bound / 3)
    assert found.highest == pytest.approx(5 * found.bound / 3)
    assert alpha_bound(100, 100).bound == 1.0


def test_a_pilot_counts_failed_checks_and_leaves_those_people_out_of_the_arms():
    told = piloted(0.2, seed=1)
    failed = int((told.table["check"] == 0).sum())
    pilot = read_pilot(told, VALUES, 1 / 3, compiled=False)
    assert pilot.alpha.flagged == failed
    assert pilot.alpha.participants == 200
    assert pilot.counts.sum() == 200 - failed
    assert pilot.sigma.main == pytest.approx(1.25, abs=0.15)
    assert 0.0 < pilot.believed < 0.2
    assert pilot.sigma.trimmed <= pilot.sigma.plain


def test_several_failed_checks_of_one_person_count_once():
    told = Decisions.from_columns(
        arm=["a", "b"] * 10,
        rating=[3, 4, 5, 4] * 5,
        participant=["x", "x", *(f"p{i}" for i in range(18))],
        check=[0, 0, *[1] * 18],
        scale=(1, 5),
    )
    assert read_pilot(told, VALUES, compiled=False).alpha.flagged == 1


def test_who_gives_anothers_answers_again_is_flagged_like_one_who_failed_a_check():
    twins = {"x": [5, 1, 4, 2, 5, 3], "y": [5, 1, 4, 2, 5, 3], "z": [4, 4, 3, 2, 5, 1]}
    told = Decisions.from_columns(
        arm=["a", "b"] * 9,
        rating=[rating for ratings in twins.values() for rating in ratings],
        participant=[name for name in twins for _ in range(6)],
        check=[1] * 18,
        scale=(1, 5),
    )
    pilot = read_pilot(told, VALUES, compiled=False)
    assert pilot.alpha.flagged == 1  # the second of the two
    assert pilot.counts.sum() == 12


def test_without_checks_nothing_bounds_the_careless_and_that_is_said():
    told = Decisions.from_columns(arm=["a", "b"] * 12, rating=[3, 4, 5, 4] * 6, scale=(1, 5))
    pilot = read_pilot(told, VALUES, compiled=False)
    assert pilot.alpha is None
    assert pilot.careless == pilot.believed
    assert "no checks" in pilot.notes[0]


def test_an_arm_with_too_few_ratings_is_refused():
    told = Decisions.from_columns(arm=["a"] * 12 + ["b"] * 3, rating=[3, 4, 5] * 5, scale=(1, 5))
    with pytest.raises(DataError, match="at least 5 ratings of each arm that count, got 3 of 'b'"):
        read_pilot(told, VALUES, compiled=False)


def test_a_tilted_law_has_the_mean_it_was_told_and_stays_as_it_is_at_its_own():
    distribution = np.array([0.1, 0.2, 0.3, 0.25, 0.15])
    assert tilted_law(VALUES, distribution, mean=distribution @ VALUES) == pytest.approx(distribution, abs=1e-7)
    assert tilted_law(VALUES, distribution, mean=4.2) @ VALUES == pytest.approx(4.2, abs=1e-7)
    ratio = tilted_law(VALUES, distribution, mean=4.2) / distribution
    assert ratio[1:] / ratio[:-1] == pytest.approx([ratio[1] / ratio[0]] * 4)  # exponential


def test_with_a_difference_the_pilots_ratings_are_tilted_to_it():
    counts = read_pilot(piloted(0.0), VALUES, compiled=False).counts
    arms = piloted_arms(VALUES, counts, difference=0.4)
    assert arms.means - arms.means[1] == pytest.approx([0.4, 0.0, 0.0], abs=1e-6)
    assert arms.means.mean() == pytest.approx(counts.sum(axis=0) @ VALUES / counts.sum(), abs=1e-6)
    assert piloted_arms(VALUES, counts).probabilities == pytest.approx(counts / counts.sum(axis=1, keepdims=True))


def test_the_chosen_pair_has_the_lowest_worst_regret_of_all_pairs():
    outline = outlined(piloted_arms(VALUES, read_pilot(piloted(0.1), VALUES, compiled=False).counts), 20)
    pilot = read_pilot(piloted(0.1), VALUES, compiled=False)
    tuned = tune(outline, 0.1, pilot.sigma, games=3, seed=0, compiled=False, report=lambda *_: None)
    worst = {}
    best = {name: tuned.replays.filter(replay=name)["regret"].min() for name in replays_of(0.1)}
    for row in tuned.replays.iter_rows(named=True):
        pair = row["alpha"], row["sigma"]
        worst[pair] = max(worst.get(pair, 0.0), row["regret"] / best[row["replay"]])
    assert worst[tuned.alpha, tuned.sigma] == pytest.approx(min(worst.values()))


def outlined(arms, participants):
    people = raters(0.1)
    return Outline(("a", "b", "c"), arms, people, participants, tw.FixedDelay(0), 0.0, 0.1, "careless", 0.95, None)


def test_a_plan_from_a_csv_file_takes_arms_and_carelessness_from_it(tmp_path):
    file = tmp_path / "ratings.csv"
    told = piloted(0.1, 60)
    columns = told.table.with_columns(arm=told.table["arm"].replace_strict({0: "a", 1: "b", 2: "c"}))
    columns.select("arm", "rating", "participant", "check").write_csv(file)
    plan = tw.plan(pilot=file, scale=(1, 5), participants=8, games=2, **QUIET)
    assert plan.outline.names == ("a", "b", "c")
    assert plan.outline.epsilon == pytest.approx(min(0.45, plan.pilot.alpha.bound))
    assert plan.policies["tUCB"].sigma == plan.pilot.tuned.sigma
    assert any("failed a check" in note for note in plan.notes)
    assert plan.hidden.difference is None


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"arms": 3}, "with a pilot, give no arms, mean or sd"),
        ({"sensitivity": 0}, "sensitivity must be above 0 and at most 1, got 0"),
        ({"sensitivity": (4, 3)}, "sensitivity must be how many were found, and of how many, got (4, 3)"),
        ({"scale": (1, 4)}, "ratings.csv, row 2, column 'rating'"),
    ],
)
def test_what_does_not_go_with_a_pilot_is_refused_in_a_line(tmp_path, wrong, words):
    file = tmp_path / "ratings.csv"
    file.write_text("arm,rating,check\n" + "a,5,1\nb,4,1\n" * 8)
    with pytest.raises(tw.TruewardError) as error:
        tw.plan(**{"pilot": file, "scale": (1, 5), "participants": 8, "games": 2, **QUIET, **wrong})
    assert words in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.soak
@pytest.mark.parametrize("careless", [0.05, 0.1, 0.2])
def test_tucb_with_the_tuned_pair_loses_no_more_than_a_fifth_more_than_tucb_told_the_truth(careless):
    told = tw.CrUCB(tw.TrimmedMean(careless), sigma=TRUE.sd)
    losses = []
    for seed in range(size(20, 3)):
        pilot = read_pilot(piloted(careless, seed=seed), VALUES, 1 / 3)
        outline = outlined(piloted_arms(VALUES, pilot.counts), 300)
        tuned = tune(outline, pilot.careless, pilot.sigma, games=64, seed=seed, compiled=None, report=lambda *_: None)
        mine = tw.CrUCB(tw.TrimmedMean(tuned.alpha), sigma=tuned.sigma)
        played = tw.play({"told": told, "tuned": mine}, TRUE, raters(careless), horizon=300, trials=256, seed=seed)
        losses.append([played[name].regret[:, -1].mean() for name in ("told", "tuned")])
    truth, tuned_loss = np.mean(losses, axis=0)
    assert tuned_loss <= 1.2 * truth
