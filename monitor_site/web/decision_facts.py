"""What the page of a decision tells beyond the card: what changed since, and how the description begins."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.text import Truncator

from monitor_site.alerts.models import Alert
from monitor_site.contract import Kind
from monitor_site.watches.models import Listing, Match, PricePoint

from .history import Happening, words_of

MOST_EVENTS = 10
LONGEST_DESCRIPTION = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Then:
    """What it cost at an earlier moment: when its person was ``told`` of it last, else when it matched.

    ``percent`` is the change since; ``None`` where one of the two prices is not known, and for an auction, whose bids
    are to rise.
    """

    at: datetime
    price: int | None
    told: bool
    percent: int | None


def then_of(match: Match) -> Then | None:
    """The price that its person heard of; ``None`` when it is the price of now."""
    told_at = _told_at(match)
    price = match.price if told_at is None else _price_at(match, told_at)
    now = match.listing.price
    if price == now:
        return None
    percent = None if match.listing.kind == Kind.AUCTION else _percent(price, now)
    return Then(at=told_at or match.matched_at, price=price, told=told_at is not None, percent=percent)


def _percent(before: int | None, after: int | None) -> int | None:
    return round(100 * (after - before) / before) if before and after else None


def _told_at(match: Match) -> datetime | None:
    alerts = Alert.objects.filter(user=match.user_id, listing=match.listing_id, created_at__gte=match.matched_at)
    return alerts.order_by("-created_at").values_list("created_at", flat=True).first()


def _price_at(match: Match, moment: datetime) -> int | None:
    points = PricePoint.objects.filter(listing=match.listing_id, at__lte=moment).order_by("-at")
    found = points.values_list("price", flat=True).first()
    return match.price if found is None else found


def since_of(match: Match) -> list[Happening]:
    """What happened to the listing since it matched, newest first."""
    events = match.listing.events.filter(at__gt=match.matched_at).order_by("-at", "-pk")[:MOST_EVENTS]
    return [Happening(at=event.at, words=words_of(event)) for event in events]


def beginning_of(listing: Listing) -> str:
    """How the description begins, without its empty lines; empty when nobody has read one."""
    lines = (" ".join(line.split()) for line in listing.description.splitlines())
    return Truncator("\n".join(filter(None, lines))).chars(LONGEST_DESCRIPTION)
