"""The limits of a wish: what cannot be is said in a sentence beside its field."""

from typing import TYPE_CHECKING

import re2
from django.utils.translation import gettext as _

from monitor_site.contract import Condition, Kind

from .matching import compiled
from .models import ShippingWish
from .models.watches import (
    LONGEST_AGE_HOURS,
    LONGEST_PATTERN,
    LONGEST_WINDOW_MINUTES,
    MOST_BIDS,
    MOST_RATED,
)
from .wished_words import Errors, has_control

if TYPE_CHECKING:
    from .wishes import Wish

HIGHEST_PRICE = 9_999_998
MOST_PERCENT = 100
# Field → least and most; the database holds the same.
BOUNDS = {
    "rating_min": (1, MOST_PERCENT),
    "rated_min": (1, MOST_RATED),
    "bids_max": (0, MOST_BIDS),
    "ends_within_minutes": (1, LONGEST_WINDOW_MINUTES),
    "listed_within_hours": (1, LONGEST_AGE_HOURS),
}


def check_limits(wish: "Wish", errors: Errors) -> None:
    """All that a watch accepts beside words."""
    _check_prices(wish, errors)
    _check_pattern(wish, errors)
    _check_choices(wish, errors)
    _check_auctions(wish, errors)
    for name, (least, most) in BOUNDS.items():
        value = getattr(wish, name)
        if value is not None and not least <= value <= most:
            bounds = {"least": f"{least:,}", "most": f"{most:,}"}
            _add(errors, name, _("Please give a number from %(least)s to %(most)s.") % bounds)


def _check_prices(wish: "Wish", errors: Errors) -> None:
    for name, price in (("price_min", wish.price_min), ("price_max", wish.price_max)):
        if price is not None and price < 0:
            _add(errors, name, _("A price cannot be below zero."))
        if price is not None and price > HIGHEST_PRICE:
            _add(errors, name, _("A price of that height does not occur."))
    if wish.price_max == 0:
        _add(errors, "price_max", _("A highest price of 0 would match nothing. Leave it empty for “any price”."))
    elif wish.price_min is not None and wish.price_max is not None and wish.price_min > wish.price_max:
        _add(errors, "price_min", _("The lowest price is above the highest price."))


def _check_pattern(wish: "Wish", errors: Errors) -> None:
    if len(wish.pattern) > LONGEST_PATTERN:
        _add(errors, "pattern", _("The pattern is longer than %(n)d characters.") % {"n": LONGEST_PATTERN})
    elif has_control(wish.pattern) or not is_pattern(wish.pattern):
        _add(errors, "pattern", no_pattern())


def no_pattern() -> str:
    """What to say of an expression that cannot be read."""
    return _(
        "This is no pattern that can be searched for. Look-ahead, look-behind and references back are not possible;"
        " a sign such as ( or * stands for itself after a \\."
    )


def is_pattern(text: str) -> bool:
    """Whether the engine that searches titles can read this expression."""
    try:
        compiled(text)
    except (re2.error, UnicodeError):
        return False
    return True


def _check_choices(wish: "Wish", errors: Errors) -> None:
    if not set(wish.conditions) <= {grade.value for grade in Condition if grade is not Condition.UNKNOWN}:
        _add(errors, "conditions", _("This condition does not exist."))
    if not set(wish.kinds) <= {kind.value for kind in Kind}:
        _add(errors, "kinds", _("This kind of listing does not exist."))
    if wish.shipping not in ShippingWish.values:
        _add(errors, "shipping", _("This choice of shipping does not exist."))


def _check_auctions(wish: "Wish", errors: Errors) -> None:
    """A limit of auctions beside kinds without auctions would never be asked."""
    if wish.kinds and Kind.AUCTION.value not in wish.kinds:
        for name in ("bids_max", "ends_within_minutes"):
            if getattr(wish, name) is not None:
                sentence = _("This concerns auctions only, and auctions are not ticked.")
                _add(errors, name, sentence)


def _add(errors: Errors, name: str, sentence: str) -> None:
    errors.setdefault(name, []).append(sentence)
