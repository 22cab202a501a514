"""Everything on the page of watches: lines, filters, what needs attention, what can be done to many."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from monitor_site.alerts.models import Channel
from monitor_site.marketplaces.breaker import BreakerView
from monitor_site.marketplaces.catalog import catalog
from monitor_site.purchasing.queries import asking_watches
from monitor_site.watches import needs, queries

from . import degraded
from . import watch_list as listing
from .bulk_alerts import alert_acts
from .channel_notes import notes_of_channels


def list_page(user: Any, look: listing.Look, still: Mapping[str, BreakerView]) -> dict[str, Any]:
    """What the template shows; ``still`` are the marketplaces that are not asked at the moment."""
    now, zone = timezone.now(), timezone.get_current_timezone()
    channels = list(Channel.objects.of(user).order_by("name", "pk"))
    lines, fitting = listing.lines_of(user=user, look=look, now=now, zone=zone, still=still)
    summary = needs.summary(user=user, now=now, known=catalog().plugins, covered=still)
    notes = listing.notes_of(user=user, now=now, covered=still) if summary.uncovered else []
    covering = degraded.notes_of_watches(user) if still else []
    return {
        "lines": lines,
        "asking": asking_watches([line.row.watch.pk for line in lines]),
        "look": look,
        "fitting": fitting,
        "older": look.address(page=look.page + 1) if fitting > look.page * queries.PAGE else "",
        "newer": look.address(page=look.page - 1) if look.page > 1 else "",
        "summary": summary,
        **listing.choices_of(user, look, summary),
        "acts": {**listing.ACTS, **alert_acts(channels)},
        "today": queries.matches_today(user=user, now=now, zone=zone),
        "notes": [*notes_of_channels(user, channels, now=now), *covering, *notes],
        "more_needs": summary.uncovered - len(notes),
    }
