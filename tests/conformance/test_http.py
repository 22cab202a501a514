"""What httpx, uvicorn and the resolver do."""

import gzip
import ipaddress
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Queue

import httpx
import pytest
from httpcore._backends.sync import SyncStream

from monitor_site import networks
from tests.servers import free_port, tied, wait_for_port
from tests.waiting import PATIENCE_SECONDS

STREAM = """
import asyncio

async def application(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"open", "more_body": True})
    await asyncio.sleep(3600)
"""


@contextmanager
def answering(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """The address of a server that answers one request that way."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            client, _ = listener.accept()
            with client:
                client.recv(65_536)
                answer(client)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    thread.join(PATIENCE_SECONDS)
    listener.close()


def test_a_slow_drip_outlives_every_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Timeouts are per read. So our transport has an absolute deadline."""
    reads, real, patient = Queue(), SyncStream.read, float(PATIENCE_SECONDS)
    told: list[float | None] = []

    def read(self: SyncStream, most: int, timeout: float | None = None) -> bytes:
        told.append(timeout)
        reads.put(None)
        return real(self, most, timeout)

    def drip(client: socket.socket) -> None:
        """Each drop falls when it is waited for."""
        for drop in (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", *[b"x"] * 10):
            reads.get(timeout=patient)
            client.sendall(drop)

    monkeypatch.setattr(SyncStream, "read", read)
    with answering(drip) as address, httpx.Client(timeout=patient, trust_env=False) as client:
        assert len(client.get(address).content) == 10
    assert told == [patient] * 11


def test_a_small_answer_becomes_huge_in_one_piece() -> None:
    """So our transport inflates in bounded steps and caps both what came and what it became."""
    small = gzip.compress(b"0" * 20_000_000)

    def bomb(client: socket.socket) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(small)}\r\n\r\n"
        client.sendall(head.encode() + small)

    assert len(small) < 25_000
    with answering(bomb) as address, asking() as client, client.stream("GET", address) as answer:
        assert max(len(piece) for piece in answer.iter_bytes()) > 5_000_000


def asking() -> httpx.Client:
    """With more patience than a server needs that gets little time."""
    return httpx.Client(trust_env=False, timeout=PATIENCE_SECONDS)


MISSED = ["100.64.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "::127.0.0.1", "224.0.0.1"]
SPELLINGS = ["127.1", "0177.0.0.1", "2130706433", "0x7f.1"]


@pytest.mark.parametrize("text", MISSED)
def test_is_private_misses_addresses_that_lead_inside(text: str) -> None:
    """So a list of our own decides, after an address within an address is unwrapped."""
    assert not ipaddress.ip_address(text).is_private
    assert not networks.is_public(text)


@pytest.mark.parametrize("text", SPELLINGS)
def test_the_resolver_takes_odd_spellings_of_this_machine(text: str) -> None:
    """So what was resolved is checked, never how it was written, and the checked address is connected to."""
    found = {row[4][0] for row in socket.getaddrinfo(text, 80, type=socket.SOCK_STREAM)}
    assert found == {"127.0.0.1"}


@pytest.mark.parametrize(("options", "ends"), [((), False), (("--timeout-graceful-shutdown", "1"), True)])
def test_an_open_stream_keeps_uvicorn_alive_unless_it_is_told_when_to_give_up(
    tmp_path: Path, options: tuple[str, ...], ends: bool
) -> None:
    """So our pages are served with that limit."""
    (tmp_path / "streaming.py").write_text(STREAM, encoding="utf-8")
    port = free_port()
    command = tied(sys.executable, "-m", "uvicorn", "streaming:application", "--port", port, "--lifespan", "off",
                   "--log-level", "critical", *options)  # fmt: skip
    process = subprocess.Popen(command, cwd=tmp_path)
    try:
        wait_for_port(port, process)
        with asking() as client, client.stream("GET", f"http://127.0.0.1:{port}/") as answer:
            assert next(answer.iter_raw()) == b"open"
            process.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE_SECONDS if ends else 2.5)
            assert (process.poll() is not None) is ends
    finally:
        process.kill()
        process.wait()
