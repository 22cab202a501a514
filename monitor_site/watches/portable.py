"""A sighting as plain JSON and back, and as a listing's row remembers it. Pure."""

from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from enum import Enum
from typing import Any

from monitor_site.contract import Condition, Kind, Money, Seller, Shipping, Sighting, Status

from .models import Listing

_READ: Mapping[str, Any] = {
    "kind": Kind,
    "status": Status,
    "shipping": Shipping,
    "condition": Condition,
    "price": lambda told: Money(**told),
    "buy_now": lambda told: Money(**told),
    "shipping_fee": lambda told: Money(**told),
    "seller": lambda told: Seller(**told),
    "images": tuple,
    "created": datetime.fromisoformat,
    "updated": datetime.fromisoformat,
    "ends_at": datetime.fromisoformat,
}


def to_plain(sighting: Sighting) -> dict[str, Any]:
    """Everything a sighting tells, as JSON knows it; what is not told is left out."""
    told = {spec.name: getattr(sighting, spec.name) for spec in fields(sighting)}
    return {name: _plain(value) for name, value in told.items() if value is not None}


def _plain(value: Any) -> Any:
    match value:
        case Money() | Seller():
            return {spec.name: getattr(value, spec.name) for spec in fields(value)}
        case datetime():
            return value.isoformat()
        case Enum():
            return value.value
        case tuple():
            return list(value)
        case Mapping():
            return dict(value)
    return value


def from_plain(told: Mapping[str, Any]) -> Sighting:
    """The sighting that :func:`to_plain` wrote; raises ``ValueError`` or ``TypeError`` for anything else."""
    values = {name: _READ[name](value) if name in _READ else value for name, value in told.items()}
    return Sighting(**({"price": None} | values))


def of_listing(row: Listing) -> Sighting:
    """What is known of a listing, as one look would tell it."""
    return Sighting(
        external_id=row.external_id,
        title=row.title,
        url=row.url,
        price=_money(row.price, row),
        buy_now=_money(row.buy_now, row),
        kind=Kind(row.kind),
        status=Status(row.status),
        condition=Condition(row.condition),
        shipping=Shipping(row.shipping),
        shipping_fee=_money(row.shipping_fee, row),
        seller=_seller(row),
        images=tuple(row.images),
        created=row.listed_at,
        updated=row.edited_at,
        ends_at=row.ends_at,
        bids=row.bids,
        description=row.description or None,
        extra=row.extra,
    )


def _money(amount: int | None, row: Listing) -> Money | None:
    return None if amount is None else Money(amount=amount, currency=row.currency)


def _seller(row: Listing) -> Seller | None:
    if not row.seller_id:
        return None
    return Seller(id=row.seller_id, name=row.seller_name or None, rating=row.seller_rating, count=row.seller_count)
