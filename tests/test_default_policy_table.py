import functools
import math
from pathlib import Path

import numpy as np
import pytest

import loading
import trueward as tw

TWO_KINDS = "arm,people,1,2,3\n" + "".join(
    f"arm {i},attentive,{9 - i},5,{1 + 2 * i}\narm {i},careless,2,6,2\n" for i in range(6)
)
BY_RATER = "video,r1,r2,r3,outlier1\n" + "".join(f"clip {i},{1 + i % 5},{1 + i % 5},3,5\n" for i in range(7))


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(loading.SCRIPTS))
    monkeypatch.setattr(tw, "play", functools.partial(tw.play, compiled=False), raising=False)
    return loading.script("default_policy_table")


def played(script, ours, plain, wrong=(0, 0), plain_wrong=(0, 1)):
    return script.Played(*(np.array(values, float) for values in (ours, plain, wrong, plain_wrong)))


def test_geometric_mean_weighs_every_source_alike_however_many_groups_it_has(script):
    games = {
        ("labelled-150", "attentive", "a", "1"): played(script, [2, 2], [1, 1]),
        ("labelled-150", "attentive", "a", "2"): played(script, [8, 8], [1, 1]),
        ("labelled-150", "attentive", "b", "1"): played(script, [1, 1], [4, 4]),
    }
    by_source = script.by_source(games, "labelled-150", "attentive")
    assert {name: math.exp(log.value) for name, log in by_source.items()} == pytest.approx({"a": 4, "b": 0.25})
    assert script.exponential(script.mean_of(list(by_source.values()))) == pytest.approx((1.0, 0.0))


def test_standard_error_of_a_ratio_agrees_with_a_bootstrap_over_games(script):
    rng = np.random.default_rng(0)
    plain = rng.gamma(4.0, 5.0, 400)
    ours = 0.5 * plain + rng.gamma(4.0, 2.0, 400)
    resampled = [(ours[i].mean() / plain[i].mean()) for i in rng.integers(0, 400, (2000, 400))]
    ratio = script.exponential(script.log_ratio(played(script, ours, plain)))
    assert ratio.value == pytest.approx(ours.mean() / plain.mean())
    assert ratio.se == pytest.approx(np.std(resampled), rel=0.1)  # the bootstrap's own error is 1.6 %


@pytest.mark.parametrize(("value", "verdict"), [(0.9, "yes"), (1.0, "yes"), (1.15, "within 2 se"), (1.25, "NO")])
def test_row_holds_if_it_is_reached_within_two_standard_errors(script, value, verdict):
    assert script.Row("paper", "clean", value, 0.1, 1.0).verdict == verdict


def test_wrong_arm_row_divides_shares_of_games(script):
    row = script.wrong_arm_row([played(script, [1] * 4, [1] * 4, [1, 1, 0, 0], [1, 0, 0, 0])])
    assert (row.value, row.note) == (2.0, "50.0% over 25.0% of games")


def test_ratio_of_plain_thompson_sampling_to_itself_is_one_in_every_row_but_points(script, tmp_path):
    (tmp_path / "people.csv").write_text(TWO_KINDS)
    sections = [section for section in script.SECTIONS if section != "polarised"]
    todo = script.matches(sections, [tmp_path], groups=1, games=2, paper_games=2)
    short = [match._replace(horizon=10) for match in todo]
    rows = script.table_rows(script.play_all(tw.BetaThompson, short))
    assert [row.section for row in rows] == [
        *["labelled-500"] * 7,
        *["labelled-150"] * 4,
        *["ratings"] * 4,
        *["divided"] * 8,
        *["paper"] * 7,
    ]
    ratios = [row.value for row in rows if row.section != "paper" and "wrong arm" not in row.label]
    assert ratios == pytest.approx([1.0] * len(ratios))


def test_folder_may_hold_counts_or_one_column_per_rater(script, tmp_path):
    (tmp_path / "counts.csv").write_text(TWO_KINDS)
    (tmp_path / "raters.csv").write_text(BY_RATER)
    (tmp_path / "few.csv").write_text("".join(TWO_KINDS.splitlines(keepends=True)[:5]))
    names = {match.key[2] for match in script.matches(["labelled-150"], [tmp_path], groups=1, games=1, paper_games=1)}
    assert names == {"counts", "raters", "symptoms_0_3", "symptoms_0_4", "video_quality"}


def test_careless_world_shows_a_mixture_and_counts_the_regret_of_attentive_means(script):
    people = tw.labelled_people("symptoms_0_4")
    (group,) = people.groups(1, seed=20)
    matches = script.matches(["labelled-500"], [], groups=1, games=1, paper_games=1)
    world = next(match.world for match in matches if match.key == ("labelled-500", "careless", "symptoms_0_4", "1"))
    attentive, careless = (
        counts[group] / counts[group].sum(1)[:, None] for counts in (people.attentive, people.careless)
    )
    np.testing.assert_allclose(world.arms.probabilities, (1 - people.share) * attentive + people.share * careless)
    np.testing.assert_allclose(world.gaps, people.arms(group).gaps)


def test_script_names_no_path_of_a_machine():
    for name in ("default_policy_table", "rating_worlds"):
        assert "/work" not in (Path(loading.SCRIPTS) / f"{name}.py").read_text()
