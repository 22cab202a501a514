"""Ask once a day what was sold of what a search asks for: a target of its own, which gives way like a look.

It is no question of a watch: it makes no matches, and no watch fails with it. :func:`settle` brings it in line with
its search; it runs through the outbox, since whoever changes a search holds other rows.
"""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.db.models import Q

from monitor_site.contract import Capability, NoPace
from monitor_site.marketplaces.catalog import UnknownMarketplace, catalog
from monitor_site.outbox import services as outbox

from .beat import next_beat, phase_ms
from .follow import schedule
from .models import Target, TargetKind
from .questions import SALES, TOPIC, target_key
from .results import Result

__all__ = ["SALES", "can_tell", "conclude", "heal", "settle"]

DAY = timedelta(days=1)
# A person waits for the first answer; many new questions of one moment are not asked in one moment.
FIRST_WITHIN = timedelta(minutes=10)
# The hour of a question may be near when it is asked for the first time.
APART = timedelta(hours=12)
FIRST_RETRY = timedelta(hours=1)
MOST_HEALED = 1000


def can_tell(marketplace: str) -> bool:
    """Whether the marketplace's plugin can tell what was sold."""
    try:
        return Capability.SOLD_PRICES in catalog().get(marketplace).manifest.capabilities
    except UnknownMarketplace:
        return False


@transaction.atomic
def settle(*, search_ids: Iterable[int], now: datetime) -> None:
    """Bring the questions for sales in line with these searches."""
    ids = list(search_ids)
    searches = Target.objects.searches().filter(pk__in=ids, active=True)
    missing = [_target(search, now) for search in searches.filter(sold=None) if _worth_asking(search)]
    Target.objects.bulk_create(sorted(missing, key=lambda target: target.key), ignore_conflicts=True)
    rows = list(Target.objects.sales().filter(search_id__in=ids).order_by("pk").select_for_update(no_key=True))
    # Read under the lock: of two people who come and go at once the second sees what the first has done.
    asked = searches.in_bulk()
    changed = [row.pk for row in rows if _settle_one(row, asked, now)]
    outbox.write(topic=TOPIC, object_ids=changed, now=now)


def _worth_asking(search: Target) -> bool:
    """Sales are asked for by words: a category or a seller alone says nothing about a price."""
    return can_tell(search.marketplace) and bool(str(json.loads(search.criteria).get("keyword", "")).strip())


def _target(search: Target, now: datetime) -> Target:
    """A target that is not asked yet."""
    kind = TargetKind.SOLD
    return Target(
        marketplace=search.marketplace,
        kind=kind,
        key=target_key(marketplace=search.marketplace, kind=kind, criteria=search.criteria),
        criteria=search.criteria,
        search=search,
        active=False,
        interval_seconds=1,
        created_at=now,
    )


def _settle_one(target: Target, asked: Mapping[int, Target], now: datetime) -> bool:
    """Whether anything changed; one that is asked already keeps its time."""
    wanted = target.search_id in asked and target.quarantined_at is None and can_tell(target.marketplace)
    if wanted and target.active:
        return False
    return schedule(target, due_at=_beginning(target, now) if wanted else None, now=now)


def _beginning(target: Target, now: datetime) -> datetime:
    """Soon, when it was not answered for a day; else at its hour."""
    if target.succeeded_at is not None and target.succeeded_at > now - DAY:
        return _own_hour(target, after=max(now, target.succeeded_at + APART))
    return now + FIRST_WITHIN * (int(target.key[:8], 16) / 0xFFFFFFFF)


def _own_hour(target: Target, *, after: datetime) -> datetime:
    """The next time on a grid of days, on which every question has a place of its own."""
    seconds = int(DAY.total_seconds())
    after_ms = round(after.timestamp() * 1000)
    beat: int = next_beat(phase=phase_ms(target.key, seconds), interval_seconds=seconds, after_ms=after_ms)
    return datetime.fromtimestamp(beat / 1000, tz=UTC)


def conclude(results: Iterable[Result], targets: Mapping[int, Target], *, now: datetime) -> None:
    """Give each of these its next time. In the recording transaction, under the lock of the targets."""
    for result in results:
        target = targets[result.target_id]
        due_at = _next(target, result, now) if target.active and can_tell(target.marketplace) else None
        schedule(target, due_at=due_at, now=now)


def _next(target: Target, result: Result, now: datetime) -> datetime:
    """Tomorrow at its hour; what failed is tried again an hour later, then ever later."""
    tomorrow = _own_hour(target, after=now + APART)
    if not result.failed:
        return tomorrow
    doublings: int = 0 if result.error == NoPace.code else min(max(target.failures - 1, 0), 5)
    wait = max(FIRST_RETRY * (1 << doublings), timedelta(seconds=min(result.wait_seconds or 0.0, DAY.total_seconds())))
    return min(tomorrow, now + wait)


def heal(*, now: datetime) -> int:
    """Settle the questions for sales that contradict their searches; returns how many, up to a thousand."""
    tellers = [name for name in catalog().plugins if can_tell(name)]
    here = Target.objects.searches().filter(marketplace__in=tellers, active=True, criteria__contains='"keyword"')
    missing = Q(sold=None) | Q(sold__active=False, sold__quarantined_at=None)
    unasked = Target.objects.sales().filter(active=True).exclude(search__active=True, marketplace__in=tellers)
    parts = (here.filter(missing).values_list("pk"), unasked.values_list("search_id"))
    ids = {pk for part in parts for (pk,) in part[:MOST_HEALED]}
    settle(search_ids=ids, now=now)
    return len(ids)
