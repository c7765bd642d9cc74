"""Peak memory, in MiB, of one policy in long games: `peak_memory.py NAME HORIZON TRIALS`."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import trueward as tw
from trueward.arms import Arms
from trueward.policies import POLICIES, Policy

N_ARMS = 10
RATINGS = tw.BinomialArms(n=10, p=[0.9] + [0.8] * (N_ARMS - 1))
CLICKS = tw.BernoulliArms([0.9] + [0.8] * (N_ARMS - 1))
CONTINUOUS = tw.GaussianArms(means=[9.0] + [8.0] * (N_ARMS - 1), sd=1.265)
GIVEN: dict[str, dict[str, object]] = {
    "epsilon-greedy": {"c": 1.0},
    "ucb": {"sigma": 1.265},
    "gaussian-thompson": {"sigma": 1.265},
    "explored-ucb": {"sigma": 1.265},
    "budget-ucb": {"budget": 100.0, "sigma": 1.265},
    "robust-thompson": {"estimator": tw.TrimmedMean(0.1), "sigma": 1.265},
    "crimed": {"epsilon": 0.1, "sigma": 1.265},
    "mixture-thompson": {"range": (0, 1)},
    "guarded": {"policy": tw.UCB(sigma=1.265)},
}
SLOW = {"crucb", "huber-ucb", "heavy-tail-ucb"}  # apart below; or O(n) per reward, too slow for a million of them
ESTIMATORS = {
    "mean": (tw.Mean(), CONTINUOUS),
    "median": (tw.Median(), CONTINUOUS),
    "trimmed mean": (tw.TrimmedMean(0.1), CONTINUOUS),
    "shorth mean": (tw.ShorthMean(0.1), CONTINUOUS),
    "grouped median, ratings": (tw.GroupedMedian(), RATINGS),
    "trimmed mean, ratings": (tw.TrimmedMean(0.1), RATINGS),
    "shorth mean, ratings": (tw.ShorthMean(0.1), RATINGS),
}
PLAYERS: dict[str, tuple[Policy, Arms]] = {
    **{name: (kind(**GIVEN.get(name, {})), CLICKS) for name, kind in POLICIES.items() if name not in SLOW},
    **{f"crucb, {name}": (tw.CrUCB(e, sigma=1.265), arms) for name, (e, arms) in ESTIMATORS.items()},
}


def peak() -> float:
    """Return the most memory this process has held; `getrusage` would count what its parent held before it."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


if __name__ == "__main__":
    policy, arms = PLAYERS[sys.argv[1]]
    with ThreadPoolExecutor(1) as one:
        tw.play(policy, arms, horizon=int(sys.argv[2]), trials=int(sys.argv[3]), executor=one)
    print(peak())
