"""Marketplaces that cannot be asked as they should be, and what that does to a page: one note for all pages.

A marketplace is in trouble for a person while its breaker is open or being tried again, or when every question this
person asks it has failed several times in a row.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import redis
import structlog
from django.db.models import Count, F, Max, Min, QuerySet
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from monitor_site import wording
from monitor_site.connections import redis_client
from monitor_site.marketplaces import breaker
from monitor_site.marketplaces.breaker import BreakerView
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches.models import WatchTarget

from .watch_words import Note, error_words, marketplace_title

log = structlog.get_logger(__name__)

FAILING = 3
EFFECTS: Mapping[str, "str | Promise"] = {
    "matches": _("Results of {marketplace} since {since} are missing ({reason}); we try again {time}."),
    "auctions": _("Prices, bids and ends of {marketplace} are from {since} ({reason}); we try again {time}."),
    "listing": _("What you see of {marketplace} is from {since} ({reason}); we try again {time}."),
}
NEVER = _("What is new at {marketplace} comes late ({reason}); we try again {time}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """A marketplace of a person's active watches. ``until``: when it is asked again, ``None`` when nobody can say.

    ``since`` is the last good answer to this person, ``reason`` the code of an error, ``stopped`` an open breaker.
    """

    marketplace: str
    reason: str
    until: datetime | None
    since: datetime | None
    stopped: bool
    watches: int


def standing_still() -> dict[str, BreakerView]:
    """The marketplaces that are not asked at the moment; none when Redis cannot say."""
    return {name: view for name, view in _breakers(list(catalog().plugins)).items() if view["state"] == "open"}


def _breakers(names: list[str]) -> dict[str, BreakerView]:
    try:
        return breaker.read_all(redis_client(), names)
    except redis.RedisError as error:
        log.warning("web.breakers_unknown", error=str(error))
        return {}


def troubles_of(user: Any) -> list[Trouble]:
    """The marketplaces in trouble among those of a person's active watches, by name; one query."""
    rows = list(_asked(user))
    views = _breakers([row["name"] for row in rows])
    return [trouble for row in rows if (trouble := _trouble(row, views.get(row["name"])))]


def _asked(user: Any) -> QuerySet[WatchTarget, dict[str, Any]]:
    links = WatchTarget.objects.filter(watch__user=user, watch__paused_at=None)
    return (
        links.values(name=F("target__marketplace"))
        .annotate(
            watches=Count("watch", distinct=True),
            failures=Min("target__failures"),
            error=Max("target__last_error"),
            since=Max("target__succeeded_at"),
        )
        .order_by("name")
    )


def _trouble(row: Mapping[str, Any], view: BreakerView | None) -> Trouble | None:
    state = view["state"] if view else "closed"
    if state == "closed" and row["failures"] < FAILING:
        return None
    until = view["until"] if view and state == "open" else None
    return Trouble(
        marketplace=row["name"],
        reason=(view["reason"] if view and state != "closed" else "") or row["error"],
        until=datetime.fromisoformat(until) if until else None,
        since=row["since"],
        stopped=state == "open",
        watches=row["watches"],
    )


def notes_for(page: str, user: Any, *, marketplace: str = "") -> list[Note]:
    """One line a marketplace in trouble, with the effect on that page; ``marketplace`` narrows them to one."""
    found = troubles_of(user)
    return [_note(_effect(page, one)) for one in found if marketplace in {"", one.marketplace}]


def _effect(page: str, trouble: Trouble) -> SafeString:
    if trouble.since is None:  # nothing on the page is from there
        return format_html(str(NEVER), **_facts(trouble))
    now = timezone.now()
    since = wording.clock(trouble.since, now=now) if page == "matches" else wording.ago(trouble.since, now=now)
    return format_html(str(EFFECTS[page]), **_facts(trouble), since=since)


def notes_of_watches(user: Any) -> list[Note]:
    """The same on the list of watches, which tells of failing watches one by one: only who is not asked at all."""
    return [_note(_waiting(trouble)) for trouble in troubles_of(user) if trouble.stopped]


def _waiting(trouble: Trouble) -> SafeString:
    sentence = ngettext(
        "{marketplace} is not asked at the moment ({reason}). {count} watch waits; we try again {time}.",
        "{marketplace} is not asked at the moment ({reason}). {count} watches wait; we try again {time}.",
        trouble.watches,
    )
    return format_html(sentence, **_facts(trouble), count=trouble.watches)


def _facts(trouble: Trouble) -> dict[str, Any]:
    return {
        "marketplace": format_html("<b>{}</b>", marketplace_title(trouble.marketplace)),
        "reason": error_words(trouble.reason),
        "time": _when(trouble),
    }


def _when(trouble: Trouble) -> str:
    if trouble.until:
        return wording.until(trouble.until, now=timezone.now())
    return gettext("when the operator resumes it") if trouble.reason == breaker.PAUSED else gettext("soon")


def _note(sentence: SafeString) -> Note:
    return Note(icon="triangle-alert", bad=False, sentence=sentence, url="", label="")
