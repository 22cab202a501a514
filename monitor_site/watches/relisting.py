"""The same thing again under a new number: it is linked to the one before. In the recording transaction.

The same seller, the same title apart from width, case and kana, and the same first picture where both have one. What
was sold is not listed again, it is another one; and nothing is linked while the seller is not known.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from monitor_site.contract import Status

from .models import EventKind, Listing, ListingEvent
from .text import fold

WITHIN = timedelta(days=30)
GONE = (Status.ENDED.value, Status.REMOVED.value, Status.STOPPED.value)
MOST = 1000
FIELDS = (
    "marketplace", "external_id", "title", "price", "status", "seller_id", "images", "ends_at", "observed_at",
    "relisted_from",
)  # fmt: skip


def link(new: Collection[Listing], *, trace: str, at: datetime) -> set[int]:
    """Link those of these listings that were there before; returns their ids. Each old one comes back once."""
    asked = [row for row in new if row.seller_id and row.relisted_from_id is None and row.status == Status.ON_SALE]
    gone, linked = _gone_before(asked, at), set()
    for row in sorted(asked, key=lambda row: row.pk):
        old = next((one for one in gone if one.pk < row.pk and _same(one, row)), None)
        if old is not None and _link(row, old, trace=trace, at=at):
            gone.remove(old)
            linked.add(row.pk)
    return linked


def link_successor(old: Listing, *, alive_at: datetime, trace: str, at: datetime) -> None:
    """The same when the end of the old one is known later than the new one.

    Nobody may have seen the old one (``alive_at``) since the new one is there: two things beside each other are two.
    """
    if not old.seller_id:
        return
    later = Listing.objects.filter(marketplace=old.marketplace, seller_id=old.seller_id, status=Status.ON_SALE)
    young = later.filter(relisted_from=None, first_seen_at__gt=max(alive_at, at - WITHIN), pk__gt=old.pk)
    for row in young.only(*FIELDS).order_by("pk")[:MOST]:
        if _same(old, row):
            _link(row, old, trace=trace, at=at)
            return


def _gone_before(new: Collection[Listing], at: datetime) -> list[Listing]:
    """What the sellers took away or could not sell lately, latest first, and did not list again."""
    found: list[Listing] = []
    for marketplace in sorted({row.marketplace for row in new}):
        sellers = {row.seller_id for row in new if row.marketplace == marketplace}
        gone = Listing.objects.filter(marketplace=marketplace, seller_id__in=sellers, status__in=GONE)
        lately = gone.filter(observed_at__gte=at - WITHIN, relisted_as=None).order_by("-observed_at", "-pk")
        found += [row for row in lately.only(*FIELDS)[:MOST] if _over_at(row) >= at - WITHIN]
    return found


def _over_at(old: Listing) -> datetime:
    return old.observed_at if old.ends_at is None else min(old.ends_at, old.observed_at)


def _same(one: Listing, other: Listing) -> bool:
    seller = (one.marketplace, one.seller_id) == (other.marketplace, other.seller_id)
    return seller and fold(one.title) == fold(other.title) and _pictured_alike(one, other)


def _pictured_alike(one: Listing, other: Listing) -> bool:
    if not one.images or not other.images:
        return True
    return _picture(one) == _picture(other)


def _picture(row: Listing) -> str:
    """The path of the first picture, without the listing's own number in it."""
    path: str = urlsplit(row.images[0]).path
    return path.replace(row.external_id, "")


def _link(row: Listing, old: Listing, *, trace: str, at: datetime) -> bool:
    """Winning is an update that changed one row."""
    if not Listing.objects.filter(pk=row.pk, relisted_from=None).update(relisted_from=old):
        return False
    row.relisted_from = old
    ListingEvent.objects.create(
        listing=row, kind=EventKind.RELISTED, at=at, before=old.price, after=row.price, trace=trace
    )
    return True
