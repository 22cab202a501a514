"""Every address there is, walked by a stranger and by somebody else: a new one fails here until it has its place."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.contrib import admin
from django.forms.models import model_to_dict
from django.http import HttpResponse
from django.test import Client, override_settings
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import timezone

from monitor_site.accounts import auditing
from monitor_site.accounts.models import AuditEntry, User
from monitor_site.accounts.signin import make_token
from monitor_site.alerts import feeding
from monitor_site.alerts.models import Delivery, FeedKind, WatchAlerts
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.purchasing.models import Budget, BuyRule, LedgerEntry, Order, Stray, Switch
from monitor_site.watches import blocking, tagging
from monitor_site.watches.models import Match, Watch
from monitor_site.web import pictures

from ..alerts.rows import channel_of
from ..marketplaces.keys import account
from ..purchasing.rows import budget_of, order_of
from .factor_rows import passkey_of
from .rows import match, watch_of

pytestmark = pytest.mark.usefixtures("redis")

CANARY = "Canary"
# What another person gets there: a page of their own, or nothing.
OF_ONES_OWN = {
    "home", "matches", "matches-seen", "auctions", "watches", "watch-new", "watch-new-listing", "watch-bulk",
    "watch-preview", "why-not", "blocks", "block-phrase", "block-seller", "tags", "more", "events",
    "set-language-pref", "set-theme", "account_change_password", "account_set_password", "feeds", "channels",
    "preferences", "own-data", "account-close",
    "channel-choose", "channel-new", "approvals", "orders", "budgets", "budget-new", "budget-all", "spending-stop",
    "spending-resume", "prove", "proven", "account_reauthenticate", "mfa_reauthenticate", "mfa_reauthenticate_webauthn",
    "security", "mfa_index", "mfa_list_webauthn", "sessions-end", "mfa_activate_totp", "mfa_view_recovery_codes",
    "mfa_generate_recovery_codes", "mfa_add_webauthn", "market-accounts", "market-account-new", "mfa_deactivate_totp",
    "activity", "activity-csv", "activity-json", "orders-csv", "approvals-together", "approval-style",
    "orders-parcel",
}  # fmt: skip
OF_SOMEBODY = {
    "match-ignore", "match-restore", "match-snooze", "match-wake", "match-block", "listing", "listing-note",
    "listing-look", "listing-ignore", "listing-restore",
    "watch", "watch-runs", "watch-schedule", "watch-edit", "watch-pause", "watch-resume", "watch-check",
    "watch-delete", "watch-history", "watch-restore", "watch-mute", "watch-unmute", "watch-tags", "watch-copy",
    "watch-preview-of", "block-remove",
    "tag-rename", "tag-remove", "watch-prices", "decision", "decision-ignore", "decision-restore", "feed-rotate",
    "feed-revoke", "watch-alerts", "channel", "channel-remove", "channel-test", "channel-mute", "channel-unmute",
    "channel-default", "channel-rotate", "delivery-again", "watch-buying", "order", "order-approve", "order-decline",
    "order-extend", "order-bought", "order-not-bought", "order-again", "order-seen", "order-cancel", "order-unlearn",
    "order-received", "order-problem", "order-note",
    "stray-noted", "budget", "budget-remove", "mfa_edit_webauthn", "mfa_remove_webauthn", "market-account",
    "market-account-edit", "market-account-secrets", "market-account-caps", "market-account-test",
    "market-account-pause", "market-account-resume", "market-account-remove", "activity-row", "budget-ledger",
    "budget-holds",
}  # fmt: skip
OF_NOBODY = {
    "thumb", "sign-in-once", "account_login", "account_inactive", "account_reset_password", "favicon", "manifest",
    "healthz", "readyz", "metrics", "account_logout", "feed", "push-worker",
    "mfa_authenticate",
}  # fmt: skip
# What only staff get; for everybody else it is not there.
OF_STAFF = {"operations", "operate"}
HERS = ("watch", "thing", "seller", "tag", "phrase", "feed", "channel", "budget", "passkey", "account")
METHODS = ("get", "head", "post", "put", "patch", "delete", "options")


def patterns(found: list[Any] | None = None, head: str = "") -> Iterator[tuple[str, str]]:
    """Name and route of every address outside the administration."""
    for pattern in get_resolver().url_patterns if found is None else found:
        route = head + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield str(pattern.name), route
        elif isinstance(pattern, URLResolver) and pattern.app_name != "admin":
            yield from patterns(pattern.url_patterns, route)


ADDRESSES = dict(patterns())


@pytest.fixture
def hers(alice: User, now: datetime) -> Match:
    """A match of alice, with a watch, a listing and words that nobody else may read."""
    watch = watch_of(alice, now=now, name=f"{CANARY} watch", must=[f"{CANARY}word"])
    tagging.set_tags(watch=watch, names=[f"{CANARY} tag"])
    blocking.block_phrase(user=alice, phrase=f"{CANARY} phrase", now=now)
    wish = feeding.Wish(kind=FeedKind.WATCH, name=f"{CANARY} feed", watch=watch)
    feeding.create_feed(user=alice, wish=wish, now=now)
    channel = channel_of(alice, now=now, name=f"{CANARY} channel")
    Delivery.objects.create(channel=channel, state="dead", ended_at=now, due_at=now, created_at=now, words=CANARY)
    budget_of(alice, now=now, name=f"{CANARY} budget", watches=[watch])
    account_of_hers(alice, now)
    hers = match(watch, 1, now=now, listing_title=f"{CANARY} thing", listing_seller_name=f"{CANARY} seller")
    passkey_of(alice, name=f"{CANARY} passkey")
    account(now, user=alice, label=f"{CANARY} account", secrets={"token": f"{CANARY} secret"})
    asking = {"state": "awaiting_approval", "expires_at": timezone.now() + timedelta(hours=1)}
    order_of(alice, now=now, listing=hers.listing, watch=watch, price=hers.listing.price, **asking)
    return hers


def account_of_hers(user: User, now: datetime) -> None:
    """With a purchase that belongs to no order."""
    account = MarketplaceAccount.objects.create(user=user, marketplace="mercari", created_at=now, updated_at=now)
    Stray.objects.create(account=account, external_id=f"{CANARY} thing", number=f"{CANARY} stray", first_seen_at=now)


def written_by(hers: Match) -> AuditEntry:
    """An entry of her record."""
    on = auditing.Thing(kind="watch", id=hers.watch_id, words=f"{CANARY} watch")
    entry = auditing.write(kind="rule", act="pause", user_id=hers.user_id, on=on, now=timezone.now())
    assert entry is not None
    return entry


def ids(rows: Any) -> list[int]:
    return [row.pk for row in rows]


def public_id_of(route: str, hers: Match) -> str:
    if route.startswith("channels/"):
        return Delivery.objects.get(channel__user=hers.user).public_id
    return Order.objects.get(user=hers.user).public_id if route.startswith("orders/") else hers.public_id


def address_of(route: str, hers: Match) -> str:
    rows = {"listings/": [hers.listing], "blocks/": hers.user.blocks.all(), "tags/": hers.user.tags.all()}
    rows["channels/"] = hers.user.channels.all()
    rows["budgets/"] = hers.user.budgets.all()
    rows["orders/strays/"] = Stray.objects.filter(account__user=hers.user)
    rows["settings/feeds/"] = hers.user.feeds.all()
    rows["settings/security/"] = Authenticator.objects.filter(user=hers.user)
    rows["market-accounts/"] = hers.user.marketplace_accounts.all()
    number = next((pk for head, found in rows.items() if route.startswith(head) for pk in ids(found)), hers.watch_id)
    values = {
        "<int:pk>": number,
        "<str:public_id>": public_id_of(route, hers),
        "<str:row>": f"a{written_by(hers).pk}",
        "<str:kind>": "telegram",
        "<str:marketplace>": "bazaar",
        "<str:signed>": pictures.address("https://elsewhere.example/1.jpg", size=160).split("/")[3],
        "<int:size>": 160,
        "<str:token>": "x",
        "<str:secret>": "x",
        "<str:form>": "rss",
    }
    for place, value in values.items():
        route = route.replace(place, str(value))
    return f"/{route}"


def body_of(hers: Match) -> dict[str, Any]:
    """Whatever a form might carry, with her numbers."""
    ids = {"pk": hers.watch_id, "watch": hers.watch_id, "match": hers.pk, "public_id": hers.public_id}
    wish = {"name": "mine now", "must": "mine", "marketplaces": ["mercari"], "interval": "60", "lists": hers.watch_id}
    more = {"sure": "yes", "row": "1", "upto": hers.pk, "filters": f"watch={hers.watch_id}", "form_key": "k"}
    channel = {"for": "hour", "on": "0", "end": "1", "importance": "2", "to_chat_id": "1", "tells": "match"}
    money = {"seen": "0" * 64, "reason": "expensive", "paid": "1000", "then": "ask", "approval_minutes": "15"}
    channel |= money | {"watches": [hers.watch_id], "per_day": "1"}
    return ids | wish | more | channel | {"user": hers.user_id, "live": f"{hers.watch_id},{hers.listing_id}"}


def asked(client: Client, method: str, address: str, hers: Match) -> HttpResponse:
    query = f"watch={hers.watch_id}&live={hers.watch_id},{hers.listing_id}&after=0&q={CANARY}"
    data = body_of(hers) if method == "post" else None
    return getattr(client, method)(f"{address}?{query}" if method in {"get", "head"} else address, data)


def text_of(answer: HttpResponse) -> str:
    told = "".join(f"{name}: {value}\n" for name, value in answer.items())
    return told + ("" if answer.streaming else answer.content.decode("utf-8", "replace"))


def everything_of(user: User) -> list[Any]:
    watches = [model_to_dict(watch) for watch in Watch.objects.of(user)]
    kept = [*Match.objects.of(user), *user.tags.all(), *user.blocks.all(), *user.notes.all(), *user.feeds.all()]
    channels = [*user.channels.all(), *Delivery.objects.filter(channel__user=user)]
    wishes = [sorted(one.channels.values_list("pk")) for one in WatchAlerts.objects.filter(watch__user=user)]
    kept += [*Order.objects.of(user), *BuyRule.objects.filter(user=user), *Switch.objects.filter(user=user)]
    kept += [*LedgerEntry.objects.filter(order__user=user), *Stray.objects.filter(account__user=user)]
    kept += [*Authenticator.objects.filter(user=user), *user.marketplace_accounts.all()]
    budgets = [(one.name, one.per_day, sorted(one.watches.values_list("pk"))) for one in Budget.objects.of(user)]
    wishes = [*wishes, *budgets]
    return [
        *watches,
        *map(model_to_dict, [*kept, *channels]),
        wishes,
        [one.sealed for one in (*user.channels.all(), *user.marketplace_accounts.all())],
    ]


def test_every_address_has_its_place_here() -> None:
    named = [OF_ONES_OWN, OF_SOMEBODY, OF_NOBODY, OF_STAFF]
    assert set(ADDRESSES) == set().union(*named)
    assert sum(map(len, named)) == len(ADDRESSES)


@pytest.mark.parametrize("name", sorted(OF_ONES_OWN | OF_SOMEBODY | OF_STAFF))
def test_a_stranger_sees_and_changes_nothing(client: Client, hers: Match, name: str) -> None:
    before = everything_of(hers.user)
    for method in METHODS:
        answer = asked(client, method, address_of(ADDRESSES[name], hers), hers)
        assert answer.status_code in {302, 401, 403, 405}, method
        assert CANARY not in text_of(answer).replace(f"q%3D{CANARY}", "")
    assert everything_of(hers.user) == before


@pytest.mark.parametrize("name", sorted(OF_ONES_OWN | OF_SOMEBODY | OF_STAFF))
def test_another_person_sees_and_changes_nothing(client: Client, hers: Match, bob: User, name: str) -> None:
    client.force_login(bob)
    before = everything_of(hers.user)
    for method in METHODS:
        answer = asked(client, method, address_of(ADDRESSES[name], hers), hers)
        if name in OF_SOMEBODY | OF_STAFF and (name, method) != ("watch-delete", "post"):
            assert answer.status_code in {404, 405}, method
        shown = text_of(answer)
        for said in (f"{CANARY} {what}" for what in HERS):
            assert said not in shown
    assert everything_of(hers.user) == before


@pytest.mark.parametrize("name", sorted(OF_SOMEBODY))
def test_what_is_another_persons_looks_like_what_is_not_there(
    client: Client, hers: Match, bob: User, name: str
) -> None:
    client.force_login(bob)
    hers_there = address_of(ADDRESSES[name], hers)
    nothing = ADDRESSES[name].replace("<int:pk>", "987654321").replace("<str:public_id>", "nothing")
    for method in ("get", "post"):
        found, missing = (getattr(client, method)(way, body_of(hers)) for way in (hers_there, f"/{nothing}"))
        assert (found.status_code, found.get("Location")) == (missing.status_code, missing.get("Location"))


@pytest.mark.parametrize("name", sorted(ADDRESSES))
def test_no_form_is_taken_from_another_site(hers: Match, name: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(hers.user)
    before = everything_of(hers.user)
    answer = asked(client, "post", address_of(ADDRESSES[name], hers), hers)
    assert answer.status_code in {302, 403, 405} or name == "sign-in-once"
    if answer.status_code == 302:  # a sign-in and what redirects before it reads: nothing is done there
        assert name in {"account_login", "sign-in-once"}
    assert everything_of(hers.user) == before


@pytest.mark.parametrize("name", sorted(ADDRESSES))
def test_every_answer_forbids_what_browsers_guess(client: Client, hers: Match, name: str) -> None:
    client.force_login(hers.user)
    answer = asked(client, "get", address_of(ADDRESSES[name], hers), hers)
    assert_guarded(answer)


def assert_guarded(answer: HttpResponse) -> None:
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["X-Frame-Options"] == "DENY"
    assert answer["Cache-Control"]
    assert "default-src 'none'" in answer["Content-Security-Policy"]
    assert "unsafe" not in answer["Content-Security-Policy"]


@override_settings(ALLOWED_HOSTS=["shop.example"], SECURE_SSL_REDIRECT=True)
def test_refusals_and_errors_forbid_it_too(client: Client, alice: User) -> None:
    secure = {"secure": True, "headers": {"host": "shop.example"}}
    answers = [
        client.get("/matches/", headers={"host": "elsewhere.example"}),
        client.get("/matches/", headers={"host": "shop.example"}),
        client.get("/nowhere/", **secure),
        client.get("/healthz"),
        Client(enforce_csrf_checks=True).post("/accounts/login/", **secure),
        client.get("/admin/login/", **secure),
    ]
    client.force_login(alice)
    answers += [client.get("/admin/login/", **secure), client.get("/matches/seen/", **secure)]
    assert [answer.status_code for answer in answers] == [400, 301, 404, 200, 403, 302, 403, 405]
    for answer in answers:
        assert_guarded(answer)


ODD = ["%00", "%ff", "%0d%0aSet-Cookie:x", "..%2f", "9" * 5000, "٣", "<b>"]


@pytest.mark.parametrize("name", sorted(ADDRESSES))
def test_odd_paths_and_query_strings_break_nothing(client: Client, hers: Match, name: str) -> None:
    client.force_login(hers.user)
    for odd in ODD:
        route = ADDRESSES[name]
        for place in (
            "<int:pk>",
            "<str:public_id>",
            "<str:kind>",
            "<str:marketplace>",
            "<str:signed>",
            "<int:size>",
            "<str:token>",
            "<str:secret>",
            "<str:form>",
        ):
            route = route.replace(place, odd)
        asks = {"q": "\x00", "watch": odd, "page": odd, "before": odd, "after": "\x00", "live": odd, "since": odd}
        for query in (asks, asks | {"after": f"running.{'9' * 18}.1", "market": "\x00"}):
            # A test has no promoter: that it is not ready is true.
            assert client.get(f"/{route}", query).status_code < 500 + 4 * (name == "readyz")


@pytest.mark.parametrize("name", sorted(ADDRESSES))
def test_odd_forms_break_nothing(client: Client, hers: Match, name: str) -> None:
    client.force_login(hers.user)
    fields = {f"f{number}": "1" for number in range(2000)}
    odd = dict.fromkeys((*body_of(hers), "login", "password", "oldpassword", "next", "language"), "\x00" * 3)
    for data in (fields, odd, dict.fromkeys(odd, "9" * 400)):
        answer = client.post(address_of(ADDRESSES[name], hers), data)
        assert answer.status_code < 500


NEXT = [
    "https://elsewhere.example/", "//elsewhere.example", "\\\\elsewhere.example", "/\\elsewhere.example",
    "javascript:alert(1)", "http:///elsewhere.example", "https:elsewhere.example", " //elsewhere.example",
]  # fmt: skip


@pytest.mark.parametrize("target", NEXT)
def test_nobody_is_led_elsewhere(client: Client, alice: User, hers: Match, target: str) -> None:
    """By whatever takes a ``next``, before and after the sign-in."""
    login = {"login": "alice", "password": "alices-password"}
    answers = [client.post("/accounts/login/", login | {"next": target})]
    ways = ["/settings/language/", "/settings/theme/", f"/watches/{hers.watch_id}/pause/", "/accounts/login/"]
    answers += [client.post(way, {"next": target, "language": "en", "theme": "dark"}) for way in ways]
    for answer in answers:
        assert "elsewhere" not in answer.get("Location", "")
        assert not answer.get("Location", "").startswith("javascript")


def test_a_used_up_sign_in_leads_nobody_elsewhere(client: Client, alice: User) -> None:
    answer = client.get(f"/start/{make_token(alice)}/?next=//elsewhere.example")
    assert answer["Location"] == "/matches/"


def admin_addresses(found: list[Any] | None = None, head: str = "/admin/") -> Iterator[str]:
    for pattern in admin.site.get_urls() if found is None else found:
        if isinstance(pattern, URLResolver):
            yield from admin_addresses(pattern.url_patterns, f"{head}{pattern.pattern}")
        else:
            yield f"{head}{pattern.pattern}"


@pytest.mark.parametrize("route", sorted(set(admin_addresses())))
def test_the_administration_is_for_staff_with_the_permission(
    client: Client, hers: Match, bob: User, route: str
) -> None:
    address = route.replace("<path:object_id>", str(hers.watch_id)).replace("<str:name>", "mercari")
    client.force_login(bob)
    for asks in (client.get, client.post):
        assert asks(address).status_code in {302, 403, 404}
    bob.is_staff = True
    bob.save()
    before = everything_of(hers.user)
    for asks in (client.get, client.post):
        shown = asks(address)
        assert CANARY not in text_of(shown)
        if any(part in route for part in ("/overview/", "/watches/", "/outbox/", "/accounts/")):
            assert shown.status_code in {302, 403, 404, 405}
    assert everything_of(hers.user) == before
