"""Pages that read well and yet cannot be true: better no answer than one that is believed. Pure."""

from collections.abc import Sequence

from monitor_site.contract import Kind, LayoutChanged, SearchPage, Sighting, Status

ENOUGH_ROWS = 5


def refuse_odd(page: SearchPage) -> None:
    """Raise :class:`LayoutChanged` when no row can be read, or when prices or statuses are gone from all of them.

    Judged are pages of five rows and more. Auctions may honestly have no price yet, so they do not count for prices.
    """
    if page.bad_rows and not page.sightings:
        # Not "nothing found": there was something, and nobody could read it.
        raise LayoutChanged(f"none of {len(page.bad_rows)} rows can be read: {page.bad_rows[0].reason}")
    if _are_gone([found.status == Status.UNKNOWN for found in page.sightings]):
        raise LayoutChanged(f"status gone from all of {len(page.sightings)} rows")
    if _are_gone(_unpriced(page.sightings)):
        raise LayoutChanged(f"price gone from all of {len(page.sightings)} rows")


def _unpriced(sightings: Sequence[Sighting]) -> list[bool]:
    return [found.price is None for found in sightings if found.kind != Kind.AUCTION]


def _are_gone(missing: list[bool]) -> bool:
    return len(missing) >= ENOUGH_ROWS and all(missing)
