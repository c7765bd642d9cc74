"""The paper's claims: every empirical sentence as a check that can fail."""

from collections.abc import Mapping

from trueward.lab.experiment.example_files import example_file, example_names
from trueward.lab.experiment.result import Result
from trueward.lab.experiment.specification import load
from trueward.lab.paper.claims.choices import CHOICES, Choice
from trueward.lab.paper.claims.claim import Claim
from trueward.lab.paper.claims.cluster import CLUSTER_AND_OTHERS
from trueward.lab.paper.claims.comparisons import COMPARISONS
from trueward.lab.paper.claims.easy_games import EASY_GAMES
from trueward.lab.paper.claims.reading import Games
from trueward.lab.paper.claims.section_four import SECTION_FOUR
from trueward.lab.paper.claims.sensitivity import SENSITIVITY
from trueward.lab.paper.ledger import Ledger

__all__ = ["CHOICES", "CLAIMS", "Choice", "Claim", "judge"]

CLAIMS: tuple[Claim, ...] = (*SECTION_FOUR, *COMPARISONS, *EASY_GAMES, *SENSITIVITY, *CLUSTER_AND_OTHERS)


def judge(results: Mapping[str, Result]) -> Ledger:
    """Return the ledger of all claims that the results, by name of experiment, can decide.

    Only experiments that come with the package count, with any trials and seed: a changed copy says nothing about the
    paper.
    """
    games = Games({name: result for name, result in results.items() if _is_of_the_package(name, result)})
    entries = (claim.entry(games) for claim in CLAIMS)
    return Ledger(tuple(entry for entry in entries if entry is not None))


def _is_of_the_package(name: str, result: Result) -> bool:
    if name not in example_names():
        return False
    cells = result.experiment.cells
    ours = load(example_file(name), trials=cells[0].trials, seed=cells[0].seed).cells
    return [cell.settings for cell in cells] == [cell.settings for cell in ours]
