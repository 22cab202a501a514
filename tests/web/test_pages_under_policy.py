"""The rules of all pages, checked over the templates and over what they become."""

import gzip
import hashlib
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from monitor_site.accounts.models import User
from monitor_site.purchasing.models import BuyRule
from monitor_site.watches.models import Listing, PricePoint
from tests.alerts.rows import channel_of
from tests.purchasing.rows import budget_of, order_of
from tests.web.rows import match, watch_of

BASE = Path(settings.BASE_DIR)
TEMPLATES = sorted((BASE / "templates").rglob("*.html"))
# Mails are read elsewhere, where only a style attribute is understood and no policy of ours holds.
MAILS = [BASE / "templates" / "alerts" / "mail.html"]
STATIC = BASE / "static"
FORBIDDEN = {
    "a handler": re.compile(r"<[^>]*\son[a-z]+\s*=", re.IGNORECASE),
    "a style attribute": re.compile(r"<[^>]*\sstyle\s*=", re.IGNORECASE),
    "a style element": re.compile(r"<style\b", re.IGNORECASE),
    "a script with code": re.compile(r"<script\b(?![^>]*\ssrc=)(?![^>]*application/json)", re.IGNORECASE),
    "an address of elsewhere": re.compile(
        r"<(?:script|link|img|use)\b[^>]*(?:src|href)=\"(?:https?:)?//", re.IGNORECASE
    ),
    "htmx that evaluates": re.compile(r"hx-on|js:|hx-trigger=\"[^\"]*\["),
}
PAGES = [
    "/matches/",
    "/auctions/",
    "/listings/1/",
    "/watches/",
    "/watches/new/",
    "/watches/1/prices/",
    "/watches/why-not/",
    "/watches/1/alerts/",
    "/channels/",
    "/channels/new/",
    "/channels/new/webpush/",
    "/channels/new/ntfy/",
    "/channels/1/",
    "/channels/1/test/",
    "/channels/1/remove/",
    "/settings/feeds/",
    "/m/of-the-first/",
    "/approvals/",
    "/orders/",
    "/orders/asked/",
    "/orders/handed/",
    "/orders/looked/",
    "/budgets/",
    "/budgets/new/",
    "/budgets/all/",
    "/budgets/1/",
    "/budgets/1/remove/",
    "/watches/1/buying/",
    "/more/",
    "/ops/",
    "/accounts/password/change/",
    "/admin/",
    "/nowhere/",
]


