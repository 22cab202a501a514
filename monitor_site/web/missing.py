"""What pages say of times of which results of a marketplace were missing, or are not whole: no gap is hidden."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import redis
import structlog
from django.db.models import QuerySet
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext, pgettext

from monitor_site import wording
from monitor_site.connections import redis_client
from monitor_site.watches import lapses
from monitor_site.watches.models import Watch, WatchTarget
from monitor_site.watches.results import Lapse

from .watch_words import Note, marketplace_title

MOST_LINKS = 500
NAMED = 3

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A stretch of time at one marketplace; ``watches`` are the names of those of which more was new than was read."""

    marketplace: str
    since: datetime
    until: datetime
    watches: Sequence[str]


def notes_of(user: Any, *, now: datetime) -> list[Note]:
    """One line a marketplace about the last stretch of these hours; one query when there was any, usually none."""
    links = WatchTarget.objects.filter(watch__user=user, watch__paused_at=None).order_by("-pk")
    found = _missing(links[:MOST_LINKS], now)
    return [_note(_sentence(one, now), _named(one)) for one in found]


def notes_of_watch(watch: Watch, *, now: datetime) -> list[SafeString]:
    """The same for one watch alone, which need not be named."""
    return [_sentence(one, now) for one in _missing(watch.links.all(), now)] if watch.paused_at is None else []


FIELDS = ("began_at", "baselined_at", "target__marketplace", "watch__name")
Found = list[tuple[WatchTarget, Lapse]]


def _missing(links: QuerySet[WatchTarget], now: datetime) -> list[Missing]:
    found = _lapses(links, now)
    names = sorted({link.target.marketplace for link, _lapse in found})
    return [_last(name, [pair for pair in found if pair[0].target.marketplace == name]) for name in names]


def _lapses(asked: QuerySet[WatchTarget], now: datetime) -> Found:
    """What ended lately and began while the watch was asking."""
    client = redis_client()
    try:
        links = list(asked.select_related("watch", "target").only(*FIELDS)) if lapses.any_lately(client) else []
        known = lapses.read(client, {link.target_id for link in links})
    except redis.RedisError as error:
        log.warning("web.lapses_unknown", error=str(error))
        return []
    return [
        (link, lapse)
        for link in links
        for lapse in known.get(link.target_id, ())
        if link.baselined_at and link.baselined_at < lapse.until and lapse.until >= now - lapses.KEPT
    ]


def _last(marketplace: str, found: Found) -> Missing:
    """The stretch that ended last, together with what overlaps it; what is not whole is never left out for it."""
    found = [pair for pair in found if pair[1].gap] or found
    last = max((lapse for _link, lapse in found), key=lambda lapse: lapse.until)
    together = [(link, lapse) for link, lapse in found if lapse.until >= last.since]
    return Missing(
        marketplace=marketplace,
        since=min(lapse.since for _link, lapse in together),
        until=last.until,
        watches=sorted({link.watch.name for link, lapse in together if lapse.gap}),
    )


def _sentence(missing: Missing, now: datetime) -> SafeString:
    words = gettext("Results of {marketplace} from {since} to {until} are not whole: more was new than could be read.")
    if not missing.watches:
        words = gettext(
            "Results of {marketplace} were missing from {since} to {until}."
            " What was listed meanwhile and is still there has been caught up on."
        )
    return format_html(
        words,
        marketplace=format_html("<b>{}</b>", marketplace_title(missing.marketplace)),
        since=wording.clock(missing.since, now=now),
        until=wording.clock(missing.until, now=now),
    )


def _named(missing: Missing) -> SafeString:
    """Which watches it concerns, the first of them by name."""
    if not missing.watches:
        return SafeString("")
    names = _joined(missing.watches[:NAMED])
    more = len(missing.watches) - NAMED
    if more > 0:
        words = ngettext("Watches: {names} and {n} more.", "Watches: {names} and {n} more.", more)
        return format_html(words, names=names, n=more)
    words = ngettext("Watch: {names}.", "Watches: {names}.", len(missing.watches))
    return format_html(words, names=names)


def _joined(names: Iterable[str]) -> SafeString:
    return format_html_join(pgettext("between words", ", "), "<bdi>{}</bdi>", ((name,) for name in names))


def _note(sentence: SafeString, named: SafeString) -> Note:
    words = format_html("{} {}", sentence, named) if named else sentence
    return Note(icon="history", bad=False, sentence=words, url="", label="")
