import numpy as np
import polars as pl
import pytest
from scipy import stats

from trueward import lab
from trueward.lab.experiment.example_files import example_file, example_names
from trueward.lab.experiment.result import Result
from trueward.lab.paper.claims import CHOICES, CLAIMS, judge
from trueward.lab.paper.claims.choices import AS_STATED
from trueward.lab.paper.claims.cluster import barbar_lambda
from trueward.lab.paper.claims.section_four import error_gaps
from trueward.lab.paper.claims.sensitivity import ALPHAS, SIGMAS
from trueward.lab.paper.ledger import Ledger

TRIALS = 16
CENTRED = np.linspace(-1, 1, TRIALS)  # the noise of every made-up game: its mean is 0


def made_up(name, regret, *, violation=1, slope=None, noise=0.0):
    """Return a result whose mean regret is `regret(policy, point)`; noise differs in sign between policies."""
    experiment = lab.load(example_file(name), trials=TRIALS)
    cells = []
    for cell in experiment.cells:
        trials, curves = [], []
        for index, policy in enumerate(cell.policies):
            values = regret(policy, cell.point) + noise * (-1) ** index * CENTRED
            trials.append(
                pl.DataFrame(
                    {
                        "policy": [policy] * TRIALS,
                        "trial": np.arange(TRIALS),
                        "regret": values,
                        "first_violation": np.full(TRIALS, violation),
                    }
                )
            )
            rounds = np.arange(100, 1001, 100)
            mean = np.array([slope(policy, t) if slope else 0.0 for t in rounds], dtype=np.float64)
            curves.append(pl.DataFrame({"policy": [policy] * rounds.size, "round": rounds, "mean": mean}))
        cells.append({"trials": pl.concat(trials), "curves": pl.concat(curves)})
    return Result(experiment, cells)


def judged(*results):
    ledger = judge({result.experiment.name: result for result in results})
    return {entry.name: entry for entry in ledger.entries}


CALM = {"tUCB": 100, "sUCB": 110, "RUCB-MAB": 90, "UCB": 200, "EXP3": 700, "EXP3++": 710, "Tsallis-INF": 400}


def like_the_paper(policy, point):
    name = "UCB" if policy.startswith("UCB1") else policy.split(" (")[0]
    return float(CALM[name] * (1 + point.get("epsilon", 0)))


def test_claims_have_names_of_their_own():
    assert len({claim.name for claim in CLAIMS}) == len(CLAIMS)


def test_the_first_choice_is_our_default_reading():
    assert CHOICES[0] is AS_STATED
    assert len({choice.name for choice in CHOICES}) == len(CHOICES)


def test_choices_name_only_policies_and_schemes_that_are_played():
    experiments = {name: lab.load(example_file(name)) for name in example_names()}
    played = {policy for experiment in experiments.values() for policy in experiment.policies}
    for choice in CHOICES:
        assert set(choice.instead) | set(choice.instead.values()) <= played
        for name in ("choices-bernoulli", "choices-cluster", "choices-alpha", "choices-sigma"):
            assert choice.scheme in experiments[name].sweep["scheme"]


@pytest.mark.parametrize(("name", "key", "grid"), [("figure3", "alpha", ALPHAS), ("figure4", "sigma", SIGMAS)])
def test_the_grids_are_those_that_are_played(name, key, grid):
    assert tuple(lab.load(example_file(name)).sweep[key]) == grid


def test_the_weakest_pair_decides_a_claim_about_several():
    entry = judged(made_up("figure1", like_the_paper))["crucb-beats-ucb1"]
    assert entry.verdict == "holds"
    assert entry.checks[0].statistic == pytest.approx((110 - 200) * 1.05)  # sUCB at 0.05 wins by least
    assert "sUCB against UCB at epsilon 0.05" in entry.comment


