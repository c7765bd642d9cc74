import numpy as np
import pytest
from scipy import stats

import trueward as tw
from trueward.adversaries import ADVERSARIES
from trueward.adversaries.labelled_people import LABELLED_SOURCES
from trueward.lab.arena.real_rating_scenarios import ARMS as REAL_ARMS
from trueward.lab.arena.real_rating_scenarios import overdispersed
from trueward.lab.arena.suite import CLICKS, GROUPS, PAPER, SUITE, suite_of
from trueward.lab.experiment.example_files import example_file
from trueward.lab.experiment.specification import load

ARMS = list({id(scenario.arms): scenario.arms for scenario in SUITE}.values())
GROUP_NAMES = ("lecturers 1", "lecturers 2", "items 1", "items 2")
RATES = sorted({scenario.epsilon for scenario in SUITE if scenario.epsilon is not None})


def test_suite_contains_every_registered_adversary():
    assert {type(scenario.adversary) for scenario in SUITE} == set(ADVERSARIES.values()) - {tw.FunctionAdversary}


def test_scenario_names_are_unique_and_all_groups_are_explained():
    assert len({scenario.name for scenario in SUITE}) == len(SUITE)
    assert [group for group in GROUPS if any(s.group == group for s in SUITE)] == list(GROUPS)
    assert {scenario.group for scenario in SUITE} == set(GROUPS)


def test_suite_varies_arms_horizons_rates_and_rating_scales():
    assert {arms.n_arms for arms in ARMS} >= {2, 5, 10, 20}
    assert {scenario.horizon for scenario in SUITE} >= {150, 500, 1000, 3000, 10_000}
    assert RATES[0] == 0.02
    assert set(RATES) >= {0.02, 0.05, 0.1, 0.2, 0.3}
    assert {arms.bounds for arms in ARMS} >= {(0, 1), (1, 5), (0, 10), (0, 100), (-float("inf"), float("inf"))}


def test_bursts_last_at_most_a_tenth_of_the_rounds():
    for scenario in SUITE:
        if scenario.group == "bursts":
            trace = tw.play(tw.Uniform(), scenario.arms, scenario.adversary, horizon=scenario.horizon, compiled=False)
            assert 0 < trace.touched.sum() <= 0.1 * scenario.horizon, scenario.name


def test_missing_scenarios_have_the_declared_shares_of_missing_ratings():
    group = [s for s in SUITE if s.group == "missing"]
    assert {s.size for s in group} == {"quick", "full"}
    for scenario in group:
        dropout, arms = scenario.adversary, scenario.arms
        lost = (arms.probabilities * dropout.missing_probabilities(arms)).sum(axis=1)
        assert lost.mean() == pytest.approx(np.mean(dropout.share))
        assert 0.04 < lost.min() <= lost.max() < 0.55
        at_random, by_arm = dropout.slope == 0, np.ndim(dropout.share) == 1
        assert at_random == scenario.label.startswith("at random")
        assert by_arm == (" of the " in scenario.label or ", of the " in scenario.label)
        if by_arm:
            assert lost == pytest.approx(dropout.share)
            assert arms.best == 0
    close = next(s for s in group if s.label == "low raters of the others, close")
    seen = close.arms.probabilities * (1 - close.adversary.missing_probabilities(close.arms))
    assert (seen @ close.arms.scale / seen.sum(axis=1)).argmax() != close.arms.best  # what is seen misleads


def test_uniform_regret_is_the_horizon_times_the_mean_gap():
    for arms, regret in ((PAPER, 800), (CLICKS, 160)):
        chosen = next(s for s in SUITE if s.arms is arms and s.group == "clean")
        assert chosen.uniform_regret == pytest.approx(regret)


def test_setting_describes_a_scenario_in_one_line():
    assert SUITE[0].setting == "5 arms, rewards 0…10, gap 1, sd 1.26, 1,000 rounds"
    spread = next(scenario for scenario in SUITE if scenario.label == "W, spread-out")
    assert spread.setting == "5 arms, rewards 0…10, gap 1 to 4, sd 1.58, 500 rounds, ε = 0.1"


def test_real_ratings_are_played_clean_with_careless_raters_and_attacked():
    adversaries = {"real ratings": set(), "real, attacked": set()}
    for scenario in (s for s in SUITE if s.group in adversaries):
        adversaries[scenario.group].add(type(scenario.adversary))
    assert adversaries["real ratings"] == {tw.NoAdversary, tw.CarelessParticipants}
    assert adversaries["real, attacked"] == {tw.BernoulliAdversary, tw.FrontCluster}
    clean = {s.label: s.arms for s in SUITE if s.group == "real ratings" and isinstance(s.adversary, tw.NoAdversary)}
    for source in ("lecturers", "items"):
        for i, arms in enumerate(tw.rating_groups(source, 6), 1):
            assert clean[f"{source} {i}"].means.tolist() == arms.means.tolist()


def test_quick_arena_has_two_groups_of_lecturers_and_two_of_items():
    labels = [s.label for s in suite_of("quick") if s.group.startswith("real")]
    assert {word for label in labels for word in GROUP_NAMES if word in label} == set(GROUP_NAMES)


def test_real_ratings_need_no_compilation_beyond_the_quick_arena():
    real = [s for s in SUITE if s.group.startswith("real")]
    others = [s for s in suite_of("quick") if not s.group.startswith("real")]
    kinds = {(type(s.arms.distribution()), type(s.adversary.start(s.arms, 10))) for s in others}
    assert {(type(s.arms.distribution()), type(s.adversary.start(s.arms, 10))) for s in real} <= kinds


def test_overdispersed_ratings_are_beta_binomial():
    distribution = stats.betabinom(10, 8 * 0.4, 2 * 0.4)  # rho = 1 / (1 + a + b) = 0.2
    np.testing.assert_allclose(overdispersed([8], rho=0.2).probabilities[0], distribution.pmf(range(11)), rtol=1e-12)


def test_real_ratings_experiment_plays_arms_of_the_arena():
    cells = load(example_file("real-ratings")).cells
    assert {name: cell.arms.means.tolist() for cell in cells if (name := cell.point["ratings"])} == {
        name: REAL_ARMS[name].means.tolist() for name in GROUP_NAMES
    }


def test_labelled_people_are_played_with_and_without_the_careless_of_their_own_study():
    group = {s.label: s for s in SUITE if s.group == "labelled people"}
    assert len(group) == 2 * 3 * 3
    for label, scenario in group.items():
        kind, name = label.split(", ")
        people = tw.labelled_people(name.split()[0])
        assert scenario.epsilon == (people.share if kind == "careless" else None)
        assert isinstance(scenario.adversary, tw.CarelessRatings) == (kind == "careless")
        assert scenario.arms.means.tolist() == group[f"attentive, {name}"].arms.means.tolist()
    assert {s.label for s in suite_of("quick") if s.group == "labelled people"} == {
        "attentive, symptoms_0_3 1",
        "careless, symptoms_0_3 1",
    }


def test_labelled_people_experiment_plays_people_of_the_package():
    cells = load(example_file("labelled-people")).cells
    assert [cell.point["people"] for cell in cells] == ["attentive", "and the careless"] * 3
    for source, attentive, careless in zip(LABELLED_SOURCES, cells[::2], cells[1::2], strict=True):
        people = tw.labelled_people(source)
        (items,) = people.groups(1)
        assert attentive.arms.probabilities.tolist() == people.arms(items).probabilities.tolist()
        assert careless.adversary.epsilon == pytest.approx(people.share, abs=1e-4)
        assert careless.adversary.counts == people.careless_people(items).counts
