"""Which questions a watch asks, and who asks a target: coalescing."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import Exists, F, Min, OuterRef, Subquery, Value
from django.db.models.functions import Coalesce, Greatest

from monitor_site.contract import canonical
from monitor_site.marketplaces.catalog import UnknownMarketplace, catalog
from monitor_site.outbox import services as outbox

from .models import Listing, Target, TargetKind, Watch, WatchTarget
from .wished_times import Together, next_due, special, together
from .wished_words import word_sets
from .wishes import criteria_of

TOPIC = "target"
CHECK_NOW = "check_now"
SALES = "sales"
MOST_HEALED = 1000


def target_key(*, marketplace: str, kind: str, criteria: str) -> str:
    """The unique key of a question: no salt, so that equal questions meet on every machine."""
    return hashlib.sha256(f"{marketplace}\n{kind}\n{criteria}".encode()).hexdigest()


def questions(watch: Watch) -> list[tuple[str, str]]:
    """What a watch asks, as (marketplace, canonical criteria): one question for each marketplace, "any of" word and

    combination of alternatives. That of a listing watch is the number of its listing.
    """
    if watch.is_of_listing:
        return [(name, watch.external_id) for name in watch.marketplaces]
    words = list(word_sets(must=watch.must, any_of=watch.any_of))
    return sorted({(name, _criteria(watch, name, each)) for name in watch.marketplaces for each in words})


def _criteria(watch: Watch, marketplace: str, words: Iterable[str]) -> str:
    return canonical(criteria_of(marketplace, words=words, options=watch.options.get(marketplace, {})))


def link(*, watch: Watch, now: datetime, quiet: bool) -> None:
    """Make the watch ask exactly its questions; a new link begins with a baseline, silent when ``quiet``.

    A look is not asked yet: that is up to those who follow listings. Inside a transaction. Targets are locked before
    links, as a recording locks them.
    """
    wanted = {_target(watch, name, criteria, now).pk for name, criteria in questions(watch)}
    asked = set(watch.links.values_list("target_id", flat=True))
    lock(wanted | asked)
    watch.links.filter(target_id__in=asked - wanted).delete()
    WatchTarget.objects.bulk_create(
        [WatchTarget(watch=watch, target_id=pk, began_at=now, quiet=quiet) for pk in sorted(wanted - asked)],
        ignore_conflicts=True,
    )
    settle(target_ids=wanted | asked, now=now)


def lock(target_ids: Iterable[int]) -> dict[int, Target]:
    """Hold these rows, in one order for everybody, until the transaction ends; where the database has row locks.

    As all our locks it is one that rows which only refer to these do not wait for: nobody waits in a circle for that.
    """
    rows = Target.objects.select_for_update(no_key=True).filter(pk__in=list(target_ids)).order_by("pk")
    return {row.pk: row for row in rows}


def kind_of(watch: Watch) -> TargetKind:
    """What kind of questions a watch asks."""
    return TargetKind.LISTING if watch.is_of_listing else TargetKind.SEARCH


def _target(watch: Watch, marketplace: str, criteria: str, now: datetime) -> Target:
    key = target_key(marketplace=marketplace, kind=kind_of(watch), criteria=criteria)
    defaults = {
        "marketplace": marketplace,
        "kind": kind_of(watch),
        "criteria": criteria,
        "interval_seconds": allowed(marketplace, watch.interval_seconds),
        "created_at": now,
    }
    if watch.is_of_listing:
        known = Listing.objects.filter(marketplace=marketplace, external_id=criteria).first()
        defaults |= {"listing": known, "active": False}
    return Target.objects.get_or_create(key=key, defaults=defaults)[0]


def allowed(marketplace: str, seconds: int) -> int:
    """A wished interval, or the shortest that the marketplace allows; the wish itself while its plugin is gone."""
    try:
        return max(seconds, catalog().pace(marketplace).floor_seconds)
    except UnknownMarketplace:
        return seconds


def begin_again(*, watch: Watch, began_at: datetime) -> None:
    """The next answer is a baseline again, and silent; what is listed from ``began_at`` on is new."""
    watch.links.update(baselined_at=None, began_at=began_at, quiet=True)


def look_again(*, watch: Watch, target_ids: Iterable[int], now: datetime) -> None:
    """The same for some of its questions under a changed rule: new is what is listed since each was last answered."""
    answered = Target.objects.filter(pk=OuterRef("target")).values("succeeded_at")
    links = watch.links.filter(target_id__in=list(target_ids))
    links.update(baselined_at=None, began_at=Coalesce(Subquery(answered), Value(now)), quiet=True)


def settle(*, target_ids: Iterable[int], now: datetime) -> None:
    """Bring searches in line with who asks them: active or not, the shortest wished interval.

    Inside a transaction. The rows are locked before the wishes are read, so that of two people who come and go at
    once the second sees what the first has done.
    """
    rows = {pk: row for pk, row in lock(target_ids).items() if row.is_search}
    wishes = _wishes(rows.values())
    changed = [row.pk for row in rows.values() if _settle_one(row, wishes.get(row.pk), now)]
    outbox.write(topic=SALES, object_ids=changed, now=now)
    waiting = WatchTarget.objects.filter(target_id__in=rows, baselined_at=None, watch__paused_at=None)
    outbox.write(topic=TOPIC, object_ids={*changed, *waiting.values_list("target_id", flat=True)}, now=now)


def _wishes(targets: Iterable[Target]) -> dict[int, Together]:
    found: dict[int, Together] = {}
    by_marketplace: dict[str, list[int]] = defaultdict(list)
    for target in targets:
        by_marketplace[target.marketplace].append(target.pk)
    for name, ids in by_marketplace.items():
        found |= together(ids, allowed=partial(allowed, name))
    return found


def _settle_one(target: Target, wish: Together | None, now: datetime) -> bool:
    """Whether anything changed; a target nobody asks keeps its wishes. Another interval is planned anew."""
    wanted = wish is not None and target.quarantined_at is None
    told = {"active": wanted} | (wish.fields() if wish else {})
    if all(getattr(target, name) == value for name, value in told.items()) and target.checked_at is not None:
        return False
    if told.get("interval_seconds", target.interval_seconds) != target.interval_seconds:
        told |= {"planned_seconds": None, "planned_because": ""}
    for name, value in told.items():
        setattr(target, name, value)
    target.due_at = next_due(target, after_ms=round(now.timestamp() * 1000)) if wanted and target.times else None
    target.save(update_fields=[*told, "due_at"])
    return True


@transaction.atomic
def heal(*, now: datetime) -> int:
    """Settle the targets whose row does not say what their watches say; returns how many (there should be none)."""
    asked = WatchTarget.objects.filter(target=OuterRef("pk"), watch__paused_at=None)
    wrong = (
        Target.objects.searches().filter(quarantined_at=None).annotate(asked=Exists(asked)).exclude(active=F("asked"))
    )
    ids = {*wrong.values_list("pk", flat=True)[:MOST_HEALED], *_on_another_clock(), *_at_another_pace()}
    settle(target_ids=ids, now=now)
    return len(ids)


def _at_another_pace() -> list[int]:
    """The targets whose interval is not what their watches wish and the marketplace bears: its pace has changed."""
    wishes = WatchTarget.objects.filter(target=OuterRef("pk"), watch__paused_at=None).order_by()
    least = wishes.values("target").annotate(least=Min("watch__interval_seconds")).values("least")
    rows = Target.objects.searches().filter(active=True).annotate(wished=Subquery(least)).exclude(wished=None)
    found: list[int] = []
    for name in sorted(catalog().plugins):
        borne = Greatest("wished", Value(catalog().pace(name).floor_seconds))
        wrong = rows.filter(marketplace=name).exclude(interval_seconds=borne)
        found += wrong.values_list("pk", flat=True)[:MOST_HEALED]
    return found


def _on_another_clock() -> list[int]:
    """The targets whose hours are not those of their watches any more: somebody's time zone has changed."""
    links = WatchTarget.objects.filter(special(), target__active=True, watch__paused_at=None)
    rows = Target.objects.searches().filter(pk__in=links.order_by().values("target")).defer("recent", "usual")
    wishes = _wishes(found := list(rows[:MOST_HEALED]))
    return [row.pk for row in found if row.pk in wishes and wishes[row.pk].times != row.times]
