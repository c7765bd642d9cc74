import inspect
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import trueward
from trueward.cli.app import app
from trueward.cli.catalogue import ROLES, entries
from trueward.cli.one_line_errors import one_line_errors
from trueward.lab.experiment.example_files import example_names
from trueward.serialization import REGISTRIES

SPEC = """
horizon = 30
trials = 20
arms = { name = "bernoulli", p = [0.4, 0.6] }
adversary = { name = "bernoulli", epsilon = "$epsilon", values = "worst-bounded" }
policies.UCB = { name = "ucb", sigma = 0.5 }
policies.uniform = { name = "uniform" }
sweep.epsilon = [0.0, 0.1]
"""


def call(*arguments):
    return CliRunner().invoke(app, list(map(str, arguments)), env={"COLUMNS": "160"})


def test_help_on_clusters_names_the_extra_to_install():
    assert "trueward[cluster]" in call("run", "--help").output


@pytest.mark.parametrize("kind", ROLES)
def test_list_commands_print_one_line_per_entry(kind):
    result = call(kind)
    assert result.exit_code == 0
    for role in ROLES[kind]:
        for name in REGISTRIES[role]:
            assert f"\n{name} " in f"\n{result.output}"
    assert all(len(line) > 15 for _, line in entries(kind))


@pytest.mark.parametrize("name", sorted({name for table in REGISTRIES.values() for name in table}))
def test_show_prints_signature_and_class_docstring(name):
    result = call("show", name)
    assert result.exit_code == 0
    for table in REGISTRIES.values():
        if name in table:
            assert f"{table[name].__name__}(" in result.output
            assert inspect.getdoc(table[name]) in result.output


def test_show_prints_formula_parameters_guarantee_and_reference_of_a_policy():
    output = call("show", "crucb").output
    for part in ("argmax_a", "    c: float", " = 4.0,", "Guarantee", "Niss & Tewari (2020), Algorithm 4"):
        assert part in output


def test_documentation_of_every_policy_names_a_guarantee_and_a_reference():
    for name in REGISTRIES["policy"]:
        output = call("show", name).output
        assert "Guarantee" in output, name
        assert "References\n----------" in output, name


@pytest.mark.parametrize(
    ("name", "hint"),
    [("zzz", "; known: ace, barbar, "), ("tUCB", "; did you mean 'ucb'?\n"), ("Exp3pp", "; did you mean 'exp3")],
)
def test_unknown_name_is_answered_with_the_nearest(name, hint):
    result = call("show", name)
    assert result.exit_code == 2
    assert result.stderr.startswith(
        f"trueward: no policy, adversary, estimator, arms, delay or values is named {name!r}{hint}"
    )
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["run", "examples"])
def test_misspelt_example_is_answered_with_the_nearest(command):
    result = call(command, "figur1")
    assert result.exit_code == 2
    assert result.stderr == "trueward: there is no example 'figur1'; did you mean 'figure1'?\n"


def test_version_is_printed():
    assert call("--version").output == f"trueward {trueward.__version__}\n"


def test_shell_completion_can_be_installed():
    assert "--install-completion" in call("--help").output


def test_misspelt_command_is_answered_with_the_nearest():
    assert "Did you mean 'reproduce'?" in call("reproduc").stderr


def test_run_prints_names_with_brackets(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(
        SPEC.replace("policies.UCB", 'policies."UCB [c=4]"').replace("policies.uniform", 'policies."U [/]"')
    )
    result = call("run", file, "--out", tmp_path / "out", "--workers", "1")
    assert result.exit_code == 0, result.output
    assert "UCB [c=4]" in result.output
    assert "U [/]" in result.output


def test_examples_are_listed_and_copied_without_overwriting(tmp_path):
    listed = call("examples").output
    assert all(name in listed for name in example_names())
    assert call("examples", "figure3", "--to", tmp_path).exit_code == 0
    assert (tmp_path / "figure3.toml").exists()
    again = call("examples", "figure3", "--to", tmp_path)
    assert again.exit_code == 2
    assert "exists already; nothing was copied" in again.stderr
    assert call("examples", "figure9").exit_code == 2


def test_run_writes_tables_and_a_report(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(SPEC)
    result = call("run", file, "--out", tmp_path / "out", "--workers", "1")
    assert result.exit_code == 0, result.output
    assert "uncontaminated regret" in result.output
    assert f"report: {tmp_path / 'out' / 'report.html'}" in result.output
    assert sorted(f.name for f in (tmp_path / "out" / "data").iterdir()) == [
        "mine-curves.csv",
        "mine-curves.parquet",
        "mine-trials.csv",
        "mine-trials.parquet",
    ]
    assert "<dd>2 of 2 cells played in " in (tmp_path / "out" / "report.html").read_text()
    call("run", file, "--out", tmp_path / "out", "--workers", "1")
    again = (tmp_path / "out" / "report.html").read_text()
    assert "<dd>0 of 2 cells played in 0.0 s; 2 loaded, played earlier in " in again


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("horizon = 30", "horizn = 30"), "mine.toml: there is no key 'horizn'; allowed: "),
        (("sigma = 0.5", "sigma = -1"), "mine.toml: policies.UCB: sigma must be at least 0, got -1"),
        (("horizon = 30", "horizon = "), "mine.toml: is not TOML: "),
        (('name = "ucb"', 'name = "ucbb"'), "got 'ucbb'; did you mean 'ucb'?"),
    ],
)
def test_wrong_file_is_named_in_one_line(tmp_path, change, message):
    file = tmp_path / "mine.toml"
    file.write_text(SPEC.replace(*change))
    result = call("run", file)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "results").exists()


