"""A policy for tests that uses evidence: the more it speaks against a rating, the less that rating counts."""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

import trueward as tw
from trueward.engine.kernel import Floats
from trueward.engine.protocol import choose, update
from trueward.engine.states import new, per_arm
from trueward.policies.selection import argmax_probabilities, random_argmax
from trueward.policies.signals import DEFAULT_SIGNALS, SignalTable, evidence_ratio, signal_table

ODDS = 0.1  # prior odds that a rating is bad


class EvidenceWeightedState(NamedTuple):
    table: SignalTable
    weight: Annotated[Floats, per_arm(0.0)]
    total: Annotated[Floats, per_arm(0.0)]


@update.register(EvidenceWeightedState)
def weigh(state, seen, rng):
    weight = 1.0 / (1.0 + ODDS * evidence_ratio(state.table, seen.evidence))
    state.weight[seen.arm] += weight
    state.total[seen.arm] += weight * seen.reward


@choose.register(EvidenceWeightedState)
def play_best(state, ask, rng):
    for arm in range(ask.p.size):
        ask.p[arm] = (state.total[arm] + 10.0) / (state.weight[arm] + 1.0)
    return random_argmax(ask.p, rng)


@dataclass(frozen=True)
class EvidenceWeighted(tw.Policy):
    signals: tuple[tw.Signal, ...] = DEFAULT_SIGNALS

    def state(self, setting):
        return new(EvidenceWeightedState, setting, table=signal_table(self.signals, setting))

    def estimates(self, state):
        with np.errstate(invalid="ignore"):
            return state.total / state.weight

    def probabilities(self, state, ask):
        return argmax_probabilities((state.total + 10.0) / (state.weight + 1.0))
