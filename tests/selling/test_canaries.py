"""Secrets that are put in once come out nowhere: logs at DEBUG, all of Redis, all of the database, pages, mails."""

import logging
from datetime import UTC, datetime, timedelta

import pytest
from django.core import mail
from django.db import connection
from django.urls import reverse

from monitor_site.marketplaces import services
from monitor_site.purchasing.models import Order
from monitor_site.purchasing.transitions import State
from plugins.mercari.practice.deals import SECRET as CLIENT_SECRET
from tests.alerts.rows import channel_of
from tests.selling.conftest import CANARY
from tests.web.factor_rows import app_of, code_of, recovery_of

pytestmark = pytest.mark.django_db(transaction=True)

CHANNEL = "whsec_Y2FuYXJ5LW9mLWEtY2hhbm5lbA"
PASSWORD, WRONG = "canary-of-a-password", "canary-of-a-slip"
PAGES = ("market-accounts", "orders", "approvals", "budgets", "channels", "watches", "security", "operations")


@pytest.fixture
def journey(shopper, client, alice, redis, caplog, capfd, monkeypatch):
    """Everything that can go wrong with an account and its orders, and what was seen of it on the way."""
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("LOG_LEVEL", "DEBUG")
    seen = Seen(shopper, client, redis)
    alice.set_password(PASSWORD)
    alice.is_staff = alice.is_superuser = True
    alice.save()
    seed, codes = app_of(alice), recovery_of(alice)
    channel_of(alice, now=datetime.now(UTC), secret=CHANNEL)
    seen.sign_in(alice, seed)
    seen.accounts()
    seen.orders()
    seen.pages()
    return seen, [CANARY, CLIENT_SECRET, CHANNEL, PASSWORD, WRONG, seed, *codes]


class Seen:
    """Goes the way of a person, and keeps what others could read."""

    def __init__(self, shopper, client, redis):
        self.shopper, self.client, self.redis = shopper, client, redis
        redis.config_set("rdbcompression", "no")
        self.texts: dict[str, list[str]] = {"redis": [], "database": [], "pages": [], "mails": []}

    def sign_in(self, person, seed):
        """A slip first, then right, with a code."""
        for password in (WRONG, PASSWORD):
            self.keep(self.client.post(reverse("account_login"), {"login": person.username, "password": password}))
        self.keep(self.client.post(reverse("mfa_authenticate"), {"code": "000000"}))
        self.keep(self.client.post(reverse("mfa_authenticate"), {"code": code_of(seed)}))
        assert self.client.session["_auth_user_id"] == str(person.pk)
        self.client.force_login(person)

    def accounts(self):
        """Tested while it does not work, then while it does."""
        for works in (False, True):
            self.shopper.market.do("buyer", name=CANARY, known=works, sign_out=True, reset=True)
            self.shopper.account.refresh_from_db()
            later = datetime.now(UTC) + timedelta(minutes=works)
            assert services.ask_for_test(account=self.shopper.account, now=later)
            self.shopper.run_lanes()
            self.shopper.account.refresh_from_db()
            assert bool(self.shopper.account.test_error) == (not works)
            self.look_around()

    def orders(self):
        """One is placed, one is refused, of one nobody knows the outcome."""
        rule, market, ends = self.shopper.rule("buy"), self.shopper.market, []
        lost, refused = {"kind": "lost", "seconds": 0}, {"kind": "failure", "code": "F0105"}
        for number, fault in enumerate((None, refused, lost), start=1):
            if fault:
                market.do("faults", route="purchase", count=1, **fault)
            ends.append(self.shopper.finds(rule, number).state)
            self.look_around()
        assert ends == [State.PLACED, State.REFUSED, State.UNKNOWN]
        self.shopper.all_holds()

    def pages(self):
        """Whatever shows accounts, orders and people, the admin's pages too."""
        account = self.shopper.account
        addresses = [reverse(name) for name in PAGES] + [reverse("market-account", args=[account.pk])]
        addresses += [reverse("order", args=[order.public_id]) for order in Order.objects.all()]
        addresses += [
            reverse("admin:marketplaces_marketplaceaccount_change", args=[account.pk]),
            reverse("admin:accounts_user_change", args=[account.user_id]),
        ]
        for address in addresses:
            answer = self.client.get(address, follow=True)
            assert answer.status_code == 200, address
            self.keep(answer)

    def keep(self, answer):
        self.texts["pages"].append(f"{answer.content.decode()} {answer.headers}")

    def look_around(self):
        """All keys of Redis, all rows of the database, all mails, at this moment."""
        self.texts["redis"] += [f"{key!r} {self.redis.dump(key)!r}" for key in self.redis.scan_iter(count=1000)]
        self.texts["database"] += rows()
        self.texts["mails"] += [f"{letter.subject} {letter.body} {letter.alternatives}" for letter in mail.outbox]


def rows():
    """Every value of every table as text."""
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            found += [repr([bytes(cell) if isinstance(cell, memoryview) else cell for cell in row]) for row in cursor]
    return found


def test_no_secret_is_anywhere_after_a_journey_with_failures(journey, caplog, capfd):
    seen, secrets = journey
    seen.look_around()
    out, err = capfd.readouterr()
    places = seen.texts | {"log": [caplog.text, out, err]}
    assert all(any(texts) for name, texts in places.items() if name != "mails")
    # What is no secret is found by the same search.
    assert any("shop-7" in text for text in places["database"])
    leaks = [
        (place, secret) for place, texts in places.items() for secret in secrets if any(secret in t for t in texts)
    ]
    assert leaks == []
