import polars as pl

from trueward.lab.experiment.example_files import example_file
from trueward.lab.experiment.result import Result
from trueward.lab.experiment.specification import load
from trueward.lab.paper.regret_tables import regret_tables


def result_of(name, regrets):
    experiment = load(example_file(name), trials=len(regrets))
    columns = {"trial": range(len(regrets)), "regret": regrets, "best_arm_share": 0.5, "contaminated_share": 0.0}
    paired = dict.fromkeys(("difference", "difference_low", "difference_high"), 0.0)
    cells = [
        {
            "trials": pl.concat(
                pl.DataFrame(columns).select(pl.lit(name).alias("policy"), pl.all()) for name in cell.policies
            ),
            "curves": pl.DataFrame([{"policy": name, "round": 1000, **paired} for name in cell.policies]),
        }
        for cell in experiment.cells
    ]
    return {name: Result(experiment, cells)}


def test_regret_table_has_a_row_per_policy_and_a_column_per_point():
    (table,) = regret_tables(result_of("figure3", [700.0, 740.0]))
    assert table.title == "Figure 3: mean regret ± half-width of the 95 % CI"
    assert table.headers == ["policy, α =", "0", "0.02", "0.05", "0.1", "0.15", "0.2", "0.3"]
    assert table.rows == [[policy, *["720±39"] * 7] for policy in ("tUCB", "sUCB")]  # 1.96 * 28.28 / sqrt(2)


def test_single_trial_has_no_half_width():
    (table,) = regret_tables(result_of("figure5", [700.0]))
    assert table.headers == ["policy", "regret"]
    assert {row[1] for row in table.rows} == {"700"}