def test_a_difference_whose_interval_contains_zero_is_undecided():
    def close(policy, point):
        return 199.9 if policy in ("tUCB", "sUCB") else like_the_paper(policy, {})

    # tUCB and UCB have noise of opposite sign: the half-width is 1.96 * 2 * sd / 4 = 0.62
    entry = judged(made_up("figure1", close, noise=1.0))["crucb-beats-ucb1"]
    assert entry.verdict == "undecided"
    assert entry.checks[0].low < 0 < entry.checks[0].high
    assert "undecided: the interval contains 0" in entry.comment


def test_the_interval_is_that_of_paired_differences():
    check = judged(made_up("figure1", like_the_paper, noise=1.0))["crucb-beats-exp3"].checks[0]
    half = stats.norm.ppf(0.975) * np.std(2 * CENTRED, ddof=1) / np.sqrt(TRIALS)
    assert check.high - check.statistic == pytest.approx(half)


def test_a_verdict_names_the_choices_it_depends_on():
    def raw_wins_and_inliers_fool(policy, point):
        if policy == "UCB1 (raw)" or (policy == "UCB" and point["scheme"] == "inlier"):
            return 50.0
        return like_the_paper(policy, point)

    entry = judged(made_up("figure1", like_the_paper), made_up("choices-bernoulli", raw_wins_and_inliers_fool))
    entry = entry["crucb-beats-ucb1"]
    assert entry.verdict == "depends"
    assert entry.depends_on == ("values = inlier", "UCB1 raw")


def test_only_choices_that_touch_a_claim_are_shown():
    results = [made_up(name, like_the_paper) for name in ("figure1", "choices-bernoulli")]
    shown = [check.choice for check in judged(*results)["crucb-beats-exp3"].checks]
    assert "literal ranks" in shown
    assert "UCB1 raw" not in shown
    assert "Tsallis-INF by IW" not in shown


def test_one_figure_shows_its_own_claims_and_says_what_is_missing():
    entries = judged(made_up("figure1", like_the_paper))
    assert "tsallis-degrades" in entries
    assert "cluster-harmful" not in entries
    assert all([check.choice for check in entry.checks] == ["as stated"] for entry in entries.values())
    assert all("Only our default reading was played" in entry.comment for entry in entries.values())


def test_a_changed_copy_of_an_experiment_is_not_judged():
    result = made_up("figure1", like_the_paper)
    changed = lab.load(example_file("figure1"), trials=TRIALS, horizon=500)
    assert judge({"figure1": Result(changed, result._cells)}).entries == ()
    assert judge({"my-own": result}).entries == ()


@pytest.mark.parametrize(("violation", "verdict"), [(7, "holds"), (0, "does not hold")])
def test_the_constraint_counts_as_broken_when_a_round_is_named(violation, verdict):
    assert judged(made_up("figure1", like_the_paper, violation=violation))["constraint-broken"].verdict == verdict


@pytest.mark.parametrize(("added", "holds"), [(79, True), (81, False)])
def test_slightly_means_a_tenth_of_uniform_play(added, holds):
    def regret(policy, point):
        return 100.0 + added * (point["epsilon"] == 0.05)

    check = judged(made_up("figure1", regret))["robust-slightly-affected-0.05"].checks[0]
    assert check.statistic == pytest.approx(added / 800)
    assert check.outcome == ("holds" if holds else "does not hold")


@pytest.mark.parametrize(("step", "verdict"), [(1.0, "holds"), (-1.0, "does not hold")])
def test_tsallis_degrades_when_every_step_adds_regret(step, verdict):
    def regret(policy, point):
        return 300.0 + {0.0: 0, 0.05: 50, 0.1: 50 + step}[point["epsilon"]]

    assert judged(made_up("figure1", regret))["tsallis-degrades"].verdict == verdict


def test_the_benefit_is_a_share_of_what_ucb_loses():
    check = judged(made_up("figure1", like_the_paper))["clear-benefit-over-ucb"].checks[0]
    assert check.statistic == pytest.approx(1 - 110 / 200)
    assert check.outcome == "holds"


