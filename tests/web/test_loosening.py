"""A click on the reason of a rejected listing makes that one rule wider, in the form and nowhere else."""

import re
from datetime import UTC, datetime
from html import unescape
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client
from django.utils import translation
from redis import Redis

from monitor_site.accounts.models import User
from monitor_site.watches import asking
from monitor_site.watches.asking import Answer
from monitor_site.watches.matching import Rule, decide
from monitor_site.watches.models import Watch
from monitor_site.web.loosening import Step, loosened, step_of
from monitor_site.web.watch_form import WatchForm
from tests import curio
from tests.watches.makers import sighting
from tests.web.rows import watch_of
from tests.web.test_preview_words import BAD, WHOLE

NOW = datetime(2026, 5, 1, 3, 0, tzinfo=UTC)
TYPED = {"must": "ルミナ", "marketplaces": ["mercari"], "shipping": "any", "pace": "normal"}
EN = {"accept-language": "en"}


def test_every_rule_with_a_plain_next_step_offers_it_and_no_other() -> None:
    rule = Rule(**{name: getattr(WHOLE, name) for name in WHOLE.__slots__} | {"must": ("訳あり", "白 い")})
    said = decide(rule, BAD, now=NOW).rules
    with translation.override("en"):
        offers = {one["rule"]: step.words("JPY") for one in said if (step := step_of(one, rule))}
    assert offers == {
        "must": "without the wanted word 白 い",
        "none_of": "without the unwanted word ジャンク",
        "pattern": "no pattern",
        "price": "≤ ¥72,000",
        "kind": "also “Auction”",
        "condition": "also “Worn”",
        "shipping": "Any shipping",
        "rating": "rating from 90 %",
        "rated": "at least 12 ratings",
        "bids": "auctions with at most 7 bids",
        "ends_within": "auctions that end within 3 d",
        "listed_within": "listed within 2 d 1 h",
    }


def test_the_last_wanted_word_stays_as_marketplaces_are_asked_for_it() -> None:
    said = next(one for one in decide(WHOLE, BAD, now=NOW).rules if one["rule"] == "must")
    assert step_of(said, WHOLE) is None


LIMITS: dict[str, Any] = {
    "none_of": "ジャンク|難あり、 箱のみ",
    "price_min": "1,000",
    "price_max": "6万",
    "kinds": ["fixed"],
    "conditions": ["new"],
    "shipping": "included",
    "rating_min": "95",
    "rated_min": "50",
    "bids_max": "3",
    "ends_within_minutes": "1h",
    "listed_within_hours": "6h",
    "pattern": "T[23]",
}


@pytest.mark.parametrize(
    ("ask", "becomes"),
    [
        ("none_of:ｼﾞｬﾝｸ", ["難あり, 箱のみ"]),
        ("none_of:ジャンク|難あり", ["箱のみ"]),
        ("none_of:傷", ["ジャンク|難あり、 箱のみ"]),
        ("price_min:300", ["300"]),
        ("price_max:72000", ["72000"]),
        ("price_max:52000", ["6万"]),
        ("price_max:many", ["6万"]),
        ("price_max:", ["6万"]),
        ("price_min:0", ["1,000"]),
        ("kinds:auction", ["fixed", "auction"]),
        ("kinds:fixed", ["fixed"]),
        ("kinds:barter", ["fixed"]),
        ("conditions:good", ["new", "good"]),
        ("shipping:any", ["any"]),
        ("shipping:<b>", ["any"]),
        ("rating_min:90", ["90"]),
        ("rating_min:99", ["95"]),
        ("rated_min:12", ["12"]),
        ("bids_max:7", ["7"]),
        ("ends_within_minutes:4321", ["4321m"]),
        ("listed_within_hours:49", ["49h"]),
        ("pattern:", [""]),
    ],
)  # fmt: skip
def test_only_that_field_becomes_wider_and_never_tighter(redis: Redis, ask: str, becomes: list[str]) -> None:
    typed = QueryDict(mutable=True)
    for name, value in (TYPED | LIMITS).items():
        typed.setlist(name, value if isinstance(value, list) else [value])
    step = Step.of(ask)
    assert step
    wider = loosened(typed, step, WatchForm(typed).fields)
    assert wider.getlist(step.field) == becomes
    assert {name for name in typed if typed.getlist(name) != wider.getlist(name)} <= {step.field}


@pytest.mark.parametrize("name", sorted(LIMITS))
def test_what_asks_for_nothing_stays_so(redis: Redis, name: str) -> None:
    typed, step = QueryDict("must=x"), Step.of(f"{name}:5")
    assert step
    assert loosened(typed, step, WatchForm(typed).fields) == typed


