"""Connections of our own under the HTTP library, and its pool that asks only the connection it is about to use."""

import asyncio
from collections.abc import AsyncIterator

import httpcore
import httpx
import pytest

from monitor_site.marketplaces import pool as pools
from monitor_site.marketplaces.pool import SwiftPool
from monitor_site.marketplaces.wire import MOST_UNREAD, WireBackend, WireStream
from tests.servers import free_port

from .loopback import Loopback

WHOLE = b"x" * (8 * MOST_UNREAD)


@pytest.fixture
async def pool() -> AsyncIterator[SwiftPool]:
    """Three connections at most, of which two stay when they are idle."""
    opened = SwiftPool(
        max_connections=3, max_keepalive_connections=2, keepalive_expiry=60, network_backend=WireBackend()
    )
    yield opened
    await opened.aclose()


async def ask(pool: SwiftPool, loopback: Loopback) -> bytes:
    return (await pool.request("GET", f"{loopback.base}/")).content


async def connected(loopback: Loopback) -> WireStream:
    stream = await WireBackend().connect_tcp("127.0.0.1", loopback.port)
    assert isinstance(stream, WireStream)
    return stream


def request(stream: WireStream) -> "asyncio.Future[None]":
    return asyncio.ensure_future(stream.write(b"GET / HTTP/1.1\r\n\r\n"))


async def test_requests_one_after_the_other_share_a_connection(pool: SwiftPool, loopback: Loopback) -> None:
    loopback.answer("/", b"here")

    assert [await ask(pool, loopback) for _ in range(5)] == [b"here"] * 5
    assert loopback.connections == 1


async def test_more_at_once_than_there_may_be_connections_wait_for_their_turn(
    pool: SwiftPool, loopback: Loopback
) -> None:
    loopback.answer("/", b"here")

    assert await asyncio.gather(*(ask(pool, loopback) for _ in range(20))) == [b"here"] * 20
    assert loopback.connections <= 3


async def test_a_connection_that_the_other_side_has_closed_is_not_used_again(
    pool: SwiftPool, loopback: Loopback
) -> None:
    async def once(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nhere")
        writer.write_eof()

    loopback.routes["/"] = once

    assert [await ask(pool, loopback) for _ in range(3)] == [b"here"] * 3
    assert loopback.connections == 3
    assert len(pool.connections) == 1


async def test_idle_connections_beyond_what_is_kept_are_closed(
    pool: SwiftPool, loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    loopback.answer("/", b"here")
    await asyncio.gather(*(ask(pool, loopback) for _ in range(20)))
    monkeypatch.setattr(pools, "LOOK_SECONDS", 0.0)
    pool._look_at = 0.0

    await ask(pool, loopback)

    assert len(pool.connections) <= 2


async def test_a_connection_idle_for_too_long_is_closed(loopback: Loopback) -> None:
    loopback.answer("/", b"here")
    async with SwiftPool(keepalive_expiry=-1.0, network_backend=WireBackend()) as pool:
        for _ in range(2):
            await ask(pool, loopback)

    assert loopback.connections == 2


async def test_an_idle_connection_to_one_place_makes_room_for_another(loopback: Loopback) -> None:
    loopback.answer("/", b"here")
    async with SwiftPool(max_connections=1, network_backend=WireBackend()) as pool:
        await ask(pool, loopback)
        await pool.request("GET", f"http://localhost:{loopback.port}/")

        assert len(pool.connections) == 1
    assert loopback.connections == 2


async def test_a_place_that_takes_no_connection_is_said_to_be_so(pool: SwiftPool) -> None:
    for _ in range(5):
        with pytest.raises(httpcore.ConnectError):
            await pool.request("GET", f"http://127.0.0.1:{free_port()}/")


async def test_what_is_written_in_one_turn_of_the_loop_arrives_in_order(loopback: Loopback) -> None:
    loopback.answer("/", b"here")
    stream = await connected(loopback)

    await stream.write(b"GET / HTTP/1.1\r\ncontent-length: 3\r\n")
    await stream.write(b"\r\n")
    await stream.write(b"abc")

    assert (await stream.read(65_536)).endswith(b"here")
    assert loopback.asked[0].body == b"abc"
    await stream.aclose()


async def test_a_flood_that_nobody_reads_waits_at_the_other_side_and_arrives_whole(loopback: Loopback) -> None:
    async def flood(writer: asyncio.StreamWriter) -> None:
        writer.write(WHOLE)
        await writer.drain()

    loopback.routes["/"] = flood
    stream = await connected(loopback)
    await request(stream)
    came = bytearray()
    while len(came) < len(WHOLE):
        came += await stream.read(1000)
        assert len(stream._wire.unread) < 3 * MOST_UNREAD

    assert bytes(came) == WHOLE
    await stream.aclose()


async def test_the_end_is_an_empty_read_and_a_break_an_error(loopback: Loopback) -> None:
    async def hang_up(writer: asyncio.StreamWriter) -> None:
        writer.write_eof()

    loopback.routes["/"] = hang_up
    stream = await connected(loopback)
    await request(stream)

    assert await stream.read(1000) == b""
    assert stream.get_extra_info("is_readable")
    stream._wire.connection_lost(ConnectionResetError("gone"))
    with pytest.raises(httpcore.ReadError, match="gone"):
        await stream.read(1000)
    with pytest.raises(httpcore.WriteError):
        await stream.write(b"hello")
    await stream.aclose()


async def test_a_place_that_never_answers_the_handshake_is_given_up_in_time(loopback: Loopback) -> None:
    stream = await connected(loopback)

    with pytest.raises(httpcore.ConnectTimeout):
        await stream.start_tls(httpx.create_ssl_context(), "api.bazaar.example", timeout=0.05)


async def test_a_place_that_answers_the_handshake_in_plain_words_is_unreachable() -> None:
    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        stream = await WireBackend().connect_tcp("127.0.0.1", server.sockets[0].getsockname()[1])
        with pytest.raises(httpcore.ConnectError):
            await stream.start_tls(httpx.create_ssl_context(), "api.bazaar.example", timeout=20)
