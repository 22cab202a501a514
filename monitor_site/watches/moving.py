"""A watch about one listing goes on with what the same seller lists again under a new number.

What it remembers goes with it: a lower price of the new one is a fall.
"""

from collections.abc import Collection, Iterable
from datetime import datetime

from django.db import transaction

from monitor_site.contract import Status

from . import follow, questions, versions
from .joining import Joined, save, tell
from .models import Cause, Listing, Match, Target, Watch, WatchTarget
from .relisting import GONE


def left_behind(*, gone: Collection[int], again: Collection[int]) -> set[int]:
    """Watched listings among those that are ``gone``, and among those that are listed ``again`` as these.

    One question, and only when something of that kind has happened.
    """
    if not gone and not again:
        return set()
    looks = Target.objects.looks().filter(links__isnull=False)
    found = looks.filter(listing__in=gone) | looks.filter(listing__relisted_as__in=again)
    return set(found.values_list("listing_id", flat=True))


def move_on(*, listing_ids: Iterable[int], now: datetime) -> int:
    """Have the watches of these listings go on with their successors, where there are any; returns how many watches."""
    old = Listing.objects.filter(pk__in=list(listing_ids), status__in=GONE, relisted_as__status=Status.ON_SALE)
    return sum(_move(link, now=now) for link in _links(old.distinct()))


def _links(listings: Iterable[Listing]) -> list[WatchTarget]:
    links = WatchTarget.objects.filter(target__listing__in=listings, watch__paused_at=None)
    return list(links.select_related("watch", "target__listing").order_by("pk"))


@transaction.atomic
def _move(link: WatchTarget, *, now: datetime) -> bool:
    """Winning is an update that changed one row. Targets are held before watches, as a recording holds them."""
    questions.lock({link.target_id})
    watch, old = link.watch, link.target.listing
    new = Listing.objects.filter(relisted_from=old, status=Status.ON_SALE).order_by("-pk").first()
    if new is None:
        return False
    mine = Watch.objects.filter(pk=watch.pk, external_id=link.target.criteria)
    if not mine.update(external_id=new.external_id, updated_at=now):
        return False
    watch.external_id = new.external_id
    versions.keep(watch=watch, by=None, now=now)
    questions.link(watch=watch, now=now, quiet=True)
    watch.links.update(memory=link.memory, baselined_at=link.baselined_at)
    follow.settle_looks(target_ids={link.target_id, *watch.links.values_list("target_id", flat=True)}, now=now)
    _show(watch, new, now)
    return True


def _show(watch: Watch, listing: Listing, now: datetime) -> None:
    """A match of the new one, told as the person wishes."""
    draft = Match(
        user_id=watch.user_id,
        watch=watch,
        listing=listing,
        cause=Cause.RELISTED,
        price=listing.price,
        trace=listing.trace,
        matched_at=now,
    )
    joined = Joined()
    save([draft], joined)
    tell(joined, now=now)
