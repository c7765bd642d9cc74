import io
import json
from pathlib import Path

import polars as pl
from rich.console import Console

from trueward.lab.experiment.example_files import example_file
from trueward.lab.experiment.result import Result
from trueward.lab.experiment.specification import load
from trueward.lab.paper.ledger import Check, Entry, Ledger
from trueward.lab.paper.terminal import ledger_text, regrets_text

YES, NO, OPEN = "holds", "does not hold", "undecided"


def entry(*outcomes, name="a-claim"):
    checks = tuple(Check(f"reading {number}", 1.5, 1.25, 1.75, each) for number, each in enumerate(outcomes))
    sentence = "one thing beats another"
    return Entry(name, "6, Figure 1", sentence, "a difference", "points", "above 0", "above", 0.0, checks)


def test_every_claim_takes_two_lines_at_80_columns():
    numbers = json.loads((Path(__file__).parents[3] / "docs" / "ledger.json").read_text(encoding="utf-8"))
    ledger = Ledger.from_rows(numbers["claims"])
    console = Console(width=80, file=io.StringIO())
    console.print(ledger_text(Ledger(ledger.entries)))
    lines = console.file.getvalue().splitlines()
    assert [line[0] == " " for line in lines[: 2 * len(ledger.entries)]] == [False, True] * len(ledger.entries)


def test_regrets_of_every_figure_fit_into_80_columns():
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
        console = Console(width=80, file=io.StringIO())
        console.print(regrets_text({f"figure{number}": Result(experiment, cells)}))
        rows = [line for line in console.file.getvalue().splitlines() if "720±39" in line]
        assert [row.split()[0] for row in rows] == list(experiment.cells[0].policies)
        assert all(row.count("720±39") == len(experiment.cells) for row in rows)


def test_claim_is_shown_with_verdict_interval_unit_and_limit():
    console = Console(width=80, file=io.StringIO())
    console.print(ledger_text(Ledger((entry(YES, NO, OPEN, name="crucb-beats-ucb1"), entry(OPEN)))))
    lines = console.file.getvalue().splitlines()
    assert lines[:4] == [
        "◐ depends: holds by default  crucb-beats-ucb1",
        "  1.5 [1.25, 1.75] points; limit: > 0; 2 of 3 readings differ",
        "? undecided  a-claim",
        "  1.5 [1.25, 1.75] points; limit: > 0",
    ]
