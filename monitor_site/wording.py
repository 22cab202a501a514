"""Money, moments and durations as people read them in their language. Pure but for the active language and zone."""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext, pgettext

from monitor_site.contract import digits_of

MINUTE, HOUR, DAY = 60, 3600, 86_400
JAPAN = ZoneInfo("Asia/Tokyo")
YEN = "JPY"
SIGNS = {"CNY": "CN¥", "EUR": "€", "GBP": "£", "HKD": "HK$", "KRW": "₩", "TWD": "NT$", "USD": "US$"}


def money(amount: int | None, currency: str = YEN) -> str:
    """Minor units as people write them: ``¥48,000`` in English, ``48,000円`` in Chinese and Japanese, ``€1,226.00``.

    Grouped by hand: Django would print no groups under zh-hans. ``None`` is an unknown price, and says so.
    """
    if amount is None:
        return pgettext("price", "unknown")
    if currency == YEN:
        return pgettext("yen", "¥%(amount)s") % {"amount": figure(amount, currency)}
    sign = SIGNS.get(currency, f"{currency}\N{NO-BREAK SPACE}")
    return f"{sign}{figure(amount, currency)}"


def figure(amount: int, currency: str) -> str:
    """The same without a sign: thousands grouped by commas, a point before the fraction."""
    digits = digits_of(currency)
    whole, fraction = divmod(amount, 10**digits)
    return f"{whole:,}.{fraction:0{digits}}" if digits else f"{whole:,}"


def limits(
    low: int | None, high: int | None, currency: str = YEN, *, written: Callable[[int | None, str], str] = money
) -> str:
    """The limits of a price in minor units."""
    if low and high is not None:
        return gettext("%(low)s to %(high)s") % {"low": written(low, currency), "high": written(high, currency)}
    if high is not None:
        return gettext("≤ %(price)s") % {"price": written(high, currency)}
    return gettext("≥ %(price)s") % {"price": written(low, currency)} if low else gettext("any price")


def exact(moment: datetime) -> str:
    """The full stamp with seconds, in the active zone."""
    local = timezone.localtime(moment)
    return f"{date_format(local, 'DATE_FORMAT')} {local:%H:%M:%S}"


