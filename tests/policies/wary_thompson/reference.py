"""The policy once more, in plain NumPy and from scratch at every rating: short, slow, and without its kernels."""

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import logsumexp
from scipy.stats import rankdata

HELD, MARGIN = 6, 5


@dataclass(frozen=True, eq=False)
class Hypothesis:
    excluded: np.ndarray  # (ratings,) bool, in the order in which they came
    open: np.ndarray  # (arms,) bool
    first: int
    cost: float
    weight: float = 0.0


def change(x):
    """Return the largest statistic of a change in time, and how many come before it."""
    n, r = len(x), rankdata(x) - (len(x) + 1) / 2
    if n < 2 * MARGIN or not r.any():
        return 0.0, 0
    v = (r**2).sum() / (n - 1)
    excess = max(0.0, np.abs(r).max() / math.sqrt(v) - math.sqrt(3)) / 3
    k = np.arange(MARGIN, n - MARGIN + 1)
    z = np.abs(r.cumsum()[k - 1]) / np.sqrt(k * (n - k) * v / n)
    z2 = z**2 / (1 + excess * z / np.sqrt(k * (n - k) / n))
    return z2.max(), int(k[z2.argmax()])


class Reference:
    """What a policy holds after the same ratings."""

    def __init__(self, n_arms, coarse, fine, horizon):
        self.n_arms, self.coarse, self.fine, self.horizon = n_arms, coarse, fine, horizon
        self.arms, self.ratings = np.zeros((2, 0), int)
        self.due, self.last, self.known = [10] * n_arms, 0, {}
        self.held = [Hypothesis(np.zeros(0, bool), np.zeros(n_arms, bool), 0, 0.0, 1.0)]

    def add(self, arm, rating):
        n = (self.arms == arm).sum()
        self.arms, self.ratings = np.append(self.arms, arm), np.append(self.ratings, rating)
        self.held = [replace(h, excluded=np.append(h.excluded, h.open[arm] or n < h.first)) for h in self.held]
        self.weigh()
        if n + 1 >= self.due[arm]:
            self.due[arm] = max(10, n + 1 + max(5, (n + 1) // 20))
            self.examine(arm)

    def examine(self, arm):
        own = np.flatnonzero(self.arms == arm)
        labels = self.likeliest().excluded[own]
        tested = own[labels == labels[-1]]
        z2, before = change(self.ratings[tested])
        over = own[max(0, own.size - 5)]
        for base in [h for h in self.held[1:] if h.weight > 1e-4 and h.open.any()]:
            since = (np.arange(self.arms.size) >= over) & base.open[self.arms]
            self.admit(
                replace(base, excluded=base.excluded & ~since, open=~base.open & base.open, cost=base.cost + self.end)
            )
        self.weigh()
        if z2 > 2 * math.log(self.horizon):
            for candidate in self.proposals(self.likeliest(), arm, tested[before]):
                self.admit(candidate)
            self.last = tested[before] + 1
            self.weigh()

    @property
    def end(self):
        return math.log(max(1.0, 0.05 * self.horizon))

    def proposals(self, base, arm, when):
        """Give what a change at a rating of an arm may mean, in the order in which it is proposed."""
        number, here, beginning = np.arange(self.arms.size), self.arms == arm, math.log(self.horizon)
        later, none, every = number >= when, np.zeros(self.n_arms, bool), np.ones(self.n_arms, bool)
        if base.open[arm]:
            yield replace(base, excluded=base.excluded & ~later, open=none, cost=base.cost + self.end)
        else:
            yield replace(base, excluded=base.excluded | later, open=every, cost=base.cost + beginning)
        if self.last > 0:
            between = ~later & (number + 1 >= self.last)
            cost = base.cost + beginning + self.end
            yield replace(base, excluded=(base.excluded | between) & ~later, open=none, cost=cost)
        yield Hypothesis(~later, none, 0, 1.4 + self.end)
        if base is not self.held[0]:
            yield Hypothesis(~base.excluded & ~later, none, 0, base.cost + 1.4 + self.end)
        place = (here & ~later).sum()
        nth = np.array([(self.arms[:i] == a).sum() for i, a in enumerate(self.arms)])
        yield Hypothesis(nth < place, none, int(place), 1.4 + self.end + 1)
        alone = base.cost + 1 + math.log(self.n_arms)
        yield replace(base, excluded=base.excluded | (here & ~later), cost=alone + 1.4 + self.end)
        this = np.arange(self.n_arms) == arm
        yield replace(base, excluded=base.excluded | (here & later), open=base.open | this, cost=alone + beginning)

    def admit(self, candidate):
        twins = [i for i, h in enumerate(self.held) if self.alike(h, candidate)]
        if 0 in twins:
            return
        place = twins[-1] if twins else len(self.held)
        if place == HELD:
            place = 1 + int(np.argmin([self.score(h) for h in self.held[1:]]))
        if place == len(self.held) or self.score(candidate) > self.score(self.held[place]):
            self.held[place : place + 1] = [candidate]

    def alike(self, one, other):
        same = one.first == other.first and (one.open == other.open).all()
        return same and (one.excluded != other.excluded).sum() <= MARGIN

    def score(self, h):
        total = 0.0
        for arm in range(self.n_arms):
            own, out = self.ratings[self.arms == arm], h.excluded[self.arms == arm]
            parts = np.split(np.arange(own.size), np.flatnonzero(out[1:] != out[:-1]) + 1)
            bursts = [own[part] for part in parts if out[part].any()]
            total += sum(self.evidence(part) for part in [own[~out], *bursts])
        share = max(h.excluded.sum(), h.first * self.n_arms) / self.horizon + 0.05 * h.open.any()
        return total - h.cost - 20 * share

    def evidence(self, ratings):
        """Return the log probability of ratings of one law and group."""
        counts = tuple(np.bincount(ratings, minlength=len(self.coarse.laws)).tolist())
        if counts not in self.known:
            model = self.coarse
            prior = np.einsum("e,eg,sb->gb", np.exp(model.ends), model.groups[: len(model.ends)], model.near) / len(
                model.near
            )
            self.known[counts] = logsumexp(likelihoods(model, ratings), b=prior[:, None] / model.means.size)
        return self.known[counts]

    def weigh(self):
        scores = np.array([self.score(h) for h in self.held])
        self.held = [replace(h, weight=w) for h, w in zip(self.held, np.exp(scores - logsumexp(scores)), strict=True)]

    def likeliest(self):
        return self.held[int(np.argmax([h.weight for h in self.held]))]

    def studies(self):
        """Give the weight of each hypothesis and its views, each a log weight, who is pushed down (-1) and atoms."""
        model = self.fine
        attacks = len(model.groups) - len(model.ends)
        values, place = np.unique(model.stretch[:, None] * model.means + model.shift[:, None], return_inverse=True)
        for h in self.held:
            laws = [likelihoods(model, self.ratings[(self.arms == arm) & ~h.excluded]) for arm in range(self.n_arms)]
            n = [((self.arms == arm) & ~h.excluded).sum() for arm in range(self.n_arms)]
            blocks = [powered(distribution, size / model.trusted) for distribution, size in zip(laws, n, strict=True)]
            rows = [np.exp(distribution - logsumexp(distribution, axis=1, keepdims=True)) for distribution in laws]
            views = []
            for end, spread in np.ndindex(len(model.ends), len(model.near)):
                attacked = end >= len(model.ends) - attacks
                for pushed in range(self.n_arms) if attacked else [-1]:
                    log, atoms = model.ends[end], []
                    for arm, (block, row) in enumerate(zip(blocks, rows, strict=True)):
                        part = end + attacks if arm == pushed else end
                        prior = model.groups[part][:, None] * model.near[spread]
                        support = logsumexp(block, b=prior)
                        likely = np.einsum("gb,gmb->gm", prior * np.exp(block - support), row)
                        atoms.append(np.bincount(place.ravel(), likely.ravel(), values.size))
                        log += support
                    views.append((log, pushed, np.array(atoms)))
            total = logsumexp([log for log, _, _ in views])
            yield h.weight, values, [(np.exp(log - total), *rest) for log, *rest in views if log > total - 15]

    def posterior(self):
        """Return mean and standard deviation of the mean of each arm, as a place on the scale."""
        first, second = np.zeros((2, self.n_arms))
        for weight, values, views in self.studies():
            laws = sum(share * (atoms if pushed < 0 else if_best(pushed, atoms)) for share, pushed, atoms in views)
            laws *= weight / laws[0].sum()
            first, second = first + laws @ values, second + laws @ values**2
        return first, np.sqrt(second - first**2)

    def probabilities(self):
        """Return how likely each arm is played: nothing is owed, and pairs that never agree are left out of account."""
        p = np.zeros(self.n_arms)
        for weight, _, views in self.studies():
            push = np.zeros(self.n_arms)
            for share, arm, atoms in views:
                push[arm] += share * best(atoms)[arm] if arm >= 0 else 0.0
            honest = [(share, best(atoms)) for share, arm, atoms in views if arm < 0]
            all_honest = sum(share for share, _ in honest)
            again = 1 - all_honest - push.sum()
            for share, highest in honest:
                one = (1 - again**5) / (1 - again) * (all_honest * highest + push) + again**5 * highest
                p += weight * share / all_honest * one**2 / (one**2).sum()
        return p


def likelihoods(model, ratings):
    """Return the logs of the likelihoods, (groups, means, blocks)."""
    return np.tensordot(np.bincount(ratings, minlength=len(model.laws)), model.logs, 1)


def powered(logs, n):
    """Return the logs of likelihoods of groups and blocks, raised to their power; n as a part of what is trusted."""
    zeta = math.log(1 + n) / n if n > 0 else 1
    return zeta * (logsumexp(logs, axis=1) - math.log(logs.shape[1]))


def best(at):
    """Return how likely each arm draws the highest value; of equal ones each is as likely to be the one."""
    p, below = np.zeros(len(at)), np.cumsum(at, axis=1) - at
    for tied in map(np.array, itertools.product([False, True], repeat=len(at))):
        if tied.any():
            p[tied] += np.where(tied[:, None], at, below).prod(axis=0).sum() / tied.sum()
    return p


def if_best(arm, at):
    """Return how likely each arm has each value and this arm is the best; of equal values either is the higher."""
    not_above = np.triu(np.ones((at.shape[1],) * 2), 1) + 0.5 * np.eye(at.shape[1])  # (value, value of the best)
    pairs = [at[other][:, None] * not_above for other in range(len(at)) if other != arm]
    joint = at[arm] * np.prod([pair.sum(axis=0) for pair in pairs], axis=0)
    found = [(pair / np.maximum(pair.sum(axis=0), 1e-300)) @ joint for pair in pairs]
    return np.array([*found[:arm], joint, *found[arm:]])
