"""Follow what was matched: its listing is a target of its own until it is over. What is doubted is looked at at once,
what is watched at the interval of its watches; the earliest wish counts.

Whoever changes who wants a listing followed calls :func:`settle`, in the same transaction or through the outbox.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from monitor_site.contract import Capability
from monitor_site.marketplaces.catalog import UnknownMarketplace, catalog
from monitor_site.outbox import services as outbox

from .facts import OVER
from .looks import FOLLOWED, GONE_TIMES, next_look, next_watched
from .models import Doubt, Listing, Match, Target, TargetKind, WatchTarget
from .questions import CHECK_NOW, TOPIC, target_key
from .wants import Wants, doubted, matched_at, wanted, wants_of
from .wished_times import special

FOLLOW = "follow"
MOST_HEALED = 2000
# In small transactions, so that checks are recorded in between.
HEALED_AT_ONCE = 100
# The last looks of a match may lie a day apart; nothing is begun for so little.
WORTH_BEGINNING = FOLLOWED - timedelta(days=1)
# What is due sooner may have been asked for by a person.
SOON = timedelta(minutes=2)


class CannotLook(Exception):
    """The listing's marketplace shows no single listings."""


def can_look(marketplace: str) -> bool:
    """Whether the marketplace's plugin can look at one listing."""
    try:
        return Capability.LOOK in catalog().get(marketplace).manifest.capabilities
    except UnknownMarketplace:
        return False


def plan(target: Target, listing: Listing, *, matched: datetime, now: datetime) -> datetime | None:
    """When a target looks at its matched listing next."""
    spread = int(target.key[:8], 16) / 0xFFFFFFFF
    return next_look(listing, matched_at=matched, now=now, floor=_floor(target), spread=spread)


def watched_next(target: Target, wants: Wants, *, now: datetime, last: datetime | None = None) -> datetime | None:
    """When a target looks for its watches next, after the ``last`` look; ``None`` when none wants it.

    A number that the marketplace has twice said not to know is not asked again.
    """
    if wants.listing is None and target.empty_streak >= GONE_TIMES:
        return None
    seen = last or target.checked_at
    return next_watched(wants.listing, wants.watching, last=seen, now=now, floor=_floor(target))


def _floor(target: Target) -> timedelta:
    return timedelta(seconds=catalog().pace(target.marketplace).floor_seconds)


@transaction.atomic
def settle(*, listing_ids: Iterable[int], now: datetime) -> None:
    """Bring the looks at these listings in line with who wants them."""
    listings = Listing.objects.in_bulk(list(listing_ids))
    _make_missing([listings[pk] for pk in sorted({*matched_at(listings), *doubted(listings)})], now)
    _settle(_held(Q(listing_id__in=list(listings))), now)


@transaction.atomic
def settle_looks(*, target_ids: Iterable[int], now: datetime) -> None:
    """The same for looks that are there, of listings that nobody may know yet too."""
    _settle(_held(Q(pk__in=list(target_ids))), now)


def _settle(rows: list[Target], now: datetime) -> None:
    """What is wanted is read under the lock: of two people who come and go at once the second sees what the first has

    done.
    """
    wants = wants_of(rows)
    due = {row.pk: _due(row, wants[row.pk], now) for row in rows}
    changed = [row.pk for row in rows if schedule(row, due_at=due[row.pk], now=now)]
    waiting = [row.pk for row in rows if row.active and any(one.waiting for one in wants[row.pk].watching)]
    outbox.write(topic=TOPIC, object_ids={*changed, *waiting}, now=now)


def _make_missing(listings: Iterable[Listing], now: datetime) -> None:
    looked_at = [listing for listing in listings if can_look(listing.marketplace)]
    new = [look_at(listing.marketplace, listing.external_id, listing=listing, now=now) for listing in looked_at]
    Target.objects.bulk_create(sorted(new, key=lambda target: target.key), ignore_conflicts=True)
    unknown = Target.objects.looks().filter(key__in=[target.key for target in new], listing=None)
    named = {target.key: target.listing for target in new}
    for row in unknown.order_by("pk").select_for_update(no_key=True):
        Target.objects.filter(pk=row.pk).update(listing=named[row.key])


