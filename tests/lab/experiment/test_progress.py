import io

import pytest
from rich.console import Console

from trueward import lab
from trueward.lab.experiment import progress
from trueward.lab.experiment.progress import COMPILING, progress_bar

SPEC = {
    "arms": {"name": "binomial", "n": 10, "p": [0.9, 0.8]},
    "policies": {"uniform": {"name": "uniform"}},
    "horizon": 20,
    "trials": 3,
}


def test_lines_on_stderr_name_what_is_compiled_without_a_terminal(capsys):
    with progress_bar(Console(file=io.StringIO()), 1000) as report:
        report("x: a = 1", 0)
        for _ in range(3):
            report(f"x: a = 1{COMPILING}UCB", 0)
            report(f"x: a = 2{COMPILING}tUCB [c=4]", 0)
            report("x: a = 2", 100)
    assert capsys.readouterr().err.splitlines() == [
        "0 of 1,000 games; x: a = 1",
        "0 of 1,000 games; x: a = 1 - loading or compiling UCB",
        "0 of 1,000 games; x: a = 2 - loading or compiling tUCB [c=4]",
    ]


def test_lines_are_repeated_after_a_while(capsys, monkeypatch):
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", -1.0)
    with progress_bar(Console(file=io.StringIO()), 30) as report:
        report("x", 10)
        report("x", 10)
    assert capsys.readouterr().err == "10 of 30 games; x\n20 of 30 games; x\n"


def test_terminal_shows_a_bar():
    screen = io.StringIO()
    with progress_bar(Console(file=screen, force_terminal=True, width=100), 10) as report:
        report("x: [a]", 10)
    assert "10/10" in screen.getvalue()
    assert "x: [a]" in screen.getvalue()


@pytest.mark.parametrize("progress", [True, False])
def test_run_shows_progress_unless_it_is_switched_off(capsys, progress):
    lab.run(SPEC, progress=progress)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert ("0 of 3 games; " in captured.err) == progress  # what it plays, or first what it compiles