@pytest.mark.parametrize(
    "path", [path for path in TEMPLATES if path not in MAILS], ids=lambda path: str(path.relative_to(BASE))
)
def test_a_template_holds_nothing_that_the_policy_forbids(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert [name for name, pattern in FORBIDDEN.items() if pattern.search(text)] == []
    for picture in re.findall(r"<img\b(?:[^>\"]|\"[^\"]*\")*>", text):
        assert all(f" {name}=" in picture for name in ("alt", "width", "height")), picture


@pytest.fixture
def staff(client: Client, alice: User, now: datetime) -> Client:
    alice.is_staff = alice.is_superuser = True
    alice.save()
    watch = watch_of(alice, now=now, pk=1)
    for number in range(3):
        pictures = [f"https://static.mercdn.net/{number}.jpg", f"https://static.mercdn.net/{number}-2.jpg"]
        fields = {"listing_kind": "auction", "listing_ends_at": datetime.now(UTC) + timedelta(hours=1)}
        fields["public_id"] = "of-the-first" if number == 0 else f"of-{number}"
        one = match(watch, number, now=now, listing_images=pictures, listing_id=number + 1, **fields)
        for price in (900, 800):
            PricePoint.objects.create(listing=one.listing, price=price, at=now + timedelta(seconds=price))
    BuyRule.objects.create(watch=watch, user=alice, price_max=2000, updated_at=now)
    budget_of(alice, now=now, pk=1, per_day=500, watches=[watch])
    soon = datetime.now(UTC) + timedelta(hours=1)
    states = {"asked": "awaiting_approval", "handed": "handed_over", "looked": "needs_human"}
    for number, (name, state) in enumerate(states.items(), start=1):
        fields = {"state": state, "public_id": name, "watch": watch, "expires_at": soon}
        order_of(alice, now=now, listing=Listing.objects.get(pk=number), **fields)
    channel_of(alice, now=now, kind="ntfy", values={"topic": "t"})
    client.force_login(alice)
    return client


@pytest.mark.parametrize("address", PAGES)
def test_a_page_holds_nothing_that_the_policy_forbids(staff: Client, address: str) -> None:
    answer = staff.get(address)
    html = answer.content.decode()
    if not address.startswith("/admin/"):  # Django's own templates keep to the policy in their own way
        assert [name for name, pattern in FORBIDDEN.items() if pattern.search(html)] == []
    policy = answer["Content-Security-Policy"]
    for part in ("default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:",
                 "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"):  # fmt: skip
        assert part in policy
    assert "unsafe" not in policy
    assert answer["Referrer-Policy"] == "same-origin"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "camera=()" in answer["Permissions-Policy"]
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.parametrize("address", PAGES[: PAGES.index("/accounts/password/change/")])
def test_every_button_and_link_has_a_name_and_every_control_a_label(staff: Client, address: str) -> None:
    html = staff.get(address).content.decode()
    for tag, content in re.findall(r"<(?:button|a|summary)\b([^>]*)>(.*?)</(?:button|a|summary)>", html, re.DOTALL):
        hidden = 'aria-hidden="true"' in tag
        assert hidden or "aria-label=" in tag or re.sub(r"<[^>]+>|\s", "", content), (tag, content)
    ids = re.findall(r'\sid="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    labelled = set(re.findall(r'<label\b[^>]*for="([^"]+)"', html))
    loose = re.sub(r"<label\b[^>]*>(?:(?!</label>).)*<input(?:(?!</label>).)*</label>", "", html, flags=re.DOTALL)
    for control in re.findall(r"<(?:input|select|textarea)\b[^>]*>", loose):
        if re.search(r'type="(?:hidden|submit|checkbox|radio)"|aria-hidden|aria-label', control):
            continue
        assert (found := re.search(r'\sid="([^"]+)"', control)), control
        assert found[1] in labelled, control


def test_the_menu_leads_nowhere_else_than_to_pages_that_exist(staff: Client) -> None:
    html = staff.get("/matches/").content.decode()
    inside = {link for link in re.findall(r'<a\b[^>]*href="(/[^"]*)"', html) if not link.startswith("/media/")}
    assert {"/matches/", "/auctions/", "/listings/1/", "/watches/", "/more/", "/ops/", "/admin/"} <= inside
    for link in inside:
        assert staff.get(link.replace("&amp;", "&"), follow=True).status_code == 200, link


@pytest.mark.parametrize(("status", "address"), [(404, "/nowhere/"), (410, "/start/used/")])
def test_an_error_has_a_page_with_one_way_on(client: Client, db: None, status: int, address: str) -> None:
    answer = client.get(address, headers={"accept-language": "zh-CN"})
    assert answer.status_code == status
    assert '<html lang="zh-Hans"' in answer.content.decode()


