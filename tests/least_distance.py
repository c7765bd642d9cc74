"""An independent solver of the quadratic program behind poisoning attacks."""

import numpy as np
from scipy import optimize


def least_distance(rows, required, low, high):
    """Return the shortest D with rows D >= required and low <= D <= high, or None, from non-negative least squares.

    Lawson & Hanson (1974), Solving least squares problems, chapter 23.
    """
    finite = [(np.eye(rows.shape[1]), low), (-np.eye(rows.shape[1]), -high)]
    sides = [(rows, required), *((part[np.isfinite(end)], end[np.isfinite(end)]) for part, end in finite)]
    g, h = np.vstack([part for part, _ in sides]), np.concatenate([end for _, end in sides])
    e, f = np.vstack([g.T, h]), np.append(np.zeros(rows.shape[1]), 1.0)
    residual = e @ optimize.nnls(e, f)[0] - f
    return None if np.linalg.norm(residual) < 1e-8 else -residual[:-1] / residual[-1]
