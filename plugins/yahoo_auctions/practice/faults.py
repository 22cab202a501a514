"""Scripted faults: what goes wrong on which route, how often, for how long."""

import asyncio
import gzip
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from random import Random
from typing import Any

from . import reply as out
from .reply import HTML, Receive, Reply, Send

ROUTES = ("search", "closed", "item", "pictures", "*")


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
        return asdict(self)


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


def _page(title: str, body: str, status: int = 200) -> Reply:
    text = f'<!DOCTYPE html><html lang="ja"><head><title>{title}</title></head><body>{body}</body></html>'
    return Reply(status, text.encode())


BLOCK_PAGE = _page("ページが表示できません", "<main><h1>ページが表示できません</h1><p>しばらく時間をおいて…</p></main>")
_FORM = '<form method="post" action="https://login.yahoo.co.jp/config/login"><input name="handle"></form>'
_PAGES = {
    "maintenance": _page("メンテナンス中", "<h1>ただいまメンテナンス中です</h1>", 503),
    "maintenance200": _page("メンテナンス中", "<h1>ただいまメンテナンス中です</h1>"),
    "busy": _page("エラー", "<p>ただいま大変混み合っています。</p>"),
    "block200": BLOCK_PAGE,
    "block403": Reply(403, BLOCK_PAGE.body),
    "geo": _page("Yahoo! JAPAN", "<p>This service is no longer available in the EEA and the United Kingdom.</p>"),
    "login": _page("ログイン", _FORM),
    "captcha": _page("確認", '<form action="/ncaptcha/check"><img src="/ncaptcha/image"></form>'),
    "not_found": _page("Yahoo!オークション", "<p>指定されたURLのページは存在しません。</p>", 404),
    "empty": _page("", ""),
    "no_body": Reply(200, b""),
    "json": Reply(200, b'{"error":"practice"}', "application/json"),
}
_LAYOUTS = {
    "list": ((b"Products__items", b"List__items"), (b'class="Product"', b'class="Entry"')),
    "cards": ((b"data-auction-id", b"data-item-id"),),
    "bids": ((b"Product__bid", b"Product__offers"),),
    "times": ((b"data-auction-endtime", b"data-auction-closing"), (b";end:", b";fin:")),
    "order": (("新着順".encode(), "おすすめ順".encode()),),
}


@dataclass(frozen=True, slots=True)
class Scene:
    """What a fault has at hand: itself, the connection, and the good reply."""

    fault: Fault
    send: Send
    receive: Receive
    good: Callable[[], Awaitable[Reply]]


async def play(scene: Scene) -> None:
    """Let the fault answer the request."""
    if (page := _PAGES.get(scene.fault.kind)) is not None:
        await out.send_reply(scene.send, page)
    else:
        await _DEEDS[scene.fault.kind](scene)


async def _status(scene: Scene) -> None:
    await out.send_reply(scene.send, Reply(int(scene.fault.number("status", 500)), "エラーが発生しました".encode()))


async def _throttle(scene: Scene) -> None:
    wait = scene.fault.options.get("retry_after")
    headers = {} if wait is None else {"retry-after": str(wait)}
    await out.send_reply(scene.send, Reply(429, b"<html></html>", headers=headers))


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


async def _huge(scene: Scene) -> None:
    await out.send_much(scene.send, scene.receive, total=int(scene.fault.number("megabytes", 50) * 1_000_000))


async def _gzip_bomb(scene: Scene) -> None:
    packed = await asyncio.to_thread(_bomb, int(scene.fault.number("megabytes", 100)))
    await out.send_reply(scene.send, Reply(200, packed, headers={"content-encoding": "gzip"}))


@lru_cache(maxsize=2)
def _bomb(megabytes: int) -> bytes:
    return gzip.compress(b" " * 1_000_000 * megabytes, compresslevel=6)


async def _layout(scene: Scene) -> None:
    """Another layout: ``part`` says what is renamed."""
    good = await scene.good()
    body = good.body
    for old, new in _LAYOUTS[str(scene.fault.options.get("part", "list"))]:
        body = body.replace(old, new)
    await out.send_reply(scene.send, Reply(good.status, body))


async def _charset(scene: Scene) -> None:
    """EUC-JP, and the header says so unless ``silent``."""
    good = await scene.good()
    body = good.body.decode().encode("euc_jp", "replace")
    said = HTML if scene.fault.options.get("silent") else "text/html; charset=EUC-JP"
    await out.send_reply(scene.send, Reply(good.status, body, said))


_DEEDS: dict[str, Callable[[Scene], Awaitable[None]]] = {
    "status": _status,
    "throttle": _throttle,
    "delay": _delay,
    "hang": _hang,
    "truncate": _truncate,
    "cut": _cut,
    "close": _close,
    "drip": _drip,
    "huge": _huge,
    "gzip_bomb": _gzip_bomb,
    "layout": _layout,
    "charset": _charset,
}
KINDS = frozenset(_PAGES) | frozenset(_DEEDS)
