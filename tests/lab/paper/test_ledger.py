import pytest

from trueward.lab.paper.ledger import Check, Entry, Ledger

READINGS = ("default reading", "UCB1 on raw ratings", "ranks as printed", "sigma: sub-Gaussian proxy")
YES, NO, OPEN = "holds", "does not hold", "undecided"


def entry(*outcomes, name="a-claim"):
    checks = tuple(Check(reading, 1.5, 1.25, 1.75, each) for reading, each in zip(READINGS, outcomes, strict=False))
    sentence = "one thing beats another"
    return Entry(name, "6, Figure 1", sentence, "a difference", "points", "above 0", "above", 0.0, checks)


@pytest.mark.parametrize("same", [YES, NO, OPEN])
def test_readings_that_agree_give_the_verdict(same):
    judged = entry(same, same, same)
    assert (judged.verdict, judged.depends_on, judged.explanation) == (same, (), same)


def test_claim_that_fails_under_one_reading_names_it():
    judged = entry(YES, NO, YES)
    assert (judged.verdict, judged.depends_on) == ("depends", ("UCB1 on raw ratings",))
    assert judged.explanation == "depends: holds; does not hold with UCB1 on raw ratings"


def test_explanation_separates_undecided_from_does_not_hold():
    judged = entry(YES, NO, OPEN, OPEN)
    assert judged.explanation == (
        "depends: holds; undecided with ranks as printed, sigma: sub-Gaussian proxy; "
        "does not hold with UCB1 on raw ratings"
    )
    assert entry(OPEN, YES).explanation == "depends: undecided; holds with UCB1 on raw ratings"


def test_summary_counts_verdicts_and_readings():
    one = Ledger((entry(YES), entry(NO), entry(OPEN), entry(OPEN)))
    assert one.summary == (
        "4 claims of the paper judged under the one reading played: 1 holds, 2 are undecided, 1 does not hold."
    )
    several = Ledger((entry(YES, YES, YES), entry(NO, NO), entry(YES, NO)))
    assert "under up to 3 readings each: 1 holds, 1 depends on the reading, 1 " in several.summary
    assert Ledger(()).summary == ""


def test_written_ledger_is_read_back_unchanged(tmp_path):
    ledger = Ledger((entry(YES), entry(YES, NO), entry(OPEN, NO, NO)))
    assert Ledger.read(ledger.write(tmp_path / "claims.json")) == ledger
