"""What the site's words mean in ours. Pure; a word nobody has documented is "unknown", never an error."""

import re

from monitor_site.contract import Condition, Kind, Shipping

from . import fields

# Whole words only: "未使用に近い" is not "未使用".
_CONDITIONS = {
    "未使用": Condition.NEW,
    "未使用に近い": Condition.LIKE_NEW,
    "目立った傷や汚れなし": Condition.GOOD,
    "やや傷や汚れあり": Condition.FAIR,
    "傷や汚れあり": Condition.WORN,
    "全体的に状態が悪い": Condition.POOR,
    "NEW": Condition.NEW,
    "USED10": Condition.LIKE_NEW,
    "USED20": Condition.GOOD,
    "USED40": Condition.FAIR,
    "USED60": Condition.WORN,
    "USED80": Condition.POOR,
}
GRADES = {
    Condition.NEW: 1,
    Condition.LIKE_NEW: 3,
    Condition.GOOD: 4,
    Condition.FAIR: 5,
    Condition.WORN: 6,
    Condition.POOR: 7,
}
"""The number of each grade in a question; 2, any used one, is no single grade."""

_FEE = re.compile(r"送料 ?([0-9][0-9,]*) ?円")


def condition_of(word: object) -> Condition:
    """The grade behind a word."""
    return _CONDITIONS.get(word.strip(), Condition.UNKNOWN) if isinstance(word, str) else Condition.UNKNOWN


def kind_of(*, flea: bool, price: int | None, buy_now: int | None, bids: int | None) -> Kind:
    """How it is sold: at a fixed price when the buy-now price is the price and nobody has bid."""
    if flea:
        return Kind.FLEA
    fixed = price is not None and price == buy_now and not bids
    return Kind.FIXED if fixed else Kind.AUCTION


def shipping_of(*, free: bool, text: str) -> tuple[Shipping, int | None]:
    """Who pays and how many yen. Free is what the attribute says; icons leave it out when there is a campaign."""
    words = fields.squeezed(text)
    if free or "送料無料" in words:
        return Shipping.INCLUDED, None
    found = _FEE.search(words)
    return (Shipping.BUYER_PAYS, fields.whole(found[1])) if found else (Shipping.UNKNOWN, None)
