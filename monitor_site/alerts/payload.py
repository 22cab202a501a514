"""What a webhook is told: plain values, no words to read out, the same shape for one alert and for many."""

from collections.abc import Mapping, Sequence
from typing import Any

from monitor_site.site_address import absolute
from monitor_site.watches.models import Listing, Match

from .models import Delivery, Importance
from .words import Said

VERSION = 1


def payload_of(delivery: Delivery, told: Sequence[Said], matches: Mapping[int, Match]) -> dict[str, Any]:
    """The JSON of a delivery. Times are ISO 8601 in UTC, prices minor units with their currency, unknown is null."""
    return {
        "version": VERSION,
        "id": delivery.public_id,
        "at": delivery.created_at.isoformat(),
        "alerts": [_alert(one, matches) for one in told],
    }


def _alert(one: Said, matches: Mapping[int, Match]) -> dict[str, Any]:
    alert = one.alert
    own = [matches[pk] for pk in alert.match_ids if pk in matches]
    return {
        "key": alert.key,
        "kind": alert.kind,
        "at": alert.created_at.isoformat(),
        "importance": Importance(alert.importance).name.lower(),
        "trace": alert.trace,
        "headline": one.headline,
        "url": absolute(one.path),
        "facts": alert.facts,
        "watches": [{"id": match.watch_id, "name": match.watch.name} for match in own],
        "listing": None if alert.listing is None else _listing(alert.listing),
    }


def _listing(listing: Listing) -> dict[str, Any]:
    return {
        "marketplace": listing.marketplace,
        "id": listing.external_id,
        "title": listing.title,
        "url": listing.url,
        "price": listing.price,
        "buy_now": listing.buy_now,
        "currency": listing.currency,
        "kind": listing.kind,
        "status": listing.status,
        "condition": listing.condition,
        "shipping": listing.shipping,
        "shipping_fee": listing.shipping_fee,
        "seller": listing.seller_id,
        "ends_at": listing.ends_at.isoformat() if listing.ends_at else None,
    }
