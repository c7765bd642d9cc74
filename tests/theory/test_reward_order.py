"""An adversary that knows the future chooses, through the learner, which true rewards are drawn.

Two normal arms, means 0.3 and 0, and crUCB with the trimmed mean (alpha = epsilon = 0.1). Within its budget the
adversary shows 1000 or -1000, both of which are trimmed, whenever that makes the learner play next what suits the
adversary: the best arm when its reward is low, the other arm when its reward is high. The true rewards that the learner
meets are then a biased sample if they are drawn by round, and the first N of an unbiased one if they are drawn by pull.
"""

import math

import numpy as np
import pytest

BEST, GAMES, HORIZON, ALPHA = 0.3, 30, 400, 0.1


def trimmed(values):
    cut = int(ALPHA * len(values) + 1e-9)
    kept = sorted(values)[cut : len(values) - cut]
    return sum(kept) / len(kept)


def chosen(t, estimates, pulls):
    index = [e + math.sqrt(4 * math.log(t) / n) / (1 - 2 * ALPHA) for e, n in zip(estimates, pulls, strict=True)]
    return index.index(max(index))


def bias_of_observed_truth(seed, by_round):
    """Return how far the mean of the true rewards true_rewards on each arm lies from the arm's mean."""
    table = np.random.default_rng(seed).normal([BEST, 0], 1, (HORIZON + 2, 2))
    seen, true_rewards, bad, estimates, pulls = [[], []], [[], []], [0, 0], [0.0, 0.0], [0, 0]

    def next_reward(arm, t):
        return table[t if by_round else pulls[arm], arm]

    for t in range(1, HORIZON + 1):
        arm = t - 1 if t <= 2 else chosen(t, estimates, pulls)
        shown = truth = next_reward(arm, t)
        pulls[arm] += 1
        if t > 2 and bad[arm] + 1 <= ALPHA * pulls[arm]:
            preferred = 0 if -next_reward(0, t + 1) > next_reward(1, t + 1) else 1
            for candidate in (truth, -1e3, 1e3):
                after = list(estimates)
                after[arm] = trimmed([*seen[arm], candidate])
                if chosen(t + 1, after, pulls) == preferred:
                    shown, bad[arm] = candidate, bad[arm] + (candidate != truth)
                    break
        seen[arm].append(shown)
        true_rewards[arm].append(truth)
        estimates[arm] = trimmed(seen[arm])
    return np.mean(true_rewards[0]) - BEST, np.mean(true_rewards[1])


@pytest.mark.parametrize("by_round", [True, False])
def test_true_rewards_are_a_biased_sample_only_when_drawn_by_round(by_round):
    means = np.array([bias_of_observed_truth(seed, by_round) for seed in range(GAMES)])
    errors = means.mean(axis=0) / (means.std(axis=0, ddof=1) / math.sqrt(GAMES))
    if by_round:
        assert errors[0] < -4
        assert errors[1] > 4
    else:
        # the mean of the first N rewards, N a random number of pulls, is off by less than its noise
        assert np.abs(errors).max() < 4
