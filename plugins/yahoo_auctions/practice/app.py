"""The practice market as ASGI application: search, closed search, listings, pictures, and the control end."""

import asyncio
from random import Random

from . import control, pages, search
from .faults import BLOCK_PAGE, Faults, Scene, play
from .pictures import Pictures
from .reply import Receive, Reply, Request, Scope, Send, read_request, send_reply
from .stream import Stream
from .world import UnknownListing, World

ROUTES = {
    "/search/search": "search",
    "/closedsearch/closedsearch": "closed",
    "/jp/auction/": "item",
    "/pictures/": "pictures",
}
_GONE = Reply(404, "<!DOCTYPE html><html><body><p>指定されたURLのページは存在しません。</p></body></html>".encode())
_ODD = Reply(500, "<!DOCTYPE html><html><body><h1>エラーが発生しました</h1></body></html>".encode())


class PracticeMarket:
    """One practice market; all of it lives in one process and one event loop."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.stream = Stream(world, Random(world.seed))
        self.faults = Faults(Random(world.seed + 1), world.clock.wall)
        self.pictures = Pictures()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI entry."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._answer(await read_request(scope, receive), receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        event = ""
        while event != "lifespan.shutdown":
            event = (await receive())["type"]
            await send({"type": f"{event}.complete"})
        self.world.truth.close()

    async def _answer(self, request: Request, receive: Receive, send: Send) -> None:
        if request.path.startswith("/_practice/"):
            await send_reply(send, control.answer(self, request))
            return
        route = next((name for prefix, name in ROUTES.items() if request.path.startswith(prefix)), "unknown")
        self.world.truth.count(route)
        if fault := self.faults.strike(route):
            self.world.truth.count(f"fault {fault.kind}")
            await play(Scene(fault, send, receive, lambda: self._good(route, request)))
        else:
            await send_reply(send, await self._good(route, request))

    async def _good(self, route: str, request: Request) -> Reply:
        if request.method != "GET" or route == "unknown":
            return _GONE
        if route == "pictures":
            return await self._picture(request.path.removeprefix("/pictures/"))
        agent = request.headers.get("user-agent", "")
        if "iPhone" in agent or "Android" in agent:
            return BLOCK_PAGE
        return self._item(request) if route == "item" else self._list(route, request)

    def _list(self, route: str, request: Request) -> Reply:
        keyword = request.query.get("p", "") + request.query.get("va", "")
        if search.ODD.search(keyword):
            return _ODD
        if route == "closed":
            sold = search.closed_view(self.world, self.stream, request.query, request.base)
            return Reply(200 if sold.found else 404, pages.closed(sold))
        view = search.view_of(self.world, self.stream, request.query, request.base)
        return Reply(200, pages.results(view)) if view.found else Reply(404, pages.nothing(view))

    def _item(self, request: Request) -> Reply:
        self.stream.run()
        try:
            listing = self.world.get(request.path.removeprefix("/jp/auction/"))
        except UnknownListing:
            return _GONE
        self.world.settle(listing)
        return Reply(200, pages.item(listing, request.base))

    async def _picture(self, name: str) -> Reply:
        drawn = self.pictures.ready(name)
        if drawn is None:
            drawn = await asyncio.to_thread(self.pictures.draw, name)
        return Reply(200, drawn, "image/webp", {"cache-control": "public, max-age=86400"})