def test_an_easy_game_is_measured_in_its_own_uniform_play():
    def regret(policy, point):
        return 20.0 + 30 * (point["epsilon"] > 0)

    entry = judged(made_up("choices-easy", regret))["easy-games-impotent"]
    assert entry.checks[0].statistic == pytest.approx(30 / 1500)  # 2 arms, gap 3: 1000 * 3 / 2
    assert entry.verdict == "holds"
    assert "0.06 with K = 2, gap 1" in entry.comment  # 30 / 500
    assert {check.choice for check in entry.checks} == {
        "as stated",
        "values = continuous-malicious",
        "values = worst-bounded",
        "values = inlier",
    }


def test_sensitivity_is_a_ratio_of_ranges_and_depends_on_the_grid():
    by_alpha = made_up("figure3", lambda policy, point: 300 + 600 * abs(point["alpha"] - 0.1))  # range 120, or 60
    by_sigma = made_up("figure4", lambda policy, point: 300 + 100 * (point["sigma"] > 1.6))  # range 100
    entry = judged(by_alpha, by_sigma)["alpha-much-less-sensitive-than-sigma"]
    assert [check.statistic for check in entry.checks] == pytest.approx([1.2, 0.6])
    assert entry.verdict == "does not hold"
    flat = made_up("figure3", lambda policy, point: 300 + 60 * (point["alpha"] == 0.3))
    assert judged(flat, by_sigma)["alpha-much-less-sensitive-than-sigma"].depends_on == ("grids from half to double",)


def test_sigma_is_judged_on_both_sides_and_its_tail_is_told():
    result = made_up("figure4", lambda policy, point: 450.0 if point["sigma"] == 0.3 else 100 * point["sigma"])
    entries = judged(result)
    assert entries["underestimating-sigma-helps"].checks[0].statistic == pytest.approx(94.9 - 126.5)
    assert entries["overestimating-sigma-hurts"].checks[0].statistic == pytest.approx(250 - 126.5)
    assert "100% (sigma 0.3), 0% (sigma 0.5)" in entries["underestimating-sigma-helps"].comment


@pytest.mark.parametrize(("share", "outcome"), [(0.5, "holds"), (0.95, "does not hold")])
def test_a_considerable_gain_of_a_small_sigma_is_a_tenth_of_the_regret(share, outcome):
    result = made_up("figure4", lambda policy, point: 300.0 * (share if point["sigma"] == 0.949 else 1))
    entries = judged(result)
    assert entries["underestimating-sigma-helps"].verdict == "holds"
    assert entries["underestimating-sigma-helps-much"].checks[0].statistic == pytest.approx(1 - share)
    assert entries["underestimating-sigma-helps-much"].verdict == outcome


def test_the_epsilon_of_figures_3_and_4_is_varied_and_told_to_be_ours():
    stated = made_up("figure3", lambda policy, point: 300.0 + 100 * (point["alpha"] == 0.05))
    other = made_up("choices-epsilon-alpha", lambda policy, point: 300.0 + 8 * (point["alpha"] == 0.025))
    entry = judged(stated, other)["slightly-underestimating-alpha-harmless"]
    assert "The paper states no epsilon" in entry.comment
    assert {check.choice: check.statistic for check in entry.checks} == pytest.approx(
        {"as stated": 100 / 800, "epsilon = 0.05 in figures 3 and 4": 8 / 800}
    )


def test_section_four_is_judged_by_the_theorems_bound_and_by_half_of_uniform_play():
    entries = judged(made_up("figure1", like_the_paper))
    # alpha_max of Theorem 3 is 1 / (4 + 16 * 1.2649 * sqrt(6 ln 1000)) = 0.0074464
    assert entries["bound-on-alpha-broken"].checks[0].statistic == pytest.approx(0.05 / 0.0074464, rel=1e-4)
    assert entries["good-though-bound-broken"].checks[0].statistic == pytest.approx(110 * 1.1 / 800)
    assert entries["good-though-bound-broken"].verdict == "holds"


