"""The benchmarks run, and keep what they measure. The numbers are nobody's business here."""

import json
import math
import shutil

import pytest

import bars
import bench
import environments
import players
import served
from report import page
from sections import memory, study, threads
from settings import LOG_ALONE, UNIFORM
from trueward.lab.arena.field import FIELD, field_of
from workers import first_use

SPEED_UP = {"trials": 10, "speed-up": 1.8}


def kept(folder):
    return json.loads((folder / "bench.json").read_text())


def failing(quick, step):
    raise TypeError("a range\nis missing")


@pytest.mark.parametrize("section", bench.SECTIONS)
def test_every_section_runs_in_its_quick_form(section, tmp_path, capsys):
    if section == "limit" and shutil.which("cc") is None:
        pytest.skip("no C compiler")
    code = bench.main([section, "--quick", "--out", str(tmp_path)])
    said = capsys.readouterr().out
    assert code == 0, said.splitlines()[-1]
    assert f"{section}: measured in" in said
    assert section in kept(tmp_path)
    assert (tmp_path / "bench.md").read_text().count("\n## ") == (3 if section == "limit" else 2)


def test_a_failing_section_is_named_and_loses_no_other(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(memory, "measure", failing)
    monkeypatch.setattr(threads, "measure", lambda quick, step: SPEED_UP)
    assert bench.main(["memory", "threads", "--out", str(tmp_path)]) == 1
    assert kept(tmp_path)["threads"] == SPEED_UP
    assert "memory" not in kept(tmp_path)
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("memory failed: TypeError: a range is missing (test_bench.py:")
    assert "TypeError: a range is missing" in (tmp_path / "bench.md").read_text()


def test_a_section_is_kept_before_the_next_begins(tmp_path, monkeypatch):
    def interrupted(quick, step):
        assert kept(tmp_path)["threads"] == SPEED_UP
        raise KeyboardInterrupt

    monkeypatch.setattr(threads, "measure", lambda quick, step: SPEED_UP)
    monkeypatch.setattr(memory, "measure", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bench.main(["threads", "memory", "--out", str(tmp_path)])
    assert kept(tmp_path)["threads"] == SPEED_UP
    assert [path.name for path in tmp_path.iterdir()] == ["bench.json"]


def test_a_section_that_runs_again_is_no_longer_failed(tmp_path, monkeypatch):
    monkeypatch.setattr(threads, "measure", failing)
    assert bench.main(["threads", "--out", str(tmp_path)]) == 1
    monkeypatch.setattr(threads, "measure", lambda quick, step: SPEED_UP)
    assert bench.main(["threads", "--out", str(tmp_path)]) == 0


def test_the_steps_are_said_also_where_there_is_no_terminal(tmp_path, monkeypatch, capsys):
    def stepping(quick, step):
        step("threads: one")
        step("threads: one")
        return SPEED_UP

    monkeypatch.setattr(threads, "measure", stepping)
    bench.main(["threads", "--out", str(tmp_path)])
    said = capsys.readouterr().out.splitlines()
    assert said[:2] == ["threads …", "threads: one …"]
    assert said[2].startswith("threads: measured in")


def test_a_quick_run_leaves_the_measured_numbers_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(bench, "QUICK", tmp_path / "quick")
    monkeypatch.setattr(threads, "measure", lambda quick, step: SPEED_UP)
    bench.main(["threads", "--quick"])
    assert not (tmp_path / "results").exists()
    assert "quick" in (tmp_path / "quick" / "bench.md").read_text()


@pytest.mark.parametrize("section", [None, *bench.SECTIONS])
def test_bars_and_page_need_no_section(section):
    measured = json.loads((bench.RESULTS / "bench.json").read_text())
    found = {name: part for name, part in measured.items() if name != section}
    missing = len(bars.bars(measured)) - len(bars.bars(found))
    assert missing == (0 if section not in measured else len(bars.bars({section: measured[section]})))
    assert page({"failed": {}, **found}).startswith("# Measured")


def test_the_first_use_of_everything_promised_is_measured():
    promises = bars.bars({"first_use": dict.fromkeys(first_use.CASES, 2.0)})
    too_slow, quick_enough = ("≤ 1 s", "2.00 s", "no"), ("≤ 10 s", "2.00 s", "yes")
    assert [bar.row[1:] for bar in promises] == [too_slow, too_slow, quick_enough]  # an ask, a tell, a game


def test_every_player_of_the_arena_can_be_measured():
    found = players.players(1000)
    assert set(field_of("quick")) - set(players.SLOW) <= set(found)
    assert set(players.SLOW) <= set(FIELD)
    assert {*memory.PLAY_MANY, *memory.QUICK} <= set(found)
    for policy, arms in found.values():
        policy.start(arms.n_arms, horizon=1000, capacity=1)


def test_every_promise_of_a_study_is_judged_where_there_is_somebody_to_compare_with():
    compared = {"seconds": 0.1, "0.1": 0.9, "times": 9.0}
    shares = {"uniform": 0.9, "crUCB (trimmed mean)": 0.6, "Wary Thompson": 0.2}
    sqlite = {"rates": {}, "shares": shares, "optuna": "5", "times optuna": {"Wary Thompson": 40.0}}
    large = {"ratings": 10, "of 0.1": 5, "opening": compared, "voiding": compared, "batch": 0.1, "longest wait": 0.2}
    found = {"missing": [], "sqlite": sqlite, "in memory": {"5": compared, "50": compared}, "large": large}
    held = [bar.row[3] for bar in bars.bars({"study": found})]
    assert held == ["yes", "no", "yes", "yes", "yes", "yes", "yes", "no"]


def test_what_cannot_be_installed_is_said_in_one_line_and_the_rest_is_measured(monkeypatch, tmp_path):
    def refuse(command, what, environment=None):
        raise RuntimeError(f"{what}: fatal: not a valid object name")

    monkeypatch.setattr(environments, "output_of", refuse)
    monkeypatch.setattr(environments, "ENVIRONMENTS", tmp_path)
    missing = dict(study._install(lambda label: None))
    assert missing["trueward-0.1"].startswith("trueward-0.1 is not measured: commit 4d45952")
    assert set(missing) == {study.OPTUNA, study.EARLIER}


def test_the_log_alone_writes_what_a_study_writes_and_learns_nothing(tmp_path):
    with served.study_of(LOG_ALONE, tmp_path) as alone, served.study_of(UNIFORM, tmp_path) as uniform:
        for each in (alone, uniform):
            served.serving(each, 1)()
        written, usual = alone.decisions(), uniform.decisions()
        assert written["arm"].head(5).to_list() == served.ARMS
        assert written.columns == usual.columns
        assert written["reward"].null_count() == usual["reward"].null_count() == 0
        assert all(map(math.isnan, alone.estimates().values()))


def test_another_environment_does_not_inherit_the_path_to_this_trueward(monkeypatch):
    given = []
    monkeypatch.setenv("PYTHONPATH", "here")
    monkeypatch.setattr(environments, "output_of", lambda command, what, environment: given.append(environment))
    for environment in (None, "river"):
        environments.run(environments.python_of(environment), memory.SCRIPT)
    assert [each["PYTHONPATH"].endswith("here") for each in given] == [True, False]


@pytest.mark.parametrize("peer", [*environments.SCRIPTS, "optuna"])
def test_every_peer_has_a_script_that_parses_and_an_environment(peer):
    script = environments.script_of(peer)
    compile(script.read_text(), script, "exec")
    assert environments.SCRIPTS.get(peer, peer) in {None, *environments.PEERS}


def test_a_script_that_fails_is_named_with_the_last_line_of_its_complaint():
    with pytest.raises(RuntimeError, match=r"^peak_memory\.py: ValueError: non-hexadecimal"):
        environments.run(environments.python_of(None), memory.SCRIPT, "nobody", 10, 1)
