import pytest

import trueward as tw
from trueward.errors import ParameterError
from trueward.lab.arena.field import FIELD
from trueward.lab.arena.problem import Problem, configure_policy
from trueward.lab.arena.suite import NORMAL, PAPER


def test_problem_derives_parameters_from_the_true_arms():
    known = Problem(PAPER, 1000, 0.2)
    assert (known.rate, known.range, known.levels) == (0.2, (0.0, 10.0), 11)
    assert known.sd == pytest.approx(1.2649, abs=1e-4)
    assert known.total_contamination == pytest.approx(0.2 * 1000 * 5)
    assert Problem(PAPER, 1000, None).rate == 0.1
    assert Problem(NORMAL, 1000, 0.1).range == (-3.0, 4.0)
    assert FIELD["tUCB"].build(known) == tw.CrUCB(tw.TrimmedMean(0.2), sigma=known.sd)


def test_configure_policy_names_a_required_parameter_that_cannot_be_derived():
    message = (
        r"HeavyTailUCB has a required parameter 'mean' that cannot be derived from the scenario; pass it explicitly"
    )
    with pytest.raises(ParameterError, match=message):
        configure_policy(tw.HeavyTailUCB, Problem(PAPER, 1000, 0.1))
