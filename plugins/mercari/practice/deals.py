"""Who bought what: the buyers of the partner API with their tokens, and the transaction of each purchase."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .listing import ON_SALE, SOLD_OUT, Listing, Variant
from .product import variant_id
from .world import World

SECRET = "practice-secret"  # noqa: S105  there is nothing behind it
REFRESH = "practice-refresh-"
TOKEN_SECONDS = 3600
FIRST_TRANSACTION = 700_000_000
WAIT_SHIPPING, WAIT_REVIEW, DONE = "wait_shipping", "wait_review", "done"
STATUSES = ("wait_payment", WAIT_SHIPPING, WAIT_REVIEW, "wait_done", DONE, "cancel_request", "cancelled")


class Denied(Exception):
    """The purchase is refused; ``code`` and ``status`` are what the buyer hears."""

    def __init__(self, code: str, reasons: str, *, status: int = 400) -> None:
        super().__init__(reasons)
        self.code, self.status = code, status


@dataclass(slots=True, kw_only=True)
class Buyer:
    """An account of the partner API; ``address`` good or not, ``banned``, ``card`` good or not."""

    name: str
    refresh_token: str
    tokens: dict[str, float] = field(default_factory=dict)
    renewals: int = 0
    banned: bool = False
    address: bool = True
    card: bool = True
    known: bool = True


@dataclass(slots=True, kw_only=True)
class Deal:
    """One purchase; ``at`` is when it was accepted, ``visible_at`` when its buyer can read of it, virtual seconds."""

    number: str
    listing: Listing
    buyer: str
    reference: str
    price: int
    fee: int
    at: float
    visible_at: float
    status: str = WAIT_SHIPPING
    updated: float = 0.0
    tracking: str = ""
    shipped: bool = False


class Deals:
    """The order side of the world.

    ``history_lag`` is how many virtual seconds a purchase stays invisible to its buyer. ``rotates``: each renewal
    gives a new refresh token and ends the old one. ``meanwhile`` holds what is to happen to a listing just before the
    next purchase of it is judged.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.history_lag = 0.0
        self.rotates = False
        self.tells_paid = True
        self.fee_as_text = False
        self.buyers: dict[str, Buyer] = {}
        self.deals: list[Deal] = []
        self.meanwhile: dict[str, Callable[[], Any]] = {}

    def buyer(self, name: str) -> Buyer:
        """The buyer of that name, made when first heard of."""
        if name not in self.buyers:
            self.buyers[name] = Buyer(name=name, refresh_token=f"{REFRESH}{name}")
        return self.buyers[name]

    def renew(self, refresh_token: str) -> tuple[Buyer, str]:
        """A new access token; raises ``LookupError`` for a refresh token that is not, or no more, good."""
        buyer = self._of_refresh(refresh_token)
        buyer.renewals += 1
        token = f"access-{buyer.name}-{buyer.renewals}"
        buyer.tokens[token] = self.world.clock.now() + TOKEN_SECONDS
        if self.rotates:
            buyer.refresh_token = f"{REFRESH}{buyer.name}.{buyer.renewals}"
        return buyer, token

    def _of_refresh(self, refresh_token: str) -> Buyer:
        name = refresh_token.removeprefix(REFRESH).partition(".")[0]
        if not refresh_token.startswith(REFRESH) or not name:
            raise LookupError("no such refresh token")
        buyer = self.buyer(name)
        if not buyer.known or buyer.refresh_token != refresh_token:
            raise LookupError("the refresh token is not good any more")
        return buyer

    def signed_in(self, authorization: str) -> Buyer | None:
        """Whose access token it is, with the word Bearer or alone."""
        token = authorization.removeprefix("Bearer ")
        now = self.world.clock.now()
        return next((each for each in self.buyers.values() if each.tokens.get(token, 0.0) > now), None)

    def buy(self, buyer: Buyer, order: dict[str, Any]) -> Deal:
        """One purchase, all or nothing. Raises :class:`Denied`."""
        self._refuse_buyer(buyer)
        listing = self._wanted(order)
        number = self._take(listing, order)
        now, price = self.world.clock.now(), listing.asked(self.world.clock.now())
        deal = Deal(
            number=number,
            listing=listing,
            buyer=buyer.name,
            reference=str(order.get("delivery_identifier", "")),
            price=price,
            fee=fee_of(listing) or 0,
            at=now,
            updated=now,
            visible_at=now + self.history_lag,
        )
        self.deals.append(deal)
        self._write(deal, order)
        return deal

    def of(self, buyer: Buyer, external_id: str) -> Deal | None:
        """The buyer's latest visible purchase of a listing."""
        now = self.world.clock.now()
        own = [deal for deal in self.deals if deal.buyer == buyer.name and deal.listing.id == external_id]
        return next((deal for deal in reversed(own) if deal.visible_at <= now), None)

    def holds(self, listing: Listing) -> bool:
        """Whether a buyer's purchase of it is under way: then nothing else moves it."""
        return any(deal.listing is listing and deal.status not in {DONE, "cancelled"} for deal in self.deals)

    def move(self, listing: Listing, status: str, *, relist: bool = True) -> Deal:
        """Another status for the latest purchase of a listing; a cancelled one goes on sale again, if ``relist``."""
        deal = next((each for each in reversed(self.deals) if each.listing is listing), None)
        if deal is None or status not in STATUSES:
            raise ValueError(f"nobody bought it, or {status} is none of {', '.join(STATUSES)}")
        deal.status, deal.updated = status, self.world.clock.now()
        self.world.truth.write("transaction", listing=listing.id, transaction=deal.number, stage=status)
        if status == DONE and not listing.shop:
            self.world.move(listing, SOLD_OUT)
        if status == "cancelled" and relist and not listing.shop:
            self.world.move(listing, ON_SALE)
        return deal

    def _refuse_buyer(self, buyer: Buyer) -> None:
        if buyer.banned:
            raise Denied("F0017", "The buyer is banned from purchasing.", status=403)
        if not buyer.address:
            raise Denied("F0104", "Address verification failed.")
        if not buyer.card:
            raise Denied("", "Payment Required", status=402)

    def _wanted(self, order: dict[str, Any]) -> Listing:
        external_id = str(order.get("item_id", ""))
        if (happens := self.meanwhile.pop(external_id, None)) is not None:
            happens()
        listing = self.world.listings.get(external_id)
        gone = listing is None or listing.removed or listing.status != ON_SALE or listing.auction or not listing.price
        if listing is None or gone or order.get("checksum") != listing.checksum:
            raise Denied("F0105", "The item is unavailable.")
        return listing

    def _take(self, listing: Listing, order: dict[str, Any]) -> str:
        number = FIRST_TRANSACTION + len(self.deals) + 1
        if not listing.shop:
            self.world.trade(listing)
            return str(number)
        variant = _variant(listing, str(order.get("variant_id", "")))
        if variant is None or not variant.quantity:
            raise Denied("F0105", "The item is unavailable.")
        variant.quantity -= 1
        self.world.stock(listing)
        return f"order{number}"

    def _write(self, deal: Deal, order: dict[str, Any]) -> None:
        listing = deal.listing
        facts = {"id": listing.id, "price": listing.price, "status": listing.status, "state": listing.state}
        bought = {"buyer": deal.buyer, "reference": deal.reference, "transaction": deal.number}
        paid = {"paid": deal.price + deal.fee, "variant": order.get("variant_id")}
        self.world.truth.write("purchased", **facts, **bought, **paid)


def fee_of(listing: Listing) -> int | None:
    """What the buyer pays for shipping; ``None`` when the seller has not said it."""
    return 0 if listing.shop or listing.payer != 1 else listing.fee


def _variant(listing: Listing, wanted: str) -> Variant | None:
    if not wanted and len(listing.variants) == 1:
        return listing.variants[0]
    at = next((n for n in range(len(listing.variants)) if variant_id(listing, n) == wanted), None)
    return None if at is None else listing.variants[at]
