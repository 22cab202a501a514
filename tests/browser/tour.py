"""Every page there is, by its address: for a person with a full life here, for a new one, and for nobody."""

from collections.abc import Iterator

from allauth.mfa.models import Authenticator
from django.contrib.auth.models import AnonymousUser
from django.template.loader import render_to_string
from django.test import RequestFactory
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils import translation

from monitor_site.accounts.models import AuditEntry, User
from monitor_site.purchasing.models import Order
from monitor_site.watches.models import Listing, Match

# What answers no page: buttons, files, streams, and what only leads on.
NO_PAGES = {
    "matches-seen", "match-ignore", "match-restore", "match-snooze", "match-wake", "match-block", "watch-bulk",
    "watch-pause", "watch-resume", "watch-check", "watch-mute", "watch-unmute", "watch-tags", "watch-copy",
    "watch-preview", "watch-preview-of", "watch-restore", "decision-ignore", "decision-restore", "listing-look",
    "listing-note", "listing-ignore", "listing-restore", "orders-csv", "order-approve", "order-decline",
    "order-extend", "order-cancel", "order-unlearn", "order-received", "order-problem", "order-note", "orders-parcel",
    "own-data", "order-bought", "order-not-bought", "order-again", "order-seen", "stray-noted",
    "approvals-together", "activity-csv", "activity-json", "budget-ledger", "spending-stop", "spending-resume",
    "block-phrase", "block-seller", "block-remove", "tag-rename", "tag-remove", "channel-mute", "channel-unmute",
    "channel-default", "channel-rotate", "delivery-again", "feed-rotate", "feed-revoke", "feed", "events", "thumb",
    "set-language-pref", "set-theme", "favicon", "manifest", "push-worker", "healthz", "readyz", "metrics",
    "market-account-test", "market-account-pause", "market-account-resume", "sessions-end", "prove", "proven",
    "mfa_index", "mfa_list_webauthn", "home", "operate", "sign-in-once", "mfa_authenticate",
}  # fmt: skip
OF_NOBODY = {"account_login", "account_inactive", "account_reset_password"}
# A person has one of these or the other.
ONLY_NEW = {"mfa_activate_totp", "account_reauthenticate"}
WITHOUT_PASSWORD = {"account_set_password"}
# What says that there is nothing yet.
EMPTY = {
    "matches", "auctions", "watches", "approvals", "orders", "budgets", "blocks", "tags", "channels", "feeds",
    "market-accounts", "activity", "security", "more",
}  # fmt: skip
STATES = ("awaiting_approval", "handed_over", "needs_human", "unknown", "received", "late_placed", "refused")
# Where an address leads to another page of the same door.
DOORS = {"door of the admin": "/accounts/login/"}
ERRORS = ("400", "403", "403_csrf", "404", "429", "500", "account/link_used", "mfa/authenticate")
ADMIN = ("", "watches/watch/", "accounts/user/", "marketplaces/marketplaceaccount/")


def patterns(found: list[object] | None = None, head: str = "") -> Iterator[tuple[str, str]]:
    """Name and route of every address outside the administration."""
    for pattern in get_resolver().url_patterns if found is None else found:
        if isinstance(pattern, URLPattern):
            yield str(pattern.name), head + str(pattern.pattern)
        elif isinstance(pattern, URLResolver) and pattern.app_name != "admin":
            yield from patterns(pattern.url_patterns, head + str(pattern.pattern))


ROUTES = dict(patterns())


def of(user: User) -> dict[str, str]:
    """Name → address of every page that a person with a full life here can open."""
    names = sorted(set(ROUTES) - NO_PAGES - OF_NOBODY - ONLY_NEW - WITHOUT_PASSWORD)
    found = {name: f"/{_filled(ROUTES[name], user)}" for name in names}
    orders = {state: Order.objects.of(user).filter(state=state)[0] for state in STATES}
    found |= {f"order {state}": f"/orders/{order.public_id}/" for state, order in orders.items()}
    watch = user.watches.get(kind="listing").pk
    found |= {f"listing watch{tail}": f"/watches/{watch}/{tail}" for tail in ("", "edit/", "prices/", "schedule/")}
    act = "/ops/act/?do=pause&on=mercari"
    return found | {"act": act} | {f"admin {tail}": f"/admin/{tail}" for tail in ADMIN}


def of_new() -> dict[str, str]:
    """Name → address of the pages that say there is nothing yet."""
    names = EMPTY | ONLY_NEW
    return {f"new {name}": f"/{ROUTES[name]}" for name in sorted(names)}


def of_nobody() -> dict[str, str]:
    """Name → address of the pages before the door."""
    return {name: f"/{ROUTES[name]}" for name in sorted(OF_NOBODY)} | {"door of the admin": "/admin/"}


def _filled(route: str, user: User) -> str:
    entry = AuditEntry.objects.filter(user=user).order_by("pk")[0]
    values = {
        "<int:pk>": _number(route, user),
        "<str:public_id>": Order.objects.of(user).order_by("-pk")[0].public_id if route.startswith("orders/") else
        Match.objects.of(user).order_by("pk")[0].public_id,
        "<str:row>": f"a{entry.pk}",
        "<str:kind>": "webhook",
        "<str:marketplace>": "mercari",
    }  # fmt: skip
    for place, value in values.items():
        route = route.replace(place, str(value))
    return route


def _number(route: str, user: User) -> int:
    rows = {
        "listings/": Listing.objects.filter(matches__user=user),
        "channels/": user.channels,
        "budgets/": user.budgets.filter(kind="named"),
        "market-accounts/": user.marketplace_accounts,
        "settings/security/": Authenticator.objects.filter(user=user, type="webauthn"),
        "watches/": user.watches,
    }
    found = next((of for head, of in rows.items() if route.startswith(head)), user.watches)
    return int(found.order_by("pk")[0].pk)


def error_pages(language: str) -> dict[str, str]:
    """Name → what a browser gets where something is refused or fails."""
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    with translation.override(language):
        return {f"error {name}": render_to_string(f"{name}.html", {}, request) for name in ERRORS}
