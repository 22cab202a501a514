"""A watch over several marketplaces on the pages: its form, its row, its head and its runs."""

import asyncio
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from monitor_site.accounts.models import User
from monitor_site.connections import async_redis_client
from monitor_site.contract import SearchCriteria, option
from monitor_site.marketplaces import breaker
from monitor_site.watches.models import Watch
from monitor_site.web.watch_fields import option_fields
from monitor_site.web.watch_hints import hints, hints_for
from tests.web.watch_rows import make_checks, make_match, make_target, make_watch

NEW = "/watches/new/"
LIST = "/watches/"
BOTH = ["mercari", "yahoo_auctions"]
TYPED = {"must": "ルミナ", "marketplaces": BOTH, "shipping": "any", "pace": "normal"}


@pytest.fixture
def now() -> datetime:
    return timezone.now()


@pytest.fixture
def watch(alice: User, now: datetime) -> Watch:
    """Both marketplaces are asked and well."""
    watch = make_watch(alice, now, name="Lumina", marketplaces=BOTH)
    make_target(watch, now)
    make_target(watch, now, marketplace="yahoo_auctions")
    return watch


def page(client: Client, address: str = LIST) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def fail(watch: Watch, name: str, error: str) -> None:
    for link in watch.links.filter(target__marketplace=name).select_related("target"):
        link.target.failures, link.target.last_error = 2, error
        link.target.save()


def test_a_choice_of_nothing_with_words_of_its_own_is_offered_once() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Criteria(SearchCriteria):
        sold_by: str = option(label="Sold by", default="", choices={"": "Anything", "A": "Auction"})

    (field,) = option_fields(Criteria).values()
    assert field.choices == [("", "Anything"), ("A", "Auction")]


def test_both_marketplaces_arrive_each_with_its_own_options(hers: Client) -> None:
    hers.post(NEW, TYPED | {"mercari__brand_ids": "7", "yahoo_auctions__brand": "9", "yahoo_auctions__grades": ["1"]})
    watch = Watch.objects.get()
    assert watch.marketplaces == BOTH
    assert watch.options == {"mercari": {"brand_ids": [7]}, "yahoo_auctions": {"brand": 9, "grades": [1]}}


def test_on_edit_everything_comes_back_as_it_was_saved(hers: Client) -> None:
    hers.post(NEW, TYPED | {"mercari__brand_ids": "7, 8", "yahoo_auctions__grades": ["1", "3"], "pace": "fastest"})
    before = Watch.objects.values().get()
    address = reverse("watch-edit", args=[before["id"]])
    form = hers.get(address).context["form"]
    shown = {name: form[name].value() for name in form.fields}
    hers.post(address, {name: value for name, value in shown.items() if value not in (None, False)})
    after = Watch.objects.values().get()
    assert {**after, "updated_at": None} == {**before, "updated_at": None}


def test_unticking_a_marketplace_takes_its_questions_and_options_out(hers: Client) -> None:
    hers.post(NEW, TYPED | {"yahoo_auctions__brand": "9"})
    watch = Watch.objects.get()
    hers.post(reverse("watch-edit", args=[watch.pk]), TYPED | {"marketplaces": ["mercari"]})
    watch.refresh_from_db()
    assert (watch.marketplaces, watch.options) == (["mercari"], {})
    assert list(watch.links.values_list("target__marketplace", flat=True)) == ["mercari"]


def test_what_is_refused_stays_beside_the_field_of_its_marketplace(hers: Client) -> None:
    answer = hers.post(NEW, TYPED | {"yahoo_auctions__brand": "x", "mercari__brand_ids": "7"})
    form = answer.context["form"]
    assert set(form.errors) == {"yahoo_auctions__brand"}
    text = answer.content.decode()
    assert text.index('id="id_yahoo_auctions__brand_error"') > text.index("Only for Yahoo! Auctions")
    assert 'value="7"' in text
    assert Watch.objects.count() == 0


def test_no_marketplace_is_refused_beside_the_choice_in_a_sentence(hers: Client) -> None:
    answer = hers.post(NEW, TYPED | {"marketplaces": []})
    assert answer.context["form"].errors["marketplaces"] == ["Please choose at least one marketplace."]
    assert 'id="id_marketplaces_error"' in answer.content.decode()


@pytest.mark.parametrize(
    "names", [["nowhere"], ["mercari", "nowhere"], ["mercari" * 99], ["\x00"], ["mercari", "<b>"], ["['mercari']"]]
)
def test_a_marketplace_that_is_not_offered_is_refused(hers: Client, names: list[str]) -> None:
    assert "marketplaces" in hers.post(NEW, TYPED | {"marketplaces": names}).context["form"].errors
    assert Watch.objects.count() == 0


