"""What is kept of a person: taken away in one file, and ended when they go."""

import io
import json
import zipfile
from datetime import datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from monitor_site.accounts.models import AuditEntry, User
from monitor_site.alerts import feeding
from monitor_site.alerts.models import Channel, Feed, FeedKind
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.purchasing.models import Cancellation, Order, Switch
from monitor_site.purchasing.transitions import HELD
from monitor_site.watches import noting
from monitor_site.watches.models import Watch
from tests.alerts.rows import channel_of
from tests.marketplaces.keys import account
from tests.purchasing.rows import budget_of, order_of
from tests.web.rows import listing, match, watch_of

from .factor_rows import app_of
from .test_proving import grow_old

pytestmark = pytest.mark.usefixtures("redis")

MINE, CLOSE = "/settings/mine.zip", "/settings/close/"
SURE = {"sure": "yes"}


@pytest.fixture
def hers(client: Client, alice: User, now: datetime) -> Client:
    """Alice, with one of everything."""
    watch = watch_of(alice, now=now, name="Lumina")
    found = match(watch, 1, now=now, listing_title="=ルミナ T2")
    noting.write_note(user=alice, listing=found.listing, text="Ask first", now=now)
    channel_of(alice, now=now, name="Phone")
    feeding.create_feed(user=alice, wish=feeding.Wish(kind=FeedKind.ALL, name="Reader"), now=now)
    budget_of(alice, now=now, name="Camera", watches=[watch])
    account(now, user=alice, label="Hers", secrets={"token": "a-secret-of-hers"})
    order_of(alice, now=now, listing=found.listing, state="awaiting_approval")
    client.force_login(alice)
    return client


def files(answer: Any) -> dict[str, list[dict[str, Any]]]:
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        return {name: json.loads(archive.read(name)) for name in archive.namelist()}


def test_everything_of_ones_own_is_in_one_file(hers: Client) -> None:
    answer = hers.get(MINE)
    found = files(answer)
    assert answer["Content-Disposition"].startswith('attachment; filename="alice.zip"')
    assert found["person.json"][0]["username"] == "alice"
    assert found["watches.json"][0]["name"] == "Lumina"
    assert found["matches.json"][0]["listing__title"] == "=ルミナ T2"
    assert found["notes.json"][0]["text"] == "Ask first"
    assert (found["budgets.json"][0]["name"], found["channels.json"][0]["name"]) == ("Camera", "Phone")
    assert (found["feeds.json"][0]["name"], found["marketplace-accounts.json"][0]["label"]) == ("Reader", "Hers")
    assert found["orders.json"][0]["state"] == "awaiting_approval"
    assert found["activity.json"]
    assert found["ledger.json"] == []


def test_no_secret_and_nothing_sealed_is_in_it(hers: Client, alice: User) -> None:
    channel, feed, kept = Channel.objects.get(), Feed.objects.get(), MarketplaceAccount.objects.get()
    text = json.dumps(files(hers.get(MINE)))
    for secret in ("a-secret-of-hers", str(channel.sealed), str(kept.sealed), feed.digest, alice.password):
        assert secret
        assert secret not in text


def test_another_persons_file_has_nothing_of_it_and_a_stranger_gets_none(
    hers: Client, client: Client, bob: User
) -> None:
    client.force_login(bob)
    found = files(client.get(MINE))
    assert [name for name, rows in found.items() if rows] == ["person.json"]
    assert found["person.json"][0]["username"] == "bob"
    client.logout()
    for page in (MINE, CLOSE):
        assert client.get(page)["Location"].startswith("/accounts/login/")


@pytest.mark.parametrize("page", [MINE, CLOSE])
def test_who_left_the_screen_alone_proves_first(hers: Client, page: str) -> None:
    grow_old(hers)
    assert hers.get(page)["Location"].startswith("/accounts/prove/")
    assert hers.post(page, SURE).status_code in {302, 405}
    assert User.objects.get().is_active


