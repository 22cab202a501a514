"""Follow what was matched: its listing is a target of its own until it is over. What is doubted is looked at at once.

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
from .looks import FOLLOWED, next_look
from .models import Doubt, Listing, Match, MatchState, Target, TargetKind
from .questions import CHECK_NOW, TOPIC, target_key

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


def wanted() -> QuerySet[Match]:
    """The matches that make their listing be followed: told, and not put aside."""
    return Match.objects.filter(silent=False).exclude(state=MatchState.IGNORED)


def matched_at(listing_ids: Iterable[int]) -> dict[int, datetime]:
    """When each of these listings met a watch last; those nobody wants any more are missing."""
    matches = wanted().filter(listing_id__in=list(listing_ids)).order_by()
    return dict(matches.values_list("listing_id").annotate(last=Max("matched_at")))


def doubted(listing_ids: Iterable[int]) -> set[int]:
    """Those of these listings whose look some watch waits for."""
    asked = Doubt.objects.asked().filter(listing_id__in=list(listing_ids), watch__paused_at=None)
    return set(asked.values_list("listing_id", flat=True))


def plan(target: Target, listing: Listing, *, matched: datetime, now: datetime) -> datetime | None:
    """When a target looks at its listing next."""
    floor = timedelta(seconds=catalog().pace(target.marketplace).floor_seconds)
    spread = int(target.key[:8], 16) / 0xFFFFFFFF
    return next_look(listing, matched_at=matched, now=now, floor=floor, spread=spread)


@transaction.atomic
def settle(*, listing_ids: Iterable[int], now: datetime) -> None:
    """Bring the looks at these listings in line with who wants them."""
    listings = Listing.objects.in_bulk(list(listing_ids))
    _make_missing([listings[pk] for pk in sorted({*matched_at(listings), *doubted(listings)})], now)
    rows = _held(listings)
    # Read again under the lock: of two people who come and go at once the second sees what the first has done.
    listings, matched, asked = Listing.objects.in_bulk(list(listings)), matched_at(listings), doubted(listings)
    due = {row.pk: _due(row, listings[pk], matched.get(pk), pk in asked, now) for row, pk in rows}
    changed = [row.pk for row, _pk in rows if schedule(row, due_at=due[row.pk], now=now)]
    outbox.write(topic=TOPIC, object_ids=changed, now=now)


def _make_missing(listings: Iterable[Listing], now: datetime) -> None:
    new = [_target(listing, now) for listing in listings if can_look(listing.marketplace)]
    Target.objects.bulk_create(sorted(new, key=lambda target: target.key), ignore_conflicts=True)


def _target(listing: Listing, now: datetime) -> Target:
    """A target that is not asked yet."""
    kind, criteria = TargetKind.LISTING, listing.external_id
    return Target(
        marketplace=listing.marketplace,
        kind=kind,
        key=target_key(marketplace=listing.marketplace, kind=kind, criteria=criteria),
        criteria=criteria,
        listing=listing,
        active=False,
        interval_seconds=1,
        created_at=now,
    )


def _held(listing_ids: Iterable[int]) -> list[tuple[Target, int]]:
    """The looks at these listings, each with its listing's id, held in one order for everybody."""
    rows = Target.objects.looks().filter(listing_id__in=list(listing_ids)).order_by("pk").select_for_update(no_key=True)
    return [(row, row.listing_id) for row in rows if row.listing_id is not None]


def _due(target: Target, listing: Listing, matched: datetime | None, asked: bool, now: datetime) -> datetime | None:
    """One that is due anyway keeps its time, unless a match or a doubt asks for an earlier one.

    A doubt asks for now, but a look that has just failed keeps its back-off.
    """
    if target.quarantined_at is not None or not can_look(target.marketplace):
        return None
    due_at = None if matched is None else plan(target, listing, matched=matched, now=now)
    if asked:
        due_at = target.due_at if target.active and target.failures else now
    if target.active and target.due_at is not None and due_at is not None:
        due_at = min(due_at, target.due_at)
    return due_at


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
    for target, _pk in _held([listing.pk]):
        if target.quarantined_at is None:
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
    """Settle the looks that contradict matches and doubts, those of an earlier release too; returns how many."""
    ids = sorted({*_unfollowed(now), *_unasked(), *_unwanted(now)})
    for start in range(0, len(ids), HEALED_AT_ONCE):
        settle(listing_ids=ids[start : start + HEALED_AT_ONCE], now=now)
    return len(ids)


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
    looks = Target.objects.looks().filter(active=True, due_at__gt=now + SOON)
    looks = looks.exclude(Exists(by_match)).exclude(Exists(by_doubt))
    return looks.values_list("listing_id", flat=True)[:MOST_HEALED]
