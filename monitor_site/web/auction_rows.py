"""What the list of auctions shows, as plain values."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext_lazy

from monitor_site.watches.models import Listing, ListingEvent, Watch

from . import pictures
from .auctions import group_of, told
from .standing import Standing, price_word, standing_of
from .watch_words import marketplace_title

EXTENDED = "extended"
GROUPS: Mapping[str, "str | Promise"] = {
    "hour": gettext_lazy("Under 1 hour"),
    "today": gettext_lazy("Today"),
    "later": pgettext_lazy("auctions", "Later"),
    "open": gettext_lazy("End not known"),
    "over": pgettext_lazy("auctions", "Ended"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One auction. ``url`` is its page at the marketplace, ``picture`` a thumbnail here; ``extended`` counts."""

    listing: Listing
    standing: Standing
    marketplace: str
    url: str
    picture: str
    price_word: str
    watches: list[Watch]
    extended: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Rows under one heading."""

    name: str
    label: str
    rows: list[Row]


def rows_of(user: Any, listings: Sequence[Listing], *, now: datetime) -> list[Row]:
    """Rows for auctions: two queries, whatever their number."""
    pks = [listing.pk for listing in listings]
    watches, extended = _watches(user, pks, now), extensions(pks)
    return [_row(listing, watches[listing.pk], extended.get(listing.pk, 0), now) for listing in listings]


def groups_of(user: Any, found: Sequence[tuple[str, Listing]], *, now: datetime) -> list[Group]:
    """The rows of a page under their headings, in the order in which they were found."""
    names = [group_of(section, listing, now=now) for section, listing in found]
    rows = rows_of(user, [listing for _, listing in found], now=now)
    parts = groupby(zip(names, rows, strict=True), key=lambda pair: pair[0])
    return [Group(name=name, label=str(GROUPS[name]), rows=[row for _, row in part]) for name, part in parts]


def _watches(user: Any, pks: Collection[int], now: datetime) -> Mapping[int, list[Watch]]:
    found: dict[int, list[Watch]] = defaultdict(list)
    mine = told(user, now=now).filter(listing_id__in=pks)
    for match in mine.select_related("watch").only("listing_id", "watch__name"):
        found[match.listing_id].append(match.watch)
    return found


def extensions(pks: Collection[int]) -> dict[int, int]:
    """How often the end of these was moved, as far as anybody saw it."""
    events = ListingEvent.objects.filter(listing_id__in=pks, kind=EXTENDED).order_by()
    return dict(events.values_list("listing_id").annotate(n=Count("pk")))


def times_extended() -> Coalesce:
    """The same as a part of a query for matches."""
    events = ListingEvent.objects.filter(listing=OuterRef("listing"), kind=EXTENDED).order_by()
    return Coalesce(Subquery(events.values("listing").annotate(n=Count("pk")).values("n")), 0)


def _row(listing: Listing, watches: list[Watch], extended: int, now: datetime) -> Row:
    standing = standing_of(listing, now=now)
    return Row(
        listing=listing,
        standing=standing,
        marketplace=marketplace_title(listing.marketplace),
        url=listing.url,
        picture=pictures.address(listing.images[0], size=160) if listing.images else "",
        price_word=price_word(listing, gone=standing.gone),
        watches=watches,
        extended=extended,
    )
