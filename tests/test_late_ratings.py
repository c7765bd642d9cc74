import pytest

import loading
from interpreted import interpreted
from trueward import lab
from trueward.lab.experiment.example_files import example_file


@pytest.fixture
def script():
    return loading.script("late_ratings")


def test_tables_and_figure_show_every_delay_with_and_without_counting(script):
    few = {"UCB": {"name": "ucb", "sigma": 1.0}, "EXP3": {"name": "exp3", "range": "$bounds"}}
    sweep = {"distribution": ["fixed", "geometric"], "delay": [0, 12], "count_pending": [True, False]}
    changes = {"policies": few, "reference": "UCB", "sweep": sweep, "horizon": 30, "trials": 2}
    with interpreted():
        played = lab.run(example_file("delays"), progress=False, **changes)
    table = script.data_delays(played)
    assert table.height == 2 * 2 * 2 * 2  # distributions, delays, count_pending, policies
    lines = script.delay_table(table, "fixed").splitlines()
    assert lines[0] == "| fixed delay, rounds | 0 | 12 |"
    assert "(" not in lines[3]  # EXP3 draws from probabilities: counting changes nothing
    assert "(" in lines[2].split("|")[3]
    assert "(" not in lines[2].split("|")[2]  # without a delay there is nothing to count
    assert len(script.draw_delays(table).to_dict()["spec"]["layer"]) == 2
    gains = script.data_gains(played)
    assert gains.height == 2 * 2  # policies, distributions, and the one delay of at least ten rounds
    assert gains.filter(policy="EXP3")["added"].to_list() == [0.0, 0.0]
    assert script.gains_table(gains).splitlines()[0] == "| | fixed, 12 | geometric, 12 |"
