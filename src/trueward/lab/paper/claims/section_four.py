"""The claims of section 4: the bound on alpha may be broken, and the shorth mean may be better for skewed values."""

from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np

from trueward.arms.arms import Arms
from trueward.engine.kernel import Floats
from trueward.estimators.shorth_mean.shorth_mean import shorth_mean
from trueward.estimators.trimmed_mean import trimmed_mean
from trueward.lab.paper.claims.claim import claim
from trueward.lab.paper.claims.comparisons import CRUCB, EPSILONS, OF_UNIFORM, OURS
from trueward.lab.paper.claims.findings import Compared, above, below, mean
from trueward.lab.paper.claims.reading import CLEAN, Reading, bernoulli
from trueward.theory.admissible_alpha import AdmissibleKind, alpha_max

POOR = 0.5  # of uniform play: what counts as poor in figure 5
SAMPLES, SIZE, SHARE = 400, 100, 0.1  # samples, rewards in each, and how many of them are contaminated
SKEWED = {"best arm": 6.0, "other arms": 10.0}  # on one side, inside the scale: what our scheme "inlier" shows
OUTLIERS = {"best arm": -100.0, "other arms": 110.0}  # what our scheme "unbounded" shows at most


@claim(
    "bound-on-alpha-broken",
    "4",
    "the simulations break the bound that the regret theorems put on alpha",
    "alpha as played divided by the largest that Theorems 3 and 4 allow: the smaller of tUCB and sUCB",
    above(1, "above 1"),
    unit="times",
)
def _bound_on_alpha_broken(reading: Reading) -> Iterator[Compared]:
    cell = reading.cell(CLEAN)
    gap = float(cell.arms.gaps[cell.arms.gaps > 0].min())
    kinds: dict[str, AdmissibleKind] = {"tUCB": "trim", "sUCB": "shorth"}
    for policy, kind in kinds.items():
        allowed = alpha_max(gap, sigma=cell.arms.sd, horizon=cell.horizon, kind=kind)
        ratio = min(EPSILONS) / allowed
        yield (ratio, ratio, ratio), f"{policy}: {allowed:.2g} is allowed, exactly"


@claim(
    "good-though-bound-broken",
    "4",
    "with the bound on alpha broken, performance is still good",
    "regret divided by that of uniform play: the largest of tUCB, sUCB and epsilon 0.05, 0.1",
    below(POOR),
    unit=OF_UNIFORM,
    note=f"{OURS} Above it, all do poorly in figure 5.",
)
def _good_though_broken(reading: Reading) -> Iterator[Compared]:
    for policy, e in product(CRUCB, EPSILONS):
        yield mean(reading.regret(policy, bernoulli(e)) / reading.uniform(bernoulli(e))), f"{policy} at epsilon {e}"


def better_for_outliers(reading: Reading) -> str:
    """Say how it is for both kinds of arms, and for large outliers."""
    arms = reading.cell(CLEAN).arms
    parts = (
        f"{which} with bad {bad:g}: {error_gaps(arms, which, bad).mean():+.2f}"
        for kind in (SKEWED, OUTLIERS)
        for which, bad in kind.items()
    )
    return f"Differences: {', '.join(parts)}."


@claim(
    "shorth-better-when-skewed",
    "4",
    "the shorth mean may be the better one when bad rewards are no large outliers and lie on one side",
    "error of the shorth mean minus that of the trimmed mean, for a tenth of 100 ratings bad and inside the scale: "
    "the smaller of the best arm and the others",
    below(0),
    note="Of samples, not of games; which values are meant is our choice.",
    remark=better_for_outliers,
)
def _shorth_better_when_skewed(reading: Reading) -> Iterator[Compared]:
    arms = reading.cell(CLEAN).arms
    compared = ((mean(error_gaps(arms, which, bad)), f"{which}, bad {bad:g}") for which, bad in SKEWED.items())
    yield min(compared, key=lambda found: found[0][2])  # it only "may be" better


def error_gaps(arms: Arms, which: str, bad: float) -> Floats:
    """Return the error of the shorth mean minus that of the trimmed mean, sample by sample, always the same ones."""
    arm = arms.best if which == "best arm" else int(np.argmax(arms.gaps))
    return _error_gaps(float(arms.means[arm]), int(arms.bounds[1]), bad)


@cache
def _error_gaps(truth: float, top: int, bad: float) -> Floats:
    ratings = np.random.default_rng(0).binomial(top, truth / top, size=(SAMPLES, SIZE)).astype(np.float64)
    ratings[:, : round(SHARE * SIZE)] = bad
    errors = [[abs(f(sample, alpha=SHARE) - truth) for f in (shorth_mean, trimmed_mean)] for sample in ratings]
    return np.asarray(np.array(errors) @ (1.0, -1.0))


SECTION_FOUR = (_bound_on_alpha_broken, _good_though_broken, _shorth_better_when_skewed)
