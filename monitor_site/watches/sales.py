"""What somebody paid for a listing, and when. Pure.

A look or a search that sees a sale knows the price asked last: at a fixed price that is what was paid, in an auction
it is the last bid. An auction that ended without a bid was not sold, whatever it is called.
"""

from datetime import datetime
from typing import Any

from monitor_site.contract import Kind, Sighting, Status

from .models import Listing

NO_SALE: dict[str, Any] = {"paid": None, "sold_at": None}


def sale_of(sighting: Sighting, *, price: int | None, seen_at: datetime) -> dict[str, Any]:
    """The columns of the sale that a sighting shows; empty when it shows none, or nobody knows the price."""
    unsold = sighting.status is not Status.SOLD or (sighting.kind is Kind.AUCTION and sighting.bids == 0)
    if unsold or price is None:
        return {}
    ended = sighting.ends_at is not None and sighting.ends_at <= seen_at
    return {"paid": price, "sold_at": sighting.ends_at if ended else seen_at}


def told_sale_of(sighting: Sighting, *, price: int | None, told_at: datetime) -> dict[str, Any]:
    """The same of a sighting that a question for sales has brought: the marketplace tells of it some time after."""
    moments = (at for at in (sighting.ends_at, sighting.updated) if at is not None and at <= told_at)
    return sale_of(sighting, price=price, seen_at=next(moments, told_at))


def sale_after(row: Listing, new: dict[str, Any], sighting: Sighting, *, seen_at: datetime) -> dict[str, Any]:
    """What happens to a known listing's sale when it takes these columns over; empty when nothing does.

    What came back on sale was not sold. A sale that is known stays as it is.
    """
    status = new.get("status", row.status)
    if row.status == Status.SOLD and status == Status.ON_SALE:
        return dict(NO_SALE)
    if row.paid is not None:
        return {}
    return sale_of(sighting, price=new.get("price", row.price), seen_at=seen_at)