def ago(moment: datetime, *, now: datetime) -> str:
    """How long ago: relative within an hour, the clock within two days, else the date."""
    seconds = max(0, int((now - moment).total_seconds()))
    if seconds < 2:
        return gettext("just now")
    if seconds < MINUTE:
        return gettext("%(n)s s ago") % {"n": seconds}
    if seconds < HOUR:
        return gettext("%(n)s min ago") % {"n": seconds // MINUTE}
    return _clock_or_date(moment, now)


def clock_after_an_hour(moment: datetime, *, now: datetime) -> str:
    """What an open page writes once :func:`ago` is no longer relative; empty when it is not already."""
    return date_format(timezone.localtime(moment), "TIME_FORMAT") if now - moment < timedelta(hours=1) else ""


def _clock_or_date(moment: datetime, now: datetime) -> str:
    local, today = timezone.localtime(moment), timezone.localtime(now).date()
    if local.date() == today:
        return date_format(local, "TIME_FORMAT")
    if local.date() == today - timedelta(days=1):
        return gettext("yesterday %(time)s") % {"time": date_format(local, "TIME_FORMAT")}
    return date_format(local, "SHORT_DATETIME_FORMAT" if local.year == today.year else "DATE_FORMAT")


def until(moment: datetime, *, now: datetime, least: int = 1) -> str:
    """How long until then; what is due, over, or less than ``least`` seconds away is due any moment."""
    seconds = int((moment - now).total_seconds())
    if seconds < least:
        return gettext("any moment")
    if seconds < MINUTE:
        return gettext("in %(n)s s") % {"n": seconds}
    if seconds < HOUR:
        return gettext("in %(n)s min") % {"n": seconds // MINUTE}
    if seconds < 2 * DAY:
        return gettext("in %(n)s h") % {"n": seconds // HOUR}
    return gettext("in %(n)s d") % {"n": seconds // DAY}


def countdown(moment: datetime, *, now: datetime) -> str:
    """The time left as a clock: ``12:36``, ``1:48:02``, above a day ``1 d 3 h``; what is over stays at ``00:00``."""
    seconds = max(0, int((moment - now).total_seconds()))
    hours, minutes = seconds // HOUR, f"{seconds % HOUR // MINUTE:02}:{seconds % MINUTE:02}"
    if hours < 24:
        return f"{hours}:{minutes}" if hours else minutes
    return f"{gettext('%(n)s d') % {'n': hours // 24}} {gettext('%(n)s h') % {'n': hours % 24}}"


def end(moment: datetime, *, now: datetime) -> str:
    """When something ends, on the reader's clock; with Japan's beside it when that shows another time."""
    here, there = timezone.localtime(moment), timezone.localtime(moment, JAPAN)
    today = timezone.localtime(now).date()
    text = _day_and_clock(here, today)
    if here.utcoffset() == there.utcoffset():
        return text
    facts = {"time": text, "japan": _day_and_clock(there, here.date())}
    return gettext("%(time)s (Japan %(japan)s)") % facts


def clock(moment: datetime, *, now: datetime) -> str:
    """A time to come on the reader's clock, with its day when that is not today."""
    return _day_and_clock(timezone.localtime(moment), timezone.localtime(now).date())


def _day_and_clock(local: datetime, today: date) -> str:
    return date_format(local, "TIME_FORMAT" if local.date() == today else "SHORT_DATETIME_FORMAT")


def duration(seconds: float) -> str:
    """The two largest units: ``45 s``, ``1 min 30 s``, ``1 d 3 h``."""
    whole = int(seconds)
    units = [
        (whole // DAY, gettext("%(n)s d")),
        (whole % DAY // HOUR, gettext("%(n)s h")),
        (whole % HOUR // MINUTE, gettext("%(n)s min")),
        (whole % MINUTE, gettext("%(n)s s")),
    ]
    while len(units) > 1 and not units[0][0]:
        units.pop(0)
    return " ".join(text % {"n": n} for n, text in units[:2] if n or len(units) == 1)


def milliseconds(value: int) -> str:
    """``412 ms`` below a second, ``2.6 s`` below ten, whole units above."""
    if abs(value) < 1000:
        return gettext("%(n)s ms") % {"n": value}
    if abs(value) < 10_000:
        return gettext("%(n)s s") % {"n": f"{value / 1000:.1f}"}
    return duration(value / 1000)


def for_scripts() -> dict[str, str]:
    """The sentences that pages write themselves while time goes on; ``%(n)s`` is the figure."""
    return {
        **_times_for_scripts(),
        "on": gettext("Live"),
        "wait": gettext("Connecting"),
        "out": gettext("Signed out"),
        "lost": gettext("The connection is lost. What is new comes when it is back."),
        "late": gettext("%(n)s late"),
        "off": gettext("Offline"),
        "old": gettext("data %(n)s old"),
        "paused": gettext("Paused"),
        "polling": gettext("Every 10 s"),
        "full": gettext("Live in too many tabs"),
        "one": gettext("1 new match"),
        "many": gettext("%(n)s new matches"),
        "failed": gettext("That did not work. Please try again."),
        "copied": gettext("Copied"),
    }


def _times_for_scripts() -> dict[str, str]:
    return {
        "now": gettext("just now"),
        "ago_s": gettext("%(n)s s ago"),
        "ago_m": gettext("%(n)s min ago"),
        "due": gettext("any moment"),
        "in_s": gettext("in %(n)s s"),
        "in_m": gettext("in %(n)s min"),
        "in_h": gettext("in %(n)s h"),
        "in_d": gettext("in %(n)s d"),
        "s": gettext("%(n)s s"),
        "h": gettext("%(n)s h"),
        "d": gettext("%(n)s d"),
    }
