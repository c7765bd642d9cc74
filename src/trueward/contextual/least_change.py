"""The least change of some numbers that meets linear demands, each number within bounds: a quadratic program.

    minimise ||D||^2   such that   A D >= b,   low <= D <= high,   D = 0 where nothing can be moved

Solved by Clarabel, an interior-point solver that certifies when there is no solution: sparse, with a free licence, and
small. The demands are met to some 1e-11 of the largest.
"""

import importlib
from importlib.util import find_spec

import numpy as np
from scipy import optimize, sparse

from trueward.engine.kernel import Bools, Floats
from trueward.errors import TruewardError

PRECISION = 1e-12  # asked of the solver
MET = 1e-9  # how near to the demands, and to the optimum, a solution must be, whatever the solver says of it
NO_SOLUTION = 2  # linprog's word for it
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
    """Solve in units of the bounds, else of the demands: programs at the edge of having no solution need the choice."""
    limits = np.abs(np.concatenate(bounds))
    sizes = (float(limits[np.isfinite(limits)].max(initial=0.0)), float(np.abs(demands).max()))
    for unit in (size for size in sizes if size > 0.0):
        status, found = _asked(rows, demands / unit, (bounds[0] / unit, bounds[1] / unit))
        if status == "Solved":
            return unit * found
        if "Infeasible" in status:
            return None
    ends = list(zip(bounds[0].tolist(), bounds[1].tolist(), strict=True))
    if optimize.linprog(np.zeros(rows.shape[1]), -rows, -demands, bounds=ends).status == NO_SOLUTION:
        return None
    raise TruewardError(f"the quadratic program was not solved: {status}")


def _asked(rows: Floats, demands: Floats, bounds: tuple[Floats, Floats]) -> tuple[str, Floats]:
    """Return how Clarabel ended, and where; its form is  A z + s = b,  s >= 0."""
    if find_spec("clarabel") is None:
        raise TruewardError("an attack needs clarabel: pip install 'trueward[contextual]'")
    clarabel = importlib.import_module("clarabel")  # an extra, without types
    (low, high), count = bounds, rows.shape[1]
    least, most, eye = np.isfinite(low), np.isfinite(high), sparse.identity(count, format="csc")
    matrix = sparse.vstack([sparse.csc_matrix(-rows), eye[most], -eye[least]], format="csc")
    limits = np.concatenate([-demands, high[most], -low[least]])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = PRECISION
    cones = [clarabel.NonnegativeConeT(limits.size)]
    solution = clarabel.DefaultSolver(eye, np.zeros(count), matrix, limits, cones, settings).solve()
    found, gap = np.array(solution.x), abs(solution.obj_val - solution.obj_val_dual)
    near = (matrix @ found <= limits + MET).all() and gap <= MET * (1.0 + abs(solution.obj_val))
    return ("Solved" if near else str(solution.status)), found
