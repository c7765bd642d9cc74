"""The benchmarks run and save their results; the measured numbers are not tested."""

import json
import math
import shutil

import pytest

import arena_policies
import bars
import bench
import environments
import sqlite_study
from bench_report import page
from sections import memory, study, threads
from trueward.lab.arena.field import FIELD, field_of
from workers import bandit, first_use
from workload import LOG_ALONE, UNIFORM

SPEED_UP = {"trials": 10, "speed-up": 1.8}


def saved(folder):
    return json.loads((folder / "bench.json").read_text())


def failing(quick, step):
    raise TypeError("a range\nis missing")


@pytest.mark.parametrize("section", bench.SECTIONS)
def test_section_runs_with_quick(section, tmp_path, capsys):
    if section == "limit" and shutil.which("cc") is None:
        pytest.skip("no C compiler")
    code = bench.main([section, "--quick", "--out", str(tmp_path)])
    output = capsys.readouterr().out
    assert code == 0, output.splitlines()[-1]
    assert f"{section}: measured in" in output
    assert section in saved(tmp_path)
    assert (tmp_path / "bench.md").read_text().count("\n## ") == (3 if section == "limit" else 2)


def test_failing_section_is_named_and_keeps_the_others(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(memory, "measure", failing)
    monkeypatch.setattr(threads, "measure", lambda quick, step: SPEED_UP)
    assert bench.main(["memory", "threads", "--out", str(tmp_path)]) == 1
    assert saved(tmp_path)["threads"] == SPEED_UP
    assert "memory" not in saved(tmp_path)
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("memory failed: TypeError: a range is missing (test_bench.py:")
    assert "TypeError: a range is missing" in (tmp_path / "bench.md").read_text()


def test_section_is_saved_before_the_next_begins(tmp_path, monkeypatch):
    def interrupted(quick, step):
        assert saved(tmp_path)["threads"] == SPEED_UP
        raise KeyboardInterrupt

    monkeypatch.setattr(threads, "measure", lambda quick, step: SPEED_UP)
    monkeypatch.setattr(memory, "measure", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bench.main(["threads", "memory", "--out", str(tmp_path)])
    assert saved(tmp_path)["threads"] == SPEED_UP
    assert [path.name for path in tmp_path.iterdir()] == ["bench.json"]


def test_section_that_succeeds_again_is_no_longer_failed(tmp_path, monkeypatch):
    monkeypatch.setattr(threads, "measure", failing)
    assert bench.main(["threads", "--out", str(tmp_path)]) == 1
    monkeypatch.setattr(threads, "measure", lambda quick, step: SPEED_UP)
    assert bench.main(["threads", "--out", str(tmp_path)]) == 0


def test_steps_are_printed_without_a_terminal(tmp_path, monkeypatch, capsys):
    def stepping(quick, step):
        step("threads: one")
        step("threads: one")
        return SPEED_UP

    monkeypatch.setattr(threads, "measure", stepping)
    bench.main(["threads", "--out", str(tmp_path)])
    output = capsys.readouterr().out.splitlines()
    assert output[:2] == ["threads …", "threads: one …"]
    assert output[2].startswith("threads: measured in")


def test_quick_run_does_not_overwrite_the_results(tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(bench, "QUICK", tmp_path / "quick")
    monkeypatch.setattr(threads, "measure", lambda quick, step: SPEED_UP)
    bench.main(["threads", "--quick"])
    assert not (tmp_path / "results").exists()
    assert "quick" in (tmp_path / "quick" / "bench.md").read_text()


@pytest.mark.parametrize("section", [None, *bench.SECTIONS])
def test_bars_and_page_work_without_any_section(section):
    measured = json.loads((bench.RESULTS / "bench.json").read_text())
    results = {name: part for name, part in measured.items() if name != section}
    missing = len(bars.bars(measured)) - len(bars.bars(results))
    assert missing == (0 if section not in measured else len(bars.bars({section: measured[section]})))
    assert page({"failed": {}, **results}).startswith("# Measured")


def test_first_use_bars_cover_ask_tell_game_and_compilation():
    measured = bars.bars({"first_use": dict.fromkeys(first_use.CASES, 2.0)})
    ask = tell = ("≤ 0.3 s", "2.00 s", "no")
    compilation = [("≤ 2.8 s", "2.00 s", "yes"), ("≤ 4.6 s", "2.00 s", "yes"), ("≤ 1.8 s", "2.00 s", "no")]
    assert [bar.row[1:] for bar in measured] == [ask, tell, ("≤ 10 s", "2.00 s", "yes"), *compilation]


def test_growth_bars_of_wary_are_a_time_and_a_ratio():
    times = {"1000": 60_000.0, "1000000": 66_000.0}
    measured = bars.bars({"growth": {"Gaussian": {}, "0 to 10": {"Wary": times}}})
    assert [bar.row[1:] for bar in measured] == [("≤ 100 µs", "60 µs", "yes"), ("≤ 1x", "1.10x", "no")]


def test_worker_measures_a_round_and_relearning():
    assert 0 < bandit.round_seconds(2, 3) < 1
    assert 0 < bandit.relearning_seconds(30) < 5


def test_every_policy_of_the_arena_can_be_measured():
    results = arena_policies.arena_policies(1000)
    assert set(field_of("quick")) - set(arena_policies.SLOW) <= set(results)
    assert set(arena_policies.SLOW) <= set(FIELD)
    assert {*memory.PLAY_MANY, *memory.QUICK} <= set(results)
    for policy, arms in results.values():
        policy.start(arms.n_arms, horizon=1000, capacity=1)


def test_study_bars_are_judged():
    shares = {"uniform": 0.9, "crUCB (trimmed mean)": 0.6, "Wary": 0.2}
    sqlite = {"rates": {}, "shares": shares, "optuna": "5", "times optuna": {"Wary": 40.0}}
    large = {"ratings": 10, "opening": 0.1, "voiding": 0.1, "batch": 0.1, "longest wait": 0.2}
    in_memory = {"5": 0.001, "50": 0.1}
    results = {"missing": [], "sqlite": sqlite, "in memory": in_memory, "relearning": 1.2, "large": large}
    met = [bar.row[3] for bar in bars.bars({"study": results})]
    assert met == ["yes", "no", "yes", "yes", "no", "no"]


def test_failed_installation_is_reported_in_one_line(monkeypatch, tmp_path):
    def refuse(command, what, environment=None):
        raise RuntimeError(f"{what}: fatal: not a valid object name")

    monkeypatch.setattr(environments, "output_of", refuse)
    monkeypatch.setattr(environments, "ENVIRONMENTS", tmp_path)
    missing = study._install(lambda label: None)
    assert missing == "optuna is not measured: the environment of optuna: fatal: not a valid object name"


def test_log_alone_writes_the_rows_of_a_study_and_learns_nothing(tmp_path):
    with (
        sqlite_study.create_study(LOG_ALONE, tmp_path) as alone,
        sqlite_study.create_study(UNIFORM, tmp_path) as uniform,
    ):
        for each in (alone, uniform):
            sqlite_study.serving_work(each, 1)()
        written, usual = alone.decisions(), uniform.decisions()
        assert written["arm"].head(5).to_list() == sqlite_study.ARMS
        assert written.columns == usual.columns
        assert written["reward"].null_count() == usual["reward"].null_count() == 0
        assert all(map(math.isnan, alone.estimates().values()))


def test_peer_environment_does_not_inherit_pythonpath(monkeypatch):
    given = []
    monkeypatch.setenv("PYTHONPATH", "here")
    monkeypatch.setattr(environments, "output_of", lambda command, what, environment: given.append(environment))
    for environment in (None, "river"):
        environments.run(environments.python_of(environment), memory.SCRIPT)
    assert [each["PYTHONPATH"].endswith("here") for each in given] == [True, False]


@pytest.mark.parametrize("peer", [*environments.SCRIPTS, "optuna"])
def test_peer_has_a_valid_script_and_an_environment(peer):
    script = environments.script_of(peer)
    compile(script.read_text(), script, "exec")
    assert environments.SCRIPTS.get(peer, peer) in {None, *environments.PEERS}


def test_failing_script_is_named_with_the_last_line_of_its_error():
    with pytest.raises(RuntimeError, match=r"^peak_memory\.py: ValueError: non-hexadecimal"):
        environments.run(environments.python_of(None), memory.SCRIPT, "nobody", 10, 1)
