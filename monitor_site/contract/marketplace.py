"""The protocols between core and plugin. The core hands a plugin a :class:`Session`, its only way out.

What a plugin connects to has the methods of the capabilities its manifest declares, and no others:
:class:`CanSearch`, :class:`CanLook`, :class:`CanTellSoldPrices`. A package exports ``plugin``, a :class:`Plugin`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, TypeVar

from .fields import AccountSettings, SearchCriteria
from .manifest import Manifest
from .urls import ListingUrl, SearchUrl
from .values import Answer, SearchPage, Sighting

T = TypeVar("T")


class Session(Protocol):
    """The way out to one marketplace: its hosts only, with deadline, size caps and pace.

    Both requests raise :class:`Unavailable` (no answer, too slow), :class:`NoPace` (never sent),
    :class:`LayoutChanged` (too large) and :class:`PluginFault` (a host the manifest does not name). They return an
    answer of any status. A connection that breaks before an answer begins is tried once more. Cookies are kept for each
    account and sent to the same hosts; a plugin does not see them.
    """

    base: str
    """Address of the marketplace's API without trailing slash; a practice market has its own."""

    web: str
    """Where people open the marketplace's pages, without trailing slash: its home, or the practice market itself.

    Addresses of listings begin with it.
    """

    settings: AccountSettings | None
    """The account on whose behalf is asked, made of the manifest's ``settings``; ``None`` when there is none."""

    async def get(self, url: str, *, headers: Mapping[str, str] | None = None, weight: int = 1) -> Answer:
        """Fetch ``url``; a query belongs into the address. ``weight``: for how many requests it counts in the pace."""
        ...

    async def post(self, url: str, *, json: Any, headers: Mapping[str, str] | None = None, weight: int = 1) -> Answer:
        """Post ``json``. Never for a request that can spend money."""
        ...

    async def read(self, parse: Callable[[Answer], T], answer: Answer) -> T:
        """Run a pure parser over an answer, off the event loop when the answer is big."""
        ...

    def now(self) -> datetime:
        """The current time, aware UTC."""
        ...


class CanSearch(Protocol):
    """The capability SEARCH."""

    async def search(self, criteria: SearchCriteria, *, page_token: str | None = None) -> SearchPage:
        """One page of listings for ``criteria``, newest first as far as the marketplace can.

        Called when: a check runs or a person previews; ``page_token`` comes from the previous page.
        Returns: a page; an empty one only when the marketplace really said "nothing found".
        Raises: Unavailable, NoPace, Throttled, Blocked, ChallengeRequired, SignInNeeded, LayoutChanged.
        Must never: drop a page for one bad row, retry, sleep, or write to the marketplace.
        """
        ...


class CanLook(Protocol):
    """The capability LOOK."""

    async def look(self, external_id: str) -> Sighting:
        """All that the marketplace tells of one listing now.

        Called when: a listing is followed, or a person wants to know.
        Returns: the listing asked for and no other, with what a search does not tell; unknown stays ``None``.
        Raises: ListingGone (it says that the listing exists no more: never for a block, an outage or a wrong call),
        Unavailable, NoPace, Throttled, Blocked, ChallengeRequired, SignInNeeded, LayoutChanged.
        Must never: take a field it cannot find for 0, "ended" or "sold"; retry, sleep, or write to the marketplace.
        """
        ...


class CanTellSoldPrices(Protocol):
    """The capability SOLD_PRICES."""

    async def sold_prices(self, criteria: SearchCriteria, *, page_token: str | None = None) -> SearchPage:
        """One page of what was sold for ``criteria``, latest first as far as the marketplace can.

        Called when: prices of a question are gathered; ``page_token`` comes from the previous page.
        Returns: sightings of status SOLD whose price is what was paid; unsold things are left out.
        Raises: as :meth:`CanSearch.search`.
        Must never: as :meth:`CanSearch.search`.
        """
        ...


def _understands_none(url: str) -> None:  # noqa: ARG001
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """What a plugin's package exports as ``plugin``.

    ``connect(session)`` gives an object with the methods of the capabilities; it must not touch the network. ``api`` is
    the live address that becomes ``session.base``. ``practice`` is the dotted path of the module with the plugin's
    practice market; it has ``create(*, seed: int, truth_log: pathlib.Path | None) -> ASGI application`` and is imported
    only to run it.

    ``parse_url(url)`` says what an address of the marketplace's web site asks for, in any form in use; ``None`` for
    any other text. ``link(external_id, web=...)``, the capability LINK, is the address where a person buys or bids
    by hand; ``web`` is what it begins with, as in :attr:`Session.web`. Both are pure and raise nothing.
    """

    manifest: Manifest
    connect: Callable[[Session], Any]
    api: str
    practice: str
    parse_url: Callable[[str], ListingUrl | SearchUrl | None] = _understands_none
    link: Callable[..., str] | None = None