def test_the_page_says_what_would_happen_and_changes_nothing(hers: Client, alice: User, now: datetime) -> None:
    order_of(alice, now=now, listing=listing(5, now=now, title="On its way"), state="shipped", paid=900)
    text = hers.get(CLOSE, headers={"accept-language": "en"}).content.decode()
    assert "1 proposal that waits for your answer is cancelled" in text
    assert "On its way" in text
    assert "Close my account" in text
    hers.post(CLOSE, {"sure": "perhaps"})
    assert User.objects.get().is_active


def test_closing_stops_forgets_and_shuts_and_keeps_what_must_be_checked_later(
    hers: Client, client: Client, alice: User
) -> None:
    app_of(alice)
    answer = hers.post(CLOSE, SURE)
    assert answer["Location"] == "/accounts/login/"
    alice.refresh_from_db()
    assert (alice.is_active, alice.has_usable_password()) == (False, False)
    assert Watch.objects.get().paused_at is not None
    for kind in (Channel, Feed, MarketplaceAccount):
        assert not kind.objects.exists()
    assert not alice.authenticator_set.exists()
    assert (Order.objects.get().state, Order.objects.get().reason) == ("cancelled", "closed")
    assert Switch.objects.get(user=alice).stopped_at is not None
    entry = AuditEntry.objects.get(act="close")
    assert (entry.kind, entry.user_id, entry.name) == ("security", alice.pk, "alice")
    assert client.get("/matches/").status_code == 302
    login = {"login": "alice", "password": "alices-password"}
    assert client.post("/accounts/login/", login).status_code == 200


def test_a_session_elsewhere_ends_with_it(hers: Client, alice: User) -> None:
    elsewhere = Client()
    elsewhere.force_login(alice)
    hers.post(CLOSE, SURE)
    assert elsewhere.get("/matches/").status_code == 302


@pytest.mark.parametrize("state", sorted(HELD))
def test_it_stays_open_while_money_is_held_or_an_outcome_unknown(
    hers: Client, alice: User, now: datetime, state: str
) -> None:
    order = order_of(alice, now=now, listing=listing(7, now=now, title="Not settled"), state=state)
    page = hers.get(CLOSE, headers={"accept-language": "en"}).content.decode()
    assert reverse("order", args=[order.public_id]) in page
    assert ">Close my account" not in page
    answer = hers.post(CLOSE, SURE, follow=True, headers={"accept-language": "en"})
    assert "Nothing was closed" in answer.content.decode()
    assert User.objects.get().is_active
    assert Watch.objects.get().paused_at is None
    assert Channel.objects.exists()
    assert not Switch.objects.filter(user=alice, stopped_at__isnull=False).exists()


@pytest.mark.parametrize(("outcome", "stays"), [("asked", True), ("open", True), ("unknown", True), ("refused", False)])
def test_it_stays_open_while_nobody_knows_whether_a_purchase_was_cancelled(
    hers: Client, alice: User, now: datetime, outcome: str, stays: bool
) -> None:
    order = order_of(alice, now=now, listing=listing(7, now=now), state="placed")
    Cancellation.objects.create(order=order, epoch=1, actor="person", outcome=outcome, asked_at=now)
    hers.post(CLOSE, SURE)
    assert User.objects.get().is_active is stays


def test_the_only_administrator_stays(hers: Client, bob: User) -> None:
    User.objects.filter(username="alice").update(is_superuser=True)
    hers.post(CLOSE, SURE)
    assert User.objects.get(username="alice").is_active
    User.objects.filter(username="bob").update(is_superuser=True)
    hers.post(CLOSE, SURE)
    assert not User.objects.get(username="alice").is_active


def test_closing_ends_nothing_of_anybody_else(hers: Client, bob: User, now: datetime) -> None:
    watch_of(bob, now=now, name="His")
    channel_of(bob, now=now, name="His phone")
    order_of(bob, now=now, listing=listing(9, now=now), state="unknown")
    hers.post(CLOSE, SURE)
    assert not User.objects.get(username="alice").is_active
    assert User.objects.get(username="bob").is_active
    assert Watch.objects.get(name="His").paused_at is None
    assert Channel.objects.get().name == "His phone"
    assert Order.objects.get(user=bob).state == "unknown"
