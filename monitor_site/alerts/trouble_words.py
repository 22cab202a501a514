"""What troubles say, in the active language: what is wrong, what it does to a person's watches, when it is to end."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import get_language, gettext, gettext_lazy, ngettext, pgettext_lazy

from monitor_site import wording
from monitor_site.marketplaces.catalog import catalog
from monitor_site.marketplaces.named import ERRORS

from .escaping import tame
from .models import TroubleKind
from .telling import CHANNEL_TROUBLE, SPEED_TROUBLE

Facts = Mapping[str, Any]
BEGAN: Mapping[str, "str | Promise"] = {
    TroubleKind.MARKETPLACE: gettext_lazy("%(marketplace)s is not asked at the moment: %(reason)s"),
    TroubleKind.ACCOUNT: gettext_lazy("The account at %(marketplace)s is not used at the moment: %(reason)s"),
    TroubleKind.MACHINE: gettext_lazy("The machine %(host)s is busy (%(level)s)"),
    TroubleKind.LATENESS: gettext_lazy("Checks are late, the latest by %(age)s"),
    TroubleKind.PROMOTER: gettext_lazy("No promoter is alive, so nothing is checked"),
}
OF_OURSELVES: Mapping[str, "str | Promise"] = {
    CHANNEL_TROUBLE: gettext_lazy(
        "The channel “%(channel)s” delivers nothing any more. What it should have told comes here."
    ),
    SPEED_TROUBLE: gettext_lazy(
        "All your spending is paused: five orders within ten minutes are more than anybody expects."
    ),
}
OVER: Mapping[str, "str | Promise"] = {
    TroubleKind.MARKETPLACE: gettext_lazy("%(marketplace)s is asked again"),
    TroubleKind.ACCOUNT: gettext_lazy("The account at %(marketplace)s is used again"),
    TroubleKind.MACHINE: gettext_lazy("The machine %(host)s has time again"),
    TroubleKind.LATENESS: gettext_lazy("Checks are on time again"),
    TroubleKind.PROMOTER: gettext_lazy("A promoter is alive again, and checks go on"),
}
OTHER = gettext_lazy("Something needs you.")
LEVELS: Mapping[str, "str | Promise"] = {
    "careful": pgettext_lazy("load of a machine", "careful"),
    "shedding": pgettext_lazy("load of a machine", "shedding"),
}


def headline(facts: Facts) -> str:
    """What is wrong with one of our own parts, or that it is well again."""
    kind = str(facts.get("trouble"))
    sentence = OF_OURSELVES.get(kind) or (OVER if facts.get("over") else BEGAN).get(kind, OTHER)
    return str(sentence) % _values(facts)


def _values(facts: Facts) -> dict[str, Any]:
    marketplace, reason = str(facts.get("marketplace", "")), str(facts.get("reason", ""))
    return {
        "channel": tame(str(facts.get("channel", ""))),
        "marketplace": catalog().title(marketplace, get_language() or "") if marketplace else "",
        "reason": ERRORS.get(reason) or reason,
        "host": tame(str(facts.get("host", ""))),
        "level": LEVELS.get(str(facts.get("level", "")), ""),
        "age": wording.duration(facts.get("oldest_seconds", 0)),
    }


def lines(facts: Facts, *, at: datetime) -> list[str]:
    """What it does to the reader's watches, and until when; ``at`` is when it was noted."""
    told = OVER_LINES if facts.get("over") else LINES.get(str(facts.get("trouble")), ())
    return [line for say in told for line in say(facts, at)]


def _waiting(facts: Facts, _at: datetime) -> Iterator[str]:
    if n := facts.get("watches"):
        yield ngettext("%(n)d of your watches waits", "%(n)d of your watches wait", n) % {"n": n}


def _next_try(facts: Facts, at: datetime) -> Iterator[str]:
    if until := facts.get("until"):
        yield gettext("next try at %(time)s") % {"time": wording.clock(datetime.fromisoformat(until), now=at)}


def _act(_facts: Facts, _at: datetime) -> Iterator[str]:
    yield gettext("Please see to the account at the marketplace, or replace what it signs in with.")


def _load(facts: Facts, _at: datetime) -> Iterator[str]:
    yield gettext("processors %(cpu)d %%, memory %(memory)d %%") % {"cpu": facts["cpu"], "memory": facts["memory"]}
    yield gettext("Searches give way while something is late; orders and alerts do not.")


def _overdue(facts: Facts, _at: datetime) -> Iterator[str]:
    n = facts.get("overdue", 0)
    yield ngettext("%(n)d search waits", "%(n)d searches wait", n) % {"n": n}
    yield gettext("The page “Operations” says what holds them up.")


def _nobody(_facts: Facts, _at: datetime) -> Iterator[str]:
    yield gettext("What is due by then is checked as soon as one runs.")


def _lasted(facts: Facts, _at: datetime) -> Iterator[str]:
    since, seen = (datetime.fromisoformat(facts[name]) for name in ("since", "seen"))
    yield gettext("It lasted %(time)s.") % {"time": wording.duration((seen - since).total_seconds())}


def _going_on(facts: Facts, _at: datetime) -> Iterator[str]:
    if n := facts.get("watches"):
        yield ngettext("%(n)d of your watches goes on", "%(n)d of your watches go on", n) % {"n": n}


Say = Callable[[Facts, datetime], Iterator[str]]
LINES: Mapping[str, tuple[Say, ...]] = {
    TroubleKind.MARKETPLACE: (_waiting, _next_try),
    TroubleKind.ACCOUNT: (_waiting, _next_try, _act),
    TroubleKind.MACHINE: (_load,),
    TroubleKind.LATENESS: (_overdue,),
    TroubleKind.PROMOTER: (_nobody,),
}
OVER_LINES: tuple[Say, ...] = (_lasted, _going_on)
