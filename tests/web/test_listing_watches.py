"""A watch of one listing as a person makes it, sees it and changes it."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from monitor_site.accounts.models import User
from monitor_site.contract import Status
from monitor_site.watches import services
from monitor_site.watches.models import Crossing, Match, Target, Watch
from monitor_site.watches.record import record
from tests.watches.makers import result, sighting, watch_of
from tests.web.rows import match as match_of
from tests.web.rows import watch_of as plain_watch

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]

NEW, SEARCH = "/watches/new/listing/", "/watches/new/"
ITEM = sighting(1).external_id
ADDRESS = f"https://jp.mercari.com/item/{ITEM}"
TYPED = {"item": ADDRESS, "fall_percent": "10", "pace": "normal", "relisted": "alert"}
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)


def text(answer: Any) -> str:
    return str(answer.content.decode())


def made(client: Client, **typed: str) -> Watch:
    answer = client.post(NEW, TYPED | typed)
    watch = Watch.objects.get()
    assert answer["Location"] == reverse("watch", args=[watch.pk])
    return watch


def saw(watch: Watch, at: datetime, *, price: int | None = 48_000, error: str = "", **changes: Any) -> None:
    target = Target.objects.get(links__watch=watch)
    rows = [] if error else [sighting(1, price=price, **changes)]
    record([result(target, rows, at=at, error=error)], now=at + SECOND)


def page(client: Client, watch: Watch) -> str:
    return text(client.get(reverse("watch", args=[watch.pk])))


def test_the_address_of_a_listing_leads_to_the_form_of_its_watch(hers: Client) -> None:
    answer = hers.get(SEARCH, {"address": f"見て {ADDRESS}"}, follow=True)
    assert answer.redirect_chain[0][0].startswith(NEW)
    form = answer.context["form"]
    assert (form["item"].value(), form["marketplace"].value()) == (ITEM, "mercari")


@pytest.mark.parametrize("item", [ADDRESS, f"{ADDRESS}?afid=1", f"Lens {ADDRESS}", ITEM, f" {ITEM} "])
def test_an_address_or_a_number_makes_a_watch(hers: Client, item: str) -> None:
    watch = made(hers, item=item)
    assert (watch.kind, watch.marketplaces, watch.external_id) == ("listing", ["mercari"], ITEM)
    assert (watch.fall_percent, watch.must, watch.interval_seconds) == (10, [], 60)


def test_a_number_that_no_form_tells_needs_its_marketplace(hers: Client) -> None:
    refused = hers.post(NEW, TYPED | {"item": "abc", "price_max": "42,000"})
    assert refused.status_code == 422
    assert "Please choose its marketplace." in text(refused)
    assert refused.context["form"]["price_max"].value() == "42,000"
    assert made(hers, item="abc", marketplace="yahoo_auctions").marketplaces == ["yahoo_auctions"]


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ({"item": ""}, "Please give the address of a listing, or its item ID."),
        ({"item": "https://elsewhere.example/x"}, "No marketplace here knows this address."),
        ({"item": "https://jp.mercari.com/search?keyword=x"}, "This is the address of a search, not of one listing."),
        ({"item": "m 1", "marketplace": "mercari"}, "No item ID looks like this."),
        ({"fall_percent": ""}, "Please choose at least one thing that you want to be told of."),
        ({"fall_percent": "0"}, "Please choose at least one thing that you want to be told of."),
        ({"fall_percent": "", "back_on_sale": "false"}, "Please choose at least one thing"),
        ({"fall_percent": "ten"}, "Please give a whole number."),
        ({"fall_percent": "100"}, "Please give a number from 1 to 99."),
        ({"fall_amount": "1.2.3"}, "Please write the price as a whole number of yen"),
        ({"lowest_days": "1"}, "Please give a number from 2 to 365."),
        ({"ends_within_minutes": "soon"}, "Please write a time such as 30m, 6h or 2d."),
        ({"pace": "custom", "interval_seconds": ""}, "Please give the seconds between two checks."),
        ({"relisted": "never"}, "Select a valid choice."),
        ({"marketplace": "gone", "item": ITEM}, "Select a valid choice."),
    ],
)
def test_what_cannot_be_is_said_and_nothing_typed_is_lost(hers: Client, typed: dict[str, str], sentence: str) -> None:
    answer = hers.post(NEW, TYPED | {"name": "My lens"} | typed)
    assert answer.status_code == 422
    assert sentence in text(answer)
    assert answer.context["form"]["name"].value() == "My lens"
    assert not Watch.objects.exists()


def test_a_form_sent_twice_makes_one_watch(hers: Client) -> None:
    first, second = (hers.post(NEW, TYPED | {"form_key": "k"})["Location"] for _ in range(2))
    assert (first, Watch.objects.count()) == (second, 1)


def test_it_can_be_saved_paused(hers: Client) -> None:
    watch = made(hers, paused="1")
    assert watch.paused_at is not None
    assert not Target.objects.filter(active=True).exists()


def test_a_listing_page_offers_to_watch_its_price_and_then_shows_the_watch(
    hers: Client, alice: User, now: datetime
) -> None:
    thing = match_of(plain_watch(alice, now=now), 1, now=now).listing
    address = reverse("listing", args=[thing.pk])
    link = f"{NEW}?market=mercari&amp;item={thing.external_id}"
    assert link in text(hers.get(address))
    form = hers.get(link.replace("&amp;", "&")).context["form"]
    assert (form["item"].value(), form["name"].value()) == (thing.external_id, thing.title)
    hers.post(NEW, TYPED | {"item": thing.external_id})
    watch = Watch.objects.get(kind="listing")
    shown = text(hers.get(address))
    assert reverse("watch", args=[watch.pk]) in shown
    assert link not in shown


def test_what_only_another_person_has_seen_is_not_shown_in_the_form(
    client: Client, alice: User, bob: User, now: datetime
) -> None:
    thing = match_of(plain_watch(alice, now=now), 1, now=now, listing_title="Canary").listing
    client.force_login(bob)
    assert "Canary" not in text(client.get(NEW, {"market": "mercari", "item": thing.external_id}))


def test_its_page_says_how_every_trigger_stands(hers: Client, alice: User, now: datetime) -> None:
    watch = made(hers, fall_percent="10", price_max="42000", lowest_days="30", back_on_sale="on")
    assert "Its first look tells whether there is such a listing." in page(hers, watch)
    saw(watch, now)
    saw(watch, now + MINUTE, price=45_500)
    shown = page(hers, watch)
    for words in (
        "Price ¥45,500, 5.2% below when you began; you are told at 10% below",
        "Price ¥45,500; you are told at ¥42,000 or less",
        "Prices are not known for 30 days yet",
        "It is on sale",
        "Falls and rises are measured from ¥48,000.",
        "Nothing yet.",
    ):
        assert words in shown
    assert reverse("watch-prices", args=[watch.pk]) not in shown


def test_what_was_told_stands_on_its_page_and_on_the_card_at_the_top_of_the_feed(
    hers: Client, alice: User, now: datetime
) -> None:
    watch = made(hers)
    saw(watch, now)
    other = match_of(plain_watch(alice, now=now), 7, now=now + MINUTE)
    assert [match.pk for match in hers.get("/matches/").context["matches"]] == [other.pk]
    saw(watch, now + 2 * MINUTE, price=41_000)
    mine = Match.objects.get(watch=watch)
    answer = hers.get("/matches/")
    assert [match.pk for match in answer.context["matches"]] == [mine.pk, other.pk]
    assert "¥48,000 → ¥41,000, 14.5% below when you began" in text(answer)
    assert [match.pk for match in hers.get("/matches/?show=drops").context["matches"]] == [mine.pk]
    assert "price falls: ¥48,000 → ¥41,000" in page(hers, watch)
    assert "from ¥41,000." in page(hers, watch)


@pytest.mark.parametrize(
    ("language", "words"),
    [("zh-hans", "48,000円 → 41,000円，比开始时低 14.5%"), ("ja", "48,000円 → 41,000円、開始時より14.5%安い")],
)
def test_it_is_told_in_the_readers_language(hers: Client, now: datetime, language: str, words: str) -> None:
    watch = made(hers)
    saw(watch, now)
    saw(watch, now + MINUTE, price=41_000)
    hers.cookies["django_language"] = language
    assert words in text(hers.get("/matches/"))


def test_what_comes_back_to_the_top_is_new_to_an_open_page(hers: Client, alice: User, now: datetime) -> None:
    watch = made(hers)
    saw(watch, now)
    other = match_of(plain_watch(alice, now=now), 7, now=now + SECOND)
    saw(watch, now + 2 * MINUTE, price=41_000)
    count = hers.get("/matches/", {"after": other.pk, "count": "1"}).json()["ids"]
    mine = Match.objects.get(watch=watch)
    assert [int(key) for key in count] == [mine.pk]
    cards = text(hers.get("/matches/", {"after": other.pk}))
    assert f'data-id="{mine.pk}.' in cards
    assert float(cards.split('data-id="')[1].split('"')[0]) == count[0]
    first = hers.get("/matches/", {"before": f"{mine.pk}.12345"}).context["matches"]
    assert [match.pk for match in first] == [other.pk]


def test_pages_go_on_by_the_time_when_matches_were_told(hers: Client, alice: User, now: datetime) -> None:
    watch = plain_watch(alice, now=now)
    rows = [match_of(watch, number, now=now) for number in range(1, 40)]
    Match.objects.filter(pk=rows[0].pk).update(matched_at=now + MINUTE, cause="crossed")
    first = hers.get("/matches/").context
    second = hers.get("/matches/", {"before": str(first["matches"][-1].pk)}).context
    seen = [match.pk for match in [*first["matches"], *second["matches"]]]
    assert seen == [rows[0].pk, *(row.pk for row in reversed(rows[1:]))]


def test_the_list_shows_triggers_price_and_how_it_compares(hers: Client, now: datetime) -> None:
    watch = made(hers, price_max="42000")
    saw(watch, now)
    saw(watch, now + MINUTE, price=45_000)
    shown = text(hers.get("/watches/"))
    found = hers.get("/watches/", {"q": ITEM}).context["lines"]
    assert [line.row.watch for line in found] == [watch]
    for words in ("falls by 10% · ≤ ¥42,000", "¥45,000", "6.2% below when you began"):
        assert words in shown


def test_a_number_that_does_not_exist_is_said_on_the_watch(hers: Client, now: datetime) -> None:
    watch = made(hers)
    saw(watch, now, error="listing_gone")
    saw(watch, now + MINUTE, error="listing_gone")
    for shown in (page(hers, watch), text(hers.get("/watches/"))):
        assert "No such listing" in shown
        assert "not checked any more" in shown
    assert "twice that it knows no listing under this number" in page(hers, watch)
    assert "knows no such listing, or no more" in text(hers.get("/watches/"))


def test_a_sale_is_said_on_the_watch_and_asks_for_no_attention(hers: Client, now: datetime) -> None:
    watch = made(hers)
    saw(watch, now)
    saw(watch, now + MINUTE, status=Status.SOLD)
    shown = page(hers, watch)
    assert "Sold to someone else" in shown
    assert "It is over, and so is this watch." in shown
    assert hers.get("/watches/").context["summary"].needing == 0


def test_a_sale_that_may_be_taken_back_is_waited_for(hers: Client, now: datetime) -> None:
    watch = made(hers, back_on_sale="on")
    saw(watch, now)
    saw(watch, now + MINUTE, status=Status.SOLD)
    assert "Sold to someone else; waiting for it to come back" in page(hers, watch)


def test_a_change_is_saved_and_shown_as_a_difference(hers: Client, now: datetime) -> None:
    watch = made(hers, fall_amount="3,000")
    saw(watch, now)
    address = reverse("watch-edit", args=[watch.pk])
    form = hers.get(address).context["form"]
    shown = {name: form[name].value() for name in form.fields}
    assert (shown["item"], shown["marketplace"], shown["fall_percent"], shown["fall_amount"]) == (
        ITEM, "mercari", 10, 3000
    )  # fmt: skip
    typed = {name: value for name, value in shown.items() if value not in (None, False)}
    assert hers.post(address, typed).status_code == 302
    assert watch.versions.count() == 2  # its title has become its name
    assert hers.post(address, typed | {"fall_percent": "15", "fall_amount": "", "item": "m9"}).status_code == 302
    watch.refresh_from_db()
    assert (watch.fall_percent, watch.fall_amount, watch.external_id) == (15, None, ITEM)
    history = text(hers.get(reverse("watch-history", args=[watch.pk])))
    for words in ("Price falls by (percent)", "15%", "¥3,000"):
        assert words in history
    assert hers.post(address, typed | {"fall_percent": "", "fall_amount": ""}).status_code == 422


def test_its_runs_copy_and_bulk_actions_work_like_those_of_any_watch(hers: Client, now: datetime) -> None:
    watch = made(hers)
    saw(watch, now + timedelta(days=3650))
    assert [line.question for line in hers.get(reverse("watch-runs", args=[watch.pk])).context["runs"]] == [ITEM]
    hers.post(reverse("watch-copy", args=[watch.pk]))
    assert Watch.objects.filter(kind="listing", external_id=ITEM).count() == 2
    hers.post("/watches/bulk/", {"act": "pause", "watch": str(watch.pk)})
    watch.refresh_from_db()
    assert watch.paused_at is not None
    assert hers.get("/watches/why-not/").context["watches"] == []


def test_a_stranger_finds_no_watch_of_it(hers: Client, bob: User, now: datetime) -> None:
    watch = made(hers)
    hers.force_login(bob)
    for name in ("watch", "watch-edit", "watch-runs", "watch-history"):
        assert hers.get(reverse(name, args=[watch.pk])).status_code == 404


def test_a_search_says_what_becomes_of_what_is_listed_again(hers: Client, alice: User, now: datetime) -> None:
    watch = watch_of(alice, now)
    address = reverse("watch-edit", args=[watch.pk])
    form = hers.get(address).context["form"]
    typed = {name: form[name].value() for name in form.fields}
    typed = {name: value for name, value in typed.items() if value not in (None, False)} | {"relisted": "silent"}
    assert hers.post(address, typed).status_code == 302
    watch.refresh_from_db()
    assert watch.relisted == "silent"
    assert "listed again: quietly" in page(hers, watch)


def test_the_title_of_a_listing_is_shown_as_text(hers: Client, now: datetime) -> None:
    watch = made(hers)
    saw(watch, now, title="<script>x</script>")
    saw(watch, now + MINUTE, title="<script>x</script>", price=40_000)
    assert Crossing.objects.exists()
    for shown in (page(hers, watch), text(hers.get("/watches/")), text(hers.get("/matches/"))):
        assert "<script>x" not in shown


def test_a_paused_one_says_so(hers: Client, now: datetime) -> None:
    watch = made(hers)
    saw(watch, now)
    services.pause_watch(watch=watch, now=now)
    assert "Paused" in page(hers, watch)


def test_hours_and_days_that_are_typed_arrive_are_shown_again_and_said(hers: Client) -> None:
    answer = hers.post(NEW, TYPED | {"active_from": "22:00", "active_to": "02:30", "weekdays": ["0", "4"]})
    watch = Watch.objects.get()
    assert answer.status_code == 302
    assert (watch.active_from, watch.active_to, watch.weekdays) == (1320, 150, [0, 4])
    form = text(hers.get(reverse("watch-edit", args=[watch.pk]), headers={"accept-language": "en"}))
    assert 'value="22:00"' in form
    assert "22:00–02:30 · Mon, Fri" in form
    assert "22:00–02:30" in page(hers, watch)


def test_a_cron_that_cannot_be_is_refused_beside_its_field_and_its_section_is_unfolded(hers: Client) -> None:
    answer = hers.post(NEW, TYPED | {"cron": "every day"}, headers={"accept-language": "en"})
    assert answer.status_code == 422
    assert "five columns" in str(answer.context["form"].errors["cron"])
    assert '<details class="fold" open>' in text(answer)
    assert not Watch.objects.exists()
