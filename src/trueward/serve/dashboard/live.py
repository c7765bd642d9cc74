"""Live pages: a stream that says when a study has moved on. The page then fetches what it shows.

A stream is an async endpoint, since those that are not share forty threads; it looks once a second, and ends after a
while: the browser opens another.
"""

from collections.abc import AsyncIterator

from fastapi import APIRouter, Request
from fastapi.responses import Response, StreamingResponse
from starlette.concurrency import run_in_threadpool

from trueward.errors import TruewardError
from trueward.serve.dashboard.desk import Pages, ThePages, Viewer
from trueward.serve.dashboard.views.look import last_seq

router = APIRouter()
EVERY = 1.0  # seconds between looks
LOOKS = 50  # of a stream: who opens another must still be signed in
MOST_STREAMS = 200  # at once, in a process


@router.get("/studies/{name:path}/live")
async def live(request: Request, name: str, pages: ThePages, _: Viewer) -> Response:
    """Say the number of the last event, whenever there is another."""
    if pages.streams >= MOST_STREAMS:
        return Response("too many live pages", 503, headers={"Retry-After": "30"})
    await run_in_threadpool(last_seq, pages.database, name)  # an unknown study is refused here
    return StreamingResponse(_changes(request, pages, name), media_type="text/event-stream")


async def _changes(request: Request, pages: Pages, name: str) -> AsyncIterator[str]:
    pages.streams += 1
    try:
        before = -1
        yield "retry: 1500\n\n"
        for _ in range(LOOKS):
            seq = await run_in_threadpool(last_seq, pages.database, name)
            if seq != before:
                before = seq
                yield f"event: moved\ndata: {seq}\n\n"
            if await pages.stopping.within(EVERY) or await request.is_disconnected():
                return
    except TruewardError:
        return  # the database is away: the browser will ask again
    finally:
        pages.streams -= 1
