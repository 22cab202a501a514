"""The practice market as ASGI application: search, closed search, listings, pictures, and the control end."""

from collections.abc import MutableMapping
from email.utils import formatdate
from random import Random
from typing import Any

from monitor_site.contract.practice import Drawings, PracticeMarket, Reply, Request, UnknownListing, html_reply
from monitor_site.contract.practice.reply import Receive, Scope, Send

from . import data_pages, pages, search
from .control import CONTROL
from .faults import BLOCK_PAGE, KINDS, ROUTES
from .gone import FORMS, FRONT, GONE
from .listing import CANCELLED
from .pictures import draw
from .stream import Stream
from .world import World

PATHS = {
    "/search/search": "search",
    "/closedsearch/closedsearch": "closed",
    "/jp/auction/": "item",
    "/seller/": "seller",
    "/pictures/": "pictures",
}
PICTURES_KEPT = 500
_ODD = html_reply("<!DOCTYPE html><html><body><h1>エラーが発生しました</h1></body></html>", 500)


class YahooMarket(PracticeMarket[World, Stream]):
    """The practice market of Yahoo! Auctions."""

    control, kinds, routes = CONTROL, KINDS, ROUTES

    def __init__(self, world: World) -> None:
        super().__init__(world, Stream(world, Random(world.seed)))
        self.pictures = Drawings(draw, kept=PICTURES_KEPT)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI entry; with an offset, answers bear the date of a clock that is wrong by it."""
        await super().__call__(scope, receive, send if self.world.date_offset is None else self._dated(send))

    def _dated(self, send: Send) -> Send:
        async def dated(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                date = formatdate(self.world.clock.now() + (self.world.date_offset or 0), usegmt=True)
                message["headers"] = [*message["headers"], (b"date", date.encode())]
            await send(message)

        return dated

    def route(self, path: str) -> str:
        """The kind of page, or ``unknown``."""
        return next((name for prefix, name in PATHS.items() if path.startswith(prefix)), "unknown")

    async def good(self, route: str, request: Request) -> Reply:
        """The answer when nothing goes wrong."""
        if request.method != "GET" or route == "unknown":
            return FRONT if request.path == "/" else GONE
        if route == "pictures":
            return await self.pictures.reply(request.path.removeprefix("/pictures/"))
        agent = request.headers.get("user-agent", "")
        if "iPhone" in agent or "Android" in agent:
            return BLOCK_PAGE
        return {"item": self._item, "seller": self._seller, "closed": self._closed}.get(route, self._list)(request)

    def _list(self, request: Request) -> Reply:
        query = request.parameters
        if search.is_odd(query):
            return _ODD
        view = search.view_of(self.world, self.stream, query, request.base)
        return html_reply(pages.results(view)) if view.found else html_reply(pages.nothing(view), 404)

    def _closed(self, request: Request) -> Reply:
        query = request.parameters
        if search.is_odd(query):
            return _ODD
        view = search.closed_view(self.world, self.stream, query, request.base)
        return html_reply(data_pages.closed(view), 200 if view.found else 404)

    def _seller(self, request: Request) -> Reply:
        seller = request.path.removeprefix("/seller/")
        view = search.seller_view(self.world, self.stream, seller, request.parameters, request.base)
        if view is None:
            return GONE
        return html_reply(data_pages.seller(view, seller), 200 if view.found else 404)

    def _item(self, request: Request) -> Reply:
        self.stream.run()
        try:
            listing = self.world.get(request.path.removeprefix("/jp/auction/"))
        except UnknownListing:
            return GONE
        self.world.settle(listing)
        if listing.status == CANCELLED:
            return FORMS[listing.gone]
        return html_reply(data_pages.item(self.world.stale.get(listing.id, listing), request.base))
