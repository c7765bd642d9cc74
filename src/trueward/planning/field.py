"""Who is compared in a plan: the default policy, the paper's, and no policy at all."""

from collections.abc import Sequence

from trueward.errors import ParameterError
from trueward.estimators.trimmed_mean import TrimmedMean
from trueward.planning.outline import Outline
from trueward.policies.index.crucb import CrUCB
from trueward.policies.policy import Policy
from trueward.policies.sampling.uniform import Uniform
from trueward.policies.wary.wary import Wary

DEFAULT, PAPERS, EQUAL = "Wary", "tUCB", "uniform"


def field_of(outline: Outline, *, alpha: float, sigma: float, only: Sequence[str] | None = None) -> dict[str, Policy]:
    """Return the policies as they would be created: tUCB is told alpha and sigma, Wary nothing."""
    ratings = None if outline.whole_numbers else outline.arms.scale.size
    field = {
        DEFAULT: Wary(outline.scale, levels=ratings),
        PAPERS: CrUCB(TrimmedMean(alpha), sigma=sigma),
        EQUAL: Uniform(),
    }
    for name in only or ():
        if name not in field:
            raise ParameterError(f"policies must be some of {', '.join(map(repr, field))}, got {name!r}")
    return {name: policy for name, policy in field.items() if not only or name in only}
