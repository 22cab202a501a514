"""Run the Lua scripts of this room. Redis has the clock and the last word; every script is one atomic step."""

from functools import cache
from pathlib import Path
from typing import Any

import redis
import redis.asyncio

FOLDER = Path(__file__).parent / "lua"


@cache
def _source(name: str) -> str:
    return (FOLDER / f"{name}.lua").read_text(encoding="utf-8")


async def run(client: redis.asyncio.Redis, name: str, *, keys: list[str], args: list[Any]) -> Any:
    """What the script ``lua/<name>.lua`` answers; raises ``redis.RedisError``."""
    script = client.register_script(_source(name))
    return await script(keys=keys, args=args)


def run_now(client: redis.Redis, name: str, *, keys: list[str], args: list[Any]) -> Any:
    """The same for blocking code."""
    return client.register_script(_source(name))(keys=keys, args=args)
