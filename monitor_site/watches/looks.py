"""When a matched or watched listing is looked at again. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from monitor_site.contract import Kind, Status

from .facts import OVER
from .models import Listing
from .times import Trigger, is_open, next_time

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
# One wrong answer that it is gone, or two of one bad moment, say nothing.
GONE_TIMES = 2
GONE_APART = timedelta(seconds=30)
GONE_AGAIN = timedelta(minutes=1)
FIRST_RETRY, LAST_RETRY = timedelta(minutes=1), timedelta(hours=1)
# What is over may come back, and seldom does.
WHETHER_BACK = timedelta(hours=6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Watching:
    """How a watch wants its listing looked at: at its own interval, once when the end comes within ``ends_within``,

    and on when it is over, if it asks for what comes ``back``. ``waiting``: its first look is still before it.
    ``times`` are its hours, days or cron where an interval alone does not say it, on the grid of ``key``.
    """

    interval: timedelta
    times: Trigger | None = None
    key: str = ""
    ends_within: timedelta | None = None
    back: bool = False
    waiting: bool = False


def next_watched(
    listing: Listing | None, watching: Iterable[Watching], *, last: datetime | None, now: datetime, floor: timedelta
) -> datetime | None:
    """When the first of these watches wants the next look after the ``last`` one; ``None`` when none does.

    ``listing`` is ``None`` while nobody knows whether there is one.
    """
    times = [_wanted_at(listing, one, last=last, now=now, floor=floor) for one in watching]
    return min((at for at in times if at is not None), default=None)


def _wanted_at(
    listing: Listing | None, one: Watching, *, last: datetime | None, now: datetime, floor: timedelta
) -> datetime | None:
    if last is None or one.waiting:
        return now
    if listing is not None and listing.status in OVER:
        return max(now, _after(one, last, max(floor, WHETHER_BACK))) if one.back else None
    at = _after(one, last, floor)
    nearing = listing.ends_at - one.ends_within if listing and listing.ends_at and one.ends_within else None
    if nearing is not None and last < nearing < at and _allows(one, nearing):
        at = max(nearing, last + floor)
    return max(now, at)


def _after(one: Watching, last: datetime, least: timedelta) -> datetime:
    """The next time of a watch after a look; the ``least`` that must lie between two looks counts on its clock too."""
    if one.times is None:
        return last + max(one.interval, least)
    rest = timedelta() if least <= one.interval else least - one.interval
    due = next_time([one.times.told()], key=one.key, after_ms=round((last + rest).timestamp() * 1000))
    return datetime.fromtimestamp(due / 1000, tz=UTC)


def _allows(one: Watching, moment: datetime) -> bool:
    """Whether it may be looked at then: cron is kept exactly, hours hold whatever comes near."""
    return one.times is None or (not one.times.cron and is_open(one.times, round(moment.timestamp() * 1000)))


def next_look(
    listing: Listing, *, matched_at: datetime, now: datetime, floor: timedelta, spread: float
) -> datetime | None:
    """When to look again at a listing that met a watch at ``matched_at``; ``None`` when there is nothing left to see.

    ``floor`` is the shortest interval the marketplace bears, ``spread`` (0 to 1) the listing's own place among those
    of the same moment. The answer is later than ``now`` by at least the floor and half a minute.
    """
    if listing.status in OVER or now >= _horizon(listing, matched_at):
        return None
    gap = max(floor, NEAREST)
    at = min([_ordinary(matched_at, now + gap, spread), *_nearing(listing, now, gap)])
    if (end := _after_end(listing, now, gap)) is not None and at > end - gap:
        # A look so shortly before the end would keep the one just after it waiting.
        at = end
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


def _nearing(listing: Listing, now: datetime, gap: timedelta) -> list[datetime]:
    """The look that an auction asks for as its end nears."""
    is_open = listing.kind == Kind.AUCTION and listing.status == Status.ON_SALE
    if listing.ends_at is None or not is_open or now >= listing.ends_at:
        return []
    return [now + max(gap, min((listing.ends_at - now) / SHARE, FARTHEST))]


def _after_end(listing: Listing, now: datetime, gap: timedelta) -> datetime | None:
    """The look just after a known end, or the next one, ever later, while it still says "on sale"."""
    if listing.ends_at is None or listing.status != Status.ON_SALE:
        return None
    if now < listing.ends_at + AFTER_END:
        return max(now + gap, listing.ends_at + AFTER_END)
    return now + max(gap, min(now - listing.ends_at, FARTHEST))
