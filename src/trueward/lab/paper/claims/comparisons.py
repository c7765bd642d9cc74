"""The claims of figure 1: who wins without contamination, and under the Bernoulli adversary."""

from collections.abc import Callable

from trueward.engine.kernel import Floats
from trueward.lab.paper.claims.claim import Claim, claim
from trueward.lab.paper.claims.findings import Finding, above, below, mean, saved, share, weakest
from trueward.lab.paper.claims.reading import CLEAN, Reading, bernoulli

CRUCB = ("tUCB", "sUCB")
ROBUST = (*CRUCB, "RUCB-MAB")
UCB_TYPES = (*ROBUST, "UCB")
ADVERSARIAL = ("EXP3", "EXP3++", "Tsallis-INF")
EPSILONS = (0.05, 0.1)
SMALL = 0.1  # of the regret of uniform play; the paper names no threshold, this one is ours

BERNOULLI_WHERE = "abstract, 1, 7; Figure 1"
BEATS = "paired difference in regret, crUCB minus {}: the weakest of tUCB, sUCB and epsilon 0.05, 0.1"
ADDED = "added regret, divided by that of uniform play: the largest of {}"
OURS = "The threshold is ours."
OF_UNIFORM = "of uniform play"


def crucb_beats(rival: str) -> Callable[[Reading], Finding]:
    """Regret of crUCB minus that of a rival, below 0 for both estimators and both epsilons."""

    def measure(reading: Reading) -> Finding:
        return weakest(
            below(mean(_gap(reading, policy, rival, epsilon)), 0, f"{policy} against {rival} at epsilon {epsilon}")
            for policy in CRUCB
            for epsilon in EPSILONS
        )

    return measure


def _gap(reading: Reading, policy: str, rival: str, epsilon: float) -> Floats:
    return reading.regret(policy, bernoulli(epsilon)) - reading.regret(rival, bernoulli(epsilon))


@claim(
    "constraint-broken",
    "abstract, 1",
    "the simulated adversary breaks the constraint that the theorems put on it",
    "share of crUCB's games in which it is broken at some round: the smallest of tUCB, sUCB and epsilon 0.05, 0.1",
    "interval (Wilson) above one half",
    unit="of the games",
)
def _constraint_broken(reading: Reading) -> Finding:
    return weakest(
        above(share(reading.violations(policy, bernoulli(epsilon)) > 0), 0.5, f"{policy} at epsilon {epsilon}")
        for policy in CRUCB
        for epsilon in EPSILONS
    )


@claim(
    "adversarial-poor-when-clean",
    "6, Figure 1(a)",
    "without contamination, EXP3, EXP3++ and Tsallis-INF do worse than the UCB types",
    "paired difference in regret: the smallest over the 12 pairs",
    "interval above 0",
)
def _adversarial_poor_when_clean(reading: Reading) -> Finding:
    return weakest(
        above(mean(reading.regret(one, CLEAN) - reading.regret(other, CLEAN)), 0, f"{one} against {other}")
        for one in ADVERSARIAL
        for other in UCB_TYPES
    )


@claim(
    "tsallis-best-of-three",
    "6, Figure 1",
    "Tsallis-INF is the best of EXP3, EXP3++ and Tsallis-INF",
    "paired difference in regret to EXP3 and EXP3++: the weakest over epsilon 0, 0.05, 0.1",
    "interval below 0",
)
def _tsallis_best_of_three(reading: Reading) -> Finding:
    return weakest(
        below(mean(reading.regret("Tsallis-INF", at) - reading.regret(rival, at)), 0, f"{rival} at epsilon {epsilon}")
        for epsilon, at in ((0, CLEAN), (0.05, bernoulli(0.05)), (0.1, bernoulli(0.1)))
        for rival in ("EXP3", "EXP3++")
    )


@claim(
    "tsallis-degrades",
    "6, Figure 1",
    "Tsallis-INF gets worse as the contaminated share grows",
    "regret added by a step of epsilon, 0 to 0.05 and 0.05 to 0.1: the smaller",
    "interval above 0",
)
def _tsallis_degrades(reading: Reading) -> Finding:
    clean, some, more = (reading.regret("Tsallis-INF", at) for at in (CLEAN, bernoulli(0.05), bernoulli(0.1)))
    return weakest(
        (
            above(mean(some - clean), 0, "from epsilon 0 to 0.05"),
            above(mean(more - some), 0, "from epsilon 0.05 to 0.1"),
        )
    )


