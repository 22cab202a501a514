"""Making and changing a watch."""

import threading
from dataclasses import fields
from enum import Enum
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import translation

from monitor_site.accounts.models import User
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches.models import Target, Watch
from monitor_site.web.watch_fields import read_yen, split_words

NEW = "/watches/new/"
TYPED = {"must": "ルミナ", "marketplaces": "mercari", "shipping": "any", "pace": "normal"}
RULES = {
    "in_description": "on",
    "pattern": "T[23]D?",
    "landed": "on",
    "kinds": ["fixed", "auction"],
    "listed_within_hours": "36h",
    "rating_min": "９５%",
    "rated_min": "1,000",
    "ends_within_minutes": "1日",
    "bids_max": "0",
}


def refused(answer: Any, field: str) -> str:
    """The sentence beside a field of a page that saved nothing."""
    assert answer.status_code == 422
    assert Watch.objects.count() == 0
    return " ".join(answer.context["form"].errors[field])


def test_a_few_words_are_enough_for_a_watch(hers: Client, alice: User) -> None:
    answer = hers.post(NEW, TYPED)
    watch = Watch.objects.get()
    assert answer["Location"] == reverse("watch", args=[watch.pk])
    assert (watch.user, watch.name, watch.must, watch.interval_seconds) == (alice, "ルミナ", ["ルミナ"], 60)
    assert Target.objects.get().criteria == '{"keyword":"ルミナ"}'


def test_a_watch_can_be_saved_without_asking_anything_yet(hers: Client) -> None:
    hers.post(NEW, TYPED | {"paused": "1"})
    assert Watch.objects.get().paused_at is not None
    assert not Target.objects.filter(active=True).exists()


def test_everything_that_can_be_typed_arrives(hers: Client) -> None:
    typed = TYPED | {
        "name": "Lumina T2",
        "must": "ルミナ T2、帯付き",
        "any_of": "black, silver",
        "none_of": "ジャンク\nケースのみ",
        "price_min": "５，０００",
        "price_max": "60,000円",
        "conditions": ["new", "like_new"],
        "shipping": "included",
        "pace": "relaxed",
        "tell_existing": "on",
        "mercari__category_ids": "１２３, 456",
    }
    hers.post(NEW, typed)
    watch = Watch.objects.get()
    assert (watch.name, watch.must, watch.any_of) == ("Lumina T2", ["ルミナ T2", "帯付き"], ["black", "silver"])
    assert watch.none_of == ["ジャンク", "ケースのみ"]
    assert (watch.price_min, watch.price_max) == (5000, 60000)
    assert (watch.conditions, watch.shipping) == (["new", "like_new"], "included")
    assert (watch.interval_seconds, watch.tell_existing) == (300, True)
    assert watch.options == {"mercari": {"category_ids": [123, 456]}}


@pytest.mark.parametrize(
    ("text", "yen"),
    [
        ("5000", 5000),
        ("５０００", 5000),
        ("５，０００", 5000),
        ("5,000円", 5000),
        ("¥5,000", 5000),
        ("￥５，０００", 5000),
        ("5 000", 5000),
        (" 5000 yen ", 5000),
        ("1万", 10_000),
        ("1.5万円", 15_000),
        ("0", 0),
    ],
)
def test_prices_are_read_as_people_write_them(text: str, yen: int) -> None:
    assert read_yen(text) == yen


