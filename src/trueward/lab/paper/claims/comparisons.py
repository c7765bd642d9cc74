"""The claims of figure 1: who wins without contamination, and under the Bernoulli adversary."""

from collections.abc import Iterator
from functools import partial
from itertools import product

from trueward.engine.kernel import Floats
from trueward.lab.paper.claims.claim import Claim, claim
from trueward.lab.paper.claims.findings import Compared, above, below, mean, saved, share
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


def crucb_beats(reading: Reading, rival: str) -> Iterator[Compared]:
    """Give the regret of crUCB minus that of a rival."""
    for policy, epsilon in product(CRUCB, EPSILONS):
        yield mean(_gap(reading, policy, rival, epsilon)), f"{policy} against {rival} at epsilon {epsilon}"


def _gap(reading: Reading, policy: str, rival: str, epsilon: float) -> Floats:
    return reading.regret(policy, bernoulli(epsilon)) - reading.regret(rival, bernoulli(epsilon))


@claim(
    "constraint-broken",
    "abstract, 1",
    "the simulated adversary breaks the constraint that the theorems put on it",
    "share of crUCB's games in which it is broken at some round: the smallest of tUCB, sUCB and epsilon 0.05, 0.1",
    above(0.5, "interval (Wilson) above one half"),
    unit="of the games",
)
def _constraint_broken(reading: Reading) -> Iterator[Compared]:
    for policy, epsilon in product(CRUCB, EPSILONS):
        yield share(reading.violations(policy, bernoulli(epsilon)) > 0), f"{policy} at epsilon {epsilon}"


@claim(
    "adversarial-poor-when-clean",
    "6, Figure 1(a)",
    "without contamination, EXP3, EXP3++ and Tsallis-INF do worse than the UCB types",
    "paired difference in regret: the smallest over the 12 pairs",
    above(0),
)
def _adversarial_poor_when_clean(reading: Reading) -> Iterator[Compared]:
    for one, other in product(ADVERSARIAL, UCB_TYPES):
        yield mean(reading.regret(one, CLEAN) - reading.regret(other, CLEAN)), f"{one} against {other}"


@claim(
    "tsallis-best-of-three",
    "6, Figure 1",
    "Tsallis-INF is the best of EXP3, EXP3++ and Tsallis-INF",
    "paired difference in regret to EXP3 and EXP3++: the weakest over epsilon 0, 0.05, 0.1",
    below(0),
)
def _tsallis_best_of_three(reading: Reading) -> Iterator[Compared]:
    places = {0: CLEAN, 0.05: bernoulli(0.05), 0.1: bernoulli(0.1)}
    for (epsilon, at), rival in product(places.items(), ("EXP3", "EXP3++")):
        yield mean(reading.regret("Tsallis-INF", at) - reading.regret(rival, at)), f"{rival} at epsilon {epsilon}"


@claim(
    "tsallis-degrades",
    "6, Figure 1",
    "Tsallis-INF gets worse as the contaminated share grows",
    "regret added by a step of epsilon, 0 to 0.05 and 0.05 to 0.1: the smaller",
    above(0),
)
def _tsallis_degrades(reading: Reading) -> Iterator[Compared]:
    clean, some, more = (reading.regret("Tsallis-INF", at) for at in (CLEAN, bernoulli(0.05), bernoulli(0.1)))
    yield mean(some - clean), "from epsilon 0 to 0.05"
    yield mean(more - some), "from epsilon 0.05 to 0.1"


def slightly_affected(reading: Reading, epsilon: float) -> Iterator[Compared]:
    """Give the regret that contamination adds to the robust UCBs, in units of uniform play."""
    unit = reading.uniform(bernoulli(epsilon))
    for policy in ROBUST:
        yield mean(_added(reading, policy, epsilon) / unit), f"{policy} at epsilon {epsilon}"


def _added(reading: Reading, policy: str, epsilon: float) -> Floats:
    return reading.regret(policy, bernoulli(epsilon)) - reading.regret(policy, CLEAN)


@claim(
    "robust-degrade-less-than-tsallis",
    "6, Figure 1",
    "contamination adds less regret to the robust UCBs than to Tsallis-INF",
    "difference of the added regrets: the largest of tUCB, sUCB, RUCB-MAB and epsilon 0.05, 0.1",
    below(0),
)
def _degrade_less_than_tsallis(reading: Reading) -> Iterator[Compared]:
    for policy, e in product(ROBUST, EPSILONS):
        yield mean(_added(reading, policy, e) - _added(reading, "Tsallis-INF", e)), f"{policy} at epsilon {e}"


@claim(
    "clear-benefit-over-ucb",
    "6, Figure 1",
    "algorithms that account for contamination have a clear benefit over plain UCB",
    "share of UCB's regret that is saved: the smallest of tUCB, sUCB, RUCB-MAB and epsilon 0.05, 0.1",
    above(0.1, "interval (bootstrap) above 0.1"),
    unit="of UCB's regret",
    note=OURS,
)
def _benefit_over_ucb(reading: Reading) -> Iterator[Compared]:
    for policy, epsilon in product(ROBUST, EPSILONS):
        regret, plain = (reading.regret(name, bernoulli(epsilon)) for name in (policy, "UCB"))
        yield saved(regret, plain), f"{policy} at epsilon {epsilon}"


@claim(
    "median-similar",
    "6, Figure 1",
    "RUCB-MAB can do about as well as the crUCBs",
    "regret of RUCB-MAB minus that of tUCB and sUCB, divided by that of uniform play: the largest",
    below(SMALL),
    unit=OF_UNIFORM,
    note=OURS,
)
def _median_similar(reading: Reading) -> Iterator[Compared]:
    for policy, epsilon in product(CRUCB, EPSILONS):
        gap = _gap(reading, "RUCB-MAB", policy, epsilon) / reading.uniform(bernoulli(epsilon))
        yield mean(gap), f"against {policy} at epsilon {epsilon}"


COMPARISONS = (
    *(
        Claim(
            f"crucb-beats-{name}",
            BERNOULLI_WHERE,
            f"under a Bernoulli adversary, both crUCBs have less regret than {rival}",
            BEATS.format(rival),
            below(0),
            partial(crucb_beats, rival=policy),
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
            below(SMALL),
            partial(slightly_affected, epsilon=epsilon),
            unit=OF_UNIFORM,
            note=OURS,
        )
        for epsilon in EPSILONS
    ),
    _degrade_less_than_tsallis,
    _benefit_over_ucb,
    _median_similar,
)
