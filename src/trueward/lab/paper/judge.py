"""Judge the paper's claims: compare each interval with its limit, under every reading."""

from collections.abc import Iterable, Mapping
from itertools import product

import polars as pl

from trueward.lab.experiment.result import Result
from trueward.lab.paper.claims import CLAIMS
from trueward.lab.paper.claims.claim import Claim, Comparison, Limit
from trueward.lab.paper.estimates import Estimate
from trueward.lab.paper.ledger import OUTCOMES, Check, Entry, Ledger, Outcome
from trueward.lab.paper.readings import DEFAULT_READING, games_by_reading

ONLY_DEFAULT_READING = "Only our default reading was played; run the experiments named readings-… for the others."


def judge(results: Mapping[str, Result]) -> Ledger:
    """Return the ledger of all claims that the results of the paper's experiments, by name, can decide.

    A claim about several comparisons is decided by the weakest of them. It is judged under the default reading, and
    under every other reading that changes its games.
    """
    tables = {"trials": games_by_reading(results), "curves": games_by_reading(results, "curves")}
    only_default = not any(name.startswith("readings-") for name in results)
    entries = (_entry(claim, tables[claim.table], only_default=only_default) for claim in CLAIMS)
    return Ledger(tuple(entry for entry in entries if entry is not None))


def _entry(claim: Claim, games: pl.DataFrame, *, only_default: bool) -> Entry | None:
    """Return the entry of a claim, or None if its games were not played."""
    used = games_used(claim, games)
    if DEFAULT_READING not in used:
        return None
    decisive = {reading: weakest(claim.measure(rows), claim.limit) for reading, rows in used.items()}
    checks = tuple(
        Check(reading, *comparison.estimate, outcome(comparison.estimate, claim.limit))
        for reading, comparison in decisive.items()
    )
    comments = [claim.note, claim.remark(games.filter(reading=DEFAULT_READING)) if claim.remark else ""]
    for check, comparison in zip(checks, decisive.values(), strict=True):
        if check.reading == DEFAULT_READING or check.outcome != "holds":
            introduction = "Decided by" if check.reading == DEFAULT_READING else f"With {check.reading}"
            contains = f" (undecided: the interval contains {claim.limit.value:g})"
            comments.append(f"{introduction}: {comparison.label}{contains if check.outcome == 'undecided' else ''}.")
    return Entry(
        name=claim.name,
        section=claim.section,
        sentence=claim.sentence,
        statistic=claim.statistic,
        unit=claim.unit,
        criterion=claim.limit.criterion,
        side=claim.limit.side,
        limit=claim.limit.value,
        checks=checks,
        comment=" ".join(filter(None, [*comments, ONLY_DEFAULT_READING if only_default else ""])),
    )


def games_used(claim: Claim, games: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return the games of a claim by reading, for the default reading and each reading that changes them."""
    at_settings = games.filter(pl.col("setting").is_in(claim.settings))
    if not claim.policies:  # the claim needs no games; it is judged if its settings were played
        played = at_settings["setting"].n_unique() == len(claim.settings)
        return {DEFAULT_READING: games.clear()} if played else {}
    rows = at_settings.filter(pl.col("policy").is_in(claim.policies))
    pairs = set(product(claim.settings, claim.policies))
    by_reading = {
        str(reading): part
        for (reading,), part in rows.partition_by("reading", as_dict=True).items()
        if set(part.select("setting", "policy").unique().iter_rows()) == pairs
    }
    default = set(by_reading[DEFAULT_READING]["game"].unique()) if DEFAULT_READING in by_reading else set()
    return {
        reading: part
        for reading, part in by_reading.items()
        if reading == DEFAULT_READING or set(part["game"].unique()) != default
    }


def weakest(comparisons: Iterable[Comparison], limit: Limit) -> Comparison:
    """Return the comparison that decides a claim. Failed comparisons come before undecided ones."""
    return min(
        comparisons,
        key=lambda each: (OUTCOMES.index(outcome(each.estimate, limit)), margin(each.estimate, limit)),
    )


def outcome(estimate: Estimate, limit: Limit) -> Outcome:
    """Return whether the whole interval lies on the right side of the limit, on the wrong side, or contains it."""
    _, low, high = estimate
    if margin(estimate, limit) > 0:
        return "holds"
    return "undecided" if low <= limit.value <= high else "does not hold"


def margin(estimate: Estimate, limit: Limit) -> float:
    """Return the distance from the limit to the interval; positive if the whole interval is on the required side."""
    _, low, high = estimate
    return limit.value - high if limit.side == "below" else low - limit.value