@pytest.mark.parametrize("text", ["five", "5.000", "5000元", "-5", "5,00", "1,2345", "5k", "円", "1e3", "9" * 40, "½"])
def test_what_needs_guessing_is_refused_with_an_example(hers: Client, text: str) -> None:
    sentence = refused(hers.post(NEW, TYPED | {"price_max": text}), "price_max")
    assert "5000" in sentence or "30" in sentence


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"must": ""}, "must"),
        ({"must": " 、,\n， "}, "must"),
        ({"must": "‐"}, "must"),
        ({"must": "a\x00b"}, "must"),
        ({"must": "a\x07b"}, "must"),
        ({"must": "x" * 61}, "must"),
        ({"must": ",".join(f"word{n}" for n in range(21))}, "must"),
        ({"must": "x" * 5000}, "must"),
        ({"any_of": "a,b,c,d,e,f"}, "any_of"),
        ({"none_of": "ルミナ"}, "none_of"),
        ({"name": "n" * 81}, "name"),
        ({"name": "a\x08"}, "name"),
        ({"price_min": "6000", "price_max": "5000"}, "price_min"),
        ({"price_max": "0"}, "price_max"),
        ({"price_max": "999999999999"}, "price_max"),
        ({"marketplaces": "nowhere"}, "marketplaces"),
        ({"marketplaces": []}, "marketplaces"),
        ({"conditions": ["perfect"]}, "conditions"),
        ({"shipping": "by_pigeon"}, "shipping"),
        ({"pace": "ludicrous"}, "pace"),
        ({"pace": "custom"}, "interval_seconds"),
        ({"pace": "custom", "interval_seconds": "1"}, "interval_seconds"),
        ({"pace": "custom", "interval_seconds": "often"}, "interval_seconds"),
        ({"pace": "custom", "interval_seconds": "90000"}, "interval_seconds"),
        ({"pace": "custom", "interval_seconds": "9" * 30}, "interval_seconds"),
        ({"mercari__category_ids": "cameras"}, "mercari__category_ids"),
    ],
)
def test_what_cannot_be_is_refused_beside_its_field(hers: Client, changes: dict[str, Any], field: str) -> None:
    assert refused(hers.post(NEW, TYPED | changes), field)


def test_everything_that_is_wrong_is_said_at_once(hers: Client) -> None:
    answer = hers.post(NEW, TYPED | {"must": "", "price_max": "five", "pace": "custom"})
    assert {"must", "price_max", "interval_seconds"} <= set(answer.context["form"].errors)


def test_an_empty_form_is_refused_and_nothing_breaks(hers: Client) -> None:
    assert hers.post(NEW, {}).status_code == 422


def test_what_was_typed_is_still_there_after_a_refusal(hers: Client) -> None:
    typed = TYPED | {"must": "", "none_of": "ジャンク", "price_max": "five", "name": '"><script>alert(1)</script>'}
    text = hers.post(NEW, typed).content.decode()
    assert 'value="five"' in text
    assert "ジャンク" in text
    assert "<script>alert" not in text
    assert "&lt;script&gt;" in text


def test_emoji_and_other_scripts_are_fine_words_and_names(hers: Client) -> None:
    hers.post(NEW, TYPED | {"must": "🌸, שלום", "name": "🌸"})
    assert Watch.objects.get().must == ["🌸", "שלום"]


def test_words_are_separated_by_any_comma_and_by_lines() -> None:
    assert split_words(" a b ,c、d，e\r\nf;;") == ["a b", "c", "d", "e", "f"]


def test_the_fastest_pace_is_the_marketplaces_shortest_interval(hers: Client) -> None:
    hers.post(NEW, TYPED | {"pace": "fastest"})
    assert Watch.objects.get().interval_seconds == 5


def test_own_seconds_count_only_with_the_own_interval(hers: Client) -> None:
    hers.post(NEW, TYPED | {"pace": "custom", "interval_seconds": "９０"})
    hers.post(NEW, TYPED | {"pace": "normal", "interval_seconds": "90"})
    assert list(Watch.objects.order_by("pk").values_list("interval_seconds", flat=True)) == [90, 60]


def test_the_form_says_what_asking_costs(hers: Client) -> None:
    text = hers.get(NEW).content.decode()
    assert "asked at most 20 times a minute" in text


def test_the_form_shows_the_plugins_own_criteria(hers: Client) -> None:
    text = hers.get(NEW).content.decode()
    assert 'name="mercari__category_ids"' in text
    assert 'name="mercari__brand_ids"' in text


