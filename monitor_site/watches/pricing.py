"""Of which listings a watch's prices are made, read with an end, and the figures of its cards, worked out ahead.

Only what meets the watch's words in its title counts: a search for a camera finds its strap as well.
"""

import time
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from monitor_site.contract import Kind, Sighting, Status

from .matching import Rule
from .matching.verdicts import Verdict
from .matching.words import word_rules
from .models import Sample, Target, Watch, WatchPrices
from .prices import figures_of
from .rules import rule_of

DAYS = (30, 90, 365)
CARD_DAYS = 90
# The newest of a question: more change no quartile that a person would see.
MOST = 2000
FRESH = timedelta(hours=1)
ROLLED_AT_ONCE = 200
ROLL_SECONDS = 10.0
FIELDS = ("title", "price", "paid", "kind", "status", "first_seen_at", "listed_at", "sold_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """A listing as statistics see it: ``paid`` when it was sold, ``asked`` when somebody asked a fixed price for it.

    ``began_at`` is when it was first there, as well as we know.
    """

    listing_id: int
    title: str
    asked: int | None
    paid: int | None
    began_at: datetime
    sold_at: datetime | None

    @property
    def lasted(self) -> timedelta | None:
        """How long it took to sell, where that is known."""
        return None if self.sold_at is None else self.sold_at - self.began_at


def sales_of(watch: Watch, *, now: datetime, days: int, most: int = MOST) -> list[Priced]:
    """What was sold in so many days, latest first."""
    since = now - timedelta(days=days)
    sold = _samples(watch).filter(listing__sold_at__gte=since, listing__paid__isnull=False)
    return _read(watch, sold.order_by("-listing__sold_at", "-id"), most)


def asked_of(watch: Watch, *, now: datetime, days: int, most: int = MOST) -> list[Priced]:
    """What was offered at a fixed price and first seen in so many days, latest first.

    The current bid of an auction is no price that somebody asks.
    """
    since = now - timedelta(days=days)
    asking = _samples(watch).filter(asking=True, at__gte=since, listing__price__isnull=False)
    return _read(watch, asking.exclude(listing__kind=Kind.AUCTION.value).order_by("-id"), most)


def _samples(watch: Watch) -> QuerySet[Sample]:
    return Sample.objects.filter(target__in=watch.links.values("target"), listing__currency=watch.currency)


def _read(watch: Watch, samples: QuerySet[Sample], most: int) -> list[Priced]:
    rule = replace(rule_of(watch), in_description=False)
    rows = samples.values("listing_id", *(f"listing__{name}" for name in FIELDS))[:most]
    found = {row["listing_id"]: row for row in rows if meets_words(rule, row["listing__title"])}
    return [_priced(pk, {name: row[f"listing__{name}"] for name in FIELDS}) for pk, row in found.items()]


def meets_words(rule: Rule, title: str) -> bool:
    """Whether a title meets all rules about words."""
    seen = Sighting(external_id="", title=title, url="", price=None, kind=Kind.FIXED, status=Status.UNKNOWN)
    return all(one["verdict"] == Verdict.PASS for one in word_rules(rule, seen))


def _priced(pk: int, row: dict[str, Any]) -> Priced:
    fixed = row["kind"] != Kind.AUCTION
    return Priced(
        listing_id=pk,
        title=row["title"],
        asked=row["price"] if fixed else None,
        paid=row["paid"],
        began_at=row["listed_at"] or min(filter(None, (row["first_seen_at"], row["sold_at"]))),
        sold_at=row["sold_at"],
    )


def roll_up(*, now: datetime) -> int:
    """Work out the card figures that are old or missing, oldest first, for a bounded time; returns how many."""
    give_up, done = time.monotonic() + ROLL_SECONDS, 0
    for watch in _stale(now)[:ROLLED_AT_ONCE]:
        work_out(watch=watch, now=now)
        done += 1
        if time.monotonic() > give_up:
            break
    return done


def _stale(now: datetime) -> QuerySet[Watch]:
    """Watches whose figures are old, older than their rule, or older than the last answer about sales."""
    told = Target.objects.sales().filter(
        search__links__watch=OuterRef("pk"), succeeded_at__gt=OuterRef("prices__worked_out_at")
    )
    old = Q(prices=None) | Q(prices__worked_out_at__lt=now - FRESH) | Q(prices__worked_out_at__lt=F("updated_at"))
    stale = Watch.objects.active().filter(old | Exists(told))
    return stale.order_by(F("prices__worked_out_at").asc(nulls_first=True), "pk")


def work_out(*, watch: Watch, now: datetime) -> None:
    """Write the card figures of a watch."""
    prices = [one.paid for one in sales_of(watch, now=now, days=CARD_DAYS)]
    figures = figures_of(prices)
    names = ("p5", "p25", "median", "p75", "p95")
    told = {name: getattr(figures, name, None) for name in names}
    WatchPrices.objects.update_or_create(watch=watch, defaults={"sales": len(prices), "worked_out_at": now, **told})
