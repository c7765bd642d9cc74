"""The theorems, corollaries and appendix bounds of Niss & Tewari (2020) as functions: as printed, and sharpened."""

from trueward.theory.admissible_alpha import alpha_max, pull_threshold, resolved_gap
from trueward.theory.compare_bounds import compare_bounds
from trueward.theory.contaminated_ranges import contaminated_mean_range, median_range
from trueward.theory.gap_thresholds import (
    BernoulliExample,
    bernoulli_example,
    bounded_gap_threshold,
    gaussian_gap_threshold,
    subgaussian_gap_range,
)
from trueward.theory.identifiability import (
    hidden_distance,
    identifiability_threshold,
    identifiable,
    total_variation,
)
from trueward.theory.peer_bounds import exp3_bound, exp3pp_bound, tsallis_inf_bound, ucb1_bound, ucb_bound
from trueward.theory.prefix_constraint import first_violation, satisfies_prefix_constraint
from trueward.theory.radii import (
    mean_radius,
    shorth_radius,
    shorth_radius_from_counts,
    trim_radius,
    trim_radius_from_counts,
)
from trueward.theory.regret_bounds import RegretBound, gap_dependent_bound, gap_free_bound, linear_bound

__all__ = [
    "BernoulliExample",
    "RegretBound",
    "alpha_max",
    "bernoulli_example",
    "bounded_gap_threshold",
    "compare_bounds",
    "contaminated_mean_range",
    "exp3_bound",
    "exp3pp_bound",
    "first_violation",
    "gap_dependent_bound",
    "gap_free_bound",
    "gaussian_gap_threshold",
    "hidden_distance",
    "identifiability_threshold",
    "identifiable",
    "linear_bound",
    "mean_radius",
    "median_range",
    "pull_threshold",
    "resolved_gap",
    "satisfies_prefix_constraint",
    "shorth_radius",
    "shorth_radius_from_counts",
    "subgaussian_gap_range",
    "total_variation",
    "trim_radius",
    "trim_radius_from_counts",
    "tsallis_inf_bound",
    "ucb1_bound",
    "ucb_bound",
]
