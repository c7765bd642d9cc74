"""The smallest change of a vector that satisfies linear inequalities within bounds: a quadratic program."""

import importlib
from importlib.util import find_spec

import numpy as np
from scipy import optimize, sparse

from trueward.engine.kernel import Bools, Floats
from trueward.errors import TruewardError

SOLVER_TOLERANCE = 1e-12
ACCEPTED_ERROR = (
    1e-9  # of the constraints and of the optimum: a solution within it counts, whatever the solver's status
)
INFEASIBLE = 2  # status code of linprog
NEGLIGIBLE = 1e-14  # relative to the largest entry of a row: a smaller one has no effect


def smallest_change(
    matrix: Floats, required: Floats, bounds: tuple[Floats, Floats], changeable: Bools
) -> Floats | None:
    """Return the change D of smallest Euclidean norm, or None if there is none.

        minimise ||D||^2   subject to   A D >= b,   low <= D <= high,   D = 0 where it is not changeable

    Clarabel solves the program: an interior-point solver that certifies infeasibility, sparse, small and with a free
    licence. The inequalities hold to about 1e-11 of the largest.
    """
    change = np.zeros(matrix.shape[1])
    if (required <= 0.0).all():
        return change
    if not changeable.any():
        return None
    scale = float(np.abs(matrix[:, changeable]).max())
    if scale == 0.0:
        return None
    used = changeable & (np.abs(matrix).max(axis=0) > NEGLIGIBLE * scale)
    solution = _solve(matrix[:, used] / scale, required / scale, (bounds[0][used], bounds[1][used]))
    if solution is None:
        return None
    change[used] = solution
    return change


def _solve(matrix: Floats, required: Floats, bounds: tuple[Floats, Floats]) -> Floats | None:
    """Solve in units of the bounds, then of `required`: nearly infeasible programs may need either."""
    limits = np.abs(np.concatenate(bounds))
    sizes = (float(limits[np.isfinite(limits)].max(initial=0.0)), float(np.abs(required).max()))
    for unit in (size for size in sizes if size > 0.0):
        status, solution = _run_clarabel(matrix, required / unit, (bounds[0] / unit, bounds[1] / unit))
        if status == "Solved":
            return unit * solution
        if "Infeasible" in status:
            return None
    pairs = list(zip(bounds[0].tolist(), bounds[1].tolist(), strict=True))
    if optimize.linprog(np.zeros(matrix.shape[1]), -matrix, -required, bounds=pairs).status == INFEASIBLE:
        return None
    raise TruewardError(f"the quadratic program was not solved: {status}")


def _run_clarabel(matrix: Floats, required: Floats, bounds: tuple[Floats, Floats]) -> tuple[str, Floats]:
    """Return Clarabel's status and solution; its form is  A z + s = b,  s >= 0."""
    if find_spec("clarabel") is None:
        raise TruewardError("an attack needs clarabel: pip install 'trueward[contextual]'")
    clarabel = importlib.import_module("clarabel")  # an extra, without types
    (low, high), count = bounds, matrix.shape[1]
    has_low, has_high, eye = np.isfinite(low), np.isfinite(high), sparse.identity(count, format="csc")
    constraints = sparse.vstack([sparse.csc_matrix(-matrix), eye[has_high], -eye[has_low]], format="csc")
    limits = np.concatenate([-required, high[has_high], -low[has_low]])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = SOLVER_TOLERANCE
    cones = [clarabel.NonnegativeConeT(limits.size)]
    result = clarabel.DefaultSolver(eye, np.zeros(count), constraints, limits, cones, settings).solve()
    solution, gap = np.array(result.x), abs(result.obj_val - result.obj_val_dual)
    accepted = (constraints @ solution <= limits + ACCEPTED_ERROR).all()
    accepted = accepted and gap <= ACCEPTED_ERROR * (1.0 + abs(result.obj_val))
    return ("Solved" if accepted else str(result.status)), solution
