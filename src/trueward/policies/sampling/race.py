"""Multi-layer active arm elimination race: layers that eliminate arms at different speeds."""

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

PRACTICAL_LAMBDA = 0.06  # not published: the radius is about two standard errors, if gains have a sd of 1/8


class RaceState(NamedTuple):
    """The active arms, pulls and means of each layer."""

    active: Annotated[Bools, per_arm(True, "layers")]
    pulls: Annotated[Ints, per_arm(0, "layers")]
    mean: Annotated[Floats, per_arm(0.0, "layers")]  # of gains
    current_p: Annotated[Floats, per_arm(scratch)]  # probabilities at the time when a reward arrives
    layer_p: Annotated[Floats, single(given)]  # (layers,) the probability of each layer
    scale: DeclaredRange
    lam: float


@kernel
def n_active(state: RaceState, layer: int) -> int:
    return int(state.active[:, layer].sum())


@kernel
def fewest_pulls(state: RaceState, layer: int) -> tuple[int, int]:
    """Return the smallest number of pulls of an active arm in a layer, and how many active arms have it."""
    fewest, ties = -1, 0
    for arm in range(state.current_p.size):
        if state.active[arm, layer]:
            pulls = state.pulls[arm, layer]
            if fewest < 0 or pulls < fewest:
                fewest, ties = pulls, 0
            ties += pulls == fewest
    return fewest, ties


@kernel
def fill_probabilities(state: RaceState, p: Floats) -> None:
    """Sum over layers: each plays its least pulled active arms.

    An empty layer plays any active arm of the next non-empty one.
    """
    n_arms, layers = p.size, state.layer_p.size
    p[:] = 0.0
    for layer in range(layers):
        fewest, ties = fewest_pulls(state, layer)
        if ties > 0:
            for arm in range(n_arms):
                if state.active[arm, layer] and state.pulls[arm, layer] == fewest:
                    p[arm] += state.layer_p[layer] / ties
            continue
        slower = layer + 1
        while slower < layers and n_active(state, slower) == 0:
            slower += 1
        for arm in range(n_arms):
            if slower == layers:  # no available arm is active in any layer
                p[arm] += state.layer_p[layer] / n_arms
            elif state.active[arm, slower]:
                p[arm] += state.layer_p[layer] / n_active(state, slower)


@distribute.register(RaceState)
def race_probabilities(state: RaceState, ask: Ask) -> None:
    fill_probabilities(state, ask.p)


@kernel
def draw_layer(state: RaceState, arm: int, rng: np.random.Generator) -> int:
    """Draw the layer that chose the arm, given the arm; return the number of layers if none did."""
    layers = state.layer_p.size
    fill_probabilities(state, state.current_p)
    total = state.current_p[arm]
    no_layer_plays_it = total == 0.0  # by now no layer would choose this arm
    if no_layer_plays_it:
        for layer in range(layers):
            if state.active[arm, layer]:
                total += state.layer_p[layer]
    u = rng.random() * total
    for layer in range(layers):
        if state.active[arm, layer]:
            fewest, ties = fewest_pulls(state, layer)
            if no_layer_plays_it:
                u -= state.layer_p[layer]
            elif state.pulls[arm, layer] == fewest:
                u -= state.layer_p[layer] / ties
            if u < 0.0:
                return int(layer)
    return int(layers)  # an empty layer chose it, so no layer learns


@kernel
def radius(lam: float, pulls: int) -> float:
    """Return the confidence radius of a mean; infinite without a pull."""
    return math.sqrt(lam / pulls) + lam / pulls if pulls > 0 else math.inf


@kernel
def eliminate(state: RaceState, layer: int) -> None:
    """Deactivate the clearly worse arms in a layer and in all faster ones.

    The arm with the highest lower bound always stays, so one pass finds all such arms.
    """
    best = -math.inf
    for arm in range(state.current_p.size):
        if state.active[arm, layer]:
            best = max(best, state.mean[arm, layer] - radius(state.lam, state.pulls[arm, layer]))
    for arm in range(state.current_p.size):
        if state.active[arm, layer] and state.mean[arm, layer] + radius(state.lam, state.pulls[arm, layer]) < best:
            for faster in range(layer + 1):
                state.active[arm, faster] = False


@update.register(RaceState)
def update_layer(state: RaceState, seen: Observation, rng: np.random.Generator) -> None:
    """Update only the layer that chose the arm, then eliminate arms there."""
    arm, gain = seen.arm, gain_of(state.scale, seen)
    layer = draw_layer(state, arm, rng)
    if layer < state.layer_p.size:
        state.pulls[arm, layer] += 1
        state.mean[arm, layer] += (gain - state.mean[arm, layer]) / state.pulls[arm, layer]
        eliminate(state, layer)


