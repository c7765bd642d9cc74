import numpy as np
import pytest

import trueward as tw
from interpreted import interpreted
from trueward import lab
from trueward.errors import SpecificationError
from trueward.lab.experiment.example_files import example_file
from trueward.lab.experiment.store import cell_key

SPEC = {
    "arms": {"name": "binomial", "n": 10, "p": [0.9, 0.8]},
    "policies": {"UCB": {"name": "ucb", "sigma": 1}},
    "horizon": 30,
    "trials": 3,
}


def loaded(**changes):
    return lab.load({**SPEC, **changes})


def key_of(**changes):
    return cell_key(loaded(**changes).cells[0])


def test_delay_is_a_number_or_a_name_with_rounds():
    for given, delay in (
        ({}, tw.FixedDelay(0)),
        ({"delay": 7}, tw.FixedDelay(7)),
        ({"delay": {"name": "fixed", "rounds": 7}}, tw.FixedDelay(7)),
        ({"delay": {"name": "geometric", "rounds": 2.5}}, tw.GeometricDelay(2.5)),
        ({"delay": tw.GeometricDelay(2.5)}, tw.GeometricDelay(2.5)),
    ):
        assert loaded(**given).cells[0].delay == delay


def test_delay_and_count_pending_can_be_swept():
    experiment = loaded(
        delay={"name": "$distribution", "rounds": "$delay"},
        count_pending="$count_pending",
        sweep={"distribution": ["fixed", "geometric"], "delay": [0, 5], "count_pending": [True, False]},
    )
    assert [cell.delay for cell in experiment.cells[2:6:2]] == [tw.FixedDelay(5), tw.GeometricDelay(0)]
    assert [cell.count_pending for cell in experiment.cells] == [True, False] * 4
    assert experiment.cells[-1].label == "distribution = geometric, delay = 5, count_pending = False"


def test_run_plays_with_the_delay_of_the_specification():
    with interpreted():
        result = lab.run({**SPEC, "delay": "$delay", "sweep": {"delay": [0, 9]}}, progress=False)
    settings = {"horizon": 30, "trials": 3, "compiled": False}
    arms = tw.BinomialArms(n=10, p=[0.9, 0.8])
    by_hand = [tw.play(tw.UCB(sigma=1), arms, delay=delay, **settings).regret[:, -1] for delay in (0, 9)]
    np.testing.assert_array_equal(result.trials["regret"], np.concatenate(by_hand))


def test_cell_key_depends_on_the_delay_unless_it_is_zero():
    assert (
        key_of() == key_of(delay=0) == key_of(delay={"name": "geometric", "rounds": 0}) == key_of(count_pending=False)
    )
    late = [
        {"delay": 5},
        {"delay": 6},
        {"delay": {"name": "geometric", "rounds": 5}},
        {"delay": 5, "count_pending": False},
    ]
    assert len({key_of(), *(key_of(**given) for given in late)}) == 5


def test_cell_key_changes_when_the_drawing_of_delays_is_edited(monkeypatch):
    given = {"delay": {"name": "geometric", "rounds": 5}}
    key, at_once = key_of(**given), key_of()
    monkeypatch.setattr(tw.GeometricDelay, "table", lambda self, trials, rounds, rng: rng.poisson(5, (trials, rounds)))
    assert key_of(**given) != key
    assert key_of() == at_once


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"delay": -1}, "rounds must be a whole number of at least 0, got -1"),
        ({"delay": 2.5}, r"delay must be a whole number of rounds or a Delay such as FixedDelay\(20\), got 2\.5"),
        ({"delay": "late"}, r"delay\.name must be one of fixed, geometric, got 'late'"),
        ({"delay": {"name": "fixed"}}, "delay needs rounds"),
        ({"delay": {"name": "geometric", "rounds": -2}}, "delay: rounds must be at least 0, got -2"),
        ({"count_pending": "yes"}, "count_pending must be True or False, got 'yes'"),
    ],
)
def test_wrong_delay_is_reported_in_one_line(given, message):
    with pytest.raises(SpecificationError, match=message):
        loaded(**given)


def test_example_sweeps_delays():
    experiment = lab.load(example_file("delays"))
    assert len(experiment.cells) == 24
    assert experiment.cells[-1].delay == tw.GeometricDelay(100)
