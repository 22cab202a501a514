"""Mercari, connected: asks with a fresh proof, hands the answer to the parser."""

import uuid
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial

from monitor_site.contract import (
    AccountInfo,
    Answer,
    BuyRequest,
    ListingGone,
    Purchase,
    Receipt,
    RefusalKind,
    Refused,
    SearchCriteria,
    SearchPage,
    Session,
    Sighting,
    Status,
)

from .ask import ON_SALE, SEARCH_PATH, SOLD, api_headers, listing_address, search_body, seller_items_address
from .manifest import MercariCriteria
from .meaning import is_personal
from .parse import read_search
from .parse_item import read_item
from .parse_product import read_product
from .parse_seller import read_seller_items
from .partner import Partner
from .proof import Prover

LOOK_WEIGHT = 2
Ask = Callable[[], Awaitable[Answer]]


def connect(session: Session) -> "Mercari":
    """Mercari over ``session``; makes a key, touches no network."""
    return Mercari(session)


class Mercari:
    """One connection: one key, one client id, a fresh proof for every request.

    The one thing it asks again is a request whose proof was not accepted, once, with a new key.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._prover = Prover()
        self._device = uuid.uuid4().hex
        self._partner = Partner(session)

    async def search(self, criteria: SearchCriteria, *, page_token: str | None = None) -> SearchPage:
        """One page of things on sale, newest first as far as Mercari can: neighbours may be swapped.

        Of a seller it is everything in their list, sold things too, each with its own status.

        Called when: a check runs or a person previews; ``page_token`` is ``next_token`` of the page before.
        Returns: a page; an empty one only when Mercari really said so.
        Raises: Unavailable, NoPace, Throttled, Blocked, SignInNeeded, LayoutChanged.
        Must never: drop a page for one bad row, sleep, or write to the marketplace.
        """
        return await self._page(_own(criteria), page_token, ON_SALE)

    async def look(self, external_id: str) -> Sighting:
        """All that Mercari tells of one listing now, of a person or of a shop.

        Called when: a listing is followed, or a person wants to know. Counts twice in the pace.
        Returns: that listing; an auction is always told as one.
        Raises: ListingGone, Unavailable, NoPace, Throttled, Blocked, SignInNeeded, LayoutChanged.
        Must never: take silence or a wrong call for "gone", sleep, or write to the marketplace.
        """
        url = listing_address(self._session.base, external_id)
        answer = await self._insist(partial(self._get, url, weight=LOOK_WEIGHT))
        read = read_item if is_personal(external_id) else read_product
        reader = partial(read, external_id=external_id, now=self._session.now(), web=self._session.web)
        return await self._session.read(reader, answer)

    async def sold_prices(self, criteria: SearchCriteria, *, page_token: str | None = None) -> SearchPage:
        """One page of what was sold, newest listings first. A thing still in trade may come back and is left out.

        The price is the one asked when the thing was sold; what a coupon took off, Mercari does not tell.

        Called when, Raises, Must never: as :meth:`search`.
        """
        page = await self._page(_own(criteria), page_token, SOLD)
        sold = (found for found in page.sightings if found.status == Status.SOLD and found.price is not None)
        return replace(page, sightings=tuple(sold))

    async def buy(self, request: BuyRequest) -> Receipt:
        """Buy one listing by the partner API, after a look at the site and another through the API.

        Called when: an order is decided; at most once for it.
        Returns: what Mercari said, when it names the transaction and this very listing.
        Raises: Refused, OutcomeUnknown; before anything is sent as :meth:`look`, but for ListingGone.
        Must never: commit twice, pay more than ``price_max``, sleep.
        """
        # The core looked a moment ago and judged by its own rules; what is sent rests on this look. Only the site
        # always tells an auction as one, and what was edited in between shows by its checksum.
        try:
            look = await self.look(request.external_id)
        except ListingGone as error:
            raise Refused(RefusalKind.LISTING_GONE, error.detail) from error
        return await self._partner.buy(request, look)

    async def find_purchase(self, external_id: str) -> Purchase | None:
        """What the account bought of one listing.

        Called when: an outcome is unknown, or a purchase is followed.
        Returns: the purchase; ``None`` when Mercari said that there is none, which it never says of a shop's product.
        Raises: Unavailable, NoPace, Throttled, Blocked, SignInNeeded, LayoutChanged.
        Must never: take silence, a block or another account's purchase for an answer.
        """
        return await self._partner.find(external_id)

    async def verify(self) -> AccountInfo:
        """Renew the token and ask for the list of things to do.

        Called when: a person wants to know whether the account works.
        Returns: the client id.
        Raises: SignInNeeded when the credentials are not accepted, else as :meth:`find_purchase`.
        Must never: write to the marketplace.
        """
        return await self._partner.verify()

    async def _page(self, criteria: MercariCriteria, page_token: str | None, statuses: tuple[str, ...]) -> SearchPage:
        answer = await self._insist(self._asking(criteria, page_token, statuses))
        now, web = self._session.now(), self._session.web
        if criteria.seller:
            listed = partial(read_seller_items, criteria=criteria, now=now, web=web, asked=page_token)
            return await self._session.read(listed, answer)
        return await self._session.read(partial(read_search, criteria=criteria, now=now, web=web), answer)

    def _asking(self, criteria: MercariCriteria, page_token: str | None, statuses: tuple[str, ...]) -> Ask:
        """The request for a page: of a seller's list, or of the search."""
        if criteria.seller:
            return partial(self._get, seller_items_address(self._session.base, criteria.seller, page_token=page_token))
        return partial(self._search, criteria, page_token, statuses)

    async def _insist(self, ask: Ask) -> Answer:
        """Ask, and once more with a new key when the proof was not accepted."""
        answer = await ask()
        if answer.status != 401:
            return answer
        self._prover = Prover()
        return await ask()

    async def _search(self, criteria: MercariCriteria, page_token: str | None, statuses: tuple[str, ...]) -> Answer:
        url = self._session.base + SEARCH_PATH
        body = search_body(
            criteria, page_token=page_token, session=uuid.uuid4().hex, device=self._device, statuses=statuses
        )
        return await self._session.post(url, json=body, headers=api_headers(self._proof("POST", url)))

    async def _get(self, url: str, *, weight: int = 1) -> Answer:
        return await self._session.get(url, headers=api_headers(self._proof("GET", url)), weight=weight)

    def _proof(self, method: str, url: str) -> str:
        """For the whole address, query and all: that is the form which was seen to be accepted."""
        return self._prover.proof(method=method, url=url, now=self._session.now())


def _own(criteria: SearchCriteria) -> MercariCriteria:
    return criteria if isinstance(criteria, MercariCriteria) else MercariCriteria(keyword=criteria.keyword)