def slightly_affected(epsilon: float) -> Callable[[Reading], Finding]:
    """Regret that contamination adds to the robust UCBs, in units of uniform play, below a tenth."""

    def measure(reading: Reading) -> Finding:
        unit = reading.uniform(bernoulli(epsilon))
        return weakest(
            below(mean(_added(reading, policy, epsilon) / unit), SMALL, f"{policy} at epsilon {epsilon}")
            for policy in ROBUST
        )

    return measure


def _added(reading: Reading, policy: str, epsilon: float) -> Floats:
    return reading.regret(policy, bernoulli(epsilon)) - reading.regret(policy, CLEAN)


@claim(
    "robust-degrade-less-than-tsallis",
    "6, Figure 1",
    "contamination adds less regret to the robust UCBs than to Tsallis-INF",
    "difference of the added regrets: the largest of tUCB, sUCB, RUCB-MAB and epsilon 0.05, 0.1",
    "interval below 0",
)
def _degrade_less_than_tsallis(reading: Reading) -> Finding:
    return weakest(
        below(mean(_added(reading, policy, e) - _added(reading, "Tsallis-INF", e)), 0, f"{policy} at epsilon {e}")
        for policy in ROBUST
        for e in EPSILONS
    )


@claim(
    "clear-benefit-over-ucb",
    "6, Figure 1",
    "algorithms that account for contamination have a clear benefit over plain UCB",
    "share of UCB's regret that is saved: the smallest of tUCB, sUCB, RUCB-MAB and epsilon 0.05, 0.1",
    "interval (bootstrap) above 0.1",
    unit="of UCB's regret",
    note=OURS,
)
def _benefit_over_ucb(reading: Reading) -> Finding:
    return weakest(
        above(saved(reading.regret(policy, at), reading.regret("UCB", at)), 0.1, f"{policy} at epsilon {epsilon}")
        for policy in ROBUST
        for epsilon, at in zip(EPSILONS, map(bernoulli, EPSILONS), strict=True)
    )


@claim(
    "median-similar",
    "6, Figure 1",
    "RUCB-MAB can do about as well as the crUCBs",
    "regret of RUCB-MAB minus that of tUCB and sUCB, divided by that of uniform play: the largest",
    "interval below 0.1",
    unit=OF_UNIFORM,
    note=OURS,
)
def _median_similar(reading: Reading) -> Finding:
    return weakest(
        below(
            mean(_gap(reading, "RUCB-MAB", policy, epsilon) / reading.uniform(bernoulli(epsilon))),
            SMALL,
            f"against {policy} at epsilon {epsilon}",
        )
        for policy in CRUCB
        for epsilon in EPSILONS
    )


COMPARISONS = (
    *(
        Claim(
            f"crucb-beats-{name}",
            BERNOULLI_WHERE,
            f"under a Bernoulli adversary, both crUCBs have less regret than {rival}",
            BEATS.format(rival),
            "interval below 0",
            crucb_beats(policy),
        )
        for name, rival, policy in (
            ("ucb1", "UCB1", "UCB"),
            ("exp3", "EXP3", "EXP3"),
            ("exp3pp", "EXP3++", "EXP3++"),
            ("tsallis", "Tsallis-INF", "Tsallis-INF"),
        )
    ),
    _constraint_broken,
    _adversarial_poor_when_clean,
    _tsallis_best_of_three,
    _tsallis_degrades,
    *(
        Claim(
            f"robust-slightly-affected-{epsilon}",
            "6, Figure 1",
            f"contamination with epsilon = {epsilon} affects the robust UCBs only slightly",
            ADDED.format("tUCB, sUCB, RUCB-MAB"),
            "interval below 0.1",
            slightly_affected(epsilon),
            unit=OF_UNIFORM,
            note=OURS,
        )
        for epsilon in EPSILONS
    ),
    _degrade_less_than_tsallis,
    _benefit_over_ucb,
    _median_similar,
)