def look_at(marketplace: str, external_id: str, *, listing: Listing | None, now: datetime) -> Target:
    """A target, not saved, that is not asked yet."""
    return Target(
        marketplace=marketplace,
        kind=TargetKind.LISTING,
        key=target_key(marketplace=marketplace, kind=TargetKind.LISTING, criteria=external_id),
        criteria=external_id,
        listing=listing,
        active=False,
        interval_seconds=1,
        created_at=now,
    )


def _held(which: Q) -> list[Target]:
    """These looks, held in one order for everybody."""
    return list(Target.objects.looks().filter(which).order_by("pk").select_for_update(no_key=True))


def _due(target: Target, wants: Wants, now: datetime) -> datetime | None:
    """One that is due anyway keeps its time, unless somebody asks for an earlier one; what nobody but watches wants

    follows their interval at once. A doubt asks for now, but a look that has just failed keeps its back-off.
    """
    if target.quarantined_at is not None or not can_look(target.marketplace):
        return None
    backing_off = target.due_at if target.active and target.failures else None
    followed, watched = None, watched_next(target, wants, now=now)
    if wants.listing is not None and wants.matched is not None:
        followed = plan(target, wants.listing, matched=wants.matched, now=now)
    if wants.doubted:
        followed = backing_off or now
    times = [followed, watched if watched is None else backing_off or watched]
    due_at = min((at for at in times if at is not None), default=None)
    if target.active and target.due_at is not None and due_at is not None and _keeps(target, wants, now):
        due_at = min(due_at, target.due_at)
    return due_at


def _keeps(target: Target, wants: Wants, now: datetime) -> bool:
    """A later wish of a watch moves its look; not one that a person may have asked for, or that backs off."""
    at_once = target.due_at is not None and target.due_at <= now + SOON
    return not wants.watching or at_once or target.failures > 0


def schedule(target: Target, *, due_at: datetime | None, now: datetime) -> bool:
    """Look at ``due_at``, or no more; whether that is another time than before. The target's row is held.

    What begins anew is doubted anew: answers of an earlier life that it is gone say nothing.
    """
    if (target.active, target.due_at) == (due_at is not None, due_at):
        return False
    if not target.active:
        target.empty_streak = 0
    target.active, target.due_at = due_at is not None, due_at
    if due_at is not None:
        target.interval_seconds = max(1, round((due_at - now).total_seconds()))
    target.save(update_fields=["active", "due_at", "interval_seconds", "empty_streak"])
    return True


@transaction.atomic
def look_now(*, listing: Listing, now: datetime) -> None:
    """Look at a listing now, followed or not; the marketplace's pace still holds. Raises :class:`CannotLook`."""
    if not can_look(listing.marketplace):
        raise CannotLook(listing.marketplace)
    _make_missing([listing], now)
    _hurry(_held(Q(listing_id=listing.pk)), now)


@transaction.atomic
def hurry_looks(*, target_ids: Iterable[int], now: datetime) -> None:
    """The same for looks that are there, of listings that nobody may know yet too."""
    _hurry(_held(Q(pk__in=list(target_ids))), now)


def _hurry(rows: list[Target], now: datetime) -> None:
    for target in rows:
        if target.quarantined_at is None and can_look(target.marketplace):
            schedule(target, due_at=min(target.due_at or now, now), now=now)
            outbox.write(topic=CHECK_NOW, object_ids=[target.pk], now=now)


def follow_later(*, listing_ids: Iterable[int], now: datetime) -> None:
    """Have these settled after the commit: inside a recording other rows are held than a settling needs."""
    outbox.write(topic=FOLLOW, object_ids=listing_ids, now=now)


def looked_at(rows: QuerySet[Match] | QuerySet[Doubt]) -> set[int]:
    """The listings of these matches or doubts that are being looked at."""
    looks = Target.objects.looks().filter(active=True, listing__in=rows.order_by().values("listing"))
    return set(looks.values_list("listing_id", flat=True))


