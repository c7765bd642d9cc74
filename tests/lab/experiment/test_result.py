import pytest
from rich.console import Console

from trueward import lab
from trueward.lab.experiment.result import result_table
from trueward.reporting.number_table import rich_table

SPEC = {
    "title": "A & B",
    "arms": {"name": "binomial", "n": 10, "p": [0.9, 0.8]},
    "adversary": {"name": "bernoulli", "epsilon": "$epsilon"},
    "policies": {"uniform": {"name": "uniform"}, "same [again]": {"name": "uniform"}},
    "horizon": 20,
    "trials": 30,
    "sweep": {"epsilon": [0.0, 0.1]},
}


def printed(result):
    console = Console(width=160, record=True, file=None, quiet=False)
    with console.capture() as shown:
        console.print(rich_table(result_table(result)))
    return shown.get()


def test_repr_shows_title_trials_and_regret():
    result = lab.run(SPEC, progress=False)
    lines = repr(result).splitlines()
    row = result.table.row(0, named=True)
    assert lines[0] == "A & B: 30 trials of 20 rounds; regret after the last round"
    assert lines[1] == f"  epsilon = 0, uniform: {row['regret']:.1f} ± {row['high'] - row['regret']:.1f}"
    assert len(lines) == 5
    assert result._repr_html_().startswith("<p>A &amp; B: 30 trials of 20 rounds; regret after the last round</p>")
    assert "<table" in result._repr_html_()


def test_repr_of_a_long_result_is_shortened():
    result = lab.run(SPEC, trials=1, sweep={"epsilon": [i / 100 for i in range(8)]}, progress=False)
    lines = repr(result).splitlines()
    assert lines[0].startswith("A & B: 1 trial of 20 rounds")
    assert lines[-1] == "… and 4 more rows in .table"


def test_single_trial_has_no_interval():
    result = lab.run(SPEC, trials=1, progress=False)
    row = result.table.row(1, named=True)
    assert [row[name] for name in ("low", "high", "sd", "difference_low", "difference_high")] == [None] * 5
    assert row["difference"] is not None
    assert "±" not in repr(result)
    assert " – " in printed(result)
    assert " nan" not in printed(result).lower()
    result.plot().to_dict()


@pytest.mark.parametrize("part", ["same [again]", "difference to uniform", "95 % CI"])
def test_terminal_table_shows_names_with_brackets(part):
    assert part in printed(lab.run(SPEC, progress=False))