def test_every_marketplace_has_its_own_criteria_folded_under_its_choice(hers: Client) -> None:
    text = hers.get(NEW).content.decode()
    places = [
        text.index(part)
        for part in ('value="mercari"', "mercari__brand_ids", 'value="yahoo_auctions"', "yahoo_auctions__brand")
    ]
    assert places == sorted(places)
    assert text.count("<summary>Only for ") == 2
    assert "<details open" not in text


YAHOO = TYPED | {"marketplaces": "yahoo_auctions"}


def test_ticks_and_choices_of_a_plugin_arrive_as_its_own_values(hers: Client) -> None:
    own = {"selling": "auction", "deliver_to": "27", "grades": ["1", "3"], "ending_soon": "on", "buy_now_to": "9000"}
    hers.post(NEW, YAHOO | {f"yahoo_auctions__{name}": value for name, value in own.items()})
    assert Watch.objects.get().options["yahoo_auctions"] == {
        "selling": "auction", "deliver_to": 27, "grades": [1, 3], "ending_soon": True, "buy_now_to": 9000
    }  # fmt: skip


def test_what_equals_the_plugins_default_is_no_option(hers: Client) -> None:
    hers.post(NEW, YAHOO | {"yahoo_auctions__selling": "any", "yahoo_auctions__deliver_to": "13"})
    assert Watch.objects.get().options == {}


@pytest.mark.parametrize(
    ("name", "value"), [("selling", "swap"), ("deliver_to", "99"), ("grades", "9"), ("brand", "x")]
)
def test_a_choice_that_a_plugin_does_not_offer_is_refused(hers: Client, name: str, value: str) -> None:
    assert refused(hers.post(NEW, YAHOO | {f"yahoo_auctions__{name}": value}), f"yahoo_auctions__{name}")


def test_what_stands_in_the_hidden_criteria_of_another_marketplace_refuses_nothing(hers: Client) -> None:
    hers.post(NEW, TYPED | {"yahoo_auctions__brand": "x", "yahoo_auctions__grades": "9"})
    assert Watch.objects.get().options == {}


def test_an_option_that_no_form_shows_outlives_an_edit(hers: Client) -> None:
    assert "yahoo_auctions__fuzzy" not in hers.get(NEW).content.decode()
    hers.post(NEW, YAHOO)
    Watch.objects.update(options={"yahoo_auctions": {"fuzzy": True, "brand": 7, "no_longer_known": 1}})
    address = reverse("watch-edit", args=[Watch.objects.get().pk])
    assert hers.get(address).content.decode().count("<details open") == 1
    hers.post(address, YAHOO | {"yahoo_auctions__brand": ""})
    assert Watch.objects.get().options == {"yahoo_auctions": {"fuzzy": True}}


def texts_of(spec: Any) -> set[str]:
    """Everything about an option that a form says."""
    return {spec.metadata["label"], spec.metadata["help"], *(spec.metadata["choices"] or {}).values()} - {""}


@pytest.mark.parametrize("language", ["zh-hans", "ja"])
def test_everything_a_plugin_asks_is_in_the_readers_language(language: str) -> None:
    specs = [spec for plugin in catalog().plugins.values() for spec in fields(plugin.manifest.criteria)]
    shown = [spec for spec in specs if spec.metadata.get("shown")]
    known = translation.trans_real.translation(language)
    assert {text for spec in shown for text in texts_of(spec) if known.gettext(text) == text} == set()
    assert all(spec.metadata["choices"] for spec in shown if isinstance(spec.default, Enum))


def test_a_form_sent_twice_makes_one_watch_and_both_land_on_it(hers: Client) -> None:
    key = hers.get(NEW).context["form"]["form_key"].value()
    places = [hers.post(NEW, TYPED | {"form_key": key})["Location"] for _ in range(2)]
    assert places == [reverse("watch", args=[Watch.objects.get().pk])] * 2


