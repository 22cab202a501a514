"""What flips back and forth is told once. In the recording transaction."""

from collections.abc import Iterable, Mapping, Set
from datetime import datetime, timedelta
from typing import Any

from .models import Crossing, CrossingKind, EventKind, Listing, ListingEvent

COOL_DOWN = timedelta(hours=1)
PRICES = frozenset({str(EventKind.PRICE_DROP), str(EventKind.PRICE_RISE)})
# A sale or an end is never kept back.
FLIPPING = PRICES | {str(EventKind.RESERVED), str(EventKind.BACK)}


def repeated(row: Listing, events: Set[str], new: Mapping[str, Any], *, at: datetime) -> frozenset[str]:
    """Those of the events that came to the same state or price and were told within the hour."""
    asked = events & FLIPPING
    if not asked:
        return frozenset()
    told = ListingEvent.objects.filter(listing=row, kind__in=asked, damped=False, at__gt=at - COOL_DOWN)
    return frozenset(kind for kind, after in told.values_list("kind", "after") if _same(kind, after, new))


def _same(kind: str, after: int | None, new: Mapping[str, Any]) -> bool:
    return kind not in PRICES or after == new.get("price")


def news(kinds: Iterable[str], *, price: int | None, told: Iterable[Crossing]) -> list[str]:
    """Those of the kinds of a crossing that say more than what was told within the hour (``told``): a lower price that

    falls, a higher one that rises.
    """
    lately = list(told)
    return [kind for kind in kinds if not any(kind in one.kinds and not _is_more(kind, price, one) for one in lately)]


def _is_more(kind: str, price: int | None, told: Crossing) -> bool:
    if price is None or told.price is None or kind in {CrossingKind.BACK, CrossingKind.ENDING}:
        return False
    return price > told.price if kind == CrossingKind.RISE else price < told.price