def test_a_form_from_elsewhere_is_refused_in_words(alice: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(alice)
    answer = client.post("/matches/seen/", headers={"accept-language": "en"})
    assert answer.status_code == 403
    assert "This form is too old" in answer.content.decode()


def test_when_something_fails_the_page_needs_neither_database_nor_language(
    alice: User, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: pytest.fixture
) -> None:
    from monitor_site.web import frame

    with django_assert_num_queries(0):
        answer = frame.server_error(None)  # type: ignore[arg-type]
    html = answer.content.decode()
    assert answer.status_code == 500
    assert all(f'lang="{code}"' in html for code in ("zh-Hans", "ja", "en"))


# ---- weights


def gzipped(*paths: Path) -> int:
    return len(gzip.compress(b"".join(path.read_bytes() for path in paths), mtime=0))


def test_scripts_and_stylesheet_stay_small() -> None:
    assert gzipped(*sorted((STATIC / "js").glob("*.js"))) <= 5 * 1024
    assert gzipped(STATIC / "ui" / "ui.css") <= 12 * 1024


def test_vendored_files_are_the_ones_that_were_vendored() -> None:
    listed = {}
    for package in json.loads((STATIC / "vendor" / "vendor.json").read_text(encoding="utf-8")):
        assert package["licence"]
        listed |= {one["file"]: one["sha256"] for one in package["files"]}
    there = {
        str(path.relative_to(STATIC / "vendor")): path for path in (STATIC / "vendor").rglob("*") if path.is_file()
    }
    assert set(listed) == set(there) - {"vendor.json"}
    for name, digest in listed.items():
        assert hashlib.sha256(there[name].read_bytes()).hexdigest() == digest, name


def test_the_sprite_holds_the_listed_icons_and_every_icon_that_is_used() -> None:
    listed = (STATIC / "ui" / "icons.txt").read_text(encoding="utf-8").split()
    drawn = re.findall(r'<symbol id="([^"]+)"', (STATIC / "ui" / "icons.svg").read_text(encoding="utf-8"))
    assert listed == sorted(set(listed)) == drawn
    used = {name for path in TEMPLATES for name in re.findall(r'{% icon "([^"]+)"', path.read_text(encoding="utf-8"))}
    assert used <= set(drawn)


# ---- contrast (WCAG 2.2): text 4.5, controls and graphics 3

PAIRS = {
    4.5: ["ink bg", "ink surface", "ink-2 bg", "ink-2 surface", "ink-2 seg", "ink-2 seg-on", "ink-3 bg",
          "ink-3 surface", "ink-3 sunken", "accent bg", "accent surface",
          "on-fill fill", "on-fill fill-hover", "accent-ink accent-soft",
          "ok bg", "ok surface", "ok ok-soft", "warn bg", "warn surface", "warn warn-soft", "bad bg", "bad surface",
          "bad bad-soft", "plum bg", "plum surface", "plum plum-soft", "ink raised", "ink-2 raised", "ink-3 raised",
          "surface accent", "ink-2 sunken"],
    3.0: ["line-strong bg", "line-strong surface", "fill bg", "fill surface"],
}  # fmt: skip


def tokens(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6})", block))


def themes() -> dict[str, dict[str, str]]:
    css = (STATIC / "ui" / "ui.css").read_text(encoding="utf-8")
    light = tokens(css[css.index(":root {") : css.index("@media (pointer: coarse)")])
    system = tokens(css[css.index(':root:not([data-theme="light"])') : css.index(':root[data-theme="dark"]')])
    dark = tokens(css[css.index(':root[data-theme="dark"]') : css.index("/* ---- reset")])
    return {"light": light, "dark by the system": light | system, "dark by choice": light | dark}


def luminance(colour: str) -> float:
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, two: str) -> float:
    low, high = sorted((luminance(one), luminance(two)))
    return (high + 0.05) / (low + 0.05)


def test_text_and_controls_stand_out_in_both_themes() -> None:
    poor = {
        (theme, pair): round(ratio, 2)
        for theme, colours in themes().items()
        for least, pairs in PAIRS.items()
        for pair in pairs
        if (ratio := contrast(*(colours[name] for name in pair.split()))) < least
    }
    assert poor == {}


def test_the_dark_theme_is_the_same_by_system_and_by_choice() -> None:
    found = themes()
    assert found["dark by the system"] == found["dark by choice"]
    assert found["light"] != found["dark by choice"]
