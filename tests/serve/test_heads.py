"""The head of a request may not be longer than its limit, however it is sent; what is shorter is answered."""

import socket

import pytest

from serving import Workers, in_a_thread
from trueward.serve.heads import MOST, TOO_LONG
from trueward.serve.settings import Settings

REQUEST = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"


@pytest.fixture
def address(sqlite):
    with in_a_thread(Settings(db=sqlite)) as url:
        yield "127.0.0.1", int(url.rpartition(":")[2])


def sent(address, *parts):
    """Return the answer to what is sent."""
    with socket.create_connection(address, timeout=20) as connection:
        for part in parts:
            connection.sendall(part)
        return connection.recv(1000)


def sent_all(address, *parts):
    """Return whether all could be sent, before the server hung up."""
    with socket.create_connection(address, timeout=20) as connection:
        try:
            for part in parts:
                connection.sendall(part)
        except OSError:
            return False
    return True


def test_a_long_head_is_refused_and_a_shorter_one_answered(address):
    assert sent(address, REQUEST, b"X: " + b"a" * (MOST // 2) + b"\r\n\r\n").startswith(b"HTTP/1.1 200")
    refused = sent(address, REQUEST + b"X: " + b"a" * MOST + b"\r\n\r\n")
    assert refused.startswith(b"HTTP/1.1 400")
    assert refused.endswith(TOO_LONG.encode())
    many = b"X: a\r\n" * (MOST // 6)
    assert sent(address, REQUEST + many + b"\r\n").startswith(b"HTTP/1.1 400")


def test_the_command_hangs_up_on_a_head_without_end(sqlite, tmp_path):
    workers = Workers(sqlite, 1, tmp_path / "log")
    try:
        address = "127.0.0.1", workers.port
        assert not sent_all(address, REQUEST + b"X: ", b"a" * (200 * MOST))
        assert sent(address, REQUEST + b"\r\n").startswith(b"HTTP/1.1 200")
    finally:
        workers.stop()


def test_each_request_on_a_connection_has_its_own_head(address):
    some = REQUEST + b"X: " + b"a" * (MOST // 2) + b"\r\n\r\n"
    with socket.create_connection(address, timeout=20) as connection:
        for _ in range(4):
            connection.sendall(some)
            assert connection.recv(1000).startswith(b"HTTP/1.1 200")
