"""What tests of marketplaces may ask for."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import redis as redis_library
import redis.asyncio

from monitor_site.connections import async_redis_client
from monitor_site.marketplaces.gateway import Found, Gateway, History

from .asking import CAMERA, FIRST, Ask
from .loopback import Loopback, Search, plugin, shelf
from .proxy import SmallProxy


@pytest.fixture
async def loopback() -> AsyncIterator[Loopback]:
    """A server on loopback whose routes the test writes."""
    server = Loopback()
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(task := asyncio.ensure_future(server.serve(reader, writer)))
        await asyncio.gather(task, return_exceptions=True)

    listener = await asyncio.start_server(serve, "127.0.0.1", 0, limit=2**20)
    server.port = listener.sockets[0].getsockname()[1]
    yield server
    listener.close()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@pytest.fixture
async def proxy() -> AsyncIterator[SmallProxy]:
    """A proxy that leads nowhere yet."""
    small = SmallProxy()
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(task := asyncio.ensure_future(small.serve(reader, writer)))
        await asyncio.gather(task, return_exceptions=True)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    small.port = server.sockets[0].getsockname()[1]
    yield small
    server.close()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@pytest.fixture
async def aredis(redis: redis_library.Redis) -> AsyncIterator[redis.asyncio.Redis]:
    """An asynchronous client of an empty Redis."""
    client = async_redis_client()
    yield client
    await client.aclose()


@pytest.fixture
def _practice(settings: Any, loopback: Loopback) -> None:
    settings.PRACTICE_MARKETS = {"bazaar": loopback.base}


@pytest.fixture
async def ask(aredis: redis.asyncio.Redis) -> AsyncIterator[Ask]:
    """Search with a plugin whose search is the test's."""
    opened: list[Gateway] = []

    async def search(searching: Search, history: History = FIRST, **changes: Any) -> Found:
        options = {"redis": aredis, "catalog": shelf(plugin(searching))} | changes
        opened.append(gateway := Gateway(**options))
        return await gateway.search(marketplace="bazaar", criteria=CAMERA, history=history)

    yield search
    for gateway in opened:
        await gateway.close()
