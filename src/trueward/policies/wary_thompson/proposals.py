"""Where hypotheses come from: what a change of an arm's ratings in time may mean, as a table.

When the ranks of an arm's ratings change (`rank_guard`), hypotheses are proposed, starting from the most likely one: a
burst begins here, or ends here; what lies between the last change and this one was a burst; all before was one; what
was excluded before is what counts; each arm's first ratings were bad, as many as this arm had before the change; or
this arm alone was bad before the change, or is since. And of every burst under way it is proposed, now and then, that
it is over.
"""

import math

import numpy as np

from trueward.engine.kernel import kernel, not_inlined
from trueward.policies.wary_thompson.evidence import SHORT, Evidence, gather_evidence, score
from trueward.policies.wary_thompson.hypotheses import (
    BASE,
    BURST,
    CANDIDATE,
    EARLIER,
    FIRST_RATINGS,
    HYPOTHESES,
    LAST_CHANGE,
    NOTHING,
    ONE_ARM,
    Labels,
    Log,
    Standing,
    admit,
    copy_labels,
    most_likely,
    near_duplicate,
    weigh,
)

AT_THE_START = 1.4  # the cost of a burst there: a quarter of all bursts
UNUSUAL = 1.0  # the cost of a burst on one arm alone, and of one that goes by pulls
NEGLIGIBLE = 1e-4  # weight: of such a hypothesis no end is proposed

COUNT, EXCLUDE, KEEP, TURN = range(4)  # what becomes of a label
EVERY_ARM, THIS_ARM, ARMS_UNDER_WAY = range(3)
TIME, PULLS = range(2)  # by what the change is dated
NEVER, AT_START, MIDWAY = range(3)  # where a burst begins
ALWAYS, CALM, UNDER_WAY, ANYWHERE, CHANGED_BEFORE, SOMETHING_EXCLUDED = range(6)  # when it is proposed
SAME = -1  # kind as before
KINDS, EARLY, BETWEEN, SINCE, ARMS, BY, BEGINS, ENDS, IF = range(9)  # the columns
OVER = 0  # the row of bursts that are over
PROPOSALS = np.array(
    [  # kind, labels before the last change, between it and this one, and since; arms; by; begins; ends; if
        (SAME, KEEP, KEEP, COUNT, ARMS_UNDER_WAY, TIME, NEVER, 1, ANYWHERE),
        (BURST, KEEP, KEEP, EXCLUDE, EVERY_ARM, TIME, MIDWAY, 0, CALM),
        (BURST, KEEP, KEEP, COUNT, EVERY_ARM, TIME, NEVER, 1, UNDER_WAY),
        (BURST, KEEP, EXCLUDE, COUNT, EVERY_ARM, TIME, MIDWAY, 1, CHANGED_BEFORE),
        (EARLIER, EXCLUDE, EXCLUDE, COUNT, EVERY_ARM, TIME, AT_START, 1, ALWAYS),
        (BURST, TURN, TURN, COUNT, EVERY_ARM, TIME, AT_START, 1, SOMETHING_EXCLUDED),
        (FIRST_RATINGS, EXCLUDE, EXCLUDE, COUNT, EVERY_ARM, PULLS, AT_START, 1, ALWAYS),
        (ONE_ARM, EXCLUDE, EXCLUDE, KEEP, THIS_ARM, TIME, AT_START, 1, ALWAYS),
        (ONE_ARM, KEEP, KEEP, EXCLUDE, THIS_ARM, TIME, MIDWAY, 0, ALWAYS),
    ]
)


@not_inlined
def revise(
    log: Log, labels: Labels, standing: Standing, evidence: Evidence, arm: int, place: int, over: int, horizon: int
) -> None:
    """Propose that bursts are over since a time, if positive; then what a change at the arm's place means, if there is.

    All in one loop, since what is called in two places may be compiled twice.
    """
    sizes, counts, last = log.sizes, standing.counts, standing.counts[LAST_CHANGE]
    for base in range(1, BASE + 1):
        first, stop, when = OVER, OVER + 1, over
        if base == BASE:
            weigh(standing)
            if place < 0:
                return
            first, stop, when = OVER + 1, PROPOSALS.shape[0], log.arrivals[arm, place]
            copy_labels(labels, sizes, most_likely(standing), BASE)
        elif over == 0 or base >= counts[HYPOTHESES] or standing.weights[base] <= NEGLIGIBLE:
            continue
        for row in range(first, stop):
            proposed = propose(log, labels, row, base, arm, place, when, last, horizon)
            if proposed and not near_duplicate(labels, sizes, 0, CANDIDATE):
                n_excluded = gather_evidence(log, labels, evidence, CANDIDATE)
                standing.n_excluded[CANDIDATE] = n_excluded
                standing.scores[CANDIDATE] = score(
                    labels, evidence.logs, evidence.places[CANDIDATE], CANDIDATE, n_excluded, horizon
                )
                admit(labels, standing, sizes, evidence.places)
    counts[LAST_CHANGE] = log.arrivals[arm, place]
    weigh(standing)


@not_inlined
def propose(
    log: Log, labels: Labels, row: int, base: int, arm: int, place: int, when: int, last: int, horizon: int
) -> bool:
    """Make the candidate of a row of the table and a base, if there can be one; and return whether there is."""
    rule, n_arms, under_way = PROPOSALS[row], log.sizes.size, 0
    for a in range(n_arms):
        under_way += labels.open[a, base]
    here = labels.open[arm, base] == 1
    if not (True, not here, here, under_way > 0, last > 0, labels.kind[base] != NOTHING)[rule[IF]]:
        return False
    for a in range(n_arms):
        is_open = labels.open[a, base]
        touched = rule[ARMS] == EVERY_ARM or (a == arm if rule[ARMS] == THIS_ARM else is_open == 1)
        for i in range(log.sizes[a]):
            label = labels.excluded[a, base, i]
            if touched:
                later = i >= place if rule[BY] == PULLS else log.arrivals[a, i] >= when
                column = SINCE if later else BETWEEN if log.arrivals[a, i] >= last else EARLY
                label = relabelled(label, rule[column])
            labels.excluded[a, CANDIDATE, i] = label
        labels.open[a, CANDIDATE] = relabelled(is_open, rule[SINCE]) if touched else is_open
    keeps_first = rule[EARLY] == KEEP or rule[ARMS] == THIS_ARM
    labels.first[CANDIDATE] = place if rule[BY] == PULLS else labels.first[base] if keeps_first else 0
    labels.kind[CANDIDATE] = labels.kind[base] if rule[KINDS] == SAME else rule[KINDS]
    labels.cost[CANDIDATE] = cost_of(row, labels.cost[base], n_arms, horizon)
    return True


@kernel
def relabelled(label: int, change: int) -> int:
    """Return what becomes of a label."""
    return label if change == KEEP else 1 - label if change == TURN else change


@not_inlined
def cost_of(row: int, base: float, n_arms: int, horizon: int) -> float:
    """Return what the beginnings and ends of a candidate cost.

    An end costs nothing in a game so short that it must come soon.
    """
    rule = PROPOSALS[row]
    begins = (0.0, AT_THE_START, math.log(horizon))[rule[BEGINS]]
    ends = math.log(max(1.0, SHORT * horizon)) if rule[ENDS] else 0.0
    if rule[ARMS] == THIS_ARM:
        return base + UNUSUAL + math.log(n_arms) + (begins + ends)
    from_scratch = rule[EARLY] == EXCLUDE
    return (0.0 if from_scratch else base) + begins + ends + (UNUSUAL if rule[BY] == PULLS else 0.0)
