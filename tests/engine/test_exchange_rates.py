"""Rates of exchange come from the operator, by command or in the administration, or once a day from an address."""

import asyncio
import io
import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from monitor_site.accounts.exchange_rates import rates_in, set_rate, take_rates
from monitor_site.accounts.models import AuditEntry, ExchangeRate, User
from monitor_site.engine import exchange_rates, upkeep
from monitor_site.second_currency import BadRate, Rate
from tests.marketplaces.loopback import Loopback

pytestmark = pytest.mark.django_db

TABLE = {"amount": 1.0, "base": "JPY", "date": "2026-04-30", "rates": {"CNY": 0.048123, "USD": 0.0066, "XAU": 1}}
OF_EUROS = {"base": "EUR", "date": "2026-04-30", "rates": {"JPY": 170, "CNY": 8.16, "USD": 1.122}}


def known() -> dict[str, str]:
    return {row.currency: f"{row.per_yen.normalize():f}" for row in ExchangeRate.objects.all()}


def said(*words: str) -> str:
    out = io.StringIO()
    call_command("exchange_rate", *words, stdout=out)
    return out.getvalue().strip()


# ---- the command


def test_the_operator_says_what_a_yen_is_worth_and_it_is_written_down() -> None:
    assert said() == "No rate is known yet."
    assert said("cny", "0.048").startswith("1 JPY = 0.048 CNY, set by the operator, ")
    assert said("CNY", "0.05").startswith("1 JPY = 0.05 CNY")
    assert known() == {"CNY": "0.05"}
    assert said("CNY").startswith("1 JPY = 0.05 CNY")
    entry = AuditEntry.objects.order_by("-pk")[0]
    assert (entry.kind, entry.actor, entry.name, entry.act) == ("setting", "command", "exchange_rate", "change")
    assert (entry.before, entry.after) == ({"per_yen": "0.048"}, {"per_yen": "0.05"})
    assert said("CNY", "-") == "There is no rate for CNY any more."
    assert said("CNY", "-") == "There is no rate for CNY anyhow."
    assert known() == {}


@pytest.mark.parametrize(
    ("currency", "text", "why"),
    [
        ("CNY", "20.8", "One yen is not worth 20.8 CNY: it is something like 0.048"),
        ("CNY", "0", "One yen is not worth 0 CNY"),
        ("CNY", "0.000001", "not worth"),
        ("CNY", "nan", "is no rate: write what one yen is worth, such as 0.048"),
        ("CNY", "-0.048", "is no rate"),
        ("CNY", "0,048", "is no rate"),
        ("CNY", "1e-2", "is no rate"),
        ("CNY", "٠.٠٤٨", "is no rate"),
        ("CNY", "0.04.8", "is no rate"),
        ("CNY", "0.0" + "1" * 500, "is no rate"),
        ("CNY", "", "is no rate"),
        ("JPY", "1", "is no currency to choose here: CNY, TWD"),
        ("", "1", "is no currency"),
    ],
)
def test_nonsense_is_refused_with_a_sentence(currency: str, text: str, why: str) -> None:
    with pytest.raises(CommandError, match=why):
        call_command("exchange_rate", "--", currency, text)
    assert known() == {}


# ---- the administration


@pytest.fixture
def staff(client: Client, alice: User) -> Client:
    User.objects.update(is_staff=True, is_superuser=True)
    client.force_login(alice)
    return client


def test_staff_set_change_and_remove_a_rate_in_the_administration(staff: Client) -> None:
    page = "/admin/accounts/exchangerate/"
    staff.post(f"{page}add/", {"currency": "CNY", "per_yen": "0.048"})
    assert known() == {"CNY": "0.048"}
    ExchangeRate.objects.update(source="rates.example")
    staff.post(f"{page}CNY/change/", {"per_yen": "0.049"})
    assert (known(), ExchangeRate.objects.get().source) == ({"CNY": "0.049"}, "")
    refused = staff.post(f"{page}CNY/change/", {"per_yen": "20.4"}).content.decode()
    assert "One yen is not worth 20.4 CNY" in refused
    assert staff.get(page).status_code == 200
    staff.post(f"{page}CNY/delete/", {"post": "yes"})
    assert known() == {}
    acts = AuditEntry.objects.filter(thing="exchange_rate").order_by("pk").values_list("act", "actor", "name")
    assert list(acts) == [(act, "person", "alice") for act in ("make", "change", "remove")]


# ---- an answer


