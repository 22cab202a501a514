"""Whether a listing may be ordered by a rule, and for how much at most. No rows; unknown is never good enough."""

from dataclasses import dataclass
from enum import StrEnum

from monitor_site.contract import Kind, Shipping, Sighting, Status
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches.models import Listing

from .models import BuyRule, Order

ORDERED = frozenset({Kind.FIXED, Kind.SHOP})


class Objection(StrEnum):
    """Why nothing is ordered. The first that holds is told: what is gone is gone, whatever it cost."""

    GONE = "gone"
    AUCTION = "auction"
    FLEA = "flea"
    NO_PRICE = "no_price"
    NO_LIMIT = "no_limit"
    OTHER_CURRENCY = "other_currency"
    SHIPPING_UNKNOWN = "shipping_unknown"
    BUYER_PAYS = "buyer_pays"
    OVER_LIMIT = "over_limit"


@dataclass(frozen=True, slots=True)
class Offer:
    """What an order of a listing would cost at most, in whole units of its currency."""

    price: int
    shipping: int

    @property
    def total(self) -> int:
        """What the person's limit is compared with."""
        return self.price + self.shipping


def offer_of(listing: Listing, rule: BuyRule) -> Offer | Objection:
    """What it would cost, or the first reason against it."""
    objection = _of_the_thing(listing) or _of_the_limit(listing, rule)
    if objection is not None or listing.price is None or rule.price_max is None:
        return objection or Objection.NO_PRICE
    shipping = shipping_of(listing, rule)
    if isinstance(shipping, Objection):
        return shipping
    offer = Offer(listing.price, shipping)
    return offer if offer.total <= rule.price_max else Objection.OVER_LIMIT


def _of_the_thing(listing: Listing) -> Objection | None:
    if listing.status != Status.ON_SALE:
        return Objection.GONE
    if listing.kind == Kind.AUCTION:
        return Objection.AUCTION
    if listing.kind not in ordered_kinds(listing.marketplace):
        return Objection.FLEA
    return Objection.NO_PRICE if listing.price is None else None


def ordered_kinds(marketplace: str) -> frozenset[Kind]:
    """What can be ordered there; of a marketplace nobody knows, what can be ordered anywhere."""
    plugin = catalog().plugins.get(marketplace)
    return plugin.manifest.ordered_kinds if plugin else ORDERED


def _of_the_limit(listing: Listing, rule: BuyRule) -> Objection | None:
    """An empty limit means that nothing is bought."""
    if rule.price_max is None:
        return Objection.NO_LIMIT
    return Objection.OTHER_CURRENCY if listing.currency != rule.watch.currency else None


def shipping_of(listing: Listing, rule: BuyRule) -> int | Objection:
    """What has to be held for shipping. An unknown payer is not the seller."""
    if listing.shipping == Shipping.INCLUDED:
        return 0
    if listing.shipping == Shipping.UNKNOWN:
        return Objection.SHIPPING_UNKNOWN
    if listing.shipping_fee is not None:
        return listing.shipping_fee
    return Objection.BUYER_PAYS if rule.shipping_estimate is None else rule.shipping_estimate


def objection_now(sighting: Sighting, order: Order) -> Objection | None:
    """What a look right before sending has against an order that was decided: it costs more now, or is not to be had.

    Where nobody says what the shipping costs, what was held for it must do.
    """
    if sighting.status != Status.ON_SALE:
        return Objection.GONE
    if sighting.kind not in ordered_kinds(order.listing.marketplace):
        return Objection.AUCTION if sighting.kind == Kind.AUCTION else Objection.FLEA
    if sighting.price is None:
        return Objection.NO_PRICE
    if sighting.price.currency != order.currency:
        return Objection.OTHER_CURRENCY
    shipping = _shipping_now(sighting, order)
    if isinstance(shipping, Objection):
        return shipping
    return Objection.OVER_LIMIT if sighting.price.amount + shipping > order.price_max else None


def _shipping_now(sighting: Sighting, order: Order) -> int | Objection:
    if sighting.shipping == Shipping.INCLUDED:
        return 0
    if sighting.shipping == Shipping.UNKNOWN:
        return Objection.SHIPPING_UNKNOWN
    fee = sighting.shipping_fee
    if fee is not None:
        return fee.amount if fee.currency == order.currency else Objection.OTHER_CURRENCY
    return order.shipping or Objection.BUYER_PAYS
