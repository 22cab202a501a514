"""The values of the order side: what is to be bought, what the marketplace said, what it tells of a purchase later."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from .values import Money


class PurchaseStage(StrEnum):
    """Where a purchase stands at the marketplace; ``unknown`` for a word nobody has documented.

    ``cancelled`` gives back all the money that was booked: only where the marketplace itself shows that it is over.
    """

    WAIT_PAYMENT = "wait_payment"
    WAIT_SHIPPING = "wait_shipping"
    SHIPPED = "shipped"
    RECEIVED = "received"
    CANCEL_ASKED = "cancel_asked"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuyRequest:
    """One purchase that was decided.

    ``price_max`` is the most that may be paid, shipping and fees included. ``seen_price`` and ``seen_digest`` are what
    the decision was made on: the digest is what the look told in ``extra["checksum"]``, empty where it told none.
    ``buyer_pays_ok``: shipping on top is allowed, within ``price_max``. ``variant`` is the chosen one of several.
    ``reference`` is our own name for the order: born with it and never made anew.
    """

    external_id: str
    price_max: Money
    seen_price: Money
    seen_digest: str = ""
    buyer_pays_ok: bool = False
    variant: str | None = None
    reference: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The marketplace took the order. ``paid`` includes everything; what it did not tell is ``None``."""

    external_id: str
    transaction_id: str
    paid: Money | None = None
    shipping: Money | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelRequest:
    """A purchase that its person wants cancelled. ``transaction_id`` is the marketplace's name for it, ``reference``
    our own for the order.
    """

    external_id: str
    transaction_id: str
    reference: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelReceipt:
    """The marketplace took the request to cancel. That money comes back only the stage of the purchase tells."""

    external_id: str
    transaction_id: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Purchase:
    """A purchase as the marketplace tells of it later; ``reference`` is our own name for it, where it is told."""

    external_id: str
    transaction_id: str
    stage: PurchaseStage
    price: Money | None = None
    paid: Money | None = None
    at: datetime | None = None
    tracking: str | None = None
    reference: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PurchasePage:
    """The latest purchases of an account, newest first as far as the marketplace can."""

    purchases: tuple[Purchase, ...]
    next_token: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountInfo:
    """Whose account it is, as the marketplace tells: ``label`` for people, ``may_buy`` where it says so."""

    label: str = ""
    may_buy: bool | None = None
    notes: tuple[str, ...] = field(default=())
