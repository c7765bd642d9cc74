"""The head of a request: refused as soon as it is too long; the server's parser would collect any number of bytes."""

import httptools
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST = 65_536  # bytes: as uvicorn's other parser has it
BETWEEN = 4  # the colon, a blank, and the end of the line
TOO_LONG = f"The head of a request may have {MOST} bytes."


class ShortHeads(HttpToolsProtocol):
    """HTTP as uvicorn speaks it, with a limit for what comes before a body."""

    _in_head = False
    _collected = 0  # bytes of a head that has not ended yet
    _refused = False

    def data_received(self, data: bytes) -> None:
        """Take some bytes in."""
        began_before = self._in_head
        super().data_received(data)
        if began_before and self._in_head and not self.transport.is_closing():
            self._collected += len(data)
            if self._collected > MOST:
                self.send_400_response(TOO_LONG)

    def on_message_begin(self) -> None:
        """Begin with a head."""
        self._in_head, self._collected = True, 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """End with it."""
        self._in_head = False
        if len(self.url) + sum(len(name) + len(value) + BETWEEN for name, value in self.headers) > MOST:
            self._refused = True
            raise httptools.HttpParserError(TOO_LONG)
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse the request, and hang up."""
        super().send_400_response(TOO_LONG if self._refused else msg)
