"""What every answer of the dashboard is guarded by: headers, and the Origin of whatever changes something.

A page runs no script but ours, and none that is written into it; it loads nothing from another host, stands in no
frame, and its forms go nowhere else. A request that changes something must come from a page of ours.
"""

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # without any, browsers send no Origin with a form
    "Cross-Origin-Opener-Policy": "same-origin",
}
SAFE = ("GET", "HEAD", "OPTIONS")


class Guard:
    """Adds the headers to every answer, and refuses what comes from a page of another host."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        if scope["method"] not in SAFE and not is_ours(Headers(scope=scope)):
            refusal = PlainTextResponse("This came from a page of another host, and was refused.", 403)
            await refusal(scope, receive, guarded)
            return
        await self._app(scope, receive, guarded)


def is_ours(headers: Headers) -> bool:
    """Return whether a request says that it comes from a page of this host.

    >>> is_ours(Headers({"host": "study.example.org", "origin": "https://study.example.org"}))
    True
    >>> is_ours(Headers({"host": "study.example.org", "origin": "https://evil.example"}))
    False
    """
    origin, host = headers.get("origin"), headers.get("host")
    return bool(origin and host) and urlsplit(str(origin)).netloc == host