def test_two_pages_make_two_watches(hers: Client) -> None:
    for _ in range(2):
        key = hers.get(NEW).context["form"]["form_key"].value()
        hers.post(NEW, TYPED | {"form_key": key})
    assert Watch.objects.count() == 2


def test_a_refused_form_may_be_sent_again_with_the_same_key(hers: Client) -> None:
    assert hers.post(NEW, TYPED | {"form_key": "k", "must": ""}).status_code == 422
    assert hers.post(NEW, TYPED | {"form_key": "k"}).status_code == 302
    assert Watch.objects.count() == 1


def test_a_key_of_one_person_means_nothing_for_another(hers: Client, bob: User) -> None:
    hers.post(NEW, TYPED | {"form_key": "k"})
    his = Client()
    his.force_login(bob)
    his.post(NEW, TYPED | {"form_key": "k"})
    assert set(Watch.objects.values_list("user__username", flat=True)) == {"alice", "bob"}


@pytest.mark.django_db(transaction=True)
def test_a_double_click_at_the_same_moment_makes_one_watch(client: Client, alice: User) -> None:
    client.force_login(alice)
    cookies = client.cookies
    places: list[str] = []

    def send() -> None:
        twin = Client()
        twin.cookies = cookies
        places.append(twin.post(NEW, TYPED | {"form_key": "k"})["Location"])
        connection.close()

    threads = [threading.Thread(target=send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert places == [reverse("watch", args=[Watch.objects.get().pk])] * 4


def test_a_watch_is_shown_in_its_form_as_it_is_and_saves_unchanged(hers: Client) -> None:
    typed = TYPED | {"none_of": "ジャンク, ケースのみ", "price_max": "5000", "conditions": ["new"], "pace": "relaxed"}
    hers.post(NEW, typed | RULES | {"mercari__brand_ids": "7"})
    before = Watch.objects.values().get()
    address = reverse("watch-edit", args=[before["id"]])
    form = hers.get(address).context["form"]
    shown = {name: form[name].value() for name in form.fields}
    again = {
        name: ", ".join(map(str, v)) if isinstance(v, list) and name not in {"conditions", "kinds", "weekdays"} else v
        for name, v in shown.items()
    }
    answer = hers.post(
        address, {name: value for name, value in again.items() if value is not None and value is not False}
    )
    assert answer.status_code == 302
    after = Watch.objects.values().get()
    assert {**after, "updated_at": None} == {**before, "updated_at": None}


def test_a_change_is_saved_and_asked_anew(hers: Client) -> None:
    hers.post(NEW, TYPED)
    watch = Watch.objects.get()
    hers.post(reverse("watch-edit", args=[watch.pk]), TYPED | {"must": "時計", "name": "clock"})
    watch.refresh_from_db()
    assert (watch.name, watch.must) == ("clock", ["時計"])
    assert watch.links.get().target.criteria == '{"keyword":"時計"}'


def test_a_refused_change_leaves_the_watch_as_it_was(hers: Client) -> None:
    hers.post(NEW, TYPED)
    watch = Watch.objects.get()
    answer = hers.post(reverse("watch-edit", args=[watch.pk]), TYPED | {"must": ""})
    assert answer.status_code == 422
    watch.refresh_from_db()
    assert watch.must == ["ルミナ"]


def test_a_watch_at_a_marketplace_that_is_gone_can_still_be_opened(hers: Client) -> None:
    hers.post(NEW, TYPED)
    Watch.objects.update(marketplaces=["closed_down"])
    answer = hers.get(reverse("watch-edit", args=[Watch.objects.get().pk]))
    assert "closed_down (not available here)" in answer.content.decode()
    answer = hers.post(answer.wsgi_request.path, TYPED | {"marketplaces": "closed_down"})
    assert answer.status_code == 422
    assert "marketplaces" in answer.context["form"].errors


def test_no_page_of_the_form_carries_script_or_style_inside(hers: Client) -> None:
    text = hers.get(NEW).content.decode()
    assert " style=" not in text
    assert " onclick=" not in text
