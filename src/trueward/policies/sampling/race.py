"""The race of layers: active arm elimination at many speeds, the slower the safer.

    layer l = 1 … L with probability 2^-l (what is left goes to the first),   L = ceil(log2 T)
    play the arm of its active set pulled least in this layer; count the gain in this layer alone
    radius(n) = sqrt(Lambda / n) + Lambda / n,     Lambda = ln(4 K T log2 T / delta)
    an arm whose mean + radius is below another's mean - radius leaves this layer and all faster ones

A layer that sees one round in 2^l sees, with high probability, only a few of C <= 2^l bad rewards: it is safe, and it
corrects the faster ones. Withstands a total contamination C, unknown, at a cost that multiplies the regret. Does not
withstand a constant fraction of all rewards, which reaches all layers alike.

`preset="paper"` has the constants of the source: with delta = 0.05, five arms and a thousand rounds, Lambda = 15.2,
and to tell a gap of 0.1 takes 6,674 pulls of each arm in one layer; play is uniform. `preset="practical"` has Lambda
= 0.06, ours, without a guarantee: two standard errors of gains with a standard deviation of 1/8, as ratings from 0 to
10 have. For gains of 0 and 1 give `lam=1`.

Arms that tie are equally probable, so the probabilities of the arms are known. Only the arm is drawn when it is
chosen; its layer is drawn when its reward comes, with the probability that this layer chose this arm. That is the
same game, and nothing needs to be remembered in between. In a live study, where rewards come late or arms are
missing, the layer is drawn given what the layers know when the reward comes; if by then none of them would choose the
arm, among those in which it is still active.

Guarantee: for rewards in [0, 1], with probability 1 - delta, a regret of order sum over arms of (K C ln(K T / delta)
+ ln T) ln(K T / delta) / gap.

Reference: Lykouris, Mirrokni & Paes Leme (2018), Stochastic bandits robust to adversarial corruptions, Algorithm 3.
"""

import math
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Bools, Floats, Ints, kernel
from trueward.engine.protocol import Ask, Observation, update
from trueward.engine.states import Setting, given, new, per_arm, scratch, single
from trueward.parameters import Positive, above, below
from trueward.policies.declared_range import DeclaredRange, gain_of, reward_of
from trueward.policies.sampling.sampling_policy import Preset, RangedPolicy, distribute

PRACTICAL_LAM = 0.06  # ours


class RaceState(NamedTuple):
    """What each layer knows."""

    active: Annotated[Bools, per_arm(True, "layers")]
    pulls: Annotated[Ints, per_arm(0, "layers")]
    mean: Annotated[Floats, per_arm(0.0, "layers")]  # of gains
    now: Annotated[Floats, per_arm(scratch)]  # the probabilities when a reward comes
    distribution: Annotated[Floats, single(given)]  # (layers,) the probability of each layer
    scale: DeclaredRange
    lam: float


@kernel
def running(state: RaceState, layer: int) -> int:
    """Return how many arms are active in a layer."""
    return int(state.active[:, layer].sum())


@kernel
def fewest(state: RaceState, layer: int) -> tuple[int, int]:
    """Return the fewest pulls among the active arms of a layer, and how many arms have them."""
    least, ties = -1, 0
    for arm in range(state.now.size):
        if state.active[arm, layer]:
            pulls = state.pulls[arm, layer]
            if least < 0 or pulls < least:
                least, ties = pulls, 0
            ties += pulls == least
    return least, ties


@kernel
def add_up_layers(state: RaceState, p: Floats) -> None:
    """Fill p: each layer plays what it has pulled least; an empty one, any arm of the next that is not."""
    n_arms, layers = p.size, state.distribution.size
    p[:] = 0.0
    for layer in range(layers):
        least, ties = fewest(state, layer)
        if ties > 0:
            for arm in range(n_arms):
                if state.active[arm, layer] and state.pulls[arm, layer] == least:
                    p[arm] += state.distribution[layer] / ties
            continue
        slower = layer + 1
        while slower < layers and running(state, slower) == 0:
            slower += 1
        for arm in range(n_arms):
            if slower == layers:  # none of the arms available is active anywhere
                p[arm] += state.distribution[layer] / n_arms
            elif state.active[arm, slower]:
                p[arm] += state.distribution[layer] / running(state, slower)


