import polars as pl
import pytest

from trueward import lab
from trueward.errors import SpecificationError
from trueward.lab.experiment.game_tables import COLUMNS

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


def test_unlabelled_tables_are_labelled_by_the_parameters_that_differ():
    result = lab.run(swept([attack(0.0), attack(0.3), {"name": "none"}]), progress=False)
    assert result.table["e"].to_list() == ["bernoulli (epsilon 0)", "bernoulli (epsilon 0.3)", "none"]
    assert result.table["trials"].to_list() == [3, 3, 3]


def test_unlabelled_tables_are_labelled_by_nested_parameters_that_differ():
    schemes = [{"name": "worst-bounded", "range": [0, high]} for high in (1, 2)]
    cells = lab.load(swept([attack(0.1, values=scheme) for scheme in schemes])).cells
    assert [cell.label for cell in cells] == [
        "e = bernoulli (values worst-bounded (range [0, 1]))",
        "e = bernoulli (values worst-bounded (range [0, 2]))",
    ]


def test_numbers_that_agree_in_six_digits_have_different_labels():
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
def test_values_with_equal_labels_are_refused(values):
    with pytest.raises(
        SpecificationError, match=r"^sweep\.e contains '.*' twice; make the values differ, or give each its own label"
    ):
        lab.load(swept(values))


def test_integers_that_are_equal_as_floats_are_refused():
    with pytest.raises(SpecificationError, match=r"sweep\.s contains .* twice"):
        lab.load(BASE | {"seed": "$s", "sweep": {"s": [2**53, 2**53 + 1]}})


def test_sweep_cannot_be_named_like_a_column():
    result = lab.run(swept([0.1]), progress=False)
    columns = {*result.trials.columns, *result.curves.columns, *result.table.columns} - {"e"}
    assert columns <= COLUMNS
    for name in sorted(COLUMNS - {"sd"}):
        with pytest.raises(SpecificationError, match=rf"sweep\.{name} is reserved: '{name}' is a column"):
            lab.load(BASE | {"seed": f"${name}", "sweep": {name: [1, 2]}})


def test_sweep_that_refers_to_itself_is_refused():
    for sweep in ({"s": ["$s"]}, {"s": ["$t"], "t": ["$s"]}):
        used = {"seed": "$s"} if len(sweep) == 1 else {"seed": "$s", "trials": "$t"}
        with pytest.raises(SpecificationError, match=r"is '\$[st]', but there is no such variable"):
            lab.load(BASE | used | {"sweep": sweep})


def test_sweep_may_refer_to_another_sweep():
    cells = lab.load(swept([attack("$rate")], sweep={"e": [attack("$rate")], "rate": [0.1, 0.2]}, title="$rate")).cells
    assert [cell.adversary.epsilon for cell in cells] == [0.1, 0.2]


def test_table_has_one_row_per_cell_and_policy():
    table = lab.run(swept([0.0, 0.1]), progress=False).table
    assert table.select(pl.struct("e", "policy").n_unique()).item() == table.height == 2


def test_entries_of_one_table_change_together():
    sources = [{"label": "few", "p": [0.9, 0.8], "rate": 0.1}, {"label": "many", "p": [0.9, 0.8, 0.7], "rate": 0.2}]
    attacks = [{"label": "clean", "name": "none"}, {"label": "bad", "name": "bernoulli", "epsilon": "$source.rate"}]
    arms = {"name": "binomial", "n": 10, "p": "$source.p"}
    cells = lab.load(
        BASE | {"arms": arms, "adversary": "$attack", "sweep": {"source": sources, "attack": attacks}}
    ).cells
    assert [(cell.point["source"], cell.arms.n_arms) for cell in cells] == [("few", 2)] * 2 + [("many", 3)] * 2
    assert [cell.adversary.constraint for cell in cells] == [0.0, 0.1, 0.0, 0.2]


@pytest.mark.parametrize("values", [[0.1, 0.2], [{"label": "a", "rate": 0.1}]])
def test_unknown_entry_of_a_table_is_rejected(values):
    spec = BASE | {"adversary": {"name": "bernoulli", "epsilon": "$e.share"}, "sweep": {"e": values}}
    with pytest.raises(SpecificationError, match=r"adversary.epsilon is '\$e.share', but that value has no 'share'"):
        lab.load(spec)
