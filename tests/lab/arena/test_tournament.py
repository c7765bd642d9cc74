import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import trueward as tw
from trueward.cli.app import app
from trueward.cli.new import template
from trueward.errors import ParameterError
from trueward.lab.arena import play_tournament, run_arena
from trueward.lab.arena.tournament import TRIALS, _duration

PLAIN = """
class RoundRobin:
    def begin(self, n_arms, horizon, rng):
        self.n_arms = n_arms

    def choose(self, t):
        return t % self.n_arms

    def update(self, arm, reward):
        pass


class NeedsMore:
    def __init__(self, depth):
        self.depth = depth


class Fails(RoundRobin):
    def choose(self, t):
        return 1 / 0


best_known = lambda arms, horizon: Always(arms.best)


class Always(RoundRobin):
    def __init__(self, arm=0):
        self.arm = arm

    def choose(self, t):
        return self.arm


nothing = 7
"""
OURS = "import trueward as tw\nmine = tw.UCB(sigma=1.2649110640673518)\n"


def call(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "200"})


@pytest.fixture
def mine(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(PLAIN)
    return file


def test_tournament_measures_the_regret_of_the_games(small_field, small_suite, silent):
    found = play_tournament(small_field, small_suite, trials=70, seed=3, console=silent)
    games = tw.play(
        tw.UCB(sigma=small_suite[1].arms.sd),
        small_suite[1].arms,
        small_suite[1].adversary,
        horizon=120,
        trials=70,
        seed=3,
        shuffle_arms=True,
    )
    assert np.array_equal(found.shares[1, 1], games.regret[:, -1] / (120 * 0.8))
    # A game of uniform play has a share with a standard deviation of 0.5 / sqrt(120); 70 games, five standard errors.
    assert found.means[:, 0] == pytest.approx(1.0, abs=5 * 0.5 / np.sqrt(120 * 70))


def test_tournament_gives_the_same_numbers_with_one_and_two_workers(small_field, small_suite, silent):
    one, two = (
        play_tournament(small_field, small_suite, trials=130, n_workers=n, console=silent).shares for n in (1, 2)
    )
    assert np.array_equal(one, two)
    assert not np.array_equal(one, play_tournament(small_field, small_suite, trials=130, seed=1, console=silent).shares)


def test_added_policy_plays_only_its_own_games(small_field, small_suite, silent, tmp_path, monkeypatch):
    ucb = small_field.pop("UCB")
    play_tournament(small_field, small_suite, trials=5, cache_folder=tmp_path, console=silent)
    from trueward.lab.experiment import runner

    played = []
    original = runner.play_cell
    monkeypatch.setattr(
        runner, "play_cell", lambda cell, *rest: played.append((cell.label, *cell.policies)) or original(cell, *rest)
    )
    joined = play_tournament({**small_field, "UCB": ucb}, small_suite, trials=5, cache_folder=tmp_path, console=silent)
    assert played == [(f"scenario = {scenario.name}", "UCB") for scenario in small_suite]
    alone = play_tournament({"UCB": ucb}, small_suite, trials=5, console=silent)
    assert np.array_equal(joined.shares[:, 2], alone.shares[:, 0])


@pytest.mark.usefixtures("small_arena")
def test_command_prints_the_standings_and_writes_page_images_and_data(tmp_path):
    result = call("arena", "--trials", 6, "--out", tmp_path, "--workers", 1)
    assert result.exit_code == 0, result.output
    for part in (
        "mean rank",
        "clean cost",
        "worst: tenth",
        "paper's",
        "has the lowest worst case",
        f"page: {tmp_path}",
    ):
        assert part in result.output, part
    written = {file.name for file in tmp_path.iterdir()}
    tables = {f"{name}.{kind}" for name in ("shares", "standings") for kind in ("csv", "parquet")}
    assert written == {"arena.html", "arena.png", "arena.pdf", "cells", *tables}
    assert (tmp_path / "arena.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "arena.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.usefixtures("small_arena")
def test_command_gives_the_same_numbers_when_repeated(tmp_path):
    def shares():
        assert call("arena", "--trials", 6, "--out", tmp_path).exit_code == 0
        return (tmp_path / "shares.csv").read_text()

    assert shares() == shares()


@pytest.mark.usefixtures("small_arena")
@pytest.mark.parametrize("name", ["RoundRobin", "Always", "best_known"])
def test_plain_policy_competes(name, mine, tmp_path, silent):
    found = run_arena(tmp_path / "out", trials=64, policies=[f"{mine}:{name}"], console=silent).standings
    assert found.families[name] == "yours"
    # One that always plays the same place finds the best arm there in a fifth of the games: 0 or 1.25, sd 0.5.
    tolerance = 1e-12 if name == "RoundRobin" else 4 * 0.5 / np.sqrt(64)
    assert found.means[:, found.policies.index(name)] == pytest.approx(1.0, abs=tolerance)
    assert f"--policy {mine}:{name}" in (tmp_path / "out" / "arena.html").read_text()


@pytest.mark.usefixtures("small_arena")
def test_package_policy_in_a_user_file_plays_like_that_of_the_field(tmp_path, silent):
    file = tmp_path / "ours.py"
    file.write_text(OURS)
    found = run_arena(tmp_path / "out", trials=3, policies=[f"{file}:mine"], console=silent).standings
    assert np.array_equal(found.shares[:, found.policies.index("mine")], found.shares[:, found.policies.index("UCB")])


@pytest.mark.usefixtures("small_arena")
def test_policy_template_is_compiled_and_plays(tmp_path, silent):
    file = tmp_path / "explore_first.py"
    file.write_text(template("policy", "ExploreFirst") + "\nten = ExploreFirst(10)\n")
    found = run_arena(tmp_path / "out", trials=30, policies=[f"{file}:ten"], console=silent).standings
    # Fifty of 120 rounds are uniform; then the best of five means of ten is 92 % right: 0.06 more, by 0.04 either way.
    assert 50 / 120 <= found.means[0, -1] < 50 / 120 + 0.06 + 4 * 0.04


@pytest.mark.usefixtures("small_arena")
def test_edited_file_is_played_again(mine, tmp_path, silent):
    def shares():
        outcome = run_arena(tmp_path / "out", trials=3, policies=[f"{mine}:RoundRobin"], console=silent)
        return outcome.standings.means[:, -1]

    before = shares()
    mine.write_text(PLAIN.replace("t % self.n_arms", "0"))
    assert before == pytest.approx(1.0)
    assert (np.abs(shares() - 1.0) > 0.1).all()  # of three games each at 0 or 1.25


@pytest.mark.usefixtures("small_arena")
def test_two_policies_with_the_same_name_both_play(mine, tmp_path, silent):
    other = tmp_path / "other.py"
    other.write_text(PLAIN)
    given = [f"{mine}:Always", f"{other}:Always"]
    found = run_arena(tmp_path / "out", trials=2, policies=given, console=silent).standings
    assert found.policies[-2:] == ["Always", f"{other}:Always"]


@pytest.mark.usefixtures("small_arena")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Nobody", "has no Nobody"),
        ("NeedsMore", "failed: TypeError: NeedsMore.__init__() missing 1 required positional argument"),
        ("Fails", "Fails failed in clean: ratings: ZeroDivisionError: division by zero"),
        ("nothing", "needs choose(t) and update(arm, reward), or a trueward.Policy"),
    ],
)
def test_policy_that_cannot_play_is_reported_in_one_line(name, message, mine, tmp_path):
    result = call("arena", "--policy", f"{mine}:{name}", "--out", tmp_path / "out")
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("small_arena")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--policy", "nowhere.py:X"), "there is no file nowhere.py"),
        (("--policy", "X"), "write the file and the name in it, as in mine.py:MyPolicy"),
        (
            ("--policy", "a.py:X", "--cluster", "tcp://127.0.0.1:9"),
            "policies cannot be used together with cluster: the cluster does not have your file",
        ),
    ],
)
def test_wrong_options_are_reported_in_one_line(arguments, message, tmp_path):
    result = call("arena", *arguments, "--out", tmp_path / "out")
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.usefixtures("small_arena")
def test_selected_policies_play_selected_scenarios_and_the_users_is_marked(mine, tmp_path):
    chosen = ("--only", "UCB", "--only", "uniform", "--scenario", "clean", "--scenario", "tenth: W")
    result = call("arena", "--trials", 2, "--out", tmp_path, *chosen, "--policy", f"{mine}:RoundRobin")
    assert result.exit_code == 0, result.output
    assert "▶ RoundRobin" in result.output
    assert "tUCB" not in result.output
    assert "bursts" not in result.output
    page = (tmp_path / "arena.html").read_text(encoding="utf-8")
    assert page.count('<tr class="yours"><th scope="row" data-value="RoundRobin">') == 2
    assert "--only UCB --only uniform --scenario clean --scenario &#39;tenth: W&#39;" in page


