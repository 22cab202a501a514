"""The values a plugin and the core exchange: frozen, keyword-only, unknown is ``None``.

Money is integer minor units with an ISO currency (1226 yen are 1226, 12.26 euros are 1226), times are aware UTC.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class Kind(StrEnum):
    """How a listing is sold."""

    FIXED = "fixed"
    AUCTION = "auction"
    SHOP = "shop"
    FLEA = "flea"


class Status(StrEnum):
    """Where a listing stands; ``unknown`` when the marketplace uses a word nobody has documented."""

    ON_SALE = "on_sale"
    RESERVED = "reserved"
    SOLD = "sold"
    ENDED = "ended"
    STOPPED = "stopped"
    REMOVED = "removed"
    UNKNOWN = "unknown"


class Shipping(StrEnum):
    """Who pays for shipping."""

    INCLUDED = "included"
    BUYER_PAYS = "buyer_pays"
    UNKNOWN = "unknown"


class Condition(StrEnum):
    """Condition grades, best first; a plugin maps its marketplace's own words to these."""

    NEW = "new"
    LIKE_NEW = "like_new"
    GOOD = "good"
    FAIR = "fair"
    WORN = "worn"
    POOR = "poor"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """An amount in minor units of a currency; never negative, never a stand-in for "unknown"."""

    amount: int
    currency: str

    def __post_init__(self) -> None:
        if self.amount < 0:
            raise ValueError(f"money cannot be negative: {self.amount}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Seller:
    """Who sells; rating and count are the marketplace's own figures."""

    id: str
    name: str | None = None
    rating: float | None = None
    count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """One look at one listing.

    ``title`` is the raw text of the marketplace and untrusted. ``price`` is what a buyer pays now for the
    thing itself (an auction: the current price) and ``None`` when it is missing or a placeholder.
    ``created`` and ``updated`` are the marketplace's own times.
    """

    external_id: str
    title: str
    url: str
    price: Money | None
    kind: Kind
    status: Status
    buy_now: Money | None = None
    shipping: Shipping = Shipping.UNKNOWN
    shipping_fee: Money | None = None
    condition: Condition = Condition.UNKNOWN
    seller: Seller | None = None
    images: tuple[str, ...] = ()
    created: datetime | None = None
    updated: datetime | None = None
    ends_at: datetime | None = None
    bids: int | None = None
    description: str | None = None
    extra: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class BadRow:
    """A row that could not be read; the rest of its page stands."""

    position: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchPage:
    """One page of a search. ``about`` is the marketplace's own count and only ever a rough one.

    ``next_token`` is what :meth:`Marketplace.search` takes for the next page, ``None`` on the last.
    ``padding`` counts rows the marketplace added that do not answer the question.
    """

    sightings: tuple[Sighting, ...]
    next_token: str | None = None
    about: int | None = None
    bad_rows: tuple[BadRow, ...] = ()
    padding: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the session brings back: status, lower-case header names, decoded bytes, final URL."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str

    @property
    def media_type(self) -> str:
        """The media type in lower case, without parameters; empty when the answer names none."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()
