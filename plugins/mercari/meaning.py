"""What Mercari's words and numbers mean in ours. Pure; a word nobody has documented is "unknown", never an error."""

import re
from collections.abc import Mapping
from typing import Any

from monitor_site.contract import Condition, Kind, Shipping, Status

from . import fields

NO_PRICE = 9_999_999
_PERSONAL_ID = re.compile(r"m[0-9]+")

_STATUSES = {
    "ITEM_STATUS_ON_SALE": Status.ON_SALE,
    "ITEM_STATUS_TRADING": Status.RESERVED,  # bought, and the deal can still fall through
    "ITEM_STATUS_SOLD_OUT": Status.SOLD,
    "ITEM_STATUS_STOP": Status.STOPPED,
    "ITEM_STATUS_CANCEL": Status.REMOVED,
    "ITEM_STATUS_ADMIN_CANCEL": Status.REMOVED,
}
_CONDITIONS = {
    "1": Condition.NEW,
    "2": Condition.LIKE_NEW,
    "3": Condition.GOOD,
    "4": Condition.FAIR,
    "5": Condition.WORN,
    "6": Condition.POOR,
}
_PAYERS = {"1": Shipping.BUYER_PAYS, "2": Shipping.INCLUDED}


def is_shop(row: Mapping[str, Any], external_id: str) -> bool:
    """Whether a row is a product of Mercari Shops: by the form of its id, never by its length, then by its type."""
    return not _PERSONAL_ID.fullmatch(external_id) and row.get("itemType") != "ITEM_TYPE_MERCARI"


def auction_of(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The row's auction, in either spelling; empty when it is null, missing or an object of blanks."""
    found = fields.mapping(fields.first(row, "auction", "auction_info"))
    return found if any(value not in (None, "", [], {}) for value in found.values()) else {}


def kind_of(*, shop: bool, auction: Mapping[str, Any]) -> Kind:
    """How it is sold; nothing but the auction object tells an auction from a sale."""
    if auction:
        return Kind.AUCTION
    return Kind.SHOP if shop else Kind.FLEA


def status_of(row: Mapping[str, Any]) -> Status:
    """Where it stands."""
    return _STATUSES.get(fields.text(row.get("status")) or "", Status.UNKNOWN)


def condition_of(row: Mapping[str, Any]) -> Condition:
    """Its grade."""
    return _CONDITIONS.get(fields.text(row.get("itemConditionId")) or "", Condition.UNKNOWN)


def shipping_of(row: Mapping[str, Any], *, shop: bool) -> Shipping:
    """Who pays; unknown for shops, where the same number means the opposite and search gives no code."""
    payer = fields.text(row.get("shippingPayerId")) or ""
    return Shipping.UNKNOWN if shop else _PAYERS.get(payer, Shipping.UNKNOWN)