def test_the_shorth_mean_is_judged_on_samples_whose_errors_can_be_checked():
    arms = lab.load(example_file("figure1")).cells[0].arms
    ratings = np.random.default_rng(0).binomial(10, 0.9, size=(400, 100)).astype(float)
    ratings[:, :10] = 6.0
    first = np.sort(ratings[0])
    windows = [first[i : i + 90] for i in range(11)]
    shortest = min(np.ptp(window) for window in windows)
    means = [window.mean() for window in windows if np.ptp(window) == shortest]
    gap = error_gaps(arms, "best arm", 6.0)[0] + abs(stats.trim_mean(first, 0.1) - 9)
    assert gap in [pytest.approx(abs(mean - 9)) for mean in means]
    entry = judged(made_up("figure1", like_the_paper))["shorth-better-when-skewed"]
    assert entry.verdict == "does not hold"
    assert "other arms with bad 110: -0.18" in entry.comment


def test_recovery_is_a_flatter_end_of_the_curve():
    def slope(policy, t):  # Tsallis-INF: 1 per round until 500, then nothing; EXP3++: 0.8 per round throughout
        return min(t, 500) if policy.startswith("Tsallis") else 0.8 * t

    entries = judged(made_up("figure5", like_the_paper, slope=slope))
    assert entries["cluster-tsallis-recovers"].checks[0].statistic == -1
    assert entries["cluster-tsallis-recovers"].verdict == "holds"
    assert entries["cluster-exp3pp-recovers"].verdict == "undecided"


def test_the_first_epoch_of_barbar_is_as_long_as_published_constants_say():
    assert barbar_lambda(5, 1000, delta=0.1) == pytest.approx(8490, abs=0.5)
    assert 5 * barbar_lambda(5, 1000, delta=0.1) == pytest.approx(42448, abs=1)
    check = judged(made_up("figure5", like_the_paper))["barbar-one-epoch"].checks[0]
    assert check.outcome == "holds"
    assert check.statistic == pytest.approx(5 * 1024 * np.log(40 * np.log2(1000)) / 1000)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    cells = tmp_path_factory.mktemp("cells")
    names = [name for name in example_names() if name.startswith(("figure", "choices"))]
    return {name: lab.run(example_file(name), trials=TRIALS, cache_folder=cells, progress=False) for name in names}


@pytest.mark.soak
def test_every_claim_is_judged_on_real_games_and_written(played, tmp_path):
    ledger = judge(played)
    assert [entry.name for entry in ledger.entries] == [claim.name for claim in CLAIMS]
    for entry in ledger.entries:
        assert entry.checks[0].choice == "as stated"
        assert all(check.low <= check.statistic <= check.high for check in entry.checks)
    assert Ledger.read(ledger.write(tmp_path / "claims.json")) == ledger


@pytest.mark.soak
def test_every_choice_is_played_somewhere(played):
    shown = {check.choice for entry in judge(played).entries for check in entry.checks}
    assert shown == {choice.name for choice in CHOICES}


@pytest.mark.soak
def test_the_default_reading_is_the_same_in_figures_and_choices(played):
    pairs = {
        ("figure1", "choices-bernoulli"): ["epsilon"],
        ("figure5", "choices-cluster"): [],
        ("figure3", "choices-alpha"): ["alpha"],
        ("figure4", "choices-sigma"): ["sigma"],
    }
    for (figure, choices), keys in pairs.items():
        columns = [*keys, "policy", "trial"]
        default = played[choices].trials.filter(pl.col("scheme") == AS_STATED.scheme)
        both = played[figure].trials.join(default, on=columns)
        assert both.height > 0
        assert both["regret"].to_list() == both["regret_right"].to_list()
