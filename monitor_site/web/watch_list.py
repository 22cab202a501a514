"""What the list of watches shows, as plain values."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, pgettext
from django.utils.translation import gettext_lazy as _

from monitor_site.marketplaces.breaker import BreakerView
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches import needs, queries, tagging
from monitor_site.watches.models import Tag, Watch
from monitor_site.watches.needs import Need, Summary
from monitor_site.watches.queries import Row
from monitor_site.watches.trigger_words import facts_of

from . import degraded, pictures
from .plan_words import plan_words, standing_of
from .query_filters import number
from .resting_words import ALWAYS, HOUR, MORNING, muted_words
from .watch_words import Health, Note, health, marketplace_title, note_of, price_words
from .watched import Watched, watched_by

SHOWN_NOTES = 4
LONGEST_SEARCH = 80
LONGEST_ID = 18
LONGEST_NAME = 40
MOST_TAGS = 200
ACTS: Mapping[str, "str | Promise"] = {
    "pause": _("Pause"),
    "resume": _("Resume"),
    "tag": _("Add tags"),
    "untag": _("Remove tags"),
    f"mute-{HOUR}": _("Mute for 1 hour"),
    f"mute-{MORNING}": _("Mute until tomorrow 08:00"),
    f"mute-{ALWAYS}": _("Mute until I say so"),
    "unmute": _("Unmute"),
    "delete": _("Delete"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A row with its words; ``picture`` is the address of the thumbnail here, ``stopped``: nothing checks it.

    ``muted`` says until when, and is empty otherwise; ``paced`` how often and why it is asked otherwise than wished.
    ``watched`` is how the listing of a listing watch stands.
    """

    row: Row
    health: Health
    picture: str
    words: str
    without: str
    limits: str
    runs_in_words: str
    stopped: bool
    muted: str
    tags: Sequence[Tag]
    watched: Watched | None = None
    paced: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One choice of a filter bar; ``count`` is ``None`` where nothing is counted."""

    label: str
    url: str
    current: bool
    count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Look(queries.Filters):
    """What a person asked the list for; ``page`` counts from 1."""

    page: int

    def address(self, **changes: Any) -> str:
        """The query string of this look with changes, without what is at its default."""
        wanted = {"state": self.state, "market": self.marketplace, "q": self.text, "sort": self.order, "tag": self.tag}
        wanted |= changes
        kept = {name: value for name, value in wanted.items() if value and value != "attention"}
        return f"?{urlencode(kept)}"


def look_of(query: QueryDict) -> Look:
    """Read a query string; what makes no sense is left out."""
    page = query.get("page", "1")
    state, order = query.get("state", ""), query.get("sort", "")
    return Look(
        state=state if state in {"needing", "paused"} else "",
        marketplace=plain_name(query.get("market")),
        text=query.get("q", "").replace("\x00", "").strip()[:LONGEST_SEARCH],
        order=order if order in queries.ORDERS else "attention",
        tag=number(query.get("tag")),
        page=int(page) if page.isdecimal() and 1 <= len(page) <= 4 else 1,
    )


def plain_name(text: str | None) -> str:
    """The name of a marketplace in a query string; empty for anything that cannot be one."""
    return text if text and text.isascii() and text.isidentifier() and len(text) <= LONGEST_NAME else ""


def line_of(
    row: Row,
    *,
    still: Mapping[str, BreakerView],
    tags: Sequence[Tag],
    watched: Watched | None = None,
    now: datetime,
) -> Line:
    """A row in words; ``still`` are the marketplaces that are not asked at the moment."""
    watch = row.watch
    ended = watched.end if watched else ""
    return Line(
        row=row,
        health=_health(row, still, watched),
        picture=pictures.address(row.picture, size=160) if row.picture else "",
        words=_words(watch),
        without=" ".join(f"-{word}" for word in watch.none_of),
        limits=watched.price if watched else price_words(watch),
        runs_in_words=_runs_in_words(row.ticks),
        stopped=bool(watch.paused_at)
        or ((bool(ended) or row.need in {Need.PLUGIN, Need.QUARANTINED}) and row.next_at is None),
        muted=muted_words(watch, now=now),
        tags=tags,
        watched=watched,
    )


def _health(row: Row, still: Mapping[str, BreakerView], watched: Watched | None) -> Health:
    """That a listing is over is said before how its last look went."""
    if watched and watched.end and not row.watch.paused_at:
        return Health(word=watched.end, tone="bad" if watched.bad else "muted")
    return health(row, still={name: state["reason"] for name, state in still.items()})


def _words(watch: Watch) -> str:
    if watch.is_of_listing:
        return " · ".join(facts_of(watch))
    return " ".join([*watch.must, " / ".join(watch.any_of)]).strip()


def _runs_in_words(ticks: tuple[str, ...]) -> str:
    counts = {"ok": ticks.count("ok"), "late": ticks.count("late"), "failed": ticks.count("fail")}
    return gettext("Last runs: %(ok)d on time, %(late)d late, %(failed)d failed") % counts


def choices_of(user: Any, look: Look, summary: Summary) -> dict[str, Any]:
    """What the list offers: filters, orders, and actions on many."""
    return {
        "segments": segments_of(look, summary),
        "orders": orders_of(look),
        "markets": markets_of(look, summary),
        "tags": tags_of(user, look),
        "without_text": look.address(q=""),
        "acts": ACTS,
    }


def segments_of(look: Look, summary: Summary) -> list[Segment]:
    """Which watches to show."""
    choices = (
        ("", pgettext("watches", "All"), summary.total),
        ("needing", gettext("Needs attention"), summary.needing),
        ("paused", pgettext("watches", "Paused"), summary.paused),
    )
    return [
        Segment(label=label, url=look.address(state=state), current=look.state == state, count=count)
        for state, label, count in choices
    ]


def markets_of(look: Look, summary: Summary) -> list[Segment]:
    """Which marketplaces can be chosen; none when there is only one."""
    if len(summary.marketplaces) < 2 and not look.marketplace:
        return []
    choices = [("", gettext("All marketplaces")), *((name, marketplace_title(name)) for name in summary.marketplaces)]
    return [
        Segment(label=label, url=look.address(market=name), current=look.marketplace == name) for name, label in choices
    ]


def orders_of(look: Look) -> list[Segment]:
    """How to sort them."""
    choices = (
        ("attention", gettext("Attention first")),
        ("name", gettext("By name")),
        ("newest", gettext("Newest first")),
    )
    return [Segment(label=label, url=look.address(sort=order), current=look.order == order) for order, label in choices]


def lines_of(
    *, user: Any, look: Look, now: datetime, zone: tzinfo, still: Mapping[str, BreakerView]
) -> tuple[list[Line], int]:
    """A page of lines, and how many fit these filters in all."""
    known = catalog().plugins
    found = queries.watches_of(user, now=now, known=known, filters=look)
    start = (max(look.page, 1) - 1) * queries.PAGE
    page = list(found[start : start + queries.PAGE + 1])
    rows = queries.rows(page[: queries.PAGE], now=now, zone=zone)
    counted = start + len(page) if page and len(page) <= queries.PAGE else found.order_by().count()
    return _lines(rows, still=still, now=now), counted


def _lines(rows: Sequence[Row], *, still: Mapping[str, BreakerView], now: datetime) -> list[Line]:
    tags = tagging.tags_by_watch([row.watch.pk for row in rows])
    standing, watched = standing_of(rows), watched_by([row.watch for row in rows], now=now)
    lines = [
        line_of(row, still=still, tags=tags[row.watch.pk], watched=watched.get(row.watch.pk), now=now) for row in rows
    ]
    return [replace(line, paced=plan_words(line.row, standing)) for line in lines]


def lines_by_id(user: Any, ids: Collection[int], *, now: datetime) -> list[Line]:
    """The lines of some watches of a user; those of others are not there."""
    found = queries.watches_of(user, now=now, known=catalog().plugins).filter(pk__in=ids)
    rows = queries.rows(found, now=now, zone=timezone.get_current_timezone())
    return _lines(rows, still=degraded.standing_still(), now=now)


def live_ids(query: QueryDict) -> list[int]:
    """The watches an open page asks news of: ``live=3,14``."""
    parts = query.get("live", "").split(",")[: queries.PAGE]
    return [int(part) for part in parts if part.isascii() and part.isdecimal() and len(part) <= LONGEST_ID]


def tags_of(user: Any, look: Look) -> list[Segment]:
    """Which tags can be chosen; none when the person has none."""
    tags = Tag.objects.of(user).order_by("key")
    found = [
        Segment(label=tag.name, url=look.address(tag=tag.pk), current=look.tag == tag.pk) for tag in tags[:MOST_TAGS]
    ]
    every = Segment(label=gettext("All tags"), url=look.address(tag=None), current=look.tag is None)
    return [every, *found] if found else []


def notes_of(*, user: Any, now: datetime, covered: Collection[str]) -> list[Note]:
    """The first lines of attention."""
    watches = needs.attention(user=user, now=now, known=catalog().plugins, covered=covered, limit=SHOWN_NOTES)
    return [note_of(watch) for watch in watches]
