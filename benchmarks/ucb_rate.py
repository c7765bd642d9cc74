"""Decisions per second of UCB on one core, beside the same loop in plain Python, on the same worlds.

K = 5 binomial arms, T = 1000. The compiled game includes drawing the worlds; compile time is reported apart.
"""

import math
import random
import time
from concurrent.futures import ThreadPoolExecutor

import trueward as tw

ARMS = tw.BinomialArms(n=10, p=[0.9, 0.8, 0.8, 0.8, 0.8])
HORIZON, TRIALS, PLAIN_TRIALS, REPEATS = 1000, 1024, 16, 7


def compiled_games(trials: int) -> float:
    """Play trials of UCB on one thread and return the seconds it took."""
    with ThreadPoolExecutor(1) as one_thread:
        start = time.perf_counter()
        tw.play(tw.UCB(sigma=ARMS.sd), ARMS, horizon=HORIZON, trials=trials, executor=one_thread)
        return time.perf_counter() - start


def plain_game(world: list[list[float]], sigma: float, rng: random.Random) -> int:
    """Play UCB on one world with lists and floats, ties at random, and return the pulls of the best arm."""
    n_arms = len(world[0])
    pulls, means = [0] * n_arms, [0.0] * n_arms
    for t, rewards in enumerate(world, start=1):
        root = 2.0 * sigma * math.sqrt(math.log(t))
        scores = [m + root / math.sqrt(n) if n else math.inf for m, n in zip(means, pulls, strict=True)]
        top = max(scores) - 1e-12
        best = [arm for arm, score in enumerate(scores) if score >= top]
        arm = best[0] if len(best) == 1 else rng.choice(best)
        pulls[arm] += 1
        means[arm] += (rewards[arm] - means[arm]) / pulls[arm]
    return pulls[0]


def plain_games(worlds: list[list[list[float]]]) -> float:
    """Play UCB in plain Python and return the seconds it took, worlds not included."""
    rng = random.Random(0)
    start = time.perf_counter()
    for world in worlds:
        plain_game(world, ARMS.sd, rng)
    return time.perf_counter() - start


def main() -> None:
    """Measure both in turn, and print rates and their ratio."""
    import numpy as np

    first = compiled_games(1)
    worlds = [ARMS.draw(HORIZON, np.random.default_rng(i)).tolist() for i in range(PLAIN_TRIALS)]
    ours, plain = [], []
    for _ in range(REPEATS):
        ours.append(TRIALS * HORIZON / compiled_games(TRIALS))
        plain.append(PLAIN_TRIALS * HORIZON / plain_games(worlds))
    fast, slow = sorted(ours)[REPEATS // 2], sorted(plain)[REPEATS // 2]
    print(f"first call, with loading or compiling    {first:.2f} s")
    print(f"trueward, worlds included, one thread    {fast / 1e6:.1f} M decisions/s   ({TRIALS} trials)")
    print(f"the same loop in plain Python            {slow / 1e6:.2f} M decisions/s   ({PLAIN_TRIALS} trials)")
    print(f"ratio                                    {fast / slow:.0f}x")


if __name__ == "__main__":
    main()
