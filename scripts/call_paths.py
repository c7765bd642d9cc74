"""List the files and functions of the package that one reward, or one claim of the paper, passes through.

    python scripts/call_paths.py reward > docs/call-paths/reward-after.txt
    python scripts/call_paths.py claim > docs/call-paths/claim-after.txt

*reward*: an interpreted game of crUCB against a budgeted adversary, from `play` to the regret.
*claim*: the claims of figure 1, judged from the results of ten trials that were played before. What is loaded or
compiled before the first call (imports, the checks made when a class is defined) is not counted; comprehensions and
lambdas count as part of the function that holds them.
"""

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import trueward as tw

PACKAGE = Path(tw.__file__).parent


def functions_called(run: Callable[[], Any]) -> dict[str, list[tuple[str, int]]]:
    """Return the functions that a call runs, by file, both in the order of first use.

    The lengths are in lines, without docstrings.
    """
    found: dict[str, dict[tuple[str, int], None]] = {}
    seen: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or code in seen:
            return
        seen.add(code)
        file = Path(code.co_filename)
        if file.is_relative_to(PACKAGE) and not code.co_name.startswith("<"):
            docstring = code.co_consts[0] if code.co_consts and isinstance(code.co_consts[0], str) else ""
            lines = max(line or 0 for _, _, line in code.co_lines()) - code.co_firstlineno + 1 - docstring.count("\n")
            found.setdefault(file.relative_to(PACKAGE).as_posix(), {})[code.co_qualname, lines] = None

    run()  # the first call imports modules and fills caches, which the second one then finds
    threading.setprofile(note)  # blocks of games are played by worker threads
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return {file: list(functions) for file, functions in found.items()}


def one_reward() -> Callable[[], Any]:
    """Return the game that docs/one-reward.md follows, from `play` to its regret."""
    arms = tw.BinomialArms(n=10, p=[0.9, 0.8])
    attack = tw.PrefixBudget(0.1, tw.WorstBounded())
    policy, play = tw.CrUCB(tw.TrimmedMean(alpha=0.1), sigma=arms.sd), tw.play
    return lambda: play(policy, arms, attack, horizon=50, seed=1, keep_history=True, compiled=False).regret


def one_claim() -> Callable[[], Any]:
    """Play figure 1 with ten trials, and return a function that judges its claims."""
    from trueward import lab
    from trueward.lab.experiment.example_files import example_file
    from trueward.lab.paper.judge import judge

    result = lab.run(example_file("figure1"), trials=10, seed=0, progress=False)
    return lambda: judge({"figure1": result})


def main(what: str) -> None:
    """Print the listing."""
    files = functions_called({"reward": one_reward, "claim": one_claim}[what]())
    total = sum(map(len, files.values()))
    sys.stdout.write(f"One {what}: {len(files)} files, {total} functions (lines)\n")
    for file, functions in files.items():
        sys.stdout.write(f"\n{file}\n")
        sys.stdout.writelines(f"    {name} ({lines})\n" for name, lines in functions)


if __name__ == "__main__":
    main(sys.argv[1])
