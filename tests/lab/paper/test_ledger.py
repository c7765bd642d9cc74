import io
import json
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

from trueward.lab.experiment.example_files import example_file
from trueward.lab.experiment.result import Result
from trueward.lab.experiment.specification import load
from trueward.lab.paper.ledger import Check, Entry, Ledger
from trueward.lab.paper.terminal import ledger_text, regret_tables

CHOICES = ("as stated", "UCB1 raw", "literal ranks", "sigma = proxy")
YES, NO, OPEN = "holds", "does not hold", "undecided"


def entry(*outcomes, name="a-claim"):
    checks = tuple(Check(choice, 1.5, 1.25, 1.75, told) for choice, told in zip(CHOICES, outcomes, strict=False))
    return Entry(name, "6, Figure 1", "one thing beats another", "a difference", "points", "above 0", checks)


@pytest.mark.parametrize("outcome", [YES, NO, OPEN])
def test_readings_that_agree_give_the_verdict(outcome):
    judged = entry(outcome, outcome, outcome)
    assert (judged.verdict, judged.depends_on, judged.words) == (outcome, (), outcome)


def test_a_claim_that_fails_with_one_choice_names_it():
    judged = entry(YES, NO, YES)
    assert (judged.verdict, judged.depends_on) == ("depends", ("UCB1 raw",))
    assert judged.words == "depends: holds; does not hold with UCB1 raw"


def test_undecided_is_told_apart_from_what_does_not_hold():
    judged = entry(YES, NO, OPEN, OPEN)
    assert judged.words == "depends: holds; undecided with literal ranks, sigma = proxy; does not hold with UCB1 raw"
    assert entry(OPEN, YES).words == "depends: undecided; holds with UCB1 raw"


def test_the_summary_says_how_many_readings_were_played():
    one = Ledger((entry(YES), entry(NO), entry(OPEN), entry(OPEN)))
    assert one.summary == (
        "4 claims of the paper judged under the one reading played: 1 holds, 2 are undecided, 1 does not hold."
    )
    several = Ledger((entry(YES, YES, YES), entry(NO, NO), entry(YES, NO)))
    assert "under every reading played, up to 3 for a claim: 1 holds, 1 depends on the reading, 1 " in several.summary
    assert Ledger(()).summary == ""


def test_a_written_ledger_is_read_back_the_same(tmp_path):
    ledger = Ledger((entry(YES), entry(YES, NO), entry(OPEN, NO, NO)))
    assert Ledger.read(ledger.write(tmp_path / "claims.json")) == ledger


def test_every_claim_of_the_paper_takes_two_lines_at_80_columns():
    numbers = json.loads((Path(__file__).parents[3] / "docs" / "ledger.json").read_text(encoding="utf-8"))
    ledger = Ledger.of(numbers["claims"])
    console = Console(width=80, file=io.StringIO())
    console.print(ledger_text(Ledger(ledger.entries)))
    lines = console.file.getvalue().splitlines()
    assert [line[0] == " " for line in lines[: 2 * len(ledger.entries)]] == [False, True] * len(ledger.entries)


def test_the_regrets_of_every_figure_fit_into_80_columns():
    for number in (1, 3, 5):
        experiment = load(example_file(f"figure{number}"), trials=2)
        keys = {"trial": [0, 1], "regret": [700.0, 740.0], "best_arm_share": [0.5, 0.5], "contaminated_share": [0, 0]}
        paired = dict.fromkeys(("difference", "difference_low", "difference_high"), 0.0)
        cells = [
            {
                "trials": pl.concat(pl.DataFrame({"policy": [name] * 2, **keys}) for name in cell.policies),
                "curves": pl.DataFrame([{"policy": name, "round": 1000, **paired} for name in cell.policies]),
            }
            for cell in experiment.cells
        ]
        (table,) = regret_tables({f"figure{number}": Result(experiment, cells)})
        console = Console(width=80, file=io.StringIO())
        console.print(table)
        rows = [line for line in console.file.getvalue().splitlines() if "720±39" in line]
        assert [row.split()[0] for row in rows] == list(experiment.cells[0].policies)
        assert all(row.count("720±39") == len(experiment.cells) for row in rows)


def test_the_terminal_has_two_lines_for_a_claim_with_verdict_interval_unit_and_threshold():
    console = Console(width=80, file=io.StringIO())
    console.print(ledger_text(Ledger((entry(YES, NO, OPEN, name="crucb-beats-ucb1"), entry(OPEN)))))
    lines = console.file.getvalue().splitlines()
    assert lines[:4] == [
        "◐ depends: holds as stated  crucb-beats-ucb1",
        "  1.5 [1.25, 1.75] points; asked: > 0; 2 of 3 readings differ",
        "? undecided  a-claim",
        "  1.5 [1.25, 1.75] points; asked: > 0",
    ]
