"""When a person wishes to be asked for, checked and put into one form. Every refusal is a sentence."""

from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from .models.watches import DAY_MINUTES, LONGEST_CRON
from .times import FAR_MS, SOME_DAY, Trigger, is_cron, next_time, shortest_gap
from .wished_words import Errors

if TYPE_CHECKING:
    from .wishes import Wish

DAYS = range(7)
LONGEST_INTERVAL = 24 * 3600


def clean_times(wish: "Wish") -> dict[str, Any]:
    """Hours, days and cron in their one form; every day is the same as none. A cron says its interval itself."""
    days = tuple(sorted(set(wish.weekdays)))
    cron = " ".join(wish.cron.lower().split())
    told: dict[str, Any] = {"weekdays": () if days == tuple(DAYS) else days, "cron": cron}
    if len(cron) <= LONGEST_CRON and is_cron(cron):
        told["interval_seconds"] = min(shortest_gap(cron), LONGEST_INTERVAL)
    return told


def check_times(wish: "Wish", errors: Errors) -> None:
    """Hours, days, cron, and what goes with them."""
    _check_hours(wish, errors)
    if not set(wish.weekdays) <= set(DAYS):
        _add(errors, "weekdays", _("There is no such day."))
    if wish.cron:
        _check_cron(wish, errors)
    if wish.cron and not {"cron", "active_from", "active_to", "weekdays"} & set(errors):
        _check_meeting(wish, errors)


def _check_hours(wish: "Wish", errors: Errors) -> None:
    hours = (wish.active_from, wish.active_to)
    if hours.count(None) == 1:
        missing = "active_from" if wish.active_from is None else "active_to"
        _add(errors, missing, _("Please give both times, or leave both empty."))
    elif any(hour is not None and not 0 <= hour < DAY_MINUTES for hour in hours):
        _add(errors, "active_from", _("There is no such time of day."))
    elif wish.active_from is not None and wish.active_from == wish.active_to:
        _add(errors, "active_to", _("Both times are the same. For the whole day, leave both empty."))


def _check_cron(wish: "Wish", errors: Errors) -> None:
    if len(wish.cron) > LONGEST_CRON or not is_cron(wish.cron):
        sentence = _("Please write five columns that mean some time to come: minute, hour, day, month, weekday.")
        _add(errors, "cron", sentence)
    for name, odd in (("jitter", wish.jitter), ("adaptive", wish.adaptive)):
        if odd:
            _add(errors, name, _("This goes with an interval. Times written as cron are kept exactly."))


def _check_meeting(wish: "Wish", errors: Errors) -> None:
    """Some of the times must lie within the hours; all of them are on one clock, whichever it is."""
    own = Trigger(
        every=1, start=wish.active_from, end=wish.active_to, days=tuple(wish.weekdays), cron=wish.cron
    )  # fmt: skip
    after = round(SOME_DAY.timestamp() * 1000)
    if next_time([own.told()], key="0" * 64, after_ms=after) >= after + FAR_MS:
        _add(errors, "cron", _("None of these times lies within the hours and days given here."))


def too_near(floor: int) -> str:
    """The sentence for times that are nearer to each other than a marketplace allows."""
    sentence = ngettext(
        "Some of these times are nearer to each other than the %(n)d second that is allowed.",
        "Some of these times are nearer to each other than the %(n)d seconds that are allowed.",
        floor,
    )
    return sentence % {"n": floor}


def _add(errors: Errors, name: str, sentence: str) -> None:
    errors.setdefault(name, []).append(sentence)
