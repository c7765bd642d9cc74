from dataclasses import dataclass

import numpy as np
import pytest

import trueward as tw
from trueward import lab
from trueward.errors import SpecificationError, TruewardError
from trueward.lab.experiment.runner import run_experiments
from trueward.lab.experiment.store import cell_key

BASE = {
    "arms": {"name": "binomial", "n": 10, "p": [0.9, 0.8]},
    "policies": {"uniform": {"name": "uniform"}},
    "horizon": 20,
    "trials": 3,
}
FILE = """
import trueward as tw

class Stubborn:
    def __init__(self, arm=1):
        if arm > 1:
            raise ValueError("there are two arms")
        self.arm = arm
    def choose(self, t):
        return self.arm
    def update(self, arm, reward):
        pass

always_first = Stubborn(0)

def half(view, t, arm, reward, rng):
    return reward / 2 if arm == 0 else None

def coins(n):
    return tw.BernoulliArms([i / (2 * n) for i in range(n)])
"""
TOML = """
horizon = 20
trials = 2
arms = { name = "own/mine.py:coins", n = 3 }
adversary = "own/mine.py:half"
policies.first = "own/mine.py:always_first"
policies.second = { name = "own/mine.py:Stubborn", arm = "$arm" }
sweep.arm = [0, 1]
"""


@dataclass
class Fixed:
    arm: int = 1

    def choose(self, t):
        return self.arm

    def update(self, arm, reward):
        pass


def load(**changes):
    return lab.load({**BASE, **changes})


def key_of(**changes):
    return cell_key(load(**changes).cells[0])


@pytest.fixture
def toml(tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "mine.py").write_text(FILE)
    (tmp_path / "own.toml").write_text(TOML)
    return tmp_path / "own.toml"


def test_specification_accepts_objects(tmp_path):
    arms = tw.BinomialArms(n=10, p=[0.9, 0.8])
    share = {"name": "uniform-share", "policy": tw.UCB(sigma=1)}
    policies = {"fixed": Fixed(), "uniform": tw.Uniform(), "share": share}
    attack = lambda view, t, arm, reward, rng: None  # noqa: E731 - what a user would write
    experiment = load(arms=arms, policies=policies, adversary=attack)
    cell = experiment.cells[0]
    assert cell.arms is arms
    assert cell.policies["share"].policy == tw.UCB(sigma=1)
    assert isinstance(cell.adversary, tw.FunctionAdversary)
    result = lab.run({**BASE, "policies": {"fixed": Fixed()}}, cache_folder=tmp_path, progress=False)
    assert result.table["regret"].item() == pytest.approx(20.0)
    again = lab.run({**BASE, "policies": {"fixed": Fixed()}}, cache_folder=tmp_path, progress=False)
    assert again.timing.loaded == 1


def test_cell_key_depends_on_parameters_and_code_of_user_objects(monkeypatch):
    before = key_of(policies={"p": Fixed()})
    assert key_of(policies={"p": Fixed()}) == before
    assert key_of(policies={"p": Fixed(0)}) != before
    monkeypatch.setattr(Fixed, "choose", lambda self, t: 0)
    assert key_of(policies={"p": Fixed()}) != before


def test_cell_key_depends_on_the_closure_of_a_function():
    def attack(values):
        return lambda view, t, arm, reward, rng: values[arm]

    assert key_of(adversary=attack([1.0, 2.0])) == key_of(adversary=attack([1.0, 2.0]))
    assert key_of(adversary=attack([1.0, 2.0])) != key_of(adversary=attack([1.0, 3.0]))


def test_object_that_cannot_be_pickled_is_not_stored(tmp_path):
    odd = type("Odd", (), {"choose": lambda self, t: 0, "update": lambda self, arm, reward: None})()
    odd.generator = (i for i in range(3))
    with pytest.raises(TruewardError, match="cannot be pickled, so its results cannot be stored"):
        lab.run({**BASE, "policies": {"odd": odd}}, cache_folder=tmp_path, progress=False)


def test_object_that_contains_itself_is_not_stored(tmp_path):
    policy = Fixed()
    policy.arm = [policy]
    with pytest.raises(TruewardError, match="contains itself, so its results cannot be stored"):
        lab.run({**BASE, "policies": {"odd": policy}}, cache_folder=tmp_path, progress=False)


def test_user_file_is_loaded_from_the_folder_of_the_experiment(toml):
    result = lab.run(toml, progress=False)
    assert result.experiment.cells[0].arms.n_arms == 3
    regret = dict(zip(result.table.select("arm", "policy").rows(), result.table["regret"], strict=True))
    assert regret[0.0, "first"] == regret[0.0, "second"] == pytest.approx(20 / 3)
    assert regret[1.0, "second"] == pytest.approx(10 / 3)


def test_cell_key_changes_when_the_user_file_is_edited(toml):
    before = cell_key(lab.load(toml).cells[0])
    assert cell_key(lab.load(toml).cells[0]) == before
    (toml.parent / "own" / "mine.py").write_text(FILE + "\nTABLE = {1: 2}\n")
    assert cell_key(lab.load(toml).cells[0]) != before


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("mine.py:Stubborn", "mine.py:Nobody", r"policies\.second: own/mine\.py:Nobody: .*mine\.py has no Nobody"),
        ("mine.py:Stubborn", "yours.py:X", r"policies\.second: own/yours\.py:X: there is no file .*yours\.py"),
        ("sweep.arm = [0, 1]", "sweep.arm = [2]", r"policies\.second: .*: ValueError: there are two arms"),
        ('"own/mine.py:always_first"', '{ name = "own/mine.py:always_first", arm = 1 }', "is an object already"),
        ("mine.py:coins", "mine.py:Stubborn", r"arms: own/mine\.py:Stubborn: TypeError"),
        (
            '{ name = "own/mine.py:coins", n = 3 }',
            '"own/mine.py:Stubborn"',
            r"arms\.name must be one of .*, got <.*Stubborn object",
        ),
    ],
)
def test_mistake_in_a_user_file_is_reported_in_one_line(toml, old, new, message):
    toml.write_text(TOML.replace(old, new))
    with pytest.raises(SpecificationError, match=message) as caught:
        lab.load(toml)
    assert "\n" not in str(caught.value)


def test_user_file_that_cannot_be_imported_is_reported_in_one_line(toml):
    (toml.parent / "own" / "mine.py").write_text("import nowhere_at_all")
    with pytest.raises(SpecificationError, match=r"importing .*mine\.py failed: ModuleNotFoundError: No module named"):
        lab.load(toml)


def test_cluster_refuses_experiments_with_user_files(toml):
    class Remote:
        __module__ = "distributed.cfexecutor"

    with pytest.raises(TruewardError, match="uses a Python file that the cluster does not have"):
        run_experiments([lab.load(toml)], None, Remote())


def test_cell_key_depends_on_arrays_in_objects():
    arms = [tw.BernoulliArms(np.array([0.1, high])) for high in (0.5, 0.5, 0.6)]
    keys = [key_of(arms=each) for each in arms]
    assert keys[0] == keys[1] != keys[2]
