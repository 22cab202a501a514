"""For how long something rests: what a person may choose, and how it is said."""

from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext

from monitor_site import wording
from monitor_site.watches.models import Watch
from monitor_site.watches.resting import tomorrow_morning

HOUR, MORNING, ALWAYS = "hour", "morning", "always"
RESTS = (HOUR, MORNING, ALWAYS)


def until_of(choice: str, *, now: datetime) -> datetime | None:
    """When a rest of this name ends, by the clock of the reader; ``None`` for one without end."""
    if choice == HOUR:
        return now + timedelta(hours=1)
    return tomorrow_morning(now=now, zone=timezone.get_current_timezone()) if choice == MORNING else None


def muted_words(watch: Watch, *, now: datetime) -> str:
    """That a watch is muted and until when; empty when it is not."""
    if not watch.is_muted(now=now):
        return ""
    if watch.muted_until is None:
        return gettext("Muted")
    return gettext("Muted until %(time)s") % {"time": wording.clock(watch.muted_until, now=now)}
