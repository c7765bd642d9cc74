"""How much a long proof does: in full for `make soak`, a little of it for CI."""

import os


def size(full, short):
    """Return how many there are to be."""
    return short if os.environ.get("SOAK") == "short" else full
