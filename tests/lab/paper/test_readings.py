import polars as pl
import pytest

from made_up_results import TRIALS, judged, like_the_paper, made_up
from trueward import lab
from trueward.lab.experiment.example_files import example_file, example_names
from trueward.lab.paper.claims import CLAIMS
from trueward.lab.paper.judge import judge
from trueward.lab.paper.ledger import Ledger
from trueward.lab.paper.readings import CLEAN, DEFAULT_READING, READINGS, ReadingChanges, games_by_reading


def test_first_reading_is_the_default_one():
    assert next(iter(READINGS)) == DEFAULT_READING
    assert READINGS[DEFAULT_READING] == ReadingChanges()


def test_readings_name_only_policies_and_values_that_are_played():
    experiments = {name: lab.load(example_file(name)) for name in example_names()}
    played = {policy for experiment in experiments.values() for policy in experiment.policies}
    for changes in READINGS.values():
        assert set(changes.policies) | set(changes.policies.values()) <= played
        for name in ("readings-bernoulli", "readings-cluster", "readings-alpha", "readings-sigma"):
            assert changes.values in experiments[name].sweep["scheme"]


def test_games_have_one_row_per_reading_setting_policy_and_trial():
    games = games_by_reading({"figure1": made_up("figure1", like_the_paper)})
    rows = games.filter(reading=DEFAULT_READING)
    assert rows["setting"].unique(maintain_order=True).to_list() == ["epsilon 0", "epsilon 0.05", "epsilon 0.1"]
    assert rows.height == 3 * 7 * TRIALS
    assert rows.filter(setting="epsilon 0.1", policy="UCB")["trial"].to_list() == list(range(TRIALS))
    assert rows.filter(setting="epsilon 0.1", policy="UCB")["regret"].unique().to_list() == pytest.approx([220])
    assert rows["uniform_regret"].unique().to_list() == [800]
    assert not games.select("reading", "setting", "policy", "trial").is_duplicated().any()


def test_reading_has_the_default_games_where_it_changes_nothing_and_none_where_its_own_were_not_played():
    games = games_by_reading({"figure1": made_up("figure1", like_the_paper)})
    inlier = games.filter(reading="contamination values: inlier")
    assert inlier["setting"].unique().to_list() == [CLEAN]
    raw = games.filter(reading="UCB1 on raw ratings", setting=CLEAN)
    assert "UCB" not in raw["policy"]
    assert raw.filter(policy="tUCB")["game"].unique().to_list() == ["figure1: epsilon = 0, tUCB"]


def test_reading_plays_a_variant_in_place_of_a_policy():
    games = games_by_reading({name: made_up(name, like_the_paper) for name in ("figure1", "readings-bernoulli")})
    raw = games.filter(reading="UCB1 on raw ratings", setting="epsilon 0.05", policy="UCB")
    assert raw["game"].unique().to_list() == [
        "readings-bernoulli: scheme = random-malicious, epsilon = 0.05, UCB1 (raw)"
    ]


def test_verdict_names_the_readings_it_depends_on():
    def raw_wins_and_inliers_fool(policy, point):
        if policy == "UCB1 (raw)" or (policy == "UCB" and point["scheme"] == "inlier"):
            return 50.0
        return like_the_paper(policy, point)

    entries = judged(made_up("figure1", like_the_paper), made_up("readings-bernoulli", raw_wins_and_inliers_fool))
    entry = entries["crucb-beats-ucb1"]
    assert entry.verdict == "depends"
    assert entry.depends_on == ("contamination values: inlier", "UCB1 on raw ratings")


def test_claim_is_judged_only_under_readings_that_change_its_games():
    results = [made_up(name, like_the_paper) for name in ("figure1", "readings-bernoulli")]
    shown = [check.reading for check in judged(*results)["crucb-beats-exp3"].checks]
    assert "ranks as printed" in shown
    assert "UCB1 on raw ratings" not in shown
    assert "Tsallis-INF with importance weighting" not in shown


def test_one_figure_decides_its_own_claims_and_the_comment_names_what_is_missing():
    entries = judged(made_up("figure1", like_the_paper))
    assert "tsallis-degrades" in entries
    assert "cluster-harmful" not in entries
    assert all([check.reading for check in entry.checks] == ["default reading"] for entry in entries.values())
    assert all("Only our default reading was played" in entry.comment for entry in entries.values())


def test_experiments_that_are_not_of_the_paper_decide_nothing():
    assert judge({}).entries == ()
    assert judge({"my-own": made_up("figure1", like_the_paper)}).entries == ()


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    cells = tmp_path_factory.mktemp("cells")
    names = [name for name in example_names() if name.startswith(("figure", "readings"))]
    return {name: lab.run(example_file(name), trials=TRIALS, cache_folder=cells, progress=False) for name in names}


@pytest.mark.soak
def test_every_claim_is_judged_on_real_games_and_written(played, tmp_path):
    ledger = judge(played)
    assert [entry.name for entry in ledger.entries] == [claim.name for claim in CLAIMS]
    for entry in ledger.entries:
        assert entry.checks[0].reading == DEFAULT_READING
        assert all(check.low <= check.value <= check.high for check in entry.checks)
    assert Ledger.read(ledger.write(tmp_path / "claims.json")) == ledger


@pytest.mark.soak
def test_every_reading_changes_some_claim(played):
    assert {check.reading for entry in judge(played).entries for check in entry.checks} == set(READINGS)


@pytest.mark.soak
def test_default_reading_is_the_same_in_figures_and_other_readings(played):
    pairs = {
        ("figure1", "readings-bernoulli"): ["epsilon"],
        ("figure5", "readings-cluster"): [],
        ("figure3", "readings-alpha"): ["alpha"],
        ("figure4", "readings-sigma"): ["sigma"],
    }
    for (figure, readings), keys in pairs.items():
        columns = [*keys, "policy", "trial"]
        default = played[readings].trials.filter(pl.col("scheme") == ReadingChanges().values)
        both = played[figure].trials.join(default, on=columns)
        assert both.height > 0
        assert both["regret"].to_list() == both["regret_right"].to_list()
