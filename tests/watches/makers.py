"""Rows and values that stories about watches need."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from monitor_site.contract import Condition, Kind, Money, Seller, Shipping, Sighting, Status
from monitor_site.watches.models import Target, Watch
from monitor_site.watches.results import Result
from monitor_site.watches.services import Wish, create_watch


def wish(**changes: Any) -> Wish:
    """A wish for cameras at Mercari."""
    base = Wish(name="Cameras", marketplaces=["mercari"], must=["ルミナ"], interval_seconds=30)
    return replace(base, **changes)


def watch_of(user: Any, now: datetime, **changes: Any) -> Watch:
    """A saved watch."""
    return create_watch(user=user, wish=wish(**changes), now=now)


def sighting(
    number: int = 1, *, price: int | None = 5_000, created: datetime | None = None, **changes: Any
) -> Sighting:
    """Listing ``number`` of the invented marketplace."""
    base = Sighting(
        external_id=f"m{number:011d}",
        title=f"ルミナ カメラ {number}号",
        url=f"https://jp.mercari.com/item/m{number:011d}",
        price=None if price is None else Money(amount=price, currency="JPY"),
        kind=Kind.FIXED,
        status=Status.ON_SALE,
        shipping=Shipping.INCLUDED,
        condition=Condition.GOOD,
        seller=Seller(id="900"),
        images=("https://static.mercdn.net/thumb/1.jpg",),
        created=created,
        updated=created,
    )
    return replace(base, **changes)


def result(
    target: Target, sightings: Sequence[Sighting] = (), *, at: datetime, fence: int | None = None, error: str = ""
) -> Result:
    """What a check that began at ``at`` brought."""
    return Result(
        target_id=target.pk,
        fence=fence or round(at.timestamp() * 1_000_000),
        due_ms=round(at.timestamp() * 1000),
        trace=f"{target.pk}-{at.timestamp():.3f}-{fence or 0}",
        worker="checks-1",
        started_at=at,
        finished_at=at + timedelta(milliseconds=80),
        lateness_ms=1,
        error=error,
        sightings=tuple(sightings),
        pages=1,
        bytes=1000,
    )
