"""Which ranks of a sample the trimmed mean keeps."""

from trueward.engine.kernel import ceil_edge, floor_edge, kernel


@kernel
def kept_ranks(n: int, alpha: float, floor: bool, literal: bool) -> tuple[int, int]:
    """Return (start, stop): the kept order statistics are x[start:stop], counted from 0."""
    cut = floor_edge(alpha * n) if floor else ceil_edge(alpha * n)
    if literal:
        start, stop = cut - 1, n - cut
        if cut == 0 or start >= stop:  # x_(0), or nothing left: the paper is silent, take all
            start, stop = 0, n
    else:
        start = min(cut, (n - 1) // 2)
        stop = n - start
    return start, stop
