"""Requests per second over HTTP, two workers on PostgreSQL: `make bench-service`.

Decisions and rewards, in turn with endpoints of the same server that only write the same rows through the same lane.
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import http_load
import trueward as tw
from conftest import serving  # a PostgreSQL server
from serving import Workers
from trueward.serve import keys
from trueward.study.database import connected

POLICIES = {"study": tw.UCB(sigma=1.0), "floor": tw.Uniform()}


def main() -> None:
    """Measure and print the rates."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--clients", type=int, default=32)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, serving(folder) as (_, address):
        url = address.render_as_string(hide_password=False)
        for name, policy in POLICIES.items():
            tw.Study.create(url, name, ["video", "text", "quiz"], policy=policy, uniform_share=0.1).close()
        with connected(url) as database, database.write() as connection:
            key = keys.create(connection, study=None, scopes=keys.SCOPES)[1]
        here = str(Path(__file__).parent)
        workers = Workers(url, 2, f"{folder}/log", app="service_floor:create_app", PYTHONPATH=here)
        try:
            measure(workers.port, key, options)
        finally:
            workers.stop()


def measure(port: int, key: str, options: argparse.Namespace) -> None:
    """Measure the study and the floor in turn, and print both."""
    ratios = []
    for turn in range(-1, options.rounds):  # the first one is a warm-up
        results = {
            floor: http_load.play(
                port,
                key,
                "floor" if floor else "study",
                seconds=options.seconds,
                clients=options.clients,
                run=f"{turn}",
                floor=floor,
            )
            for floor in (False, True)
        }
        if turn < 0:
            continue
        ratios.append(results[False].per_second / results[True].per_second)
        for floor, outcome in results.items():
            print(
                f"{'floor' if floor else 'study'}: {outcome.per_second:6.0f} requests/s, "
                f"p50 {outcome.quantile(0.5):5.1f} ms, p99 {outcome.quantile(0.99):5.1f} ms"
            )
    print(f"ratio: {statistics.median(ratios):.2f} (from {min(ratios):.2f} to {max(ratios):.2f})")


if __name__ == "__main__":
    main()
