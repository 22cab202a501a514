"""What yen are worth in the currency that a reader thinks in: shown beside them as approximate, never reckoned with.

Whose rate holds is set at the door, as language and time zone are; processes without readers have none.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import cache

from asgiref.local import Local
from django.utils.formats import date_format
from django.utils.translation import gettext, gettext_noop, ngettext

from . import wording
from .contract import digits_of

OLD = timedelta(days=7)
TIMES_AT_MOST = 10
"""How far a rate may be from what is usual: a yen never became ten times dearer, a slip of the pen makes it so."""
EXACTLY_BELOW = 100
FIGURES = 3
LONGEST = 20
USUAL = {
    "CNY": Decimal("0.048"),
    "TWD": Decimal("0.21"),
    "HKD": Decimal("0.052"),
    "USD": Decimal("0.0067"),
    "EUR": Decimal("0.0058"),
    "GBP": Decimal("0.005"),
    "KRW": Decimal("9.4"),
    "SGD": Decimal("0.0087"),
}
"""What a yen is roughly worth in each currency there is to choose; good for telling nonsense, and for nothing else."""
# Translators: amounts as people write them, in Chinese and Japanese with the name of the currency behind.
WRITTEN = {
    "CNY": gettext_noop("CN¥%(amount)s"),
    "TWD": gettext_noop("NT$%(amount)s"),
    "HKD": gettext_noop("HK$%(amount)s"),
    "USD": gettext_noop("US$%(amount)s"),
    "EUR": gettext_noop("€%(amount)s"),
    "GBP": gettext_noop("£%(amount)s"),
    "KRW": gettext_noop("₩%(amount)s"),
    "SGD": gettext_noop("S$%(amount)s"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """What a yen is worth in ``currency``; ``source`` is the host it was loaded from, empty for one set by hand."""

    currency: str
    per_yen: Decimal
    at: datetime
    source: str = ""

    def is_old(self, *, now: datetime) -> bool:
        """It says little about today."""
        return now - self.at > OLD


class BadRate(ValueError):
    """A rate that cannot be one; its text is a sentence for the operator."""


def read_rate(currency: str, text: str) -> Decimal:
    """What a yen is worth, as an operator writes it. Raises :class:`BadRate`."""
    if currency not in USUAL:
        raise BadRate(f"{currency!r} is no currency to choose here: {', '.join(USUAL)}.")
    if len(text) > LONGEST or not text.isascii() or not text.replace(".", "", 1).isdigit():
        raise BadRate(f"{text[:LONGEST]!r} is no rate: write what one yen is worth, such as {USUAL[currency]}.")
    return sound_rate(currency, Decimal(text))


def sound_rate(currency: str, rate: Decimal) -> Decimal:
    """The rate as it is kept. Raises :class:`BadRate` for one that no yen was ever worth."""
    usual = USUAL[currency]
    if not rate.is_finite() or not usual / TIMES_AT_MOST <= rate <= usual * TIMES_AT_MOST:
        raise BadRate(f"One yen is not worth {rate:.9g} {currency}: it is something like {usual}.")
    return rate.quantize(Decimal("1e-9"), rounding=ROUND_HALF_UP)


_active = Local()


def activate(find: Callable[[], Rate | None], *, now: datetime) -> None:
    """From now on amounts are shown by the rate that ``find`` finds; asked once, and only when an amount is shown."""
    _active.find, _active.now = cache(find), now


def deactivate() -> None:
    """From now on there is no second currency."""
    _active.find = None


def active() -> Rate | None:
    """The rate that holds for the reader; ``None``: they want none, or nobody knows it."""
    find: Callable[[], Rate | None] | None = getattr(_active, "find", None)
    return find() if find else None


def converted(amount: int, rate: Rate) -> Decimal | None:
    """Yen in another currency: three figures below a hundred, whole units above; ``None`` for less than it divides."""
    worth = amount * rate.per_yen
    digits = 0 if abs(worth) >= EXACTLY_BELOW or not worth else FIGURES - 1 - worth.adjusted()
    shown = worth.quantize(Decimal(1).scaleb(-min(digits, digits_of(rate.currency))), rounding=ROUND_HALF_UP)
    return (shown if shown < EXACTLY_BELOW else shown.quantize(Decimal(1))) or None


def approximate(amount: int | None, currency: str = wording.YEN) -> str:
    """``≈ 2,304 元``; empty for what is unknown, nothing, or no yen, and for readers who want none."""
    if not amount or currency != wording.YEN or (rate := active()) is None:
        return ""
    if (shown := converted(amount, rate)) is None:
        return ""
    text = gettext(WRITTEN[rate.currency]) % {"amount": f"{shown:,}"}
    words = gettext("≈ %(amount)s, old rate") if rate.is_old(now=_active.now) else gettext("≈ %(amount)s")
    return words % {"amount": text}


def both(amount: int | None, currency: str = wording.YEN) -> str:
    """An amount, and beside it what it is about for the reader."""
    return f"{wording.money(amount, currency)} {approximate(amount, currency)}".rstrip()


def source_words() -> str:
    """By which rate amounts are shown to the reader; empty without one."""
    rate = active()
    return rate_words(rate, now=_active.now) if rate else ""


def rate_words(rate: Rate, *, now: datetime) -> str:
    """The rate, who says so, and of when it is."""
    known = {"rate": f"{rate.per_yen.normalize():f}", "currency": rate.currency, "source": rate.source}
    if rate.source:
        known["time"] = date_format(rate.at.astimezone(UTC), "DATE_FORMAT")
        words = gettext("1 JPY = %(rate)s %(currency)s, from %(source)s, %(time)s") % known
    else:
        known["time"] = wording.exact(rate.at)
        words = gettext("1 JPY = %(rate)s %(currency)s, set by the operator, %(time)s") % known
    return f"{words} · {_age_words(rate, now)}" if rate.is_old(now=now) else words


def _age_words(rate: Rate, now: datetime) -> str:
    days = (now - rate.at).days
    return ngettext("the rate is %(n)d day old", "the rate is %(n)d days old", days) % {"n": days}
