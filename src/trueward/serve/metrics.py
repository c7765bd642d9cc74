"""What Prometheus is told: how much of what, and how long it took; summed over all workers."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client import generate_latest as text_of
from prometheus_client.multiprocess import MultiProcessCollector

from trueward.serve.calls import TheCall
from trueward.serve.routes import READ
from trueward.study.study import Study

FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # read by prometheus_client when it is imported
DONE = Counter("trueward_done", "Requests that were done, by kind: asks, tells, amendments, voids.", ["kind", "study"])
WAITING = Gauge(
    "trueward_lane_depth", "Requests that wait in the lane of a study.", ["study"], multiprocess_mode="livesum"
)
SECONDS = Histogram("trueward_request_seconds", "How long requests took.", ["method", "route", "status"])

router = APIRouter(tags=["health"])


def count(kind: str, study: Study) -> None:
    """Count a request that was done, and look at the lane."""
    DONE.labels(kind, study.name).inc()
    WAITING.labels(study.name).set(study.waiting)


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}, **READ})
def metrics(call: TheCall) -> Response:
    """Return the metrics of all workers, for a key that may read all studies."""
    call.allow("read", None)
    registry = REGISTRY
    if os.environ.get(FOLDER):
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call] # not typed there
    return Response(text_of(registry), media_type=CONTENT_TYPE_LATEST)


def forget_the_dead() -> None:
    """Remove the gauges of workers that are no more; a worker that was killed could not do so itself."""
    for file, process in _gauges():
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            file.unlink(missing_ok=True)
        except PermissionError:
            continue


def _gauges() -> Iterator[tuple[Path, int]]:
    if folder := os.environ.get(FOLDER):
        for file in Path(folder).glob("gauge_live*_*.db"):
            with suppress(ValueError):
                yield file, int(file.stem.rpartition("_")[2])
