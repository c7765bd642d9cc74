import importlib.util
import sys

import pytest
from typer.testing import CliRunner

import trueward as tw
from trueward.cli.app import app
from trueward.cli.new import KINDS

ARMS = tw.BinomialArms(n=10, p=[0.9, 0.8, 0.8])


def written(kind, folder, stem="my_own"):
    """Return the class in the file that the command writes."""
    file = folder / f"{stem}.py"
    result = CliRunner().invoke(app, ["new", kind, str(file)])
    assert result.exit_code == 0, result.output
    assert f"play it: python {file}" in result.output
    spec = importlib.util.spec_from_file_location(f"{stem}_{kind}", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module.MyOwn


def played(policy, arms=ARMS, adversary=None, **settings):
    return tw.play(policy, arms, adversary, horizon=60, trials=2, compiled=False, **settings)


def test_new_policy_plays(tmp_path):
    assert (played(written("policy", tmp_path)(m=5)).pulls[:, -1].min(axis=1) >= 5).all()


def test_new_estimator_plays(tmp_path):
    estimator = written("estimator", tmp_path)()
    assert float(estimator([1.0, 5.0, 2.0])) == 3.0
    assert estimator.weights([1.0, 5.0, 2.0]).tolist() == [0.5, 0.5, 0.0]
    assert played(tw.CrUCB(estimator, sigma=1.0)).pulls[:, -1].sum() == 120


def test_new_adversary_plays(tmp_path):
    trace = played(tw.Uniform(), adversary=written("adversary", tmp_path)(every=10))
    assert trace.touched.sum(axis=1).tolist() == [6, 6]


def test_new_arms_play(tmp_path):
    trace = played(tw.Uniform(), written("arms", tmp_path)(), keep_history=True)
    assert trace.observed.min() >= 0.0
    assert trace.observed.max() <= 1.0


@pytest.mark.parametrize("kind", KINDS)
def test_new_overwrites_no_file(kind, tmp_path):
    (tmp_path / "mine.py").write_text("precious")
    result = CliRunner().invoke(app, ["new", kind, str(tmp_path / "mine.py")])
    assert result.exit_code == 2
    assert (tmp_path / "mine.py").read_text() == "precious"


def test_new_refuses_a_file_name_that_is_not_a_module(tmp_path):
    result = CliRunner().invoke(app, ["new", "policy", str(tmp_path / "2nd-try.py")])
    assert result.exit_code == 2
    assert "must be named like a Python module" in result.output
