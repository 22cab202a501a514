"""Scripted faults: what goes wrong on which route, how often, for how long."""

import asyncio
import gzip
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import Any

from . import reply as out
from .reply import Receive, Reply, Send, json_reply

ROUTES = ("search", "photos", "pages", "*")
_BLOCK_PAGE = (
    b"<!DOCTYPE html><html><head><title>Access denied</title></head>"
    b"<body><h1>This practice market has blocked you</h1></body></html>"
)
_TYPES_OF_BLOCK = "text/html; charset=UTF-8"


@dataclass(slots=True, eq=False)
class Fault:
    """One fault in force; ``left`` counts down, ``until`` is real unix seconds, ``options`` belong to the kind."""

    id: int
    kind: str
    route: str = "search"
    left: int | None = None
    probability: float = 1.0
    until: float | None = None
    options: dict[str, Any] = field(default_factory=dict)

    def number(self, name: str, default: float) -> float:
        """A numeric option."""
        return float(self.options.get(name, default))

    def shown(self) -> dict[str, Any]:
        """For the control end."""
        return {name: getattr(self, name) for name in ("id", "kind", "route", "left", "probability", "until")} | {
            "options": self.options
        }


class Faults:
    """The faults in force, oldest first; the first that strikes is the one that counts."""

    def __init__(self, rng: Random, wall: Callable[[], float]) -> None:
        self._rng, self._wall = rng, wall
        self._next_id = 1
        self._active: list[Fault] = []

    @property
    def active(self) -> list[Fault]:
        """The faults that can still strike."""
        self._active = [fault for fault in self._active if self._lives(fault)]
        return self._active

    def set(self, wanted: dict[str, Any]) -> Fault:
        """Put a fault in force; raises ``ValueError`` for an unknown kind or route."""
        known = dict(wanted)
        kind, route = known.pop("kind", None), known.pop("route", "search")
        if kind not in KINDS or route not in ROUTES:
            raise ValueError(f"kind is one of {', '.join(sorted(KINDS))}; route is one of {', '.join(ROUTES)}")
        count, seconds = known.pop("count", None), known.pop("for_seconds", None)
        fault = Fault(
            id=self._next_id,
            kind=kind,
            route=route,
            left=None if count is None else int(count),
            probability=float(known.pop("probability", 1.0)),
            until=None if seconds is None else self._wall() + float(seconds),
            options=known,
        )
        self._next_id += 1
        self._active.append(fault)
        return fault

    def clear(self, fault_id: int | None) -> None:
        """End one fault, or all."""
        self._active = [fault for fault in self._active if fault_id is not None and fault.id != fault_id]

    def strike(self, route: str) -> Fault | None:
        """The fault that hits this request, if one does; uses it up by one."""
        for fault in self.active:
            if fault.route in {route, "*"} and self._rng.random() < fault.probability:
                if fault.left is not None:
                    fault.left -= 1
                return fault
        return None

    def _lives(self, fault: Fault) -> bool:
        return fault.left != 0 and (fault.until is None or self._wall() < fault.until)


@dataclass(frozen=True, slots=True)
class Scene:
    """What a fault has at hand: itself, the connection, the good reply and an empty page."""

    fault: Fault
    send: Send
    receive: Receive
    good: Callable[[], Awaitable[Reply]]
    empty: Callable[[], bytes]


async def play(scene: Scene) -> None:
    """Let the fault answer the request."""
    await KINDS[scene.fault.kind](scene)


async def _status(scene: Scene) -> None:
    status = int(scene.fault.number("status", 500))
    await out.send_reply(scene.send, json_reply({"code": 13, "message": "practice fault", "details": []}, status))


async def _expired(scene: Scene) -> None:
    await out.send_reply(scene.send, unauthorized())


async def _throttle(scene: Scene) -> None:
    wait = scene.fault.options.get("retry_after")
    headers = {} if wait is None else {"retry-after": str(wait)}
    body = json_reply({"code": 8, "message": "practice fault", "details": []}).body
    await out.send_reply(scene.send, Reply(429, body, headers=headers))


async def _maintenance(scene: Scene) -> None:
    await out.send_reply(scene.send, Reply(503, b"<html><body>maintenance</body></html>", _TYPES_OF_BLOCK))


async def _block403(scene: Scene) -> None:
    await out.send_reply(scene.send, Reply(403, _BLOCK_PAGE, _TYPES_OF_BLOCK, {"server": "cloudflare"}))


async def _block200(scene: Scene) -> None:
    await out.send_reply(scene.send, Reply(200, _BLOCK_PAGE, _TYPES_OF_BLOCK, {"server": "cloudflare"}))


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


async def _endless(scene: Scene) -> None:
    await out.send_much(scene.send, scene.receive, Reply(200, b" " * 65536), total=1 << 40)


async def _huge(scene: Scene) -> None:
    total = int(scene.fault.number("megabytes", 50) * 1_000_000)
    await out.send_much(scene.send, scene.receive, Reply(200, b" " * 65536), total=total)


async def _gzip_bomb(scene: Scene) -> None:
    packed = await asyncio.to_thread(_bomb, int(scene.fault.number("megabytes", 100)))
    await out.send_reply(scene.send, Reply(200, packed, headers={"content-encoding": "gzip"}))


@lru_cache(maxsize=2)
def _bomb(megabytes: int) -> bytes:
    return gzip.compress(b" " * 1_000_000 * megabytes, compresslevel=6)


async def _layout(scene: Scene) -> None:
    """Another layout: ``part`` "page" renames the list, "rows" renames what every row must have."""
    good, renamed = await scene.good(), ((b'"items":', b'"entries":'), (b'"meta":', b'"page":'))
    if scene.fault.options.get("part") == "rows":
        renamed = ((b'"id":', b'"itemId":'), (b'"name":', b'"label":'))
    body = good.body
    for old, new in renamed:
        body = body.replace(old, new)
    await out.send_reply(scene.send, Reply(good.status, body))


async def _charset(scene: Scene) -> None:
    good = await scene.good()
    body = good.body.decode("utf-8").encode("cp932", "replace")
    await out.send_reply(scene.send, Reply(good.status, body, "application/json; charset=Shift_JIS"))


async def _empty(scene: Scene) -> None:
    await out.send_reply(scene.send, Reply(200, scene.empty()))


async def _no_body(scene: Scene) -> None:
    await out.send_reply(scene.send, Reply(200, b""))


def unauthorized() -> Reply:
    """The reply to a proof that is not accepted; the real one gives no reason either."""
    error = {"code": "UnsupportedVersionException", "message": "practice"}
    return json_reply({"result": "error", "errors": [error], "meta": {}}, 401)


KINDS: dict[str, Callable[[Scene], Awaitable[None]]] = {
    "status": _status,
    "expired": _expired,
    "throttle": _throttle,
    "maintenance": _maintenance,
    "block403": _block403,
    "block200": _block200,
    "delay": _delay,
    "hang": _hang,
    "truncate": _truncate,
    "cut": _cut,
    "close": _close,
    "drip": _drip,
    "endless": _endless,
    "huge": _huge,
    "gzip_bomb": _gzip_bomb,
    "layout": _layout,
    "charset": _charset,
    "empty": _empty,
    "no_body": _no_body,
}
