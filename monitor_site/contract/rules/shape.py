"""What single values of a page must look like: no stranger's value is believed before one of these has held. Pure."""

import math
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from ..values import BadRow, Condition, Kind, Money, Seller, Shipping, Sighting, Status

LONGEST_ID = 64
LONGEST_URL = 500
LONGEST_TOKEN = 4000
LONGEST_TITLE = 1000
LONGEST_NAME = 120
MOST_MONEY = 10**15
MOST = 2**31 - 1
YEARS = range(1970, 9999)

Holds = Callable[[Any], bool]


def is_text(value: object, longest: int) -> bool:
    """Whether it is text of 1 to ``longest`` characters that can be seen: no control characters, no half ones."""
    return isinstance(value, str) and 0 < len(value) <= longest and value.isprintable()


def is_picture(value: object) -> bool:
    """Whether it is the address of a picture, as far as one can tell without asking."""
    return is_text(value, LONGEST_URL) and str(value).startswith(("https://", "http://"))


def is_sum(currency: str) -> Holds:
    """Whether it is a sum in ``currency``, or not known."""

    def holds(value: object) -> bool:
        if value is None:
            return True
        return isinstance(value, Money) and value.currency == currency and _is_count(value.amount, MOST_MONEY)

    return holds


def is_price(currency: str) -> Holds:
    """As :func:`is_sum`, and 0 is no price: nobody sells for nothing, it stands for "not known"."""
    is_any_sum = is_sum(currency)
    return lambda value: is_any_sum(value) and (value is None or value.amount > 0)


def _is_count(value: object, most: int = MOST) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def _is_maybe_count(value: object) -> bool:
    return value is None or _is_count(value)


def is_time(value: object) -> bool:
    """Whether it is an aware time, or not known."""
    if value is None:
        return True
    return isinstance(value, datetime) and value.utcoffset() is not None and value.year in YEARS


def _is_rating(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and math.isfinite(value))


def _is_id(value: object) -> bool:
    return is_text(value, LONGEST_ID)


def _is_maybe_text(value: object) -> bool:
    return value is None or isinstance(value, str)


def _is_seller(value: object) -> bool:
    if value is None:
        return True
    if not isinstance(value, Seller) or not _is_id(value.id) or not _is_maybe_text(value.name):
        return False
    return _is_rating(value.rating) and _is_maybe_count(value.count)


def _is_extra(value: object) -> bool:
    return (
        isinstance(value, Mapping) and all(map(_is_id, value)) and all(isinstance(each, str) for each in value.values())
    )


def _is_a(kind: type) -> Holds:
    return kind.__instancecheck__


def _are(kind: type) -> Holds:
    return lambda value: isinstance(value, tuple) and all(isinstance(each, kind) for each in value)


SIGHTING: dict[str, Holds] = {
    "external_id": _is_id,
    "title": _is_a(str),
    "kind": _is_a(Kind),
    "status": _is_a(Status),
    "shipping": _is_a(Shipping),
    "condition": _is_a(Condition),
    "seller": _is_seller,
    "images": lambda value: isinstance(value, tuple) and all(map(is_picture, value)),
    "extra": _is_extra,
    "created": is_time,
    "updated": is_time,
    "ends_at": is_time,
    "bids": _is_maybe_count,
    "description": _is_maybe_text,
}
"""What holds for a sighting of any marketplace."""

PAGE: dict[str, Holds] = {
    "sightings": _are(Sighting),
    "bad_rows": _are(BadRow),
    "padding": _is_count,
    "next_token": lambda value: value is None or is_text(value, LONGEST_TOKEN),
}
"""What holds for a page, apart from its rows."""
