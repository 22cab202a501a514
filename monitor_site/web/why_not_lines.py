"""The answers of "why not?" in words: one line a watch, and the listing itself."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from monitor_site import wording
from monitor_site.contract import Sighting
from monitor_site.watches.models import Watch
from monitor_site.watches.rules import rule_of
from monitor_site.watches.why_not import Finding, Reading

from . import pictures
from .preview_words import chip
from .watch_words import marketplace_title


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What one watch says: a badge, chips with what was seen, sentences, and where more stands."""

    watch: Watch
    badge: str
    tone: str
    chips: Sequence[str]
    sentences: Sequence[str]
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """The listing as it is known; times are ``None`` where nobody has noted it."""

    title: str
    url: str
    picture: str
    price: int | None
    first_seen_at: datetime | None
    seen_at: datetime | None
    looked_at: datetime | None


def seen_of(reading: Reading, sighting: Sighting | None) -> Seen | None:
    """What to show of it; ``None`` while nobody has told this person anything of it."""
    if sighting is None:
        return None
    row = reading.listing
    return Seen(
        title=sighting.title,
        url=sighting.url,
        picture=pictures.address(sighting.images[0], size=160) if sighting.images else "",
        price=sighting.price.amount if sighting.price else None,
        first_seen_at=row.first_seen_at if row else None,
        seen_at=row.seen_at if row else None,
        looked_at=row.looked_at if row else None,
    )


def lines_of(findings: Iterable[Finding], marketplace: str, *, lag: timedelta) -> list[Line]:
    """One line a watch: those that matched, those whose checks have shown it, those that ask there, the others."""
    lines = [(_rank(one), _line(one, marketplace, lag)) for one in findings]
    return [line for _, line in sorted(lines, key=lambda pair: pair[0])]


def _rank(finding: Finding) -> int:
    return next((rank for rank, true in enumerate((finding.match, finding.shown, finding.asks)) if true), 3)


def _line(finding: Finding, marketplace: str, lag: timedelta) -> Line:
    badge, tone = _badge(finding)
    return Line(
        watch=finding.watch,
        badge=badge,
        tone=tone,
        chips=_chips(finding),
        sentences=[*_matched(finding), *_unasked(finding, marketplace), *_unshown(finding, lag)],
        url=reverse("decision", args=[finding.match.public_id]) if finding.match else "",
    )


def _badge(finding: Finding) -> tuple[str, str]:
    decision = finding.decision
    if finding.match:
        return gettext("Matched"), "badge--ok"
    if decision is None:
        return gettext("Not known yet"), ""
    if decision.rejected:
        return gettext("Rejected"), "badge--bad"
    return (gettext("Would match"), "badge--ok") if decision.matches else (gettext("Unclear"), "badge--warn")


def _chips(finding: Finding) -> list[str]:
    decision, rule = finding.decision, rule_of(finding.watch)
    if decision is None or (finding.match and not decision.rejected):
        return []
    if decision.rejection:
        return [chip(decision.rejection, rule)]
    return [chip(said, rule) for said in decision.rules if said["rule"] in decision.open_rules]


def _matched(finding: Finding) -> list[str]:
    match = finding.match
    if match is None:
        return []
    when = wording.ago(match.matched_at, now=timezone.now())
    if match.silent:
        return [gettext("It was there when the watch began (%(when)s), so nobody was told.") % {"when": when}]
    told = [gettext("It matched %(when)s.") % {"when": when}]
    if finding.decision and finding.decision.rejected:
        told.append(gettext("As it is now, it would not match."))
    return told


def _unasked(finding: Finding, marketplace: str) -> list[str]:
    told = []
    if not finding.asks:
        told.append(
            gettext("This watch does not ask %(marketplace)s.") % {"marketplace": marketplace_title(marketplace)}
        )
    if finding.watch.paused_at and not finding.match:
        told.append(gettext("It is paused, so nothing is asked."))
    return told


def _unshown(finding: Finding, lag: timedelta) -> list[str]:
    """No check has shown it: when the last one was, and that a search is behind."""
    if finding.match or finding.shown or not finding.asks:
        return []
    if finding.asked_at is None:
        return [gettext("Its first check has not been yet.")]
    when = wording.ago(finding.asked_at, now=timezone.now())
    told = [gettext("No check of this watch has shown it; the last one was %(when)s.") % {"when": when}]
    if lag:
        late = wording.duration(lag.total_seconds())
        told.append(gettext("This search shows new listings about %(time)s late.") % {"time": late})
    return told
