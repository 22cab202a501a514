"""The page about when a watch is asked: wished and in fact, why these differ, what comes next, how late it was."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_safe

from monitor_site import wording
from monitor_site.marketplaces.breaker import BreakerView
from monitor_site.watches import queries
from monitor_site.watches.models import Target, Watch
from monitor_site.watches.queries import Row
from monitor_site.watches.questions import allowed
from monitor_site.watches.upcoming import lateness_of, upcoming

from . import degraded
from .plan_words import plan_words, standing_of
from .watch_runs import run_line
from .watch_words import error_words, marketplace_title, marketplace_titles
from .watches import head_of, own_watch

Still = Mapping[str, BreakerView]

NEXT, LAST = 10, 10
# What comes so many of its intervals from now waits for its hours.
RESTING_AFTER = 2


@own_watch
@require_safe
def watch_schedule(request: HttpRequest, watch: Watch) -> HttpResponse:
    """When it is asked."""
    now, head, still = timezone.now(), head_of(watch), degraded.standing_still()
    targets = list(Target.objects.filter(links__watch=watch).order_by("pk").defer("recent", "usual"))
    context = {
        "tab": "schedule",
        "reasons": reasons_of(head["line"].row, targets, still, now=now),
        "coming": _coming(watch, targets, still, now),
        "lateness": lateness_of(watch, now=now),
        "runs": [run_line(run) for run in queries.runs_of(watch, limit=LAST)],
        "several": len(watch.marketplaces) > 1,
    }
    return render(request, "web/watches/schedule.html", head | context)


@dataclass(frozen=True, slots=True, kw_only=True)
class Coming:
    """One time to come."""

    at: datetime
    marketplace: str


def _coming(watch: Watch, targets: Sequence[Target], still: Still, now: datetime) -> list[Coming]:
    closed = {name: _until(view, now) for name, view in still.items()}
    found = upcoming(watch, targets, now=now, count=NEXT, closed=closed)
    return [Coming(at=at, marketplace=target.marketplace) for at, target in found]


def _until(view: BreakerView, now: datetime) -> datetime:
    return datetime.fromisoformat(view["until"]) if view["until"] else now


def reasons_of(row: Row, targets: Sequence[Target], still: Still, *, now: datetime) -> list[str]:
    """Why it is not asked as it wishes, or not at the moment; nothing where it is."""
    if row.watch.paused_at:
        return [gettext("The watch is paused, so nothing is asked.")]
    here = {name: view for name, view in still.items() if name in row.watch.marketplaces}
    planned = plan_words(row, standing_of([row]))
    return [
        *_standing_still(here, now), *_backing_off(targets), *([planned] if planned else []), *_floors(row.watch),
        *_resting(row, now),
    ]  # fmt: skip


def _standing_still(still: Still, now: datetime) -> Iterator[str]:
    for name, view in still.items():
        facts = {"marketplace": marketplace_title(name), "reason": error_words(view["reason"])}
        sentence = gettext("{marketplace} is not asked ({reason}); we try again {time}.")
        yield sentence.format(**facts, time=wording.until(_until(view, now), now=now))


def _backing_off(targets: Sequence[Target]) -> Iterator[str]:
    failures = max((target.failures for target in targets), default=0)
    if failures > 1:
        sentence = ngettext(
            "%(n)d check in a row has failed; the next waits longer.",
            "%(n)d checks in a row have failed; the next waits twice as long each time.",
            failures,
        )
        yield sentence % {"n": failures}


def _floors(watch: Watch) -> Iterator[str]:
    for name in watch.marketplaces:
        if (floor := allowed(name, watch.interval_seconds)) > watch.interval_seconds:
            facts: dict[str, Any] = {"marketplace": marketplace_title(name), "time": wording.duration(floor)}
            yield gettext("%(marketplace)s allows a question every %(time)s at the most.") % facts


def _resting(row: Row, now: datetime) -> Iterator[str]:
    watch = row.watch
    has_hours = watch.active_from is not None or watch.weekdays
    rests = row.next_at is not None and row.next_at > now + RESTING_AFTER * timedelta(seconds=row.every)
    if has_hours and rests and row.next_at is not None:
        facts = {"marketplaces": marketplace_titles(watch.marketplaces), "time": wording.clock(row.next_at, now=now)}
        yield gettext("Outside its hours and days: %(marketplaces)s is asked again at %(time)s.") % facts