@pytest.mark.usefixtures("small_arena")
@pytest.mark.parametrize(
    ("option", "name", "hint"),
    [
        ("only", "uniforn", "did you mean 'uniform'?"),
        ("only", "zzz", "available: uniform, UCB, tUCB"),
        ("scenario", "tenth: w", "did you mean 'tenth: W'?"),
        ("scenario", "zzz", "available: clean, clean: ratings, tenth, tenth: W, bursts, bursts: front W"),
    ],
)
def test_unknown_policy_or_scenario_is_reported_in_one_line(option, name, hint, tmp_path):
    result = call("arena", f"--{option}", name, "--out", tmp_path / "out")
    assert result.exit_code == 2
    kind = {"only": "only: no such policy", "scenario": "scenarios: no such scenario"}[option]
    assert result.stderr == f"trueward: {kind} in an arena of this size: {name!r}; {hint}\n"


@pytest.mark.usefixtures("small_arena")
def test_stored_games_are_not_announced(mine, tmp_path, silent, monkeypatch):
    monkeypatch.setattr("trueward.lab.arena.tournament.LONG_SECONDS", 0.0)
    run_arena(tmp_path, trials=2, policies=[f"{mine}:RoundRobin"], console=silent)
    before = silent.file.getvalue()
    assert "RoundRobin is not compiled" in before
    run_arena(tmp_path, trials=2, policies=[f"{mine}:RoundRobin"], console=silent)
    assert "seconds" not in silent.file.getvalue()[len(before) :]


