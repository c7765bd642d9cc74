"""Shown while things are loaded: a page that looks again by itself, until the real one is there."""

import base64
import hashlib
import time

from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send

STYLE = "body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:20vh auto;padding:0 1rem}p{opacity:.8}"
PAGE = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="1">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>trueward: one moment</title><style>{STYLE}</style></head>
<body><h1>One moment</h1><p>WORDS</p><p>SECONDS s so far. This page goes on by itself.</p></body></html>"""
_DIGEST = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
HEADERS = {"Cache-Control": "no-store", "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{_DIGEST}'"}


class Waiting:
    """An application that asks for patience, and hands over to another as soon as there is one."""

    def __init__(self, words: str) -> None:
        self.words = words
        self.ready: ASGIApp | None = None
        self._begun = time.monotonic()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if self.ready is not None:
            await self.ready(scope, receive, send)
        elif scope["type"] == "http":
            seconds = int(time.monotonic() - self._begun)
            page = PAGE.replace("WORDS", self.words).replace("SECONDS", str(seconds))
            answer = HTMLResponse(page, headers=HEADERS)
            await answer(scope, receive, send)