@distribute.register(RaceState)
def run_layers(state: RaceState, ask: Ask) -> None:
    """Add up the layers; which of them chose the arm is drawn when the reward comes."""
    add_up_layers(state, ask.p)


@kernel
def layer_of(state: RaceState, arm: int, rng: np.random.Generator) -> int:
    """Return the layer that chose the arm, drawn given the arm; the number of layers for none."""
    layers = state.distribution.size
    add_up_layers(state, state.now)
    whole = state.now[arm]
    late = whole == 0.0  # none would choose it by now
    if late:
        for layer in range(layers):
            if state.active[arm, layer]:
                whole += state.distribution[layer]
    u = rng.random() * whole
    for layer in range(layers):
        if state.active[arm, layer]:
            least, ties = fewest(state, layer)
            if late:
                u -= state.distribution[layer]
            elif state.pulls[arm, layer] == least:
                u -= state.distribution[layer] / ties
            if u < 0.0:
                return int(layer)
    return int(layers)  # an empty layer chose it: no layer learns


@kernel
def radius(lam: float, pulls: int) -> float:
    """Return the radius of a mean; infinite without a pull."""
    return math.sqrt(lam / pulls) + lam / pulls if pulls > 0 else math.inf


@kernel
def eliminate(state: RaceState, layer: int) -> None:
    """Take the arms that are clearly worse out of a layer and of all faster ones.

    The arm with the highest lower bound stays, so one pass finds all.
    """
    best = -math.inf
    for arm in range(state.now.size):
        if state.active[arm, layer]:
            best = max(best, state.mean[arm, layer] - radius(state.lam, state.pulls[arm, layer]))
    for arm in range(state.now.size):
        if state.active[arm, layer] and state.mean[arm, layer] + radius(state.lam, state.pulls[arm, layer]) < best:
            for faster in range(layer + 1):
                state.active[arm, faster] = False


@update.register(RaceState)
def race_on(state: RaceState, seen: Observation, rng: np.random.Generator) -> None:
    """Let the layer that chose the arm learn, and eliminate."""
    arm, gain = seen.arm, gain_of(state.scale, seen)
    layer = layer_of(state, arm, rng)
    if layer < state.distribution.size:
        state.pulls[arm, layer] += 1
        state.mean[arm, layer] += (gain - state.mean[arm, layer]) / state.pulls[arm, layer]
        eliminate(state, layer)


def layer_law(layers: int) -> Floats:
    """Return the probability of each layer."""
    distribution = np.ldexp(1.0, -np.arange(1, layers + 1))
    distribution[0] = 1.0 - distribution[1:].sum()
    return np.asarray(distribution)


@dataclass(frozen=True, kw_only=True)
class Race(RangedPolicy):
    """Eliminates arms in layers of falling speed; Lambda as given, or by the preset."""

    preset: Preset = "paper"
    delta: Annotated[float, above(0), below(1)] = 0.05
    lam: Positive | None = None

    needs_horizon = True  # for the number of layers

    def state(self, setting: Setting) -> RaceState:
        """Return layers in which every arm runs, and Lambda."""
        rounds = max(setting.rounds, 2)
        distribution = layer_law(math.ceil(math.log2(rounds)))
        paper = math.log(4.0 * setting.n_arms * rounds * math.log2(rounds) / self.delta)
        lam = self.lam or (paper if self.preset == "paper" else PRACTICAL_LAM)
        return new(
            RaceState,
            setting,
            {"layers": distribution.size},
            distribution=distribution,
            scale=self.declared,
            lam=float(lam),
        )

    def estimates(self, state: RaceState) -> Floats:
        """Return the mean of each arm over all layers."""
        pulls = state.pulls.sum(axis=1)
        gains = np.where(pulls > 0, (state.mean * state.pulls).sum(axis=1) / np.maximum(pulls, 1), np.nan)
        return reward_of(state.scale, gains)