def test_unknown_size_is_refused(tmp_path, silent):
    with pytest.raises(ParameterError, match=r"size must be one of 'quick', 'full', got 'huge'"):
        run_arena(tmp_path, size="huge", console=silent)
    assert call("arena", "--size", "huge").exit_code == 2


@pytest.mark.usefixtures("small_arena")
def test_file_that_is_not_python_is_named(tmp_path):
    file = tmp_path / "broken.py"
    file.write_text("def (:\n")
    result = call("arena", "--policy", f"{file}:X", "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "broken.py failed: SyntaxError" in result.stderr


@pytest.mark.usefixtures("small_arena")
def test_slow_policy_is_announced_with_its_expected_duration(mine, tmp_path, silent, monkeypatch):
    monkeypatch.setattr("trueward.lab.arena.tournament.LONG_SECONDS", 0.0)
    run_arena(tmp_path / "out", trials=2, policies=[f"{mine}:RoundRobin"], console=silent)
    printed = silent.file.getvalue()
    assert "RoundRobin is not compiled; its games will take about 0 seconds." in printed
    assert "24 games: about 0 seconds on " in printed


@pytest.mark.parametrize(
    ("seconds", "words"), [(70, "70 seconds"), (130, "2 minutes"), (7000, "117 minutes"), (9000, "2 hours")]
)
def test_duration_is_given_in_a_suitable_unit(seconds, words):
    assert _duration(seconds) == words


def test_default_trials_depend_on_the_size():
    assert TRIALS == {"quick": 128, "full": 500}


@pytest.mark.usefixtures("small_arena")
def test_policy_on_the_docs_page_plays(tmp_path, silent):
    page = (Path(__file__).parents[3] / "docs" / "arena.md").read_text()
    file = tmp_path / "stubborn.py"
    file.write_text(re.search(r"```python\n(class .*?)```", page, re.DOTALL)[1])
    found = run_arena(tmp_path / "out", trials=20, policies=[f"{file}:Stubborn"], console=silent).standings
    assert 50 / 120 <= found.means[0, -1] < 50 / 120 + 0.06 + 4 * 0.05  # as that of the contributors' page, fewer games
