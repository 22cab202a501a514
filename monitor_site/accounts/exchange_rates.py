"""The rates of exchange that an operator sets or has loaded: one a currency, the last one that could be read."""

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from typing import Any

from django.db import transaction

from monitor_site import second_currency
from monitor_site.second_currency import USUAL, BadRate, Rate, sound_rate
from monitor_site.wording import YEN

from . import auditing
from .models import AuditKind, ExchangeRate


def rate_of(currency: str) -> Rate | None:
    """The rate of a currency; ``None`` when nobody has said it yet."""
    row = ExchangeRate.objects.filter(pk=currency).first()
    return None if row is None else Rate(currency=row.currency, per_yen=row.per_yen, at=row.at, source=row.source)


def begin_showing(user: Any, *, now: datetime) -> None:
    """From now on amounts are shown with what they are about in the person's second currency, if they want one."""
    second_currency.deactivate()
    if user.second_currency:
        second_currency.activate(partial(rate_of, user.second_currency), now=now)


@contextmanager
def shown_to(user: Any, *, now: datetime) -> Iterator[None]:
    """The same, within."""
    begin_showing(user, now=now)
    try:
        yield
    finally:
        second_currency.deactivate()


@transaction.atomic
def set_rate(*, rate: Rate, now: datetime) -> None:
    """From now on yen are shown by this rate; written down when it is another one."""
    rows = ExchangeRate.objects.select_for_update().filter(pk=rate.currency)
    former = rows.values_list("per_yen", flat=True).first()
    facts = {"per_yen": rate.per_yen, "source": rate.source, "at": rate.at}
    ExchangeRate.objects.update_or_create(currency=rate.currency, defaults=facts)
    before, after = {} if former is None else {"per_yen": _plain(former)}, {"per_yen": _plain(rate.per_yen)}
    _record("change" if before else "make", rate.currency, before=before, after=after, now=now)


@transaction.atomic
def forget_rate(*, currency: str, now: datetime) -> bool:
    """Nothing is shown in this currency until there is another rate; whether there was one."""
    former = ExchangeRate.objects.filter(pk=currency).values_list("per_yen", flat=True).first()
    ExchangeRate.objects.filter(pk=currency).delete()
    if former is not None:
        _record("remove", currency, before={"per_yen": _plain(former)}, after={}, now=now)
    return former is not None


def _plain(rate: Decimal) -> str:
    return f"{rate.normalize():f}"


def _record(act: str, currency: str, *, now: datetime, **change: Any) -> None:
    on = auditing.Thing(kind="exchange_rate", id=currency, words=currency)
    auditing.write(kind=AuditKind.SETTING, act=act, user_id=None, on=on, now=now, **change)


@transaction.atomic
def take_rates(*, rates: Iterable[Rate], now: datetime) -> int:
    """Keep those that are newer than what is known; how many."""
    known = dict(ExchangeRate.objects.values_list("currency", "at"))
    newer = [one for one in rates if one.currency not in known or known[one.currency] < one.at]
    for rate in newer:
        set_rate(rate=rate, now=now)
    return len(newer)


def rates_in(body: bytes, *, source: str, now: datetime) -> list[Rate]:
    """The rates of an answer such as ``{"base": "EUR", "date": "2026-11-27", "rates": {"JPY": 172.1, "CNY": 8.2}}``.

    One without a yen, a day or any currency of ours, or with one that cannot be, is no answer. Raises ``BadRate``.
    """
    try:
        told = json.loads(body, parse_float=Decimal, parse_int=Decimal)
        worth = {**told["rates"], str(told["base"]): Decimal(1)}
        at = _midnight(str(told["date"]), now)
        found = {name: sound_rate(name, worth[name] / worth[YEN]) for name in USUAL if name in worth}
    except BadRate:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        raise BadRate(f"What {source} answers is no table of rates ({type(error).__name__}).") from error
    if not found:
        raise BadRate(f"What {source} answers has none of {', '.join(USUAL)}.")
    return [Rate(currency=name, per_yen=rate, at=at, source=source) for name, rate in found.items()]


def _midnight(text: str, now: datetime) -> datetime:
    day = datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    if day > now:
        raise BadRate(f"A rate of {text} is of the future.")
    return day