def test_a_marketplace_ticked_twice_is_one(hers: Client) -> None:
    hers.post(NEW, TYPED | {"marketplaces": ["mercari", "mercari"]})
    assert Watch.objects.get().marketplaces == ["mercari"]


def test_as_often_as_each_allows_says_what_that_is(hers: Client) -> None:
    assert "Mercari every 5 s, Yahoo! Auctions every 10 s" in page(hers, NEW)
    hers.post(NEW, TYPED | {"pace": "fastest"})
    watch = Watch.objects.get()
    assert watch.interval_seconds == 5
    for name in ("watch", "watch-edit"):
        assert "Mercari every 5 s, Yahoo! Auctions every 10 s" in page(hers, reverse(name, args=[watch.pk]))


@pytest.mark.parametrize(("seconds", "status"), [("4", 422), ("5", 302), ("7", 302)])
def test_an_interval_is_refused_only_below_every_floor(hers: Client, seconds: str, status: int) -> None:
    answer = hers.post(NEW, TYPED | {"pace": "custom", "interval_seconds": seconds})
    assert answer.status_code == status


def test_a_new_watch_begins_with_the_marketplaces_of_the_newest_one(hers: Client, bob: User, now: datetime) -> None:
    make_watch(bob, now, marketplaces=["yahoo_auctions"])
    assert hers.get(NEW).context["form"]["marketplaces"].value() == BOTH
    hers.post(NEW, TYPED | {"marketplaces": ["mercari"]})
    assert hers.get(NEW).context["form"]["marketplaces"].value() == ["mercari"]


@pytest.mark.usefixtures("curio")
def test_words_may_be_missing_where_the_plugin_needs_none(hers: Client) -> None:
    alone = TYPED | {"must": "", "marketplaces": ["curio"], "curio__seller": "anna"}
    assert hers.post(NEW, alone).status_code == 302
    answer = hers.post(NEW, alone | {"marketplaces": ["curio", "mercari"]})
    assert answer.status_code == 422
    sentence = answer.context["form"].errors["must"][0]
    assert "this cannot be asked: Mercari." in sentence


@pytest.mark.usefixtures("curio")
def test_the_form_says_what_a_marketplace_does_not_tell_in_one_line_each() -> None:
    assert [line.split(";")[0] for line in hints("curio")] == [
        "New listings appear about 10 min late.",
        "Curio usually does not tell in its results who pays for shipping",
        "Curio usually does not tell the price in its results",
        "A listing cannot be looked at again.",
        "It shows no sold prices.",
        "Closed on Sundays.",
    ]
    assert hints("nowhere") == []


@pytest.mark.usefixtures("curio")
def test_the_page_of_a_watch_says_only_what_its_rule_needs(hers: Client, alice: User, now: datetime) -> None:
    plain = make_watch(alice, now, marketplaces=["curio", "gone_market"], conditions=["new"])
    strict = make_watch(alice, now, marketplaces=["curio", "mercari"], shipping="included")
    assert hints_for(plain) == []
    assert len(hints_for(strict)) == 1
    assert "Curio usually does not tell in its results who pays" in page(hers, reverse("watch", args=[strict.pk]))


def test_row_and_head_name_all_marketplaces(hers: Client, watch: Watch) -> None:
    for address in (LIST, reverse("watch", args=[watch.pk])):
        assert "Mercari, Yahoo! Auctions" in page(hers, address)


def test_a_row_says_which_marketplace_fails_and_that_the_other_goes_on(hers: Client, watch: Watch) -> None:
    fail(watch, "yahoo_auctions", "throttled")
    text = page(hers)
    assert "Yahoo! Auctions: asked to slow down" in text
    assert "Mercari goes on" in text
    assert "Yahoo! Auctions asked us to slow down" in text
    assert "Yahoo! Auctions: asked to slow down" in page(hers, f"{LIST}?live={watch.pk}")


def test_when_every_marketplace_fails_nothing_is_said_to_go_on(hers: Client, watch: Watch) -> None:
    for name in BOTH:
        fail(watch, name, "unavailable")
    text = page(hers)
    assert "goes on" not in text
    assert "No answer" in text


async def trip() -> None:
    client = async_redis_client()
    await breaker.trip(client, marketplace="mercari", seconds=600, reason="blocked")
    await client.aclose()


