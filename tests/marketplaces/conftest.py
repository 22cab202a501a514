"""What tests of marketplaces may ask for."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import redis as redis_library
import redis.asyncio

from monitor_site.connections import async_redis_client

from .loopback import Loopback


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
async def aredis(redis: redis_library.Redis) -> AsyncIterator[redis.asyncio.Redis]:
    """An asynchronous client of an empty Redis."""
    client = async_redis_client()
    yield client
    await client.aclose()
