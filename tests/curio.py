"""A small invented marketplace that can be asked by seller, and reads addresses; it never goes out."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from monitor_site.contract import (
    CONTRACT_VERSION,
    Access,
    Capability,
    Condition,
    ListingUrl,
    Manifest,
    Pace,
    Plugin,
    SearchCriteria,
    SearchUrl,
    option,
)
from monitor_site.contract.rules import examine
from monitor_site.marketplaces import catalog as catalogs


class Colour(StrEnum):
    ANY = "any"
    RED = "red"


@dataclass(frozen=True, slots=True, kw_only=True)
class CurioCriteria(SearchCriteria):
    """A question to Curio."""

    seller: str = option(label="Seller", default="")
    colour: Colour = option(  # noqa: RUF009  a field
        label="Colour", choices={Colour.ANY: "Any", Colour.RED: "Red"}, default=Colour.ANY
    )
    shelves: tuple[int, ...] = option(label="Shelves", default=())
    order: str = option(label="Order", default="", shown=False)

    @property
    def asks_something(self) -> bool:
        """Words or a seller."""
        return bool(self.keyword.strip() or self.seller)


class Market:
    """Never asked."""

    async def search(self, criteria: Any, *, page_token: Any = None) -> Any:
        """Not here."""
        raise NotImplementedError


def parse_url(url: str) -> ListingUrl | SearchUrl | None:
    """``/s?q=…`` is a search and ``/i/<id>`` a listing; ``/boom`` breaks the promise never to raise."""
    parts = urlsplit(url)
    if parts.netloc != "curio.example":
        return None
    if parts.path == "/boom":
        raise RuntimeError("boom")
    if parts.path == "/odd":
        return SearchUrl(criteria=SearchCriteria(keyword="of another class"))
    if parts.path.startswith("/i/"):
        return ListingUrl(external_id=parts.path[3:])
    return _search({name: values[0] for name, values in parse_qs(parts.query).items()})


def _search(asked: dict[str, str]) -> SearchUrl:
    known = {"q", "seller", "colour", "shelf", "order", "not", "max", "new", "free"}
    return SearchUrl(
        criteria=CurioCriteria(
            keyword=asked.get("q", ""),
            seller=asked.get("seller", ""),
            colour=Colour(asked.get("colour", "any")),
            shelves=tuple(int(part) for part in asked.get("shelf", "").split(",") if part),
            order=asked.get("order", ""),
        ),
        none_of=tuple(asked.get("not", "").split()),
        price_max=int(asked["max"]) if "max" in asked else None,
        conditions=(Condition.NEW,) if "new" in asked else (),
        shipping_included="free" in asked,
        leftovers=tuple(f"{name}={value}" for name, value in asked.items() if name not in known),
    )


MANIFEST = Manifest(
    name="curio",
    title={"en": "Curio"},
    contract=CONTRACT_VERSION,
    home="https://curio.example",
    hosts=("curio.example",),
    picture_hosts=(),
    currency="JPY",
    time_zone="Asia/Tokyo",
    capabilities=frozenset({Capability.SEARCH}),
    criteria=CurioCriteria,
    pace=Pace(per_minute=10, ceiling_per_minute=20, floor_seconds=30),
    access=Access.PUBLIC_PAGES,
    control=CurioCriteria(keyword="vase"),
    search_tells=frozenset({"condition"}),
    index_lag=600,
    notes={"en": "Closed on Sundays."},
)


def plugin(**changes: Any) -> Plugin:
    """The plugin; ``changes`` are those of its manifest."""
    manifest = replace(MANIFEST, **changes)
    made = Plugin(
        manifest=manifest,
        connect=lambda _session: Market(),
        api="https://curio.example",
        practice="nowhere",
        parse_url=parse_url,
    )
    return examine(made, name=manifest.name)


@contextmanager
def known(*plugins: Plugin) -> Iterator[None]:
    """These plugins work here too, beside those of the site."""
    site = catalogs.catalog()
    more = {one.manifest.name: one for one in plugins}
    made = catalogs.Catalog(plugins=MappingProxyType({**site.plugins, **more}), broken=site.broken)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogs, "load_catalog", lambda _folder: made)
        catalogs.catalog.cache_clear()
        try:
            yield
        finally:
            patch.undo()
            catalogs.catalog.cache_clear()
