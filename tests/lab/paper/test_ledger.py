from rich.console import Console

from trueward.lab.paper.ledger import Check, Entry, Ledger, verdict_words


def entry(*outcomes, name="a-claim"):
    choices = ("as stated", "UCB1 raw", "literal ranks")
    checks = tuple(Check(choice, 1.5, 1.25, 1.75, holds) for choice, holds in zip(choices, outcomes, strict=False))
    return Entry(name, "6, Figure 1", "one thing beats another", "a difference", "above 0", checks, "a comment")


def test_a_claim_that_holds_under_every_choice_holds():
    judged = entry(True, True, True)
    assert (judged.verdict, judged.depends_on, verdict_words(judged)) == ("holds", (), "holds")


def test_a_claim_that_holds_under_no_choice_does_not_hold():
    judged = entry(False, False, False)
    assert (judged.verdict, judged.depends_on, verdict_words(judged)) == ("does not hold", (), "does not hold")


def test_a_claim_that_fails_with_one_choice_names_it():
    judged = entry(True, False, True)
    assert (judged.verdict, judged.depends_on) == ("depends", ("UCB1 raw",))
    assert verdict_words(judged) == "depends: holds, but not with UCB1 raw"


def test_a_claim_that_only_other_choices_save_names_them():
    judged = entry(False, True, True)
    assert judged.depends_on == ("UCB1 raw", "literal ranks")
    assert verdict_words(judged) == "depends: does not hold, but does with UCB1 raw; literal ranks"


def test_a_written_ledger_is_read_back_the_same(tmp_path):
    ledger = Ledger((entry(True), entry(True, False), entry(False, False, False)))
    assert Ledger.read(ledger.write(tmp_path / "claims.json")) == ledger


def test_the_table_shows_claim_interval_and_verdict():
    console = Console(width=200, record=True, file=None, quiet=False)
    with console.capture() as capture:
        console.print(Ledger((entry(True, False, name="crucb-beats-ucb1"),)).as_table())
    shown = capture.get()
    for part in ("crucb-beats-ucb1", "1.5 [1.25, 1.75]", "holds, but not with UCB1 raw"):
        assert part in shown
