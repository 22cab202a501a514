"""The practice market as ASGI application: search, pages, pictures, and the control end under ``/_practice/``."""

import asyncio
from random import Random

from . import control, pages, pictures, proofs
from .faults import Faults, Scene, play, unauthorized
from .reply import Receive, Reply, Request, Scope, Send, json_reply, read_request, send_reply
from .search import BadQuestion, empty_page, search
from .stream import Stream
from .world import World

SEARCH_PATH = "/v2/entities:search"


class PracticeMarket:
    """One practice market; all of it lives in one process and one event loop."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.stream = Stream(world, Random(world.seed))
        self.faults = Faults(Random(world.seed + 1), world.clock.wall)
        self.pictures = pictures.Pictures()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI entry."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._answer(await read_request(scope, receive), receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            event = (await receive())["type"]
            await send({"type": f"{event}.complete"})
            if event == "lifespan.shutdown":
                self.world.truth.close()
                return

    async def _answer(self, request: Request, receive: Receive, send: Send) -> None:
        if request.path.startswith("/_practice/"):
            await send_reply(send, control.answer(self, request))
            return
        route = _route(request.path)
        self.world.truth.count(route)
        if fault := self.faults.strike(route):
            self.world.truth.count(f"fault {fault.kind}")
            await play(Scene(fault, send, receive, lambda: self._good(request), lambda: empty_page(self.world)))
        else:
            await send_reply(send, await self._good(request))

    async def _good(self, request: Request) -> Reply:
        if _route(request.path) == "photos" and request.method == "GET":
            return await self._photo(request)
        if _route(request.path) == "pages":
            return pages.page(self.world, request)
        if request.path == SEARCH_PATH:
            return self._search(request)
        return json_reply({"code": 5, "message": "not found", "details": []}, 404)

    async def _photo(self, request: Request) -> Reply:
        name = request.path.removeprefix("/photos/")
        picture = self.pictures.ready(name)
        if picture is None:
            picture = await asyncio.to_thread(self.pictures.draw, name)
        return Reply(200, picture, "image/webp", {"cache-control": "public, max-age=86400"})

    def _search(self, request: Request) -> Reply:
        if refused := self._refuse(request):
            return refused
        if request.headers.get("user-agent", "").startswith("python-"):
            return Reply(200, empty_page(self.world))
        self.world.at(request.base)
        try:
            return Reply(200, search(self.world, self.stream, request.body))
        except (BadQuestion, ValueError, TypeError) as wrong:
            self.world.truth.write("refused", status=400, reason=str(wrong))
            return json_reply({"code": 3, "message": "invalid argument", "details": []}, 400)

    def _refuse(self, request: Request) -> Reply | None:
        """What a request without good proof or needed headers gets; the reason is in the truth log only."""
        if request.method != "POST":
            return json_reply({"code": 12, "message": "method not allowed", "details": []}, 405)
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


def _route(path: str) -> str:
    """What kind of thing is asked for: faults are set by it."""
    if path.startswith("/photos/"):
        return "photos"
    return "pages" if path.startswith(pages.ROOTS) else "search"
