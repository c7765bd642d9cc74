import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import trueward as tw
from trueward import lab
from trueward.errors import ParameterError, TruewardError
from trueward.lab.experiment.runner import open_executor, run_experiments, unplayed_cells, write_tables
from trueward.lab.experiment.store import CellStore, cell_key

SPEC = {
    "arms": {"name": "binomial", "n": 10, "p": [0.9, 0.8, 0.7]},
    "adversary": {"name": "bernoulli", "epsilon": "$epsilon"},
    "policies": {
        "UCB": {"name": "ucb", "sigma": "$sd"},
        "uniform": {"name": "uniform"},
    },
    "horizon": 60,
    "trials": 130,
    "seed": 4,
    "sweep": {"epsilon": [0.0, 0.1, 0.2]},
}


def written(result, folder):
    return [file.read_bytes() for file in write_tables(result, folder)]


def test_run_returns_the_tables_of_the_games():
    result = lab.run(SPEC)
    cell = result.experiment.cells[1]
    games = tw.play(cell.policies, cell.arms, cell.adversary, horizon=60, trials=130, seed=4)
    rows = result.table.filter(pl.col("epsilon") == 0.1)
    assert rows["policy"].to_list() == ["UCB", "uniform"]
    for row in rows.iter_rows(named=True):
        regret = games[row["policy"]].regret[:, -1]
        assert row["regret"] == pytest.approx(regret.mean())
        assert row["sd"] == pytest.approx(regret.std(ddof=1))
        assert row["high"] - row["low"] == pytest.approx(2 * 1.959964 * regret.std(ddof=1) / np.sqrt(130), rel=1e-6)
        assert [row["q10"], row["q90"]] == pytest.approx(np.quantile(regret, [0.1, 0.9]).tolist())
        difference = regret - games["UCB"].regret[:, -1]
        assert row["difference"] == pytest.approx(difference.mean())
        half = 1.959964 * difference.std(ddof=1) / np.sqrt(130)
        assert row["difference_high"] - row["difference"] == pytest.approx(half, rel=1e-6)
    assert result.to_pandas().shape == result.table.shape
    assert result.trials.height == 3 * 2 * 130
    assert result.curves.height == 3 * 2 * 60


def test_run_refuses_changes_to_an_experiment():
    experiment = lab.load(SPEC)
    with pytest.raises(ParameterError, match="changes apply only to a specification, not to an Experiment; got trials"):
        lab.run(experiment, trials=3)


def test_run_gives_the_same_bytes_with_one_and_two_workers(tmp_path):
    one = written(lab.run(SPEC, n_workers=1), tmp_path / "one")
    assert one == written(lab.run(SPEC, n_workers=2), tmp_path / "two")
    assert one != written(lab.run(SPEC, seed=5), tmp_path / "other")


def test_run_loads_finished_cells_from_the_cache_folder(tmp_path, monkeypatch):
    first = lab.run(SPEC, cache_folder=tmp_path / "cells")
    monkeypatch.setattr("trueward.lab.experiment.runner.play_cell", lambda *_: pytest.fail("replayed a finished cell"))
    again = lab.run(SPEC, cache_folder=tmp_path / "cells")
    assert written(first, tmp_path / "a") == written(again, tmp_path / "b")


def test_only_cells_that_are_not_stored_are_played(tmp_path):
    store = CellStore(tmp_path)
    lab.run({**SPEC, "sweep": {"epsilon": [0.1]}}, cache_folder=tmp_path)
    experiments = [lab.load(SPEC)]
    assert [cell.label for cell in unplayed_cells(experiments, store)] == ["epsilon = 0", "epsilon = 0.2"]
    assert sum(cell.games for cell in unplayed_cells(experiments, store)) == 2 * 2 * 130
    reported = []
    run_experiments(experiments, store, None, lambda label, games: reported.append(games))
    assert sum(reported) == 2 * 2 * 130
    assert unplayed_cells(experiments, store) == []


def test_cell_key_depends_on_settings_and_version(monkeypatch):
    keys = {
        cell_key(lab.load({**SPEC, **change}).cells[0]) for change in ({}, {"trials": 5}, {"seed": 5}, {"horizon": 61})
    }
    assert len(keys) == 4
    assert cell_key(lab.load(SPEC).cells[0]) in keys
    monkeypatch.setattr("trueward.lab.experiment.store.__version__", "9.9")
    assert cell_key(lab.load(SPEC).cells[0]) not in keys


def test_cell_key_changes_when_a_method_of_the_policy_is_edited(monkeypatch):
    before = cell_key(lab.load(SPEC).cells[0])
    original = tw.UCB.state
    monkeypatch.setattr(tw.UCB, "state", lambda self, setting: original(self, replace(setting, horizon=None)))
    assert cell_key(lab.load(SPEC).cells[0]) != before


def test_run_gives_the_same_bytes_on_a_dask_cluster(tmp_path):
    scheduler_file = tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker"]
    common = ["--scheduler-file", str(scheduler_file), "--no-dashboard"]
    started = [
        subprocess.Popen([*dask, *common, "--host", "127.0.0.1", "--port", "0"]),
        *(
            subprocess.Popen([*worker, *common, "--no-nanny", "--nthreads", "1", "--local-directory", str(tmp_path)])
            for _ in range(2)
        ),
    ]
    try:
        address = wait_for_cluster(scheduler_file)
        distributed = written(lab.run(SPEC, cluster=address), tmp_path / "cluster")
    finally:
        for process in started:
            process.kill()  # asked politely, a worker waits for a scheduler that may have gone before it
        for process in started:
            process.wait(timeout=30)
    assert distributed == written(lab.run(SPEC), tmp_path / "here")


def wait_for_cluster(scheduler_file: Path) -> str:
    from distributed import Client

    deadline = time.monotonic() + 60
    while not scheduler_file.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    with Client(scheduler_file=str(scheduler_file), timeout="30s") as client:
        client.wait_for_workers(2, timeout=60)
        return client.scheduler.address


def test_run_names_the_address_of_a_cluster_that_does_not_answer(monkeypatch):
    monkeypatch.setattr("trueward.lab.experiment.runner.SCHEDULER_TIMEOUT", "1s")
    with (
        pytest.raises(TruewardError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"),
        open_executor(cluster="tcp://127.0.0.1:9"),
    ):
        pass


def test_run_gives_up_on_a_scheduler_without_workers(monkeypatch, capsys):
    from distributed import LocalCluster

    monkeypatch.setattr("trueward.lab.experiment.runner.WORKER_TIMEOUT", 0.2)
    with LocalCluster(n_workers=0, processes=False, dashboard_address=None, protocol="tcp://") as cluster:
        address = cluster.scheduler_address
        with (
            pytest.raises(TruewardError, match=f"the Dask scheduler at {address} has no workers"),
            open_executor(cluster=address),
        ):
            pass
    assert f"waiting up to 0 s for a worker to connect to {address}" in capsys.readouterr().err