def test_ctrl_c_keeps_finished_games_and_says_so(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(
        SPEC.replace("trials = 20", "trials = 4000").replace("[0.0, 0.1]", str([i / 200 for i in range(60)]))
    )
    command = [sys.executable, "-c", "from trueward.cli.app import app; app()"]
    process = subprocess.Popen(
        [*command, "run", str(file), "--out", str(tmp_path / "out")],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while len(list((tmp_path / "out" / "cells").glob("*"))) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGINT)
    output, error = process.communicate(timeout=30)
    assert process.returncode == 130
    assert error.splitlines()[-1] == "stopped; finished games are stored, and the same command continues from there"
    assert "loading or compiling UCB" in error
    assert output == ""  # no progress bar where there is no terminal


@pytest.mark.soak
def test_reproduce_draws_one_figure_and_checks_its_claims(tmp_path):
    result = call("reproduce", "--figure", "5", "--trials", "3", "--out", tmp_path, "--seed", "7")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "figures" / "figure5.png").exists()
    assert (tmp_path / "figures" / "figure5.pdf").exists()
    assert not (tmp_path / "figures" / "figure1.png").exists()
    assert len(json.loads((tmp_path / "claims.json").read_text())) >= 1
    assert "under the one reading played" in result.output
    assert "Figure 5: mean regret ± half-width of the 95 % CI" in result.output


@pytest.mark.parametrize("out", ["file", "file/below"])
def test_unwritable_folder_is_reported_in_one_line_before_any_game(tmp_path, monkeypatch, out):
    (tmp_path / "file").write_text("")
    (tmp_path / "mine.toml").write_text(SPEC)
    monkeypatch.setattr("trueward.lab.experiment.runner.play_cell", lambda *_: pytest.fail("played before the check"))
    result = call("run", tmp_path / "mine.toml", "--out", tmp_path / out)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"trueward: {tmp_path / out}/cells: the folder cannot be written: ")
    assert result.stderr.count("\n") == 1


def test_example_that_cannot_be_copied_is_reported_in_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    result = call("examples", "figure1", "--to", tmp_path / "file" / "below")
    assert result.exit_code == 2
    assert result.stderr == f"trueward: {tmp_path}/file/below: Not a directory\n"


def test_full_disk_is_reported_in_one_line(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device", "data")

    (tmp_path / "mine.toml").write_text(SPEC)
    monkeypatch.setattr("trueward.lab.paper.reproduce.write_tables", full)
    monkeypatch.setattr("trueward.lab.paper.reproduce.run_experiments", lambda *_: [])
    monkeypatch.setattr("trueward.lab.paper.reproduce.judge", lambda _: full())
    result = call("run", tmp_path / "mine.toml", "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert result.stderr == "trueward: data: No space left on device\n"


def test_run_prints_a_single_trial_without_an_interval(tmp_path):
    (tmp_path / "mine.toml").write_text(SPEC)
    result = call("run", tmp_path / "mine.toml", "--trials", 1, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert " – " in result.output


def test_lack_of_memory_is_reported_in_one_line(capsys):
    with pytest.raises(typer.Exit):
        one_line_errors(lambda: np.empty(2**59))()
    assert capsys.readouterr().err.startswith("trueward: not enough memory: Unable to allocate 4.00 EiB")
