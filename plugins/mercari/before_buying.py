"""What must hold before a purchase is sent. Pure; the first thing that does not is the reason, sold before dear."""

from dataclasses import replace

from monitor_site.contract import (
    BuyRequest,
    Kind,
    LayoutChanged,
    Money,
    RefusalKind,
    Refused,
    Shipping,
    Sighting,
    Status,
)

from .parse_partner import Item

_STANDING = {
    Status.RESERVED: RefusalKind.SOLD_OUT,
    Status.SOLD: RefusalKind.SOLD_OUT,
    Status.STOPPED: RefusalKind.NOT_ON_SALE,
    Status.REMOVED: RefusalKind.LISTING_GONE,
}


def fit_to_buy(item: Item, look: Sighting, request: BuyRequest) -> Item:
    """The item with its variant, when it may be bought as the request wants. Raises :class:`Refused`.

    ``look`` is what the site shows: only there an auction is always told as one, and its checksum is the one that was
    decided on. Raises LayoutChanged when nobody can tell whether it is on sale.
    """
    _refuse_standing(look.status if not item.shop else Status.ON_SALE)
    _refuse_standing(item.status)
    if item.auction or look.kind == Kind.AUCTION:
        raise Refused(RefusalKind.AUCTION_UNSUPPORTED)
    if item.price is None or look.price is None:
        raise Refused(RefusalKind.NO_PRICE)
    chosen = replace(item, variant=_variant(item, request.variant))
    _refuse_price(item.price, look, request)
    _refuse_dear(item.price, _fee(item, look, request), request)
    return chosen


def _refuse_standing(status: Status) -> None:
    if kind := _STANDING.get(status):
        raise Refused(kind, f"it is {status}")
    if status != Status.ON_SALE:
        raise LayoutChanged(f"nobody can tell whether it is on sale: {status}")


def _variant(item: Item, wanted: str | None) -> str | None:
    if not item.variants and wanted is None:
        return None
    known = {variant.id: variant for variant in item.variants}
    chosen = known.get(wanted or "") if wanted or len(known) != 1 else item.variants[0]
    if chosen is None:
        raise Refused(RefusalKind.VARIANT_REQUIRED, f"one of {len(known)} must be chosen")
    if not chosen.quantity:
        raise Refused(RefusalKind.OUT_OF_STOCK, f"quantity {chosen.quantity}")
    return chosen.id


def _fee(item: Item, look: Sighting, request: BuyRequest) -> Money:
    shipping = item.shipping if item.shipping != Shipping.UNKNOWN else look.shipping
    if shipping == Shipping.BUYER_PAYS and not request.buyer_pays_ok:
        raise Refused(RefusalKind.BUYER_PAYS_SHIPPING)
    if Shipping.UNKNOWN in (shipping, look.shipping) or shipping != look.shipping or item.fee is None:
        raise Refused(RefusalKind.SHIPPING_UNKNOWN)
    return item.fee


def _refuse_price(price: Money, look: Sighting, request: BuyRequest) -> None:
    """Another digest is another thing, whatever it costs."""
    if request.seen_digest and look.extra.get("checksum") != request.seen_digest:
        raise Refused(RefusalKind.PRICE_CHANGED, "it was edited since it was seen")
    if price.currency != request.seen_price.currency or price.amount > request.seen_price.amount:
        raise Refused(RefusalKind.PRICE_CHANGED, f"{price.amount} instead of {request.seen_price.amount}")


def _refuse_dear(price: Money, fee: Money, request: BuyRequest) -> None:
    most = request.price_max
    if most.currency != price.currency or price.amount + fee.amount > most.amount:
        raise Refused(RefusalKind.OVER_LIMIT, f"{price.amount} and {fee.amount} is more than {most.amount}")
