"""Write docs/ledger.md and docs/ledger.json from a finished `trueward reproduce`.

    python scripts/ledger_page.py [results/reproduce]

The text is in the template ledger.md.j2, which asks for every number by name: a number of a claim, or the mean regret
of a policy. The numbers are kept in docs/ledger.json, from which a test writes the page again.
"""

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from trueward.lab.paper.ledger import Check, Ledger
from trueward.lab.paper.readings import DEFAULT_READING

ROOT = Path(__file__).parents[1]
PAGE, NUMBERS, TEMPLATE = ROOT / "docs" / "ledger.md", ROOT / "docs" / "ledger.json", "ledger.md.j2"


class Numbers:
    """The numbers that the template asks for; regrets come from the results, if there are any."""

    def __init__(self, known: dict[str, Any], results: Path | None = None) -> None:
        self.known = known
        self.results = results
        self.ledger = Ledger.from_rows(known["claims"])
        self._checks = {(entry.name, check.reading): check for entry in self.ledger.entries for check in entry.checks}

    def check(self, claim: str, reading: str = DEFAULT_READING) -> Check:
        """Return the number and outcome of a claim under a reading."""
        return self._checks[claim, reading]

    def value(self, claim: str, reading: str = DEFAULT_READING, *, form: str = ".2f") -> str:
        """Return the absolute value."""
        return f"{abs(self.check(claim, reading).value):{form}}"

    def interval(self, claim: str, reading: str = DEFAULT_READING, *, form: str = ".2f") -> str:
        """Return the absolute value with its interval."""
        check = self.check(claim, reading)
        bounds = sorted((check.low, check.high), key=abs) if check.value < 0 else (check.low, check.high)
        sign = -1 if check.value < 0 else 1
        return f"{sign * check.value:{form}} [{sign * bounds[0]:{form}}, {sign * bounds[1]:{form}}]"

    def regret(self, experiment: str, policy: str, **point: Any) -> float:
        """Return the mean regret of a policy at a point of an experiment's sweep."""
        name = ", ".join([experiment, policy, *(f"{key} = {value}" for key, value in point.items())])
        if self.results is not None:
            at = [pl.col(key) == value for key, value in {**point, "policy": policy}.items()]
            table = _trials(self.results / "data" / f"{experiment}-trials.parquet")
            self.known["regrets"][name] = round(table.filter(*at).select(pl.col("regret").mean()).item(), 2)
        return float(self.known["regrets"][name])


@cache
def _trials(file: Path) -> pl.DataFrame:
    return pl.read_parquet(file)


def page(numbers: Numbers) -> str:
    """Return the page with its numbers filled in."""
    loader = FileSystemLoader(Path(__file__).parent)
    environment = Environment(
        loader=loader, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
    )
    environment.filters["whole"] = "{:.0f}".format
    given = {name: getattr(numbers, name) for name in ("ledger", "check", "value", "interval", "regret", "known")}
    return environment.get_template(TEMPLATE).render(given)


def main(results: Path) -> None:
    """Write the page and its numbers."""
    claims = json.loads((results / "claims.json").read_text(encoding="utf-8"))
    trials = _trials(results / "data" / "figure1-trials.parquet")["trial"].n_unique()
    known = {"trials": trials, "claims": claims, "regrets": {}}
    PAGE.write_text(page(Numbers(known, results)), encoding="utf-8")
    NUMBERS.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "results/reproduce"))
