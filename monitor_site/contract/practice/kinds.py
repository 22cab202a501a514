"""The kinds of faults that any market can have; what only one can have it adds itself."""

import asyncio
import gzip
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from . import reply as out
from .faults import Kind, Scene
from .reply import Reply

_BLOCK = b" " * 65536


def generic_kinds(*, error: Reply, throttled: Reply, maintenance: Reply) -> dict[str, Kind]:
    """All of them, by name. A market words its own ``error``, ``throttled`` and ``maintenance``.

    Bodies that only have to be big, packed or empty come with the media type of ``error``.
    """
    return {
        "status": _status(error),
        "throttle": _throttle(throttled),
        "maintenance": fixed(maintenance),
        "delay": _delay,
        "hang": _hang,
        "truncate": _truncate,
        "cut": _cut,
        "close": _close,
        "drip": _drip,
        "endless": _endless(error.media_type),
        "huge": _huge(error.media_type),
        "gzip_bomb": _gzip_bomb(error.media_type),
        "no_body": fixed(Reply(200, b"", error.media_type)),
    }


def fixed(reply: Reply) -> Kind:
    """A kind that always sends ``reply``."""

    async def kind(scene: Scene) -> None:
        await out.send_reply(scene.send, reply)

    return kind


def renamed(body: bytes, pairs: Iterable[tuple[bytes, bytes]]) -> bytes:
    """A body in which names were changed, as when a site gets another layout."""
    for old, new in pairs:
        body = body.replace(old, new)
    return body


def _status(error: Reply) -> Kind:
    async def kind(scene: Scene) -> None:
        await out.send_reply(scene.send, replace(error, status=int(scene.fault.number("status", 500))))

    return kind


def _throttle(throttled: Reply) -> Kind:
    async def kind(scene: Scene) -> None:
        wait = scene.fault.options.get("retry_after")
        hint = {} if wait is None else {"retry-after": str(wait)}
        await out.send_reply(scene.send, replace(throttled, headers={**throttled.headers, **hint}))

    return kind


async def _delay(scene: Scene) -> None:
    if await out.hang(scene.receive, seconds=scene.fault.number("seconds", 10)):
        await out.send_reply(scene.send, await scene.good())


async def _hang(scene: Scene) -> None:
    await out.hang(scene.receive, seconds=scene.fault.number("seconds", 3600))


async def _truncate(scene: Scene) -> None:
    good = await scene.good()
    await out.send_reply(scene.send, Reply(good.status, good.body[: len(good.body) * 2 // 3], good.media_type))


async def _cut(scene: Scene) -> None:
    await out.cut(scene.send, scene.receive, await scene.good())


async def _close(scene: Scene) -> None:
    await out.cut(scene.send, scene.receive, None)


async def _drip(scene: Scene) -> None:
    good = await scene.good()
    await out.send_slowly(scene.send, scene.receive, good, pause=scene.fault.number("seconds", 1))


def _endless(media_type: str) -> Kind:
    async def kind(scene: Scene) -> None:
        await out.send_much(scene.send, scene.receive, Reply(200, _BLOCK, media_type), total=1 << 40)

    return kind


def _huge(media_type: str) -> Kind:
    async def kind(scene: Scene) -> None:
        total = int(scene.fault.number("megabytes", 50) * 1_000_000)
        await out.send_much(scene.send, scene.receive, Reply(200, _BLOCK, media_type), total=total)

    return kind


def _gzip_bomb(media_type: str) -> Kind:
    async def kind(scene: Scene) -> None:
        packed = await asyncio.to_thread(_bomb, int(scene.fault.number("megabytes", 100)))
        await out.send_reply(scene.send, Reply(200, packed, media_type, {"content-encoding": "gzip"}))

    return kind


@lru_cache(maxsize=2)
def _bomb(megabytes: int) -> bytes:
    return gzip.compress(b" " * 1_000_000 * megabytes, compresslevel=6)
