"""What Mercari's words and numbers mean in ours. Pure; a word nobody has documented is "unknown", never an error."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from monitor_site.contract import Condition, Kind, Money, Seller, Shipping, Status

from . import fields

NO_PRICE = 9_999_999
MOST_BIDS = 1_000_000
# What lists of a seller's items say instead of the name.
NO_NAME = "dont-use-this"
_PERSONAL_ID = re.compile(r"m[0-9]+")
_PREFIX = "ITEM_STATUS_"

# The words of a look; a search writes the same ones large and with a prefix.
_STATUSES = {
    "on_sale": Status.ON_SALE,
    "trading": Status.RESERVED,  # bought, and the deal can still fall through
    "sold_out": Status.SOLD,
    "stop": Status.STOPPED,
    "cancel": Status.REMOVED,
    "admin_cancel": Status.REMOVED,
}
CONDITIONS = {
    "1": Condition.NEW,
    "2": Condition.LIKE_NEW,
    "3": Condition.GOOD,
    "4": Condition.FAIR,
    "5": Condition.WORN,
    "6": Condition.POOR,
}
_PAYERS = {"1": Shipping.BUYER_PAYS, "2": Shipping.INCLUDED}
_PAYER_CODES = {"buyer": Shipping.BUYER_PAYS, "seller": Shipping.INCLUDED}


def is_personal(external_id: str) -> bool:
    """Whether it is the id of a person's listing: by its form, never by its length."""
    return bool(_PERSONAL_ID.fullmatch(external_id))


def is_shop(row: Mapping[str, Any], external_id: str) -> bool:
    """Whether a row is a product of Mercari Shops: by the form of its id, then by its type."""
    return not is_personal(external_id) and row.get("itemType") != "ITEM_TYPE_MERCARI"


def auction_of(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The row's auction, in either spelling; empty when it is null, missing or an object of blanks."""
    found = fields.mapping(fields.first(row, "auction", "auction_info"))
    return found if any(value not in (None, "", [], {}) for value in found.values()) else {}


def ends_at(auction: Mapping[str, Any]) -> datetime | None:
    """When an auction ends, if it says so.

    Lengths in seconds, which some answers carry, are not counted together: a recorded start and length together
    give another moment than the end that stands beside them.
    """
    return fields.moment(fields.first(auction, "bidDeadline", "bid_deadline", "expected_end_time"))


def bids_of(auction: Mapping[str, Any]) -> int | None:
    """How many bids an auction has."""
    return fields.count(fields.first(auction, "totalBid", "totalBids", "total_bid", "total_bids"), most=MOST_BIDS)


def kind_of(*, shop: bool, auction: Mapping[str, Any]) -> Kind:
    """How it is sold; nothing but the auction object tells an auction from a sale."""
    if auction:
        return Kind.AUCTION
    return Kind.SHOP if shop else Kind.FLEA


def status_of(row: Mapping[str, Any]) -> Status:
    """Where it stands, in the words of a search or of a look."""
    word = fields.text(row.get("status")) or ""
    plain = word.removeprefix(_PREFIX).lower() if word.startswith(_PREFIX) else word
    return _STATUSES.get(plain, Status.UNKNOWN)


def condition_of(number: Any) -> Condition:
    """The grade of a condition's number; its name is never compared, since some callers get it in English."""
    return CONDITIONS.get(fields.text(number) or "", Condition.UNKNOWN)


def payer_by_number(number: Any) -> Shipping:
    """Who pays, by the number of a person's listing; for shops the same number means the opposite."""
    return _PAYERS.get(fields.text(number) or "", Shipping.UNKNOWN)


def payer_by_code(code: Any) -> Shipping:
    """Who pays, by the code, which means the same everywhere."""
    return _PAYER_CODES.get((fields.text(code) or "").lower(), Shipping.UNKNOWN)


def price_among(values: Iterable[Any]) -> Money | None:
    """The first of ``values`` that is a price: the placeholder, 0 and nothing are all "not known"."""
    amounts = (fields.whole(value) for value in values)
    amount = next((found for found in amounts if found and found != NO_PRICE), None)
    return None if amount is None else Money(amount=amount, currency="JPY")


def seller_of(person: Mapping[str, Any]) -> Seller | None:
    """A person with their stars out of five, as the site shows them, and how many ratings these come from.

    Nobody is rated 0: that is what somebody without ratings has.
    """
    known, name = fields.word(person.get("id")), fields.text(person.get("name"))
    if not known or known == "0":
        return None
    rating = fields.stars(person.get("star_rating_score"))
    count = fields.count(person.get("num_ratings"), most=fields.MOST_RATINGS)
    return Seller(id=known, name=None if name == NO_NAME else name, rating=rating, count=count)
