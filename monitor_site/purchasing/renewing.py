"""Proposals anew: what was decided changed before it could be sent, and may be decided again as it stands now."""

from collections.abc import Collection
from datetime import datetime

from monitor_site.contract import RefusalKind
from monitor_site.watches import follow

from .models import BuyRule, Order
from .proposing import propose_one
from .suitability import Objection, Offer, offer_of
from .transitions import State

ENDED = (State.CANCELLED, State.REFUSED)
# What another look may see otherwise, at a price that its person may still want.
CHANGED = frozenset(
    {
        Objection.OVER_LIMIT,
        Objection.SHIPPING_UNKNOWN,
        Objection.BUYER_PAYS,
        RefusalKind.PRICE_CHANGED,
    }
)


def look_again(*, order: Order, now: datetime) -> None:
    """What the sender saw is no recorded look: have one taken, so that everybody sees it, at once."""
    changed = order.state in ENDED and order.reason in {*Objection, *RefusalKind} and order.epoch > 0
    if changed and follow.can_look(order.listing.marketplace):
        follow.look_now(listing=order.listing, now=now)


def renew(*, listing_ids: Collection[int], now: datetime) -> list[Order]:
    """Propose again what was not sent since it had changed, once the change is recorded; each once."""
    ended = Order.objects.filter(listing__in=listing_ids, state__in=ENDED, reason__in=CHANGED, epoch__gt=0)
    rows = ended.filter(superseded_by=None).select_related("match__listing").order_by("pk")
    renewed = [_renewed(order, now) for order in rows]
    return [order for order in renewed if order is not None]


def _renewed(order: Order, now: datetime) -> Order | None:
    rule = BuyRule.objects.filter(watch=order.watch_id).select_related("watch", "account").first()
    if rule is None or order.match is None:
        return None
    offer = offer_of(order.match.listing, rule)
    if isinstance(offer, Offer) and (offer.price, offer.shipping) == (order.price, order.shipping):
        return None
    return propose_one(match=order.match, rule=rule, now=now, instead_of=order)
