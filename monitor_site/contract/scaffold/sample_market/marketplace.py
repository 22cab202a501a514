"""The marketplace, connected: asks, and hands the answer to the parser."""

from functools import partial

from monitor_site.contract import SearchCriteria, SearchPage, Session, Sighting

from .ask import headers, listing_url, search_url
from .manifest import Criteria
from .parse import read_listing, read_search


def connect(session: Session) -> "Marketplace":
    """The marketplace over ``session``; touches no network."""
    return Marketplace(session)


class Marketplace:
    """One connection; it keeps nothing between questions."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def search(self, criteria: SearchCriteria, *, page_token: str | None = None) -> SearchPage:
        """One page of what is on sale, newest first; an empty one only when the marketplace says so.

        Raises: Unavailable, Throttled, Blocked, SignInNeeded, LayoutChanged.
        """
        asked = criteria if isinstance(criteria, Criteria) else Criteria(keyword=criteria.keyword)
        url = search_url(self._session.base, asked, page=page_token or "1")
        answer = await self._session.get(url, headers=headers())
        reader = partial(read_search, now=self._session.now(), web=self._session.web)
        return await self._session.read(reader, answer)

    async def look(self, external_id: str) -> Sighting:
        """All that the marketplace tells of one listing now.

        Raises: ListingGone, and as :meth:`search`.
        """
        answer = await self._session.get(listing_url(self._session.base, external_id), headers=headers())
        reader = partial(read_listing, now=self._session.now(), web=self._session.web)
        return await self._session.read(reader, answer)
