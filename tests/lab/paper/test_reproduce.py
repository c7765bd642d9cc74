from trueward import lab
from trueward.lab.experiment.example_files import example_file
from trueward.lab.paper.reproduce import is_unchanged_example


def test_example_with_other_trials_and_seed_counts_as_unchanged():
    assert is_unchanged_example(lab.load(example_file("figure1"), trials=16, seed=5))


def test_changed_copy_of_an_example_is_not_judged(tmp_path):
    assert not is_unchanged_example(lab.load(example_file("figure1"), trials=16, horizon=500))
    own = tmp_path / "my-own.toml"
    own.write_bytes(example_file("figure1").read_bytes())
    assert not is_unchanged_example(lab.load(own))
