"""The filters of the record: what there is to choose, and what is chosen, each to be taken away again."""

from typing import Any

from django.utils.translation import gettext, ngettext

from monitor_site.accounts.models import ActorKind, AuditKind

from .activity_query import DAYS, THINGS, Filters
from .activity_words import THINGS as THING_WORDS
from .query_filters import query_string


def choices() -> dict[str, Any]:
    """What the form offers."""
    return {
        "actors": ActorKind.choices,
        "kinds": AuditKind.choices,
        "things": [(name, THING_WORDS[name]) for name in THINGS],
        "days": [(days, days_words(days)) for days in DAYS],
    }


def days_words(days: int) -> str:
    """How far back."""
    return ngettext("the past day", "the past %(n)d days", days) % {"n": days}


def chips_of(filters: Filters) -> list[tuple[str, str]]:
    """Each filter in words, and the query without it; one object goes with its kind."""
    chosen = filters.values()
    return [(_words(name, value), query_string(_without(chosen, name))) for name, value in chosen.items()]


def _without(chosen: dict[str, Any], name: str) -> dict[str, Any]:
    gone = {"thing", "id"} if name == "thing" else {name}
    return {key: value for key, value in chosen.items() if key not in gone}


def _words(name: str, value: Any) -> str:
    if name in {"id", "q"}:
        return gettext("only this one") if name == "id" else str(value)
    known = {"actor": dict(ActorKind.choices), "kind": dict(AuditKind.choices), "thing": THING_WORDS}
    return days_words(value) if name == "days" else str(known[name][value])
