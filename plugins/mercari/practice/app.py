"""The practice market as ASGI application: search, pages, pictures, and the control end under ``/_practice/``."""

from random import Random

from monitor_site.contract.practice import Drawings, PracticeMarket, Reply, Request

from . import pages, pictures, proofs
from .control import CONTROL
from .faults import KINDS, ROUTES, refusal, unauthorized
from .search import BadQuestion, empty_page, search
from .stream import Stream
from .world import World

SEARCH_PATH = "/v2/entities:search"
PICTURES_KEPT = 600


class MercariMarket(PracticeMarket[World, Stream]):
    """The practice market of Mercari."""

    control, kinds, routes = CONTROL, KINDS, ROUTES

    def __init__(self, world: World) -> None:
        super().__init__(world, Stream(world, Random(world.seed)))
        self.pictures = Drawings(pictures.draw, kept=PICTURES_KEPT)

    def route(self, path: str) -> str:
        """Pictures, pages of listings, or the search, which takes everything else."""
        if path.startswith("/photos/"):
            return "photos"
        return "pages" if path.startswith(pages.ROOTS) else "search"

    async def good(self, route: str, request: Request) -> Reply:
        """The answer when nothing goes wrong."""
        if route == "photos" and request.method == "GET":
            return await self.pictures.reply(request.path.removeprefix("/photos/"))
        if route == "pages":
            return pages.page(self.world, request)
        if request.path == SEARCH_PATH:
            return self._search(request)
        return refusal(404, 5, "not found")

    def _search(self, request: Request) -> Reply:
        if refused := self._refuse(request):
            return refused
        if request.headers.get("user-agent", "").startswith("python-"):
            return Reply(200, empty_page())
        self.world.at(request.base)
        try:
            return Reply(200, search(self.world, self.stream, request.body))
        except (BadQuestion, ValueError, TypeError) as wrong:
            self.world.truth.write("refused", status=400, reason=str(wrong))
            return refusal(400, 3, "invalid argument")

    def _refuse(self, request: Request) -> Reply | None:
        """What a request without good proof or needed headers gets; the reason is in the truth log only."""
        if request.method != "POST":
            return refusal(405, 12, "method not allowed")
        try:
            self._check(request)
        except proofs.BadProof as bad:
            self.world.truth.count("refused proofs")
            self.world.truth.write("refused", status=401, reason=str(bad))
            return unauthorized()
        return None

    def _check(self, request: Request) -> None:
        if request.headers.get("x-platform") != "web":
            raise proofs.BadProof("no X-Platform: web")
        if not request.headers.get("content-type", "").startswith("application/json"):
            raise proofs.BadProof("content type is not JSON")
        bare = f"{request.base}{request.path}"
        urls = (bare, f"{bare}?{request.query}") if request.query else (bare,)
        proofs.check(request.headers.get("dpop", ""), method=request.method, urls=urls, wall=self.world.clock.wall())
