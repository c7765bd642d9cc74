import inspect
import json
import os
import threading
import time

import pytest

import trueward as tw
from trueward import lab
from trueward.engine.protocol import draw, draw_evidence, plan_attack
from trueward.errors import TruewardError
from trueward.lab.experiment import store as stores
from trueward.lab.experiment.runner import run_experiments, write_tables
from trueward.lab.experiment.store import MANIFEST, STALE, CellStore, StoredCell, cell_key

SPEC = {
    "arms": {"name": "binomial", "n": 10, "p": [0.9, 0.8]},
    "adversary": {"name": "bernoulli", "epsilon": 0.1},
    "policies": {"uniform": {"name": "uniform"}},
    "horizon": 20,
    "trials": 5,
}
TUCB = {"name": "crucb", "estimator": {"name": "trimmed-mean", "alpha": 0.1}, "sigma": 1}
PLAYED_AGAIN = "trueward.lab.experiment.runner.play_cell"


def run(folder, **changes):
    return lab.run(SPEC, cache_folder=folder, progress=False, **changes)


def key_of(**changes):
    return cell_key(lab.load({**SPEC, **changes}).cells[0])


def flip_a_bit(file):
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


@pytest.mark.parametrize(
    "damage",
    [
        lambda cell: (cell / "curves.parquet").write_bytes(b""),
        lambda cell: (cell / "trials.parquet").write_bytes((cell / "trials.parquet").read_bytes()[:-9]),
        lambda cell: (cell / "trials.parquet").unlink(),
        lambda cell: flip_a_bit(cell / "trials.parquet"),
        lambda cell: (cell / MANIFEST).unlink(),
        lambda cell: (cell / MANIFEST).write_text("[]"),
        lambda cell: (cell / MANIFEST).write_text("{"),
    ],
    ids=["empty", "truncated", "missing", "flipped", "no manifest", "no mapping", "no JSON"],
)
def test_store_replays_and_replaces_a_damaged_cell(tmp_path, damage, monkeypatch):
    whole = run(tmp_path)
    (cell,) = tmp_path.iterdir()
    damage(cell)
    again = run(tmp_path)
    assert again.timing.played == 1
    assert again.trials.equals(whole.trials)
    assert again.curves.equals(whole.curves)
    monkeypatch.setattr(PLAYED_AGAIN, lambda *_: pytest.fail("played a cell that was mended"))
    assert run(tmp_path).timing.loaded == 1
    assert [each.name for each in tmp_path.iterdir()] == [cell.name]


def test_store_ignores_a_cell_without_a_manifest(tmp_path):
    result = run(None)
    old = tmp_path / key_of()
    old.mkdir()
    for name in ("trials", "curves"):
        getattr(result, name).with_columns(regret=-1.0).write_parquet(old / f"{name}.parquet")
    assert run(tmp_path).trials.equals(result.trials)


def test_store_ignores_a_cell_in_another_format(tmp_path, monkeypatch):
    run(tmp_path)
    key = key_of()
    monkeypatch.setattr(stores, "FORMAT", stores.FORMAT + 1)
    assert key_of() != key
    assert CellStore(tmp_path).read(key) is None


@pytest.mark.parametrize(
    ("cls", "method", "changes"),
    [
        (
            tw.RandomMalicious,
            "start",
            {"adversary": {"name": "bernoulli", "epsilon": 0.1, "values": "random-malicious"}},
        ),
        (tw.TrimmedMean, "inflation", {"policies": {"tUCB": TUCB}}),
        (tw.TrimmedMean, "inflation", {"policies": {"share": {"name": "uniform-share", "policy": TUCB}}}),
        (tw.BinomialArms, "quantiles", {}),
        (tw.BernoulliAdversary, "start", {}),
    ],
)
def test_cell_key_changes_when_a_method_of_any_part_is_edited(monkeypatch, cls, method, changes):
    before, original = key_of(**changes), inspect.getattr_static(cls, method)
    assert key_of(**changes) == before
    if isinstance(original, property):
        edited = property(lambda self: 1.0 + original.fget(self))
    else:
        edited = lambda *args, **kwargs: (original(*args, **kwargs), 1)[0]  # noqa: E731 - the other is no def either
    monkeypatch.setattr(cls, method, edited)
    assert key_of(**changes) != before


