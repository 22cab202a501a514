"""What a request may bring, asked over real HTTP of a server that has the real application's door."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn

from monitor_site.intake import Intake

REACHED: list[int] = []


async def echo(scope: dict[str, Any], receive: Callable[[], Any], send: Callable[[Any], Any]) -> None:
    """Counts the body, as Django does before it answers."""
    size, more = 0, True
    while more:
        message = await receive()
        size, more = size + len(message.get("body", b"")), message.get("more_body", False)
    REACHED.append(size)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


@asynccontextmanager
async def served(most: int) -> AsyncIterator[int]:
    door = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(
        uvicorn.Config(Intake(echo, most=most), lifespan="off", log_config=None, log_level="critical")
    )
    running = asyncio.create_task(server.serve(sockets=[door]))
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event to wait for
        await asyncio.sleep(0)
    yield door.getsockname()[1]
    server.should_exit = True
    await running
    door.close()


async def sent(port: int, head: str, body: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{head}\r\n\r\n".encode() + body)
    answer = await reader.read()
    writer.close()
    return answer


CHUNKED = b"32\r\n" + b"x" * 0x32 + b"\r\n"


@pytest.mark.parametrize(
    ("head", "body", "status", "reached"),
    [
        ("Content-Length: 100", b"x" * 100, b"200", [100]),
        ("Content-Length: 101", b"x" * 101, b"413", []),
        (f"Content-Length: {10**12}", b"", b"413", []),
        ("Transfer-Encoding: chunked", CHUNKED * 2 + b"0\r\n\r\n", b"200", [100]),
        ("Transfer-Encoding: chunked", CHUNKED * 3, b"413", []),
    ],
)
async def test_a_body_beyond_the_limit_is_refused_before_it_is_kept(
    head: str, body: bytes, status: bytes, reached: list[int]
) -> None:
    REACHED.clear()
    async with served(100) as port:
        answer = await sent(port, head, body)
    assert answer.split()[1] == status
    assert reached == REACHED


def test_the_web_process_has_the_door() -> None:
    from monitor_site.asgi import application

    assert isinstance(application, Intake)