def test_a_row_says_that_one_marketplace_stands_still_and_the_other_goes_on(hers: Client, watch: Watch) -> None:
    asyncio.run(trip())
    text = page(hers)
    assert "1 watch waits" in text
    assert "Mercari: refused by the marketplace" in text
    assert "Yahoo! Auctions goes on" in text


def test_the_line_about_one_marketplace_does_not_hide_the_trouble_at_another(
    hers: Client, watch: Watch, alice: User, now: datetime
) -> None:
    asyncio.run(trip())
    fail(watch, "mercari", "blocked")
    assert "refuses to answer us" not in page(hers)
    fail(watch, "yahoo_auctions", "layout_changed")
    assert hers.get(LIST).context["summary"].uncovered == 1


def test_a_plugin_that_is_gone_is_named_and_the_others_go_on(hers: Client, alice: User, now: datetime) -> None:
    watch = make_watch(alice, now, name="Half", marketplaces=["closed_down", "mercari"])
    make_target(watch, now)
    make_target(watch, now, marketplace="mercari")
    text = page(hers)
    assert "closed_down is not available here, so nothing is checked there." in text
    assert "closed_down: not available here" in text
    assert "Mercari goes on" in text
    assert "not checked any more" not in text
    form = hers.get(reverse("watch-edit", args=[watch.pk])).content.decode()
    assert "closed_down (not available here)" in form
    hers.post(reverse("watch-edit", args=[watch.pk]), TYPED | {"marketplaces": ["mercari"]})
    watch.refresh_from_db()
    assert watch.marketplaces == ["mercari"]


def test_the_list_is_narrowed_to_a_marketplace(hers: Client, alice: User, now: datetime, watch: Watch) -> None:
    make_target(make_watch(alice, now, name="Only Mercari"), now)
    text = page(hers, f"{LIST}?market=yahoo_auctions&sort=name")
    assert "Lumina" in text
    assert "Only Mercari" not in text
    assert 'href="?market=yahoo_auctions"' not in text  # the other filters are kept
    assert "market=mercari&amp;sort=name" in text
    assert '<input type="hidden" name="market" value="yahoo_auctions">' in text


def test_with_one_marketplace_there_is_nothing_to_choose(hers: Client, alice: User, now: datetime) -> None:
    make_target(make_watch(alice, now), now)
    assert "All marketplaces" not in page(hers)


@pytest.mark.parametrize("name", ["nowhere", "<b>", "%00", "x" * 99, "mercari%27", "ルミナ"])
def test_an_unknown_marketplace_in_the_address_breaks_nothing(hers: Client, watch: Watch, name: str) -> None:
    assert "<b>&" not in page(hers, f"{LIST}?market={name}")
    assert "Lumina" in page(hers, reverse("watch-runs", args=[watch.pk]) + f"?market={name}")


def test_runs_say_where_and_are_narrowed_to_a_marketplace(hers: Client, watch: Watch, now: datetime) -> None:
    for link in watch.links.select_related("target"):
        make_checks(link.target, now, ["ok", "failed"])
    address = reverse("watch-runs", args=[watch.pk])
    text = page(hers, address)
    assert text.count("<td>Mercari</td>") == 2
    assert text.count("<td>Yahoo! Auctions</td>") == 2
    answer = hers.get(address, {"market": "mercari", "result": "failed"})
    assert [line.run.target.marketplace for line in answer.context["runs"]] == ["mercari"]
    assert "?result=failed&amp;market=yahoo_auctions" in answer.content.decode()


def test_older_runs_of_a_marketplace_are_of_it_too(hers: Client, watch: Watch, now: datetime) -> None:
    for link in watch.links.select_related("target"):
        make_checks(link.target, now, ["ok"] * 55)
    address = reverse("watch-runs", args=[watch.pk])
    first = hers.get(address, {"market": "mercari"})
    second = hers.get(address + first.context["older"])
    assert [run.run.target.marketplace for run in second.context["runs"]] == ["mercari"] * 5


def test_the_rail_of_the_feed_names_every_watched_marketplace(hers: Client, watch: Watch, now: datetime) -> None:
    make_match(watch, now)
    rail: Any = hers.get("/matches/").context["rail"]
    assert [market.name for market in rail["markets"]] == BOTH


@pytest.mark.parametrize("language", ["zh-hans", "ja", "en"])
def test_every_page_speaks_every_language(hers: Client, watch: Watch, now: datetime, language: str) -> None:
    User.objects.update(language=language)
    fail(watch, "mercari", "blocked")
    for name in ("watch", "watch-runs", "watch-edit"):
        page(hers, reverse(name, args=[watch.pk]))
    assert "Lumina" in page(hers)
