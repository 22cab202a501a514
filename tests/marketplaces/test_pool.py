"""The HTTP library's pool, of which only the connection that is about to be used is asked."""

import asyncio
from collections.abc import AsyncIterator

import httpcore
import pytest

from monitor_site.marketplaces import pool as pools
from monitor_site.marketplaces.pool import SwiftPool
from tests.nowhere import closed_port

from .loopback import Loopback


@pytest.fixture
async def pool() -> AsyncIterator[SwiftPool]:
    """Three connections at most, of which two stay when they are idle."""
    opened = SwiftPool(max_connections=3, max_keepalive_connections=2, keepalive_expiry=60)
    yield opened
    await opened.aclose()


async def ask(pool: SwiftPool, loopback: Loopback) -> bytes:
    return (await pool.request("GET", f"{loopback.base}/")).content


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
    async with SwiftPool(keepalive_expiry=-1.0) as pool:
        for _ in range(2):
            await ask(pool, loopback)

    assert loopback.connections == 2


async def test_an_idle_connection_to_one_place_makes_room_for_another(loopback: Loopback) -> None:
    loopback.answer("/", b"here")
    async with SwiftPool(max_connections=1) as pool:
        await ask(pool, loopback)
        await pool.request("GET", f"http://localhost:{loopback.port}/")

        assert len(pool.connections) == 1
    assert loopback.connections == 2


async def test_a_place_that_takes_no_connection_is_said_to_be_so(pool: SwiftPool) -> None:
    for _ in range(5):
        with pytest.raises(httpcore.ConnectError):
            await pool.request("GET", f"http://127.0.0.1:{closed_port()}/")
