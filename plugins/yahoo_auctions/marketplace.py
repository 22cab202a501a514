"""Yahoo! Auctions, connected: asks for a page of results and hands it to the parser."""

from functools import partial

from monitor_site.contract import SearchCriteria, SearchPage, Session

from .ask import search_headers, search_url
from .manifest import YahooCriteria
from .parse import read_search


def connect(session: Session) -> "YahooAuctions":
    """Yahoo! Auctions over ``session``; touches no network."""
    return YahooAuctions(session)


class YahooAuctions:
    """One connection; it keeps nothing between questions."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def search(self, criteria: SearchCriteria, *, page_token: str | None = None) -> SearchPage:
        """One page of what is open for bids or sale, newest first unless the criteria ask for another order.

        Called when: a check runs or a person previews; ``page_token`` is ``next_token`` of the page before.
        Returns: a page; an empty one only when the site said in so many words that nothing was found.
        Raises: Unavailable, Throttled, Blocked, ChallengeRequired, SignInNeeded, LayoutChanged.
        Must never: drop a page for one bad card, retry, sleep, or write to the marketplace.
        """
        asked, offset = _own(criteria), int(page_token or 1)
        url = search_url(self._session.base, asked, offset=offset)
        answer = await self._session.get(url, headers=search_headers())
        reader = partial(read_search, criteria=asked, now=self._session.now(), web=self._session.web, offset=offset)
        return await self._session.read(reader, answer)


def _own(criteria: SearchCriteria) -> YahooCriteria:
    return criteria if isinstance(criteria, YahooCriteria) else YahooCriteria(keyword=criteria.keyword)
