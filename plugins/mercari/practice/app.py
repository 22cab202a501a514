"""The practice market as ASGI application: what is searched and read, pages, pictures, and the control end."""

from random import Random

from monitor_site.contract.practice import Drawings, PracticeMarket, Reply, Request

from . import pages, partner, pictures, proofs, reading
from .control import CONTROL
from .deals import Deals
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
        self.deals = Deals(world)
        super().__init__(world, Stream(world, Random(world.seed), busy=self.deals.holds))
        self.pictures = Drawings(pictures.draw, kept=PICTURES_KEPT)

    def route(self, path: str) -> str:
        """Pictures, pages of listings, what is read one by one, or the search, which takes everything else."""
        if path.startswith("/photos/"):
            return "photos"
        if path.startswith(pages.ROOTS):
            return "pages"
        return partner.route(path) or reading.route(path) or "search"

    async def good(self, route: str, request: Request) -> Reply:
        """The answer when nothing goes wrong."""
        if route == "photos" and request.method == "GET":
            return await self.pictures.reply(request.path.removeprefix("/photos/"))
        if partner.route(request.path):
            return self._partner(request)
        if route == "pages":
            return pages.page(self.world, request)
        if route != "search":
            return self._read(request)
        return self._search(request) if request.path == SEARCH_PATH else refusal(404, 5, "not found")

    def _partner(self, request: Request) -> Reply:
        self.world.at(request.base)
        self.stream.run()
        return partner.answer(self.deals, request)

    def _read(self, request: Request) -> Reply:
        if refused := self._refuse(request, method="GET"):
            return refused
        self.world.at(request.base)
        self.stream.run()
        try:
            return reading.read(self.world, request)
        except ValueError as wrong:
            self.world.truth.write("refused", status=400, reason=str(wrong))
            return refusal(400, 3, "invalid argument")

    def _search(self, request: Request) -> Reply:
        if refused := self._refuse(request, method="POST"):
            return refused
        if request.headers.get("user-agent", "").startswith("python-"):
            return Reply(200, empty_page())
        self.world.at(request.base)
        try:
            return Reply(200, search(self.world, self.stream, request.body))
        except (BadQuestion, ValueError, TypeError) as wrong:
            self.world.truth.write("refused", status=400, reason=str(wrong))
            return refusal(400, 3, "invalid argument")

    def _refuse(self, request: Request, *, method: str) -> Reply | None:
        """What a request without good proof or needed headers gets; the reason is in the truth log only."""
        if request.method != method:
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
        if request.method == "POST" and not request.headers.get("content-type", "").startswith("application/json"):
            raise proofs.BadProof("content type is not JSON")
        bare = f"{request.base}{request.path}"
        urls = (bare, f"{bare}?{request.query}") if request.query else (bare,)
        proofs.check(request.headers.get("dpop", ""), method=request.method, urls=urls, wall=self.world.clock.wall())
