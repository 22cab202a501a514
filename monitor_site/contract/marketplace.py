"""The protocols between core and plugin. The core hands a plugin a :class:`Session`, its only way out.

What a plugin connects to has the methods of the capabilities its manifest declares, and no others:
:class:`CanSearch`, :class:`CanLook`, :class:`CanTellSoldPrices`. A package exports ``plugin``, a :class:`Plugin`.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, TypeVar

from .fields import AccountSettings, SearchCriteria
from .manifest import Manifest
from .orders import AccountInfo, BuyRequest, CancelReceipt, CancelRequest, Purchase, PurchasePage, Receipt
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

    async def post(
        self,
        url: str,
        *,
        json: Any = None,
        form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        weight: int = 1,
    ) -> Answer:
        """Post ``json`` or a ``form``. Never for a request that can spend money."""
        ...

    async def commit(self, url: str, *, json: Any, headers: Mapping[str, str] | None = None) -> Answer:
        """Post the one request that may spend, or cancel: once in a visit, over a connection of its own, never again.

        Only :meth:`CanBuy.buy` and :meth:`CanCancel.cancel` may call it; everywhere else it raises
        :class:`PluginFault`. A redirect is the answer.
        Whatever a plugin raises after it is :class:`OutcomeUnknown` to the core, unless a whole answer came and the
        plugin raises :class:`Refused` for it.
        """
        ...

    def renewing(self) -> AbstractAsyncContextManager[AccountSettings]:
        """While it lasts nobody else renews the account's secrets, in whatever process.

        It gives the settings as they are by then, which are ``settings`` from then on: what was to be renewed may be
        new already. A token that is good for one renewal only must not be renewed outside of it. Raises :class:`NoPace`
        when others take too long.
        """
        ...

    async def keep_secrets(self, until: datetime | None = None, /, **secrets: str) -> None:
        """Put new values in the place of the account's own secrets, such as a token that was renewed.

        ``until``: when this sign-in ends, where the marketplace told. ``settings`` keeps the old ones until the next
        visit, or the next :meth:`renewing`. Nothing is kept where somebody else has changed the secrets meanwhile.
        """
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


class CanBuy(Protocol):
    """The capability BUY; whoever can buy can find the outcome as well."""

    async def buy(self, request: BuyRequest) -> Receipt:
        """Buy one listing, at most at the price the request allows: look again, refuse what must be, then commit.

        Called when: an order is decided and its money is held.
        Returns: what the marketplace said, when its whole answer names the transaction and this very listing.
        Raises: Refused (found before it commits, or a listed refusal in a whole answer); before it commits as
        :meth:`CanLook.look`, and then the core knows that nothing was sent. After it has committed anything else may be
        raised: to the core it is OutcomeUnknown.
        Must never: commit twice, spend by any other way, take part of an answer for success or for a refusal, pay more
        than ``price_max``, retry, sleep.
        """
        ...


class CanCancel(Protocol):
    """The capability CANCEL, of whoever can buy; only where the marketplace offers it to its buyers in this way."""

    async def cancel(self, request: CancelRequest) -> CancelReceipt:
        """Ask the marketplace to cancel one purchase of the account: refuse what must be, then commit.

        Called when: a person wants it, at most once for a purchase unless nothing was sent.
        Returns: what the marketplace said, when its whole answer names this very transaction.
        Raises: as :meth:`CanBuy.buy`; ``Refused(RefusalKind.NOT_CANCELLABLE)`` where it says that it cannot be.
        Must never: commit twice, take part of an answer for success or for a refusal, tell by itself that the purchase
        is cancelled: only :meth:`CanFindOutcome.find_purchase` does; retry, sleep.
        """
        ...


class CanFindOutcome(Protocol):
    """The capability OUTCOME. ``purchases`` exists where the manifest says ``lists_purchases``."""

    async def find_purchase(self, external_id: str) -> Purchase | None:
        """What this account bought of one listing.

        Called when: an outcome is unknown, and later to follow what was bought.
        Returns: the purchase; ``None`` only when the marketplace itself said, in a well-formed answer to the signed-in
        account, that there is none.
        Raises: as :meth:`CanLook.look`, without ListingGone.
        Must never: take an empty, foreign or blocked answer for "no purchase", nor somebody else's purchase for ours.
        """
        ...

    async def purchases(self, page_token: str | None = None) -> PurchasePage:
        """The account's latest purchases.

        Called when: it must be proven that the account's purchases can be seen at all, and to compare them with ours.
        Returns: a page; an empty one only when the marketplace really said "none".
        Raises: as :meth:`find_purchase`.
        Must never: as :meth:`find_purchase`; drop a page for one purchase it cannot read.
        """
        ...


class CanVerify(Protocol):
    """Whoever can buy can say whether the account's credentials work."""

    async def verify(self) -> AccountInfo:
        """Ask something harmless in the account's name.

        Called when: a person has connected an account or wants to know.
        Returns: whose it is, as far as the marketplace tells.
        Raises: SignInNeeded when the credentials are not accepted; Refused when the account may not buy; else as
        :meth:`CanLook.look`.
        Must never: write to the marketplace.
        """
        ...


def _understands_none(url: str) -> None:  # noqa: ARG001
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """What a plugin's package exports as ``plugin``.

    ``connect(session)`` gives an object with the methods of the capabilities; it must not touch the network. ``api`` is
    the live address that becomes ``session.base``. ``practice`` is the dotted path of the module with the plugin's
    practice market; it has ``create(*, seed: int, truth_log: pathlib.Path | None) -> ASGI application``, where the
    plugin buys also ``account(buyer: str) -> dict[str, str]``, the settings of an account that it knows, and is
    imported only in practice.

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
