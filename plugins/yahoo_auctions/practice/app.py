"""The practice market as ASGI application: search, closed search, listings, pictures, and the control end."""

from random import Random

from monitor_site.contract.practice import Drawings, PracticeMarket, Reply, Request, UnknownListing, html_reply

from . import pages, search
from .control import CONTROL
from .faults import BLOCK_PAGE, KINDS, ROUTES
from .pictures import draw
from .stream import Stream
from .world import World

PATHS = {
    "/search/search": "search",
    "/closedsearch/closedsearch": "closed",
    "/jp/auction/": "item",
    "/pictures/": "pictures",
}
PICTURES_KEPT = 500
_GONE = html_reply("<!DOCTYPE html><html><body><p>指定されたURLのページは存在しません。</p></body></html>", 404)
_ODD = html_reply("<!DOCTYPE html><html><body><h1>エラーが発生しました</h1></body></html>", 500)


class YahooMarket(PracticeMarket[World, Stream]):
    """The practice market of Yahoo! Auctions."""

    control, kinds, routes = CONTROL, KINDS, ROUTES

    def __init__(self, world: World) -> None:
        super().__init__(world, Stream(world, Random(world.seed)))
        self.pictures = Drawings(draw, kept=PICTURES_KEPT)

    def route(self, path: str) -> str:
        """The kind of page, or ``unknown``."""
        return next((name for prefix, name in PATHS.items() if path.startswith(prefix)), "unknown")

    async def good(self, route: str, request: Request) -> Reply:
        """The answer when nothing goes wrong."""
        if request.method != "GET" or route == "unknown":
            return _GONE
        if route == "pictures":
            return await self.pictures.reply(request.path.removeprefix("/pictures/"))
        agent = request.headers.get("user-agent", "")
        if "iPhone" in agent or "Android" in agent:
            return BLOCK_PAGE
        return self._item(request) if route == "item" else self._list(route, request)

    def _list(self, route: str, request: Request) -> Reply:
        query = request.parameters
        keyword = query.get("p", "") + query.get("va", "")
        if search.ODD.search(keyword):
            return _ODD
        if route == "closed":
            sold = search.closed_view(self.world, self.stream, query, request.base)
            return html_reply(pages.closed(sold), 200 if sold.found else 404)
        view = search.view_of(self.world, self.stream, query, request.base)
        return html_reply(pages.results(view)) if view.found else html_reply(pages.nothing(view), 404)

    def _item(self, request: Request) -> Reply:
        self.stream.run()
        try:
            listing = self.world.get(request.path.removeprefix("/jp/auction/"))
        except UnknownListing:
            return _GONE
        self.world.settle(listing)
        return html_reply(pages.item(listing, request.base))
