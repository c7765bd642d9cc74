"""The paper's claims: every empirical sentence as a check that can fail."""

from trueward.lab.paper.claims.bernoulli_claims import BERNOULLI_CLAIMS
from trueward.lab.paper.claims.bound_on_alpha import BOUND_CLAIMS
from trueward.lab.paper.claims.claim import Claim
from trueward.lab.paper.claims.front_cluster_claims import CLUSTER_CLAIMS
from trueward.lab.paper.claims.no_robustness_needed import EASY_CLAIMS
from trueward.lab.paper.claims.wrong_parameters import PARAMETER_CLAIMS

__all__ = ["CLAIMS", "Claim"]

CLAIMS: tuple[Claim, ...] = (*BOUND_CLAIMS, *BERNOULLI_CLAIMS, *EASY_CLAIMS, *PARAMETER_CLAIMS, *CLUSTER_CLAIMS)
