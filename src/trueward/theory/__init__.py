"""Every theorem, corollary and appendix bound of the paper as a function: printed and sharpened, side by side."""

from trueward.theory.admissible import alpha_max, pull_threshold, resolved_gap
from trueward.theory.compare_bounds import compare_bounds
from trueward.theory.constraint import first_violation, prefix_ok
from trueward.theory.contaminated_ranges import contaminated_mean_range, median_range
from trueward.theory.gap_thresholds import (
    BernoulliExample,
    bernoulli_example,
    bounded_gap_threshold,
    gaussian_gap_threshold,
    subgaussian_gap_range,
)
from trueward.theory.identifiability import (
    bridged_distance,
    identifiability_threshold,
    identifiable,
    total_variation,
)
from trueward.theory.peer_bounds import exp3_bound, exp3pp_bound, tsallis_inf_bound, ucb1_bound, ucb_bound
from trueward.theory.radii import (
    mean_radius,
    shorth_radius,
    shorth_radius_exact,
    trim_radius,
    trim_radius_exact,
)
from trueward.theory.regret_bounds import RegretBound, gap_bound, linear_bound, minimax_bound

__all__ = [
    "BernoulliExample",
    "RegretBound",
    "alpha_max",
    "bernoulli_example",
    "bounded_gap_threshold",
    "bridged_distance",
    "compare_bounds",
    "contaminated_mean_range",
    "exp3_bound",
    "exp3pp_bound",
    "first_violation",
    "gap_bound",
    "gaussian_gap_threshold",
    "identifiability_threshold",
    "identifiable",
    "linear_bound",
    "mean_radius",
    "median_range",
    "minimax_bound",
    "prefix_ok",
    "pull_threshold",
    "resolved_gap",
    "shorth_radius",
    "shorth_radius_exact",
    "subgaussian_gap_range",
    "total_variation",
    "trim_radius",
    "trim_radius_exact",
    "tsallis_inf_bound",
    "ucb1_bound",
    "ucb_bound",
]