def test_cents_are_written_as_people_type_them(redis: Redis) -> None:
    typed = QueryDict("must=x&marketplaces=curio&price_max=50")
    with curio.known(curio.plugin(currency="EUR")):
        wider = loosened(typed, Step(field="price_max", value="9950"), WatchForm(typed).fields)
    assert wider["price_max"] == "99.50"


def chips(html: str) -> dict[str, str]:
    """What a button sends → its words."""
    found = re.findall(r'<button class="badge"[^>]*name="loosen" value="([^"]*)"[^>]*><bdi>(.*?)</bdi>', html)
    return {unescape(ask): unescape(words) for ask, words in found}


def answer_all(redis: Redis, user: User) -> None:
    want = asking.wanted(redis, user_id=user.pk, slot=asking.SEARCHES)
    assert want
    for question in want.questions:
        found = [sighting(1, price=5_000), sighting(2, price=72_000)]
        asking.keep(redis, user_id=user.pk, key=question.key, answer=Answer(state="found", sightings=found))


def test_a_click_puts_the_wider_rule_into_the_form_with_its_preview_and_saves_nothing(
    hers: Client, alice: User, redis: Redis
) -> None:
    typed = TYPED | {"price_max": "60,000", "none_of": "ジャンク"}
    hers.post("/watches/preview/", typed)
    answer_all(redis, alice)
    html = hers.post("/watches/preview/", typed, headers=EN | {"HX-Request": "true"}).content.decode()
    assert chips(html) == {"price_max:72000": "¥72,000 > ¥60,000"}
    assert 'form="watch-form"' in html
    assert 'formaction="/watches/new/"' in html
    page = hers.post("/watches/new/", typed | {"loosen": "price_max:72000"}, headers=EN)
    html = page.content.decode()
    assert page.status_code == 200
    assert "Loosened in the form: ≤ ¥72,000. Nothing is saved yet." in html
    assert re.search(r'name="price_max" value="72000"', html)
    assert re.search(r'<details class="fold" open>\s*<summary>Limits', html)
    assert re.search(r"Would match <span[^>]*>2</span>", html)
    assert not Watch.objects.exists()


def test_a_saved_watch_stays_as_it_is_until_the_form_is_saved(hers: Client, alice: User, now: datetime) -> None:
    watch = watch_of(alice, now=now, price_max=60_000)
    page = hers.post(f"/watches/{watch.pk}/edit/", TYPED | {"price_max": "60000", "loosen": "price_max:72000"})
    assert 'value="72000"' in page.content.decode()
    watch.refresh_from_db()
    assert (watch.price_max, watch.versions.count()) == (60_000, 0)


def test_the_preview_on_its_own_page_carries_the_form_along(
    hers: Client, alice: User, redis: Redis, now: datetime
) -> None:
    watch = watch_of(alice, now=now)
    answer = hers.post(f"/watches/preview/?watch={watch.pk}", TYPED | {"price_max": "60000"})
    answer_all(redis, alice)
    html = hers.get(answer["Location"]).content.decode()
    form = re.search(rf'<form id="watch-form" method="post" action="/watches/{watch.pk}/edit/">(.*?)</form>', html)
    assert form
    sent = dict(re.findall(r'name="([^"]+)" value="([^"]*)"', form[1]))
    assert "price_max:72000" in chips(html)
    page = hers.post(f"/watches/{watch.pk}/edit/", sent | {"loosen": "price_max:72000"})
    assert 'name="price_max" value="72000"' in page.content.decode()


@pytest.mark.parametrize("ask", ["", "colour:red", "price_max:1", "user:1", "\x00", "must"])
def test_what_makes_no_sense_changes_nothing_and_breaks_nothing(hers: Client, ask: str) -> None:
    answer = hers.post("/watches/new/", {"must": "", "price_max": "60000", "loosen": ask}, headers=EN)
    html = answer.content.decode()
    assert answer.status_code in {200, 422}
    assert "Loosened" not in html
    assert 'name="price_max" value="60000"' in html
    assert not Watch.objects.exists()


def test_somebody_elses_watch_is_not_there(client: Client, bob: User, alice: User, now: datetime, redis: Redis) -> None:
    client.force_login(bob)
    watch = watch_of(alice, now=now)
    assert client.post(f"/watches/{watch.pk}/edit/", TYPED | {"loosen": "price_max:5"}).status_code == 404


def test_without_redis_the_form_still_becomes_wider(hers: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: Any, **__: Any) -> None:
        raise asking.redis.ConnectionError

    monkeypatch.setattr(asking, "begin", away)
    page = hers.post("/watches/new/", TYPED | {"price_max": "6000", "loosen": "price_max:7000"}, headers=EN)
    assert 'name="price_max" value="7000"' in page.content.decode()
    assert "The preview does not work at the moment." in page.content.decode()
