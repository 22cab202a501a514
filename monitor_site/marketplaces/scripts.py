"""Run the Lua scripts of this room. Redis has the clock and the last word; every script is one atomic step."""

from functools import cache
from pathlib import Path
from typing import Any, cast

import redis
import redis.asyncio
from redis.commands.core import AsyncScript

FOLDER = Path(__file__).parent / "lua"


@cache
def _text(name: str) -> bytes:
    return (FOLDER / f"{name}.lua").read_bytes()


@cache
def _script(name: str) -> AsyncScript:
    """Its text and digest; it belongs to no client, each run says whose it is."""
    return AsyncScript(cast("redis.asyncio.Redis", None), _text(name))


async def run(client: redis.asyncio.Redis, name: str, *, keys: list[str], args: list[Any]) -> Any:
    """What the script ``lua/<name>.lua`` answers; raises ``redis.RedisError``."""
    return await _script(name)(keys=keys, args=args, client=client)


def run_now(client: redis.Redis, name: str, *, keys: list[str], args: list[Any]) -> Any:
    """The same for blocking code."""
    return client.register_script(_text(name))(keys=keys, args=args)
