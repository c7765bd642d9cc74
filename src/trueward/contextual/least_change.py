"""The least change of some numbers that meets linear demands, each number within bounds: a quadratic program.

    minimise ||D||^2   such that   A D >= b,   low <= D <= high,   D = 0 where nothing can be moved

Solved by Clarabel, an interior-point solver that certifies when there is no solution: sparse, with a free licence, and
small. The demands are met to some 1e-11 of the largest.
"""

import importlib
from importlib.util import find_spec

import numpy as np
from scipy import sparse

from trueward.engine.kernel import Bools, Floats
from trueward.errors import TruewardError

PRECISION = 1e-12  # asked of the solver
MET = 1e-7  # how near to the demands a solution is that was not found to this precision, in the largest
FLAT = 1e-14  # of a row's size: a smaller entry moves nothing


def least_change(rows: Floats, demands: Floats, bounds: tuple[Floats, Floats], movable: Bools) -> Floats | None:
    """Return the least change, or None if there is none; a demand of at most 0 is met by no change at all."""
    change = np.zeros(rows.shape[1])
    if (demands <= 0.0).all():
        return change
    if not movable.any():
        return None
    scale = float(np.abs(rows[:, movable]).max())
    if scale == 0.0:
        return None
    used = movable & (np.abs(rows).max(axis=0) > FLAT * scale)
    found = _solved(rows[:, used] / scale, demands / scale, (bounds[0][used], bounds[1][used]))
    if found is None:
        return None
    change[used] = found
    return change


def _solved(rows: Floats, demands: Floats, bounds: tuple[Floats, Floats]) -> Floats | None:
    """Solve for numbers of the size of the largest demand; Clarabel's form is  A z + s = b,  s >= 0."""
    if find_spec("clarabel") is None:
        raise TruewardError("an attack needs clarabel: pip install 'trueward[contextual]'")
    clarabel = importlib.import_module("clarabel")  # an extra, without types
    count = rows.shape[1]
    eye = sparse.identity(count, format="csc")
    low, high = bounds
    unit = max(float(np.abs(demands).max()), np.finfo(np.float64).tiny)
    least, most = np.isfinite(low), np.isfinite(high)
    matrix = sparse.vstack([sparse.csc_matrix(-rows), eye[most], -eye[least]], format="csc")
    limits = np.concatenate([-demands, high[most], -low[least]]) / unit
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = PRECISION
    cones = [clarabel.NonnegativeConeT(limits.size)]
    solution = clarabel.DefaultSolver(eye, np.zeros(count), matrix, limits, cones, settings).solve()
    if "Infeasible" in str(solution.status):
        return None
    found = np.array(solution.x)
    if str(solution.status) != "Solved" and (matrix @ found > limits + MET).any():
        raise TruewardError(f"the quadratic program was not solved: {solution.status}")
    return unit * found
