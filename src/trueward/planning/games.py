"""The planned study, played many times: on which arm it ends, what it loses, and whether the interval decides.

A study of n participants is the first n rounds of a longer one, because policies do not know how many will come. A
study *ends on* the arm with the highest estimate once the last rating is in: the one that `Study.explain()` shows.
"""

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

from trueward.adversaries.adversary import Adversary
from trueward.engine.compiling import compiled as compiled_for
from trueward.engine.compiling import is_on_disk
from trueward.engine.kernel import Bools, Floats, Ints, State
from trueward.engine.native import borrow
from trueward.engine.protocol import Observation, update
from trueward.game.play import play
from trueward.game.trace import Trace
from trueward.planning.deciding import NOBODY, counts_of, decided_for
from trueward.planning.outline import Outline
from trueward.policies.policy import Policy

Report = Callable[[str, int], None]
"""Called with what is being played, and the number of games finished since the last call."""


@dataclass(frozen=True, eq=False)
class Played:
    """What came of the games of one policy; one row per game, one column per number of participants."""

    numbers: Ints
    best: Bools  # whether it ended on the best arm
    lost: Floats  # points, against showing the best arm to all
    decides: Bools  # whether the interval is certain of the best arm
    misleads: Bools  # whether it is certain of another one


def play_study(
    outline: Outline,
    policies: Mapping[str, Policy],
    adversary: Adversary,
    numbers: Ints,
    *,
    games: int,
    seed: int,
    compiled: bool | None,
    label: str,
    report: Report,
) -> dict[str, Played]:
    """Play the study with every policy, on the same worlds."""
    played = {}
    for name, policy in policies.items():
        at = [0]

        def told(done: int, _: int, name: str = name, at: list[int] = at) -> None:
            report(f"{label}: {name}", done - at[0])
            at[0] = done

        trace = play(
            outline.playing(policy),
            outline.arms,
            adversary,
            horizon=int(numbers[-1]),
            trials=games,
            seed=seed,
            checkpoints=numbers,
            keep_history=True,
            shuffle_arms=True,
            delay=outline.delay,
            compiled=compiled,
            progress=told,
            announce=lambda _, name=name: report(f"{label}: loading or compiling {name}", 0),
        )
        played[name] = _judged(outline, policy, trace, numbers, compiled=compiled)
    return played


def _judged(outline: Outline, policy: Policy, trace: Trace, numbers: Ints, *, compiled: bool | None) -> Played:
    assert trace.arms is not None
    assert trace.observed is not None
    values, n_arms = outline.arms.scale, outline.arms.n_arms
    how = {"epsilon": outline.epsilon, "bad": outline.bad, "level": outline.level}
    counts = [counts_of(trace.arms[:, :n], trace.observed[:, :n], values, n_arms) for n in numbers]
    end = partial(ends_on, policy, numbers=numbers, n_arms=n_arms, learn=learning(policy, n_arms, compiled=compiled))
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:  # compiled code learns in several threads at once
        ends = list(pool.map(end, trace.arms, trace.observed))
    certain_of = np.stack([decided_for(each, values, **how) for each in counts], axis=1)  # type: ignore[arg-type] # so named
    best = np.flatnonzero(outline.arms.gaps == 0.0)
    right = np.isin(certain_of, best)
    return Played(numbers, np.isin(ends, best), trace.regret, right, ~right & (certain_of != NOBODY))


def ends_on(
    policy: Policy, arms: Ints, observed: Floats, *, numbers: Ints, n_arms: int, learn: Callable[..., None]
) -> list[int]:
    """Return the arm of which a policy believes the most after so many participants of one study, for each number.

    What came late is learned in the order of the asks; what is missing is not. An arm without a rating is not believed
    the best.
    """
    state, rng = policy.start(n_arms, horizon=int(numbers[-1]), capacity=arms.size), np.random.default_rng(arms.size)
    found, first = [], 0
    for n in numbers.tolist():
        asks = first + np.flatnonzero(~np.isnan(observed[first:n]))
        learn(state, *lessons(asks, arms, observed, n_arms), rng)
        found.append(_highest(np.nan_to_num(policy.estimates(state), nan=-np.inf), rng))
        first = n
    return found


def lessons(asks: Ints, arms: Ints, observed: Floats, n_arms: int) -> tuple[Ints, Ints, Floats, Floats, Bools, Floats]:
    """Return what is to be learned from some asks: numbers, arms, rewards, probabilities, availability, signals."""
    everywhere = np.full((asks.size, n_arms), 1.0 / n_arms), np.ones((asks.size, n_arms), np.bool_)
    return asks + 1, arms[asks].astype(np.int64), observed[asks], *everywhere, np.empty((asks.size, 0))


def learn_rewards(
    state: State,
    asks: Ints,  # (rewards,) the number of each ask
    arms: Ints,
    rewards: Floats,
    p: Floats,  # (rewards, arms)
    available: Bools,  # (rewards, arms)
    evidence: Floats,  # (rewards, signals)
    rng: np.random.Generator,
) -> None:
    """Learn rewards, in order."""
    state, asks, arms, rewards, rng = borrow(state), borrow(asks), borrow(arms), borrow(rewards), borrow(rng)
    p, available, evidence = borrow(p), borrow(available), borrow(evidence)
    for i in range(asks.size):
        update(state, Observation(asks[i], arms[i], rewards[i], p[i], available[i], evidence[i]), rng)


def learning(policy: Policy, n_arms: int, *, compiled: bool | None) -> Callable[..., None]:
    """Return `learn_rewards` for a policy, compiled or interpreted; by default compiled if that is on disk."""
    state = policy.start(n_arms, horizon=1, capacity=1)
    fast = is_on_disk(learn_rewards, state) if compiled is None else compiled
    return compiled_for(learn_rewards, state) if fast and not policy.interpreted_only else learn_rewards


def _highest(estimates: Floats, rng: np.random.Generator) -> int:
    """Return the arm with the highest estimate; of several, any."""
    return int(rng.choice(np.flatnonzero(estimates == estimates.max())))
