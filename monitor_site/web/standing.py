"""Where a listing stands, in words: one answer for the feed, the auctions and the page of a listing."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.translation import gettext, pgettext

from monitor_site import second_currency
from monitor_site.contract import Kind, Status
from monitor_site.watches.models import Listing
from monitor_site.watches.named import ENDED

# An end that has just passed may have been moved; after this long it has not been.
EXTENSION = timedelta(minutes=5)
GONE = frozenset({Status.SOLD, Status.ENDED, Status.STOPPED, Status.REMOVED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """``word`` is empty while it is on sale. ``gone``: not to be had as far as we know, so it is shown grey.

    ``ends`` is the end of an auction whose clock still runs, else ``None``; ``passed``: it has just passed, so that the
    auction has ended or was extended, and nobody has looked yet.
    """

    word: str
    gone: bool
    ends: datetime | None
    passed: bool = False


def standing_of(listing: Listing, *, now: datetime) -> Standing:
    """Where it stands by what we know last; an auction that nobody looked at since its end says just that."""
    status = Status(listing.status)
    if status in {Status.ON_SALE, Status.UNKNOWN}:
        return _running(listing, status, now)
    word = _closed_auction(listing, status) if listing.kind == Kind.AUCTION else ""
    return Standing(word=word or str(ENDED[status]), gone=True, ends=None)


def _running(listing: Listing, status: Status, now: datetime) -> Standing:
    if listing.ends_at is not None and listing.ends_at + EXTENSION < now:
        return Standing(word=gettext("Ended, result not known yet"), gone=True, ends=None)
    word = "" if status == Status.ON_SALE else pgettext("status", "State unknown")
    ends = listing.ends_at if listing.kind == Kind.AUCTION else None
    return Standing(word=word, gone=False, ends=ends, passed=ends is not None and ends < now)


def _closed_auction(listing: Listing, status: Status) -> str:
    if status == Status.ENDED and listing.bids == 0:
        return gettext("Ended without a bid")
    if listing.price is None or status not in {Status.SOLD, Status.ENDED}:
        return ""
    if status == Status.SOLD:
        return gettext("Sold at %(price)s") % {"price": second_currency.both(listing.price, listing.currency)}
    return (
        gettext("Ended at %(price)s") % {"price": second_currency.both(listing.price, listing.currency)}
        if listing.bids
        else ""
    )


def price_word(listing: Listing, *, gone: bool) -> str:
    """What the price of an auction is; empty for anything else, for what it was sold at, and for an unknown price."""
    if listing.kind != Kind.AUCTION or listing.price is None:
        return ""
    if listing.bids == 0:
        return gettext("starting price")
    if listing.status == Status.SOLD:
        return ""
    return gettext("last known price") if gone else gettext("current bid")
