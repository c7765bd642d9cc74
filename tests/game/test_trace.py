import numpy as np
import pytest

import trueward as tw


@pytest.fixture(scope="module")
def trace():
    arms = tw.BinomialArms(n=10, p=[0.9, 0.8])
    return tw.play(tw.Uniform(), arms, tw.BernoulliAdversary(0.1), horizon=40, trials=5, compiled=False)


def test_trace_repr_summarises_the_games_in_three_lines(trace):
    lines = repr(trace).splitlines()
    final = trace.regret[:, -1]
    half = 1.959964 * final.std(ddof=1) / np.sqrt(5)
    assert lines[0] == "Trace: 5 trials of 40 rounds, 2 arms"
    assert lines[1] == f"regret after the last round: {final.mean():.1f} ± {half:.1f} (95 % interval)"
    assert lines[2].startswith("best arm in ")
    assert lines[2].endswith(" of rewards contaminated")
    assert trace._repr_html_().count("<br>") == 2


def test_trace_repr_of_a_single_trial_has_no_interval():
    trace = tw.play(tw.Uniform(), tw.BinomialArms(n=10, p=[0.9, 0.8]), horizon=7, compiled=False)
    assert repr(trace).startswith("Trace: 1 trial of 7 rounds")
    assert "±" not in repr(trace)


def test_trace_table_is_the_regret_curve(trace):
    table = trace.table()
    assert table.columns == ["round", "mean", "low", "high", "sd", "q10", "median", "q90"]
    assert table["round"].to_list() == trace.checkpoints.tolist()
    assert table["mean"].to_list() == pytest.approx(trace.regret.mean(axis=0).tolist())
    assert (table["low"] <= table["mean"]).all()


def test_trace_plot_shows_the_table(trace):
    chart = trace.plot().to_dict()
    rows = next(iter(chart["datasets"].values())) if "datasets" in chart else chart["data"]["values"]
    assert len(rows) == trace.checkpoints.size
    assert rows[-1]["mean"] == pytest.approx(trace.table()["mean"][-1], rel=1e-4)
