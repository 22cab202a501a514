"""A small server on loopback that misbehaves on demand, and plugins made for one test."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from monitor_site.contract import (
    Access,
    Capability,
    Kind,
    Manifest,
    Money,
    Pace,
    Plugin,
    SearchCriteria,
    SearchPage,
    Session,
    Sighting,
    Status,
)
from monitor_site.marketplaces.catalog import Catalog

Route = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Loopback:
    """Routes by path; what was asked, in order; how many connections were made."""

    routes: dict[str, Route] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    connections: int = 0
    port: int = 0

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answer(self, path: str, body: bytes = b"", *, status: int = 200, **headers: str) -> None:
        """Answer ``path`` as an ordinary server would; ``content_type`` stands for the header of that name."""

        async def route(writer: asyncio.StreamWriter) -> None:
            writer.write(head(status, {"content-length": str(len(body))} | headers) + body)

        self.routes[path] = route

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while asked := await self._read(reader):
                self.asked.append(asked)
                await self.routes[asked.path](writer)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, ValueError):
            pass
        finally:
            writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> Asked | None:
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = lines[0].split(" ")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:] if line)}
        return Asked(method, path, headers, await reader.readexactly(int(headers.get("content-length", 0))))


def head(status: int, headers: Mapping[str, str]) -> bytes:
    """Status line and headers."""
    lines = [f"HTTP/1.1 {status} X", *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


PACE = Pace(per_minute=60_000, ceiling_per_minute=60_000, floor_seconds=1, concurrency=4)


def manifest(**changes: Any) -> Manifest:
    """A manifest as it should be, with changes."""
    return Manifest(
        **{
            "name": "bazaar",
            "title": {"en": "Bazaar", "ja": "バザール"},
            "contract": 1,
            "home": "https://www.bazaar.example",
            "hosts": ("api.bazaar.example",),
            "picture_hosts": ("pictures.bazaar.example",),
            "currency": "JPY",
            "time_zone": "Asia/Tokyo",
            "capabilities": frozenset({Capability.SEARCH}),
            "criteria": SearchCriteria,
            "pace": PACE,
            "access": Access.PUBLIC_PAGES,
            "control": SearchCriteria(keyword="anything"),
            "search_tells": frozenset({"price"}),
        }
        | changes
    )


Search = Callable[[Session, SearchCriteria, str | None], Awaitable[Any]]


@dataclass
class Bazaar:
    """A marketplace whose search is the test's own function."""

    session: Session
    ask: Search

    async def search(self, criteria: SearchCriteria, *, page_token: str | None = None) -> SearchPage:
        page: SearchPage = await self.ask(self.session, criteria, page_token)
        return page


def plugin(search: Search | None = None, *, connect: Callable[[Session], Any] | None = None, **changes: Any) -> Plugin:
    """A plugin called ``bazaar`` with the test's search."""

    async def nothing(session: Session, criteria: SearchCriteria, token: str | None) -> SearchPage:
        return SearchPage(sightings=())

    return Plugin(
        manifest=manifest(**changes),
        connect=connect or (lambda session: Bazaar(session, search or nothing)),
        api="https://api.bazaar.example",
        practice="plugins.bazaar.practice",
    )


def shelf(*plugins: Plugin) -> Catalog:
    """A catalog of just these."""
    return Catalog(plugins={each.manifest.name: each for each in plugins}, broken={})


def sighting(external_id: str = "b1", **changes: Any) -> Sighting:
    """A listing as it should be, with changes."""
    return Sighting(
        **{
            "external_id": external_id,
            "title": "古いカメラ",
            "url": f"https://www.bazaar.example/item/{external_id}",
            "price": Money(amount=1200, currency="JPY"),
            "kind": Kind.FLEA,
            "status": Status.ON_SALE,
        }
        | changes
    )
