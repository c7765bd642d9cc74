import polars as pl
import pytest

from trueward import lab
from trueward.errors import SpecificationError
from trueward.lab.experiment.tables import COLUMNS

BASE = {
    "arms": {"name": "binomial", "n": 10, "p": [0.9, 0.8]},
    "policies": {"uniform": {"name": "uniform"}},
    "horizon": 20,
    "trials": 3,
}


def swept(values, **others):
    """Return an experiment whose adversary is swept, as a whole if the values are tables, else by its rate."""
    whole = any(isinstance(value, dict | str) for value in values)
    return (
        BASE | {"adversary": "$e" if whole else {"name": "bernoulli", "epsilon": "$e"}, "sweep": {"e": values}} | others
    )


def attack(epsilon, **more):
    return {"name": "bernoulli", "epsilon": epsilon, **more}


def test_tables_without_a_label_are_told_apart_by_the_parameters_that_differ():
    result = lab.run(swept([attack(0.0), attack(0.3), {"name": "none"}]), progress=False)
    assert result.table["e"].to_list() == ["bernoulli (epsilon 0)", "bernoulli (epsilon 0.3)", "none"]
    assert result.table["trials"].to_list() == [3, 3, 3]


def test_tables_that_differ_deep_inside_are_told_apart():
    schemes = [{"name": "worst-bounded", "range": [0, high]} for high in (1, 2)]
    cells = lab.load(swept([attack(0.1, values=scheme) for scheme in schemes])).cells
    assert [cell.label for cell in cells] == [
        "e = bernoulli (values worst-bounded (range [0, 1]))",
        "e = bernoulli (values worst-bounded (range [0, 2]))",
    ]


def test_numbers_equal_to_six_digits_are_told_apart():
    result = lab.run(swept([0.1, 0.10000001]), progress=False)
    assert result.table["e"].to_list() == [0.1, 0.10000001]
    assert [cell.label for cell in result.experiment.cells] == ["e = 0.1", "e = 0.10000001"]
    assert result.plot().to_dict()["facet"]["sort"] == ["e = 0.1", "e = 0.10000001"]
    assert result.trials.group_by("e").len()["len"].to_list() == [3, 3]


@pytest.mark.parametrize(
    "values",
    [
        [0.1, 0.1],
        [0, 0.0],
        [attack(0.1), attack(0.1)],
        [attack(0.1, label="same"), attack(0.2, label="same")],
        ["none", {"name": "none"}],
    ],
)
def test_values_that_results_cannot_tell_apart_are_refused(values):
    with pytest.raises(
        SpecificationError, match=r"^sweep\.e holds '.*' twice; its values must differ, or have a label"
    ):
        lab.load(swept(values))


def test_whole_numbers_too_large_to_be_told_apart_are_refused():
    with pytest.raises(SpecificationError, match=r"sweep\.s holds .* twice"):
        lab.load(BASE | {"seed": "$s", "sweep": {"s": [2**53, 2**53 + 1]}})


def test_no_column_of_a_result_or_chart_can_be_swept():
    result = lab.run(swept([0.1]), progress=False)
    columns = {*result.trials.columns, *result.curves.columns, *result.table.columns} - {"e"}
    assert columns <= COLUMNS
    for name in sorted(COLUMNS - {"sd"}):
        with pytest.raises(SpecificationError, match=rf"sweep\.{name} is taken: '{name}' is a column"):
            lab.load(BASE | {"seed": f"${name}", "sweep": {name: [1, 2]}})


def test_a_sweep_that_stands_for_itself_is_refused():
    for sweep in ({"s": ["$s"]}, {"s": ["$t"], "t": ["$s"]}):
        used = {"seed": "$s"} if len(sweep) == 1 else {"seed": "$s", "trials": "$t"}
        with pytest.raises(SpecificationError, match=r"is '\$[st]', which nothing gives"):
            lab.load(BASE | used | {"sweep": sweep})


def test_a_sweep_may_stand_inside_another():
    cells = lab.load(swept([attack("$rate")], sweep={"e": [attack("$rate")], "rate": [0.1, 0.2]}, title="$rate")).cells
    assert [cell.adversary.epsilon for cell in cells] == [0.1, 0.2]


def test_the_table_has_a_row_for_each_cell_and_policy():
    table = lab.run(swept([0.0, 0.1]), progress=False).table
    assert table.select(pl.struct("e", "policy").n_unique()).item() == table.height == 2
