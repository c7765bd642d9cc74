"""Runs the service: as many workers as the settings say, which a supervisor starts again when they die."""

import os
import signal
import sys
import tempfile
from typing import Any

from trueward.serve.settings import Settings

APP = "trueward.serve.app:create_app"
SLOW = 60  # seconds that a worker may be silent: on a busy machine it takes long to begin
METRICS = "PROMETHEUS_MULTIPROC_DIR"  # before prometheus_client is imported

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"lines": {"()": "trueward.serve.door.Lines"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "lines"}},
    "loggers": {
        name: {"handlers": ["stderr"], "level": "INFO", "propagate": False} for name in ("trueward.serve", "uvicorn")
    },
}


def run(settings: Settings, app: str = APP) -> None:
    """Serve an application until a signal comes; what was accepted by then is answered."""
    import uvicorn

    from trueward.serve.heads import ShortHeads
    from trueward.serve.studies import Studies

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # sent again by the server at its end, when all is answered
    Studies(settings.db).close()  # the tables are there before the workers look for them
    with tempfile.TemporaryDirectory(prefix="trueward-metrics-") as folder:
        os.environ |= {METRICS: os.environ.get(METRICS, folder), **settings.as_environment()}
        uvicorn.run(
            app,
            factory=True,
            http=ShortHeads,
            host=settings.host,
            port=settings.port,
            workers=settings.workers,
            log_config=LOGGING,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=settings.patience_seconds,
            timeout_worker_healthcheck=SLOW,
        )