def test_cell_key_changes_when_a_property_or_an_inherited_method_is_edited(monkeypatch):
    before = key_of()
    monkeypatch.setattr(tw.BinomialArms, "bounds", property(lambda self: (0.0, 11.0)))
    other = key_of()
    assert other != before
    monkeypatch.setattr(tw.Uniform.__mro__[1], "samples", property(lambda self: False))
    assert key_of() not in (before, other)


@pytest.mark.parametrize("stage", [draw, plan_attack, draw_evidence], ids=lambda stage: stage.__name__)
def test_cell_key_changes_when_a_kernel_that_draws_before_play_is_edited(stage):
    people = {"adversary": {"name": "careless-participants", "evidence": True}}
    cell = lab.load({**SPEC, **people}).cells[0]
    state = cell.arms.distribution() if stage is draw else cell.adversary.start(cell.arms, cell.horizon)
    before, original = key_of(**people), stage.kernels[type(state)]
    stage.register(type(state))(lambda state, table, *rest: None)
    try:
        assert key_of(**people) != before
    finally:
        stage.register(type(state))(original)
    assert key_of(**people) == before


def test_cell_key_ignores_edits_of_other_policies(monkeypatch):
    before = key_of()
    monkeypatch.setattr(tw.TrimmedMean, "inflation", property(lambda self: 1.0))
    assert key_of() == before


def test_slower_of_two_writers_removes_its_own_folder(tmp_path, monkeypatch):
    store, key = CellStore(tmp_path), key_of()
    stored = StoredCell({name: getattr(run(None), name) for name in stores.TABLES}, 1.0)
    store.write(key, stored)
    monkeypatch.setattr(CellStore, "read", lambda *_: None)  # the other run finishes after this one has looked
    monkeypatch.setattr(stores.shutil, "rmtree", keeping(tmp_path / key, stores.shutil.rmtree))
    store.write(key, stored)
    assert [each.name for each in tmp_path.iterdir()] == [key]


def keeping(folder, remove):
    return lambda path, **options: None if path == folder else remove(path, **options)


def test_concurrent_writers_of_one_cell_leave_one_complete_folder(tmp_path):
    store, key = CellStore(tmp_path), key_of()
    stored = StoredCell({name: getattr(run(None), name) for name in stores.TABLES}, 1.0)
    threads = [threading.Thread(target=store.write, args=(key, stored)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [each.name for each in tmp_path.iterdir()] == [key]
    assert store.read(key).tables["trials"].equals(stored.tables["trials"])


def test_store_removes_stale_folders_of_killed_runs_only(tmp_path):
    for name, age in (("dead.1.part", STALE + 5), ("alive.2.part", 0)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "trials.parquet").write_bytes(b"x")
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    run(tmp_path)
    assert {each.name for each in tmp_path.iterdir()} == {key_of(), "alive.2.part"}


def test_failed_write_leaves_no_folder_and_raises_the_os_error(tmp_path, monkeypatch):
    def full(table, file):
        raise OSError(28, "No space left on device", str(file))

    monkeypatch.setattr(stores, "write_parquet", full)
    with pytest.raises(OSError, match="No space left"):
        run(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("folder", ["file", "file/below"])
def test_unwritable_folder_is_reported_before_anything_is_played(tmp_path, monkeypatch, folder):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(PLAYED_AGAIN, lambda *_: pytest.fail("played before the check"))
    with pytest.raises(TruewardError, match=rf"{folder}: the folder cannot be written"):
        run(tmp_path / folder)


def test_timing_separates_played_from_loaded_cells(tmp_path):
    sweep = {"adversary": {"name": "bernoulli", "epsilon": "$e"}, "sweep": {"e": [0.1, 0.2]}}
    run(tmp_path)
    manifest = tmp_path / key_of() / MANIFEST
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"seconds": 50.0}))
    timing = run(tmp_path, **sweep).timing
    assert (timing.played, timing.loaded, timing.loaded_seconds) == (1, 1, 50.0)
    assert 0 < timing.seconds < 50
    assert str(timing).startswith("1 of 2 cells played in ")
    assert str(timing).endswith("; 1 loaded, played earlier in 50.0 s")


def test_write_tables_writes_parquet_and_csv(tmp_path):
    (result,) = run_experiments([lab.load(SPEC)], None, None)
    files = write_tables(result, tmp_path)
    assert [file.name for file in files] == [
        f"experiment-{name}.{kind}" for name in ("trials", "curves") for kind in ("parquet", "csv")
    ]
    assert files[1].read_text().splitlines()[0] == ",".join(result.trials.columns)
    assert len(files[1].read_text().splitlines()) == 6
