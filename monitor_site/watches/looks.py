"""When a matched listing is looked at again. Pure."""

from datetime import datetime, timedelta

from monitor_site.contract import Kind, Status

from .facts import OVER
from .models import Listing

FIRST = (timedelta(minutes=10), timedelta(hours=1), timedelta(hours=6))
DAILY = timedelta(days=1)
FOLLOWED = timedelta(days=30)
# An auction may end later than that, but not for ever: an end that always moves on is a misreading.
LONGEST = timedelta(days=60)
# Matches of one moment are not looked at in one moment: each up to so much of its wait later.
SPREAD = 0.1
NEAREST = timedelta(seconds=30)
FARTHEST = timedelta(hours=6)
SHARE = 10
# What the marketplace shows of an end lags, and clocks differ.
AFTER_END = timedelta(seconds=20)
# How long after its end an auction is asked what became of it.
LAST_WORD = timedelta(days=1)
GONE_AGAIN = timedelta(minutes=1)
FIRST_RETRY, LAST_RETRY = timedelta(minutes=1), timedelta(hours=1)


def next_look(
    listing: Listing, *, matched_at: datetime, now: datetime, floor: timedelta, spread: float
) -> datetime | None:
    """When to look again at a listing that met a watch at ``matched_at``; ``None`` when there is nothing left to see.

    ``floor`` is the shortest interval the marketplace bears, ``spread`` (0 to 1) the listing's own place among those
    of the same moment. The answer is later than ``now`` by at least the floor and half a minute.
    """
    if listing.status in OVER or now >= _horizon(listing, matched_at):
        return None
    soonest = now + max(floor, NEAREST)
    wanted = [_ordinary(matched_at, soonest, spread), *_around_the_end(listing, now, soonest)]
    at = min(wanted)
    return at if at <= _horizon(listing, matched_at) else None


def after_failure(failures: int) -> timedelta:
    """How long to wait after so many failures in a row."""
    doublings: int = min(max(failures - 1, 0), 10)
    return min(FIRST_RETRY * (1 << doublings), LAST_RETRY)


def _horizon(listing: Listing, matched_at: datetime) -> datetime:
    """When following ends whatever happens."""
    usual = matched_at + FOLLOWED
    if listing.ends_at is None:
        return usual
    return min(max(usual, listing.ends_at + LAST_WORD), matched_at + LONGEST)


def _ordinary(matched_at: datetime, soonest: datetime, spread: float) -> datetime:
    """The first of 10 minutes, 1 hour, 6 hours after the match, then of every day, that is not too soon."""
    stretch = 1 + SPREAD * spread
    for wait in FIRST:
        if matched_at + wait * stretch >= soonest:
            return matched_at + wait * stretch
    daily = matched_at + FIRST[-1] * stretch + DAILY * SPREAD * spread
    days = max(1, -((daily - soonest) // DAILY))
    return daily + days * DAILY


def _around_the_end(listing: Listing, now: datetime, soonest: datetime) -> list[datetime]:
    """Looks that a known end asks for, while the listing is open: as it nears, just after it, and until it is over."""
    if listing.ends_at is None or listing.status != Status.ON_SALE:
        return []
    after = max(soonest, listing.ends_at + AFTER_END)
    if now >= listing.ends_at + AFTER_END:
        return [max(soonest, now + min(now - listing.ends_at, FARTHEST))]
    step = now + min((listing.ends_at - now) / SHARE, FARTHEST)
    nearing = max(soonest, step)
    return [nearing if listing.kind == Kind.AUCTION and nearing < listing.ends_at else after]
