"""The constraint on the adversary: at every moment, at most a fraction epsilon of an arm's rewards is contaminated.

    for every n:   mask_1 + … + mask_n <= epsilon n

A single bad reward too early breaks it, however few there are in the end.

>>> prefix_ok([0, 0, 0, 0, 1], epsilon=0.2), prefix_ok([0, 0, 0, 1, 0], epsilon=0.2)
(True, False)
>>> first_violation([0, 0, 0, 1, 0], epsilon=0.2)
4

Reference: Niss & Tewari (2020), section 2.1.
"""

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine.kernel import ROUNDING_TOLERANCE
from trueward.errors import ParameterError
from trueward.parameters import Share, checked


@checked
def first_violation(mask: ArrayLike, *, epsilon: Share) -> int:
    """Return the number, from 1, of the first reward with too many bad ones up to it; 0 if there is none.

    `mask` marks the contaminated rewards of one arm, in the order in which they were seen.
    """
    bad = np.asarray(mask)
    if bad.ndim != 1 or not np.isin(bad, (0, 1)).all():
        raise ParameterError(f"mask must be a list of true and false, got {mask!r}")
    seen = np.arange(1, bad.size + 1)
    late = np.flatnonzero(np.cumsum(bad.astype(np.int64)) > epsilon * seen + ROUNDING_TOLERANCE)
    return int(late[0]) + 1 if late.size else 0


def prefix_ok(mask: ArrayLike, *, epsilon: float) -> bool:
    """Return whether every prefix of the rewards keeps the constraint."""
    return first_violation(mask, epsilon=epsilon) == 0
