"""What a listing says of itself, and what else its seller has among a person's matches."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from monitor_site import wording
from monitor_site.watches.models import Listing

from . import pictures
from .auctions import told
from .cards import Card
from .standing import Standing, standing_of

MOST_OTHERS = 6
LOOKED_THROUGH = 5000  # the newest matches, among which others of a seller are looked for
EXTRA: Mapping[str, "str | Promise"] = {
    "category": _("Category"),
    "brand": _("Brand"),
    "size": _("Size"),
    "ships_from": _("Ships from"),
    "ships_in": _("Ships within"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A label with a value; ``foreign`` is the marketplace's own text."""

    label: str
    value: str
    foreign: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Other:
    """Another listing of the same seller; ``picture`` is a thumbnail here."""

    listing: Listing
    standing: Standing
    picture: str


def facts_of(listing: Listing, card: Card) -> list[Fact]:
    """What is known, in the order in which a buyer asks."""
    fee = listing.shipping_fee
    shipping = f"{card.shipping} ({wording.money(fee, listing.currency)})" if fee is not None else card.shipping
    facts = [
        Fact(label=gettext("Condition"), value=card.condition or gettext("not known")),
        Fact(label=gettext("Shipping"), value=shipping),
    ]
    facts += [Fact(label=str(label), value=value, foreign=True) for name, label in EXTRA.items()
              if (value := _readable(listing.extra.get(name)))]  # fmt: skip
    if listing.extra.get("extends") == "1":
        facts.append(Fact(label=gettext("Auto-extension"), value=gettext("its end moves when a late bid comes")))
    return [*facts, Fact(label=gettext("Item ID"), value=listing.external_id)]


def _readable(value: Any) -> str:
    """Words of the marketplace; a bare number there tells a person nothing."""
    return value if isinstance(value, str) and not value.isdecimal() else ""


def same_seller(user: Any, listing: Listing, *, now: datetime) -> list[Other]:
    """Other listings of this seller among the newest matches of a person."""
    if not listing.seller_id:
        return []
    newest = told(user, now=now).order_by("-id").values("listing_id")[:LOOKED_THROUGH]
    theirs = Listing.objects.filter(pk__in=newest, marketplace=listing.marketplace, seller_id=listing.seller_id)
    rows = theirs.exclude(pk=listing.pk).order_by("-first_seen_at", "-pk")[:MOST_OTHERS]
    return [_other(row, now) for row in rows]


def _other(row: Listing, now: datetime) -> Other:
    picture = pictures.address(row.images[0], size=160) if row.images else ""
    return Other(listing=row, standing=standing_of(row, now=now), picture=picture)
