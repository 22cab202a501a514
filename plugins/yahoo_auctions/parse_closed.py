"""From an answer of the closed search to a page of what was sold. Pure.

Unsold auctions should not appear there; one that does is left out, for its price is what nobody paid.
"""

from dataclasses import replace
from datetime import datetime

from monitor_site.contract import Answer, LayoutChanged, SearchPage, Sighting, Status

from . import fields
from .ask import PAGE_SIZE
from .manifest import HOME, YahooCriteria
from .rows import Row, listed, page_of, read_row

LATEST_FIRST = "-END_TIME"


def read_closed(
    answer: Answer, criteria: YahooCriteria, *, now: datetime, web: str = HOME, offset: int = 1
) -> SearchPage:
    """The page of sold things that ``answer`` holds, asked from item ``offset``: latest end first.

    The words were asked of the site; the other criteria are compared with what each row tells. ``web`` is what the
    addresses of listings begin with.
    Raises: Unavailable, Throttled, Blocked, ChallengeRequired, SignInNeeded, LayoutChanged.
    """
    found = listed(answer, now=now)
    if found.order not in {"", LATEST_FIRST}:
        raise LayoutChanged(f"sorted by {found.order[:40]}")
    # Everything here is over: it cannot be asked to end soon.
    asked = replace(criteria, ending_soon=False)
    return page_of(found, lambda row: _read_sale(row, asked, web, now), offset=offset, size=PAGE_SIZE)


def _read_sale(row: Row, criteria: YahooCriteria, web: str, now: datetime) -> Sighting | str | None:
    """A sale; without a bid there was none, and without a count of bids nobody can tell."""
    sale = read_row(row, criteria, status=Status.SOLD, web=web, now=now)
    bids = fields.whole(row.get("bidCount"))
    if not isinstance(sale, Sighting) or bids:
        return sale
    return "no count of bids" if bids is None else None
