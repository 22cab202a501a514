"""Asking a marketplace what became of an order. No database here: what is to be known stands in the question."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from monitor_site.contract import MarketplaceError, Purchase, PurchasePage

from .evidence import Seen

MOST_PAGES = 10
# The marketplace's clock and ours differ by less.
CLOCKS_DIFFER = timedelta(minutes=10)
# No code of the contract's errors: what was shown cannot be all that there is, or is of something else.
BLIND, FOREIGN = "blind", "foreign"


class Purchases(Protocol):
    """The purchases of one account at its marketplace. Both questions raise :class:`MarketplaceError`."""

    lists: bool
    """Whether they can be gone through at all."""

    async def find(self, external_id: str) -> Purchase | None:
        """What the account bought of this listing."""
        ...

    async def page(self, token: str | None) -> PurchasePage:
        """The latest purchases."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What became of an order: its listing, and what was known of the account's purchases before anything was sent.

    ``older`` is number → listing of purchases known before, any of which proves that older ones are shown. ``taken``
    are the numbers that belong to something else.
    """

    order_id: int
    marketplace: str
    account_id: int
    external_id: str
    begun_at: datetime
    older: Mapping[str, str] = field(default_factory=dict)
    taken: Collection[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What was seen; ``error`` is the code of what failed."""

    seen: Seen
    purchase: Purchase | None = None
    doubtful: bool = False
    error: str = ""


async def ask(question: Question, purchases: Purchases) -> Answer:
    """Look for the listing, and for something older that must be there: without it nothing says "no"."""
    try:
        found = await purchases.find(question.external_id)
        if found is not None and found.external_id != question.external_id:
            return Answer(seen=Seen.FAILED, error=FOREIGN)
        if found is not None and found.transaction_id not in question.taken:
            return _found(question, found)
        return await _proof(question, purchases)
    except MarketplaceError as error:
        return Answer(seen=Seen.FAILED, error=error.code)


def _found(question: Question, purchase: Purchase) -> Answer:
    before = purchase.at is not None and purchase.at < question.begun_at - CLOCKS_DIFFER
    return Answer(seen=Seen.FOUND, purchase=purchase, doubtful=before)


async def _proof(question: Question, purchases: Purchases) -> Answer:
    if purchases.lists:
        return await _in_list(question, purchases)
    if not question.older:
        return Answer(seen=Seen.UNPROVEN)
    number, external_id = next(iter(question.older.items()))
    older = await purchases.find(external_id)
    known = older is not None and older.transaction_id == number
    return Answer(seen=Seen.ABSENT) if known else Answer(seen=Seen.FAILED, error=BLIND)


async def _in_list(question: Question, purchases: Purchases) -> Answer:
    """Page by page, newest first, until something older shows that nothing newer is left out."""
    token, seen = None, set[str]()
    for _page in range(MOST_PAGES):
        page = await purchases.page(token)
        for one in page.purchases:
            if one.external_id == question.external_id and one.transaction_id not in question.taken:
                return _found(question, one)
        seen |= {one.transaction_id for one in page.purchases}
        token = page.next_token
        if token is None or seen & question.older.keys():
            break
    if seen & question.older.keys():
        return Answer(seen=Seen.ABSENT)
    return Answer(seen=Seen.FAILED, error=BLIND) if question.older else Answer(seen=Seen.UNPROVEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Census:
    """What a sweep saw of an account. ``whole``: the list was gone through to its end, or to what is known."""

    purchases: tuple[Purchase, ...] = ()
    whole: bool = False
    error: str = ""


async def sweep(purchases: Purchases, *, known: Collection[str], followed: Collection[str]) -> Census:
    """The account's latest purchases, until a page has only ``known`` numbers; and those of the ``followed`` listings
    that the list did not show.
    """
    found: dict[str, Purchase] = {}
    try:
        whole = await _list(purchases, known, found) if purchases.lists else False
        for external_id in sorted(set(followed) - {one.external_id for one in found.values()}):
            one = await purchases.find(external_id)
            if one is not None and one.external_id == external_id:
                found[one.transaction_id] = one
    except MarketplaceError as error:
        return Census(purchases=tuple(found.values()), error=error.code)
    return Census(purchases=tuple(found.values()), whole=whole)


async def _list(purchases: Purchases, known: Collection[str], found: dict[str, Purchase]) -> bool:
    token = None
    for _page in range(MOST_PAGES):
        page = await purchases.page(token)
        found |= {one.transaction_id: one for one in page.purchases}
        token = page.next_token
        if token is None or (page.purchases and all(one.transaction_id in known for one in page.purchases)):
            return True
    return False