@pytest.mark.parametrize("told", [TABLE, OF_EUROS])
def test_a_table_is_read_whatever_it_is_based_on(told: dict[str, Any], now: datetime) -> None:
    rates = {one.currency: one for one in rates_in(json.dumps(told).encode(), source="rates.example", now=now)}
    assert rates["CNY"].per_yen == Decimal("0.048123" if told is TABLE else "0.048")
    assert rates["USD"].per_yen == Decimal("0.0066")
    assert (rates["CNY"].at, rates["CNY"].source) == (datetime(2026, 4, 30, tzinfo=UTC), "rates.example")
    assert ("EUR" in rates) == (told is OF_EUROS)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"null",
        b"\xff",
        b"{}",
        b"[" * 100_000,
        json.dumps(TABLE | {"base": "EUR"}).encode(),
        json.dumps(TABLE | {"date": "yesterday"}).encode(),
        json.dumps(TABLE | {"date": "2026-05-02"}).encode(),
        json.dumps(TABLE | {"rates": []}).encode(),
        json.dumps(TABLE | {"rates": {"XAU": 1}}).encode(),
        json.dumps(TABLE | {"rates": {"CNY": "0.048"}}).encode(),
        json.dumps(TABLE | {"rates": {"CNY": None}}).encode(),
        json.dumps(TABLE | {"rates": {"CNY": float("nan")}}).encode(),
        json.dumps(TABLE | {"rates": {"CNY": 20.8, "USD": 0.0066}}).encode(),
        json.dumps(TABLE | {"rates": {"CNY": 0}}).encode(),
        json.dumps(OF_EUROS | {"rates": {"JPY": 0, "CNY": 8}}).encode(),
        json.dumps(TABLE).replace("0.048123", "1e999999999").encode(),
    ],
)
def test_an_answer_that_is_no_table_is_refused_whole(body: bytes, now: datetime) -> None:
    with pytest.raises(BadRate):
        rates_in(body, source="rates.example", now=now)


def test_an_answer_older_than_what_is_known_changes_nothing(now: datetime) -> None:
    set_rate(rate=Rate(currency="CNY", per_yen=Decimal("0.05"), at=now), now=now)
    rates = rates_in(json.dumps(TABLE).encode(), source="rates.example", now=now)
    assert take_rates(rates=rates, now=now) == 1
    assert known() == {"CNY": "0.05", "USD": "0.0066"}


# ---- the address


@pytest.fixture
def source(settings: Any) -> Iterator[Loopback]:
    """A server near by, which the operator allows."""
    server, loop = Loopback(), asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    listener = asyncio.run_coroutine_threadsafe(asyncio.start_server(server.serve, "127.0.0.1", 0), loop).result()
    server.port = listener.sockets[0].getsockname()[1]
    settings.ALERT_NETWORKS = ["127.0.0.1/32"]
    settings.EXCHANGE_RATES_URL = f"{server.base}/latest?key=hidden"
    yield server
    asyncio.run_coroutine_threadsafe(_ended(listener), loop).result()
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


async def _ended(listener: asyncio.Server) -> None:
    """Nobody is served any more, and nobody is left half served."""
    listener.close()
    serving = asyncio.all_tasks() - {asyncio.current_task()}
    for task in serving:
        task.cancel()
    await asyncio.gather(*serving, return_exceptions=True)


def answers(server: Loopback, body: bytes, status: int = 200, **headers: str) -> None:
    server.answer("/latest?key=hidden", body, status=status, **headers)


def test_without_an_address_nobody_asks(settings: Any, now: datetime) -> None:
    assert settings.EXCHANGE_RATES_URL == ""
    assert not upkeep.TASKS["rates"].may_run(now)
    assert upkeep.TASKS["rates"].every_seconds == 24 * 3600


def test_rates_are_loaded_from_the_address_of_the_operator(source: Loopback, now: datetime) -> None:
    answers(source, json.dumps(TABLE).encode())
    assert upkeep.TASKS["rates"].may_run(now)
    upkeep.TASKS["rates"].run(now)
    assert known() == {"CNY": "0.048123", "USD": "0.0066"}
    assert {row.source for row in ExchangeRate.objects.all()} == {"127.0.0.1"}
    assert AuditEntry.objects.filter(thing="exchange_rate", actor="system").count() == 2
    upkeep.TASKS["rates"].run(now + timedelta(days=1))
    assert AuditEntry.objects.filter(thing="exchange_rate").count() == 2


@pytest.mark.parametrize(
    ("status", "body", "why"),
    [
        (200, b"<html>", "is no table of rates"),
        (500, b"{}", "answers 500"),
        (302, b"", "answers 302"),
        (200, b" " * (exchange_rates.LARGEST + 1), "more than a table"),
    ],
)
def test_an_unreadable_answer_keeps_the_last_rate(
    source: Loopback, now: datetime, status: int, body: bytes, why: str
) -> None:
    set_rate(rate=Rate(currency="CNY", per_yen=Decimal("0.05"), at=now - timedelta(days=3)), now=now)
    answers(source, body, status, location=f"{source.base}/elsewhere")
    with pytest.raises(BadRate, match=why) as caught:
        exchange_rates.load_rates(now)
    assert "hidden" not in str(caught.value)
    assert known() == {"CNY": "0.05"}
    assert len(source.asked) == 1


@pytest.mark.parametrize(
    "address",
    ["http://169.254.169.254/latest", "https://127.0.0.1/", "https://localhost/", "file:///etc/passwd", "nonsense",
     "https://user:hidden@rates.example/", "http://93.184.216.34/", "https://testserver/"],
)  # fmt: skip
def test_an_address_that_leads_home_is_not_asked(settings: Any, now: datetime, address: str) -> None:
    settings.ALLOWED_HOSTS = ["testserver"]
    settings.EXCHANGE_RATES_URL = address
    with pytest.raises(BadRate, match="EXCHANGE_RATES_URL") as caught:
        exchange_rates.load_rates(now)
    assert "hidden" not in str(caught.value)
