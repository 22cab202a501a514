"""From the page of a seller to a page of what is open there. Pure.

The page takes no words and no limits, so each row is compared with the criteria; words are the core's to check. Its
own order is not by age: the newest are put first, as far as one page goes.
"""

from dataclasses import replace
from datetime import UTC, datetime

from monitor_site.contract import Answer, LayoutChanged, SearchPage, Seller, Sighting, Status

from . import fields
from .ask import SELLER_SIZE, seller_of
from .manifest import HOME, YahooCriteria
from .page import next_data
from .rows import Listed, Row, listed, page_of, read_row

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def read_seller(
    answer: Answer, criteria: YahooCriteria, *, now: datetime, web: str = HOME, offset: int = 1
) -> SearchPage:
    """The page of listings that ``answer`` holds for ``criteria.seller``, asked from item ``offset``.

    Raises: Unavailable, Throttled, Blocked, ChallengeRequired, SignInNeeded, LayoutChanged, which is also what the
    page of another seller is.
    """
    found = listed(answer, now=now)
    seller = _seller(found, seller_of(criteria))

    def read(row: Row) -> Sighting | str | None:
        sighting = read_row(row, criteria, status=Status.ON_SALE, web=web, now=now)
        return _named(sighting, seller) if isinstance(sighting, Sighting) else sighting

    page = page_of(found, read, offset=offset, size=SELLER_SIZE)
    newest = sorted(page.sightings, key=lambda each: each.created or _LONG_AGO, reverse=True)
    return replace(page, sightings=tuple(newest))


def _named(sighting: Sighting, seller: Seller) -> Sighting:
    """With the name that rows mask."""
    own = sighting.seller.rating if sighting.seller else None
    return replace(sighting, seller=replace(seller, rating=own if seller.rating is None else seller.rating))


def _seller(found: Listed, asked: str) -> Seller:
    told = next_data(found.tree, "user", "seller")
    if (known := told.get("aucUserId")) != asked:
        raise LayoutChanged(f"asked for the seller {asked:.64}, told of {known!s:.64}")
    rating = fields.mapping(told.get("rating"))
    return Seller(
        id=asked,
        name=fields.title(told.get("displayName")),
        rating=fields.share(rating.get("goodRatio")),
        count=fields.whole(rating.get("total")),
    )