def layer_probabilities(layers: int) -> Floats:
    """Return 2^-l for layer l; the first layer gets the remaining probability as well."""
    p = np.ldexp(1.0, -np.arange(1, layers + 1))
    p[0] = 1.0 - p[1:].sum()
    return np.asarray(p)


@dataclass(frozen=True, kw_only=True)
class Race(RangedPolicy):
    """Multi-layer active arm elimination race: layers that eliminate arms at different speeds.

        K arms, T rounds;   layer l = 1 … L with probability 2^-l (plus, for layer 1, the remaining probability)
        L = ceil(log2 T);   a gain is a reward scaled to [0, 1]
        play the least pulled active arm of the layer, and count the gain in this layer only
        radius(n) = sqrt(Lambda / n) + Lambda / n,     Lambda = ln(4 K T log2 T / delta)
        an arm whose mean + radius is below another's mean - radius leaves this layer and all faster ones

    A layer that gets one round in 2^l sees, with high probability, only a few of C <= 2^l contaminated rewards. So it
    is safe, and it corrects the faster layers. The race withstands an unknown total contamination C, at a cost that
    multiplies the regret. It does not withstand a constant fraction of contaminated rewards, which reaches all layers.

    Parameters
    ----------
    range : tuple of float
        Lowest and highest reward.
    outside : {"clip", "raise"}, optional
        What happens to a reward outside `range`. Default: it is clipped in games and raises an error in a live study.
    preset : {"paper", "practical"}
        The published Lambda, or Lambda = 0.06, our own, without a guarantee. With delta = 0.05, five arms and a
        thousand rounds, the published one is 15.2, and a gap of 0.1 takes 6,674 pulls of each arm in one layer: play is
        uniform. Ours is two standard errors of gains with a standard deviation of 1/8, about that of binomial ratings
        with n = 10 and p = 0.8.
    delta : float
        Probability in (0, 1) with which the guarantee may fail; used by the published Lambda.
    lam : float, optional
        Lambda, above 0, in place of the one of the preset. For gains of 0 and 1 use `lam=1`.

    Notes
    -----
    Guarantee: for rewards in [0, 1], with probability 1 - delta, the regret is of order
    sum over arms of (K C ln(K T / delta) + ln T) ln(K T / delta) / gap.

    Arms with equally many pulls are equally probable, so the probabilities of the arms are known. The layer is drawn
    only when the reward arrives, given the arm. This is the same game, and nothing has to be remembered in
    between. In a live study, where rewards are delayed or arms unavailable, the layer is drawn from the state at the
    time when the reward arrives; if no layer would choose the arm by then, among the layers in which it is active.

    Examples
    --------
    >>> from trueward.engine.protocol import make_ask
    >>> policy = Race((0, 10), lam=0.01)
    >>> state = policy.start(2, horizon=8)
    >>> state.pulls[:], state.mean[:] = 100, [[0.9] * 3, [0.5] * 3]
    >>> eliminate(state, 1)                                          # index 1: arm 1 leaves layers 1 and 2, not 3
    >>> policy.probabilities(state, make_ask(201, 2)).tolist()
    [0.9375, 0.0625]

    References
    ----------
    Lykouris, Mirrokni & Paes Leme (2018), Stochastic bandits robust to adversarial corruptions, Algorithm 3.
    """

    preset: Preset = "paper"
    delta: Annotated[float, above(0), below(1)] = 0.05
    lam: Positive | None = None

    needs_horizon = True  # it determines the number of layers

    def state(self, setting: Setting) -> RaceState:
        rounds = max(setting.rounds, 2)
        layer_p = layer_probabilities(math.ceil(math.log2(rounds)))
        paper = math.log(4.0 * setting.n_arms * rounds * math.log2(rounds) / self.delta)
        lam = self.lam or (paper if self.preset == "paper" else PRACTICAL_LAMBDA)
        axes = {"layers": layer_p.size}
        return new(RaceState, setting, axes, layer_p=layer_p, scale=self.declared_range, lam=float(lam))

    def estimates(self, state: RaceState) -> Floats:
        """Return the mean of each arm over all layers."""
        pulls = state.pulls.sum(axis=1)
        gains = np.where(pulls > 0, (state.mean * state.pulls).sum(axis=1) / np.maximum(pulls, 1), np.nan)
        return reward_of(state.scale, gains)
