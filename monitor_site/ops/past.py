"""What happened lately: incidents, and what people did about them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext, ngettext, pgettext

from monitor_site import wording
from monitor_site.accounts.models import AuditEntry, AuditKind
from monitor_site.engine.machines import Level
from monitor_site.engine.models import Incident, IncidentKind
from monitor_site.web.watch_words import error_words, marketplace_title

from .acts import ACTS
from .verdict import LEVELS

MOST_INCIDENTS, MOST_ENTRIES = 20, 10


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentLine:
    """An incident in words; ``closed`` is ``None`` while it lasts."""

    opened: datetime
    what: str
    effect: str
    closed: datetime | None
    lasted: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryLine:
    """An entry of the audit log."""

    entry: AuditEntry
    what: str


def incidents(*, now: datetime) -> list[IncidentLine]:
    """The last ones, the newest first."""
    return [_line(row, now) for row in Incident.objects.order_by("-opened_at", "-pk")[:MOST_INCIDENTS]]


def _line(row: Incident, now: datetime) -> IncidentLine:
    lasted = (row.closed_at or now) - row.opened_at
    return IncidentLine(
        opened=row.opened_at,
        what=WHAT[row.kind](row),
        effect=pgettext("between words", ", ").join(_effects(row)),
        closed=row.closed_at,
        lasted=wording.duration(max(0.0, lasted.total_seconds())),
    )


def _breaker(row: Incident) -> str:
    facts = {"marketplace": marketplace_title(row.subject), "reason": error_words(row.detail)}
    return gettext("%(marketplace)s was not asked (%(reason)s)") % facts


def _load(row: Incident) -> str:
    level = LEVELS[Level(row.detail)]() if row.detail in set(Level) else row.detail
    return gettext("%(host)s was busy (%(level)s)") % {"host": row.subject, "level": level}


WHAT: Mapping[str, Callable[[Incident], str]] = {
    IncidentKind.BREAKER: _breaker,
    IncidentKind.LOAD: _load,
    IncidentKind.LANE: lambda row: gettext("No worker served %(lane)s") % {"lane": row.subject},
    IncidentKind.PROMOTER: lambda _row: gettext("No promoter was alive"),
    IncidentKind.LATE: lambda _row: gettext("Searches were late"),
}


def _effects(row: Incident) -> list[str]:
    """What it touched, as far as anybody knows."""
    words = []
    if row.watches is not None:
        words.append(ngettext("%(n)d watch", "%(n)d watches", row.watches) % {"n": row.watches})
    if row.worst_ms:
        words.append(gettext("up to %(time)s late") % {"time": wording.duration(row.worst_ms / 1000)})
    return words


def entries() -> list[EntryLine]:
    """What operators did lately, the newest first. What people do with their own money and watches is theirs alone."""
    rows = AuditEntry.objects.filter(kind=AuditKind.SYSTEM).order_by("-at", "-pk")[:MOST_ENTRIES]
    return [EntryLine(entry=row, what=str(ACTS[row.act].title) if row.act in ACTS else row.act) for row in rows]
