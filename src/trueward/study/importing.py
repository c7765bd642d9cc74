"""Taking over what was rated before: the log of a bandit, or the table of a pilot.

The decisions were made elsewhere: they are `forced`, which `verify` does not compute again. What is learned from their
rewards, and every choice that follows, is computed as ever.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from csv import DictReader, Error
from pathlib import Path
from typing import Any

from trueward.errors import ParameterError
from trueward.live.bandit import Bandit
from trueward.live.labels import index_of
from trueward.study.asking import tell
from trueward.study.desk import Desk
from trueward.study.memory import FORCED, RUNNING
from trueward.study.settings import name_of

KNOWN = {"arm", "reward", "participant", "occasion", "evidence"}


def rows_of(file: Path) -> list[dict[str, Any]]:
    """Return the rows of a CSV file: arm, reward, and perhaps participant, occasion and evidence (as JSON)."""
    try:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            rows = [{name: cell for name, cell in row.items() if cell not in ("", None)} for row in DictReader(lines)]
    except (UnicodeDecodeError, Error) as error:
        raise ParameterError(f"{file} must be a table as CSV, in UTF-8: {error}") from None
    return [_read_cells(row, position) for position, row in enumerate(rows)]


def _read_cells(row: dict[str, Any], position: int) -> dict[str, Any]:
    """Return a row with its reward and evidence as they are meant; JSON has numbers as Python does."""
    for name in ("reward", "evidence"):
        try:
            row |= {name: json.loads(row[name])} if name in row else {}
        except ValueError:
            raise ParameterError(f"row {position}: {name} must be a number or JSON, got {row[name]!r}") from None
    return row


def import_ratings(desk: Desk, rows: Iterable[Mapping[str, Any]]) -> list[int]:
    """Append a pilot's ratings, each arm of which had the same probability; all, or none if one is refused."""
    desk.memory.refuse_unless(RUNNING)
    arms = desk.memory.arms
    return [_import_row(desk, row, arms, position) for position, row in enumerate(rows)]


def _import_row(desk: Desk, row: Mapping[str, Any], arms: Sequence[str], position: int) -> int:
    if not isinstance(row, Mapping) or not {"arm", "reward"} <= row.keys() <= KNOWN:
        raise ParameterError(f"row {position} must have arm and reward, and may have {_also()}, got {row!r}")
    memory, arm, occasion = desk.memory, row["arm"], name_of("occasion", row.get("occasion") or "1")
    index_of(arm, arms)
    pseudonym = _pseudonym(desk, row.get("participant"))
    if pseudonym is not None and (pseudonym, occasion) in memory.by_occasion:
        raise ParameterError(f"row {position}: {row['participant']!r} has a decision for occasion {occasion!r} already")
    p = [1.0 / len(arms) if label in arms else 0.0 for label in memory.bandit.arms]
    number = _force(desk, str(arm), p, list(arms), pseudonym, occasion)
    tell(desk, number, row["reward"], row.get("evidence"))
    return number


def _pseudonym(desk: Desk, participant: str | None) -> str | None:
    if participant is None:
        return None
    whose = name_of("participant", participant)
    return desk.pseudonym_of(whose) or desk.new_pseudonym(whose)


def _also() -> str:
    return ", ".join(sorted(KNOWN - {"arm", "reward"}))


def import_bandit(desk: Desk, bandit: Bandit) -> None:
    """Append the asks of a bandit, and then its rewards and those given up, in the order in which that came."""
    log, names = bandit.log, [str(label) for label in bandit.arms]
    for asked in log.asks:
        among = [name for name, was in zip(names, asked.available.tolist(), strict=True) if was]
        _force(desk, names[asked.arm], asked.p.tolist(), among, None, "1")
    for number in log.order:
        if number in log.told:
            tell(desk, number, log.told[number], log.evidence.get(number))
        else:
            desk.append("close", {"close": [number]})
    if log.void:
        desk.append("void", {"void": sorted(log.void), "reason": "void in the bandit's log", "by": {"number": True}})


def _force(desk: Desk, arm: str, p: list[float], among: list[str], pseudonym: str | None, occasion: str) -> int:
    """Append a decision that was made elsewhere, and return its number."""
    memory = desk.memory
    body = {"ask": len(memory.made) + 1, "arm": arm, "p": p, "arms": list(memory.bandit.arms), "among": among}
    body |= {"participant": pseudonym, "occasion": occasion, "kind": FORCED}
    desk.append("ask", {**body, "learned": memory.last_seq, "corrections": memory.known.corrections})
    return memory.made[-1].number
