"""Yahoo! Auctions, connected: asks for a page and hands it to its parser."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from monitor_site.contract import (
    Answer,
    PluginFault,
    RefusalKind,
    Refused,
    SearchCriteria,
    SearchPage,
    Session,
    Sighting,
)

from . import fields
from .ask import closed_url, listing_url, search_headers, search_url, seller_url
from .manifest import YahooCriteria
from .parse import read_search
from .parse_closed import read_closed
from .parse_detail import read_listing
from .parse_seller import read_seller

T = TypeVar("T")


def connect(session: Session) -> "YahooAuctions":
    """Yahoo! Auctions over ``session``; touches no network."""
    return YahooAuctions(session)


class YahooAuctions:
    """One connection; it keeps nothing between questions."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def search(self, criteria: SearchCriteria, *, page_token: str | None = None) -> SearchPage:
        """One page of what is open for bids or sale, newest first unless the criteria ask for another order.

        With a seller the seller's page is read instead; its order is the newest first on each page only.
        Called when: a check runs or a person previews; ``page_token`` is ``next_token`` of the page before.
        Returns: a page; an empty one only when the site said in so many words that nothing was found.
        Raises: Unavailable, Throttled, Blocked, ChallengeRequired, SignInNeeded, LayoutChanged.
        Must never: drop a page for one bad card, retry, sleep, or write to the marketplace.
        """
        asked, offset = _own(criteria), int(page_token or 1)
        address, reader = (seller_url, read_seller) if asked.seller.strip() else (search_url, read_search)
        url = address(self._session.base, asked, offset=offset)
        return await self._read(url, partial(reader, criteria=asked, offset=offset))

    async def look(self, external_id: str) -> Sighting:
        """All that the page of one listing tells now.

        Called when: a listing is followed, or a person wants to know.
        Returns: that listing and no other. Shipping costs are not told, only who pays.
        Raises: ListingGone (no such page, or sent away to another page of the site), Unavailable, Throttled, Blocked,
        ChallengeRequired, SignInNeeded, LayoutChanged, and PluginFault without asking for what is no id of this site:
        an answer to a wrong question says nothing about a listing.
        Must never: take a field it cannot find for 0, "ended" or "sold"; retry, sleep, or write to the marketplace.
        """
        if fields.listing_id(external_id) is None:
            raise PluginFault(f"{external_id!r:.80} is no id of this site, so nothing was asked")
        url = listing_url(self._session.base, external_id)
        return await self._read(url, partial(read_listing, external_id=external_id))

    async def sold_prices(self, criteria: SearchCriteria, *, page_token: str | None = None) -> SearchPage:
        """One page of what was sold in the last half year, latest first, for the keyword of ``criteria``.

        Called when: prices of a question are gathered; ``page_token`` is ``next_token`` of the page before.
        Returns: sales only; rows that do not answer the other criteria are left out and counted as padding.
        Raises: as :meth:`search`, and Refused without asking when there is no keyword: the closed search needs one.
        Must never: as :meth:`search`.
        """
        asked, offset = _own(criteria), int(page_token or 1)
        if not asked.keyword.strip():
            raise Refused(RefusalKind.UNSUPPORTED, "the closed search needs a keyword")
        url = closed_url(self._session.base, asked, offset=offset)
        return await self._read(url, partial(read_closed, criteria=asked, offset=offset))

    async def _read(self, url: str, reader: Callable[..., T]) -> T:
        answer = await self._session.get(url, headers=search_headers())
        parse: Callable[[Answer], T] = partial(reader, now=self._session.now(), web=self._session.web)
        return await self._session.read(parse, answer)


def _own(criteria: SearchCriteria) -> YahooCriteria:
    return criteria if isinstance(criteria, YahooCriteria) else YahooCriteria(keyword=criteria.keyword)
