"""What happened to matched listings has consequences: open pages hear of it, what is back is followed again, and who

watched what is listed again goes on with that.
"""

from collections.abc import Collection, Mapping
from datetime import datetime

from monitor_site.outbox import services as outbox

from . import moving
from .follow import follow_later
from .models import EventKind
from .sightings import LEFT, Seen
from .wants import wanted

TOPIC = "listing"
# It changes nothing that a card shows.
SILENT = frozenset({str(EventKind.BUMPED)})


def tell(*, seen: Mapping[str, Mapping[str, Seen]], removed: Collection[int], now: datetime) -> None:
    """Note the consequences of a recording's events, in its transaction."""
    every = [one for rows in seen.values() for one in rows.values()]
    happened = {one.listing_id for one in every if one.events - one.damped - SILENT}
    back = {one.listing_id for one in every if EventKind.BACK in one.events}
    if not removed and not any(one.events for one in every):
        return
    told = set(wanted().filter(listing_id__in=happened | back | set(removed)).values_list("listing_id", flat=True))
    outbox.write(topic=TOPIC, object_ids=told & (happened | set(removed)), now=now)
    gone = {one.listing_id for one in every if one.events & LEFT} | set(removed)
    again = {one.listing_id for one in every if EventKind.RELISTED in one.events}
    follow_later(listing_ids=told & back | moving.left_behind(gone=gone, again=again), now=now)
