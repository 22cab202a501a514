"""Where a listing was before, and where it is now: links for those who have a match of the other one."""

from dataclasses import dataclass
from typing import Any

from monitor_site.watches.models import Listing, Match


@dataclass(frozen=True, slots=True, kw_only=True)
class Sibling:
    """The other listing of the same thing; ``known``: the reader has a match of it, so that its page exists."""

    listing: Listing
    known: bool


def siblings_of(user: Any, listing: Listing) -> dict[str, Sibling | None]:
    """``before``: what it was listed as; ``again``: what it is listed as now. One query each, none for most."""
    older, newer = listing.relisted_from_id, Listing.objects.filter(relisted_from=listing).order_by("-pk").first()
    before = Listing.objects.filter(pk=older).first() if older else None
    return {"before": _sibling(user, before), "again": _sibling(user, newer)}


def _sibling(user: Any, other: Listing | None) -> Sibling | None:
    if other is None:
        return None
    return Sibling(listing=other, known=Match.objects.of(user).filter(listing=other).exists())
