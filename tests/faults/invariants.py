"""What must hold after any fault: nobody waited too long, nothing stands there twice, nothing is untrue."""

from collections import Counter
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

from django.conf import settings

from monitor_site.engine.home.checker import check
from monitor_site.engine.home.truth import read_lives
from monitor_site.watches.models import Check, Listing, ListingEvent, Match, Target

# What a fault may cost beyond a target's interval and the lease of the worker that died.
PATIENCE = timedelta(seconds=60)


def all_hold(*, since: datetime, until: datetime, truth: Path) -> None:
    """Everything below."""
    nobody_waited_too_long(since=since, until=until)
    nothing_is_double()
    nothing_is_untrue(truth)


def nobody_waited_too_long(*, since: datetime, until: datetime) -> None:
    """Every active target was checked within its interval, a lease and a minute, all the time."""
    for target in Target.objects.searches().filter(active=True):
        most = timedelta(seconds=target.interval_seconds + settings.LEASE_SECONDS) + PATIENCE
        began = target.checks.filter(started_at__range=(since, until)).order_by("started_at")
        moments = [since, *began.values_list("started_at", flat=True), until]
        longest = max(later - earlier for earlier, later in pairwise(moments))
        assert longest <= most, f"{target} waited for {longest}"


def none_left_the_schedule(questions: int) -> None:
    """Every search is still asked, and none was taken out as a killer of workers."""
    lost = Target.objects.searches().filter(active=False).values_list("criteria", "last_error", "quarantined_at")
    assert list(lost) == []
    assert Target.objects.searches().count() == questions


def nothing_is_double() -> None:
    """No listing, match, event or run stands there twice, and no target ran twice for one beat at one moment."""
    listings = Counter(Listing.objects.values_list("marketplace", "external_id"))
    matches = Counter(Match.objects.values_list("watch", "listing"))
    traces = Counter(Check.objects.values_list("trace", flat=True))
    runs = Counter(Check.objects.values_list("target", "started_at"))
    events = Counter(ListingEvent.objects.values_list("listing", "kind", "at"))
    assert {*listings.values(), *matches.values(), *traces.values(), *runs.values(), *events.values()} <= {1}


def nothing_is_untrue(truth: Path) -> None:
    """What was recorded is what the practice market did, and all of it."""
    verdict = check({"mercari": read_lives(truth)})
    assert verdict.wrong == ()
    assert verdict.compared > 0