def heal(*, now: datetime) -> int:
    """Settle the looks that contradict matches, doubts and watches, those of an earlier release too; how many."""
    ids = sorted({*_unfollowed(now), *_unasked()})
    for start in range(0, len(ids), HEALED_AT_ONCE):
        settle(listing_ids=ids[start : start + HEALED_AT_ONCE], now=now)
    looks = sorted({*_unwanted(now), *_unwatched()})
    for start in range(0, len(looks), HEALED_AT_ONCE):
        settle_looks(target_ids=looks[start : start + HEALED_AT_ONCE], now=now)
    return len(ids) + len(looks)


def _unfollowed(now: datetime) -> QuerySet[Match, int]:
    """Listings that should be looked at and are not, each once, those that matched last first."""
    lookers = [name for name in catalog().plugins if can_look(name)]
    looked_at = Target.objects.filter(Q(active=True) | Q(quarantined_at__isnull=False), listing=OuterRef("listing"))
    young = wanted().filter(matched_at__gte=now - WORTH_BEGINNING, listing__marketplace__in=lookers)
    missing = young.exclude(listing__status__in=OVER).exclude(Exists(looked_at)).order_by()
    by_time = missing.values("listing_id").annotate(last=Max("matched_at")).order_by("-last")
    return by_time.values_list("listing_id", flat=True)[:MOST_HEALED]


def _unasked() -> QuerySet[Doubt, int]:
    """Doubted listings at which nobody looks."""
    lookers = [name for name in catalog().plugins if can_look(name)]
    looks = Target.objects.filter(Q(active=True) | Q(quarantined_at__isnull=False), listing=OuterRef("listing"))
    asked = Doubt.objects.asked().filter(watch__paused_at=None, listing__marketplace__in=lookers)
    return asked.exclude(Exists(looks)).order_by("-asked_at").values_list("listing_id", flat=True)[:MOST_HEALED]


def _unwanted(now: datetime) -> QuerySet[Target, int]:
    """Looks that wait for a later time although nobody wants them."""
    by_match = wanted().filter(listing=OuterRef("listing"))
    by_doubt = Doubt.objects.asked().filter(listing=OuterRef("listing"), watch__paused_at=None)
    by_watch = WatchTarget.objects.filter(target=OuterRef("pk"), watch__paused_at=None)
    looks = Target.objects.looks().filter(active=True, due_at__gt=now + SOON)
    looks = looks.exclude(Exists(by_match)).exclude(Exists(by_doubt)).exclude(Exists(by_watch))
    return looks.values_list("pk", flat=True)[:MOST_HEALED]


def heal_clocks(*, now: datetime) -> int:
    """Settle the looks whose hours are not those of their watches any more: somebody's time zone has changed."""
    moved = _on_another_clock(now)
    settle_looks(target_ids=moved, now=now)
    return len(moved)


def _on_another_clock(now: datetime) -> list[int]:
    links = WatchTarget.objects.filter(special(), watch__paused_at=None, target__kind=TargetKind.LISTING)
    looks = Target.objects.looks().filter(active=True, failures=0, due_at__gt=now + SOON, pk__in=links.values("target"))
    rows = list(looks.order_by("pk")[:MOST_HEALED])
    wants = wants_of(rows)
    return [row.pk for row in rows if _is_elsewhere(_due(row, wants[row.pk], now), row.due_at)]


def _is_elsewhere(due: datetime | None, stands: datetime | None) -> bool:
    return due is not None and stands is not None and abs(due - stands) > SOON


def _unwatched() -> QuerySet[Target, int]:
    """Looks that a watch wants and nobody takes."""
    lookers = [name for name in catalog().plugins if can_look(name)]
    links = WatchTarget.objects.filter(target=OuterRef("pk"), watch__paused_at=None)
    still = Q(listing=None, empty_streak__lt=GONE_TIMES) | ~Q(listing=None) & ~Q(listing__status__in=OVER)
    wanted_back = Exists(links.filter(watch__back_on_sale=True)) & ~Q(listing=None)
    looks = Target.objects.looks().filter(active=False, quarantined_at=None, marketplace__in=lookers)
    looks = looks.filter(Q(still, Exists(links)) | Q(wanted_back))
    return looks.order_by("pk").values_list("pk", flat=True)[:MOST_HEALED]
