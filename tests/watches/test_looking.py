"""What looks leave behind: prices, events, an end; and that looks and searches of one listing do not contradict."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from monitor_site.contract import Condition, Kind, Money, Seller, Shipping, Sighting, Status
from monitor_site.outbox.models import OutboxRow
from monitor_site.watches import follow
from monitor_site.watches.models import Check, Listing, ListingEvent, Match, PricePoint, Target
from monitor_site.watches.record import record
from monitor_site.watches.results import Recorded
from tests.watches.lookers import let_look
from tests.watches.makers import result, sighting, watch_of

pytestmark = pytest.mark.django_db

SECOND, MINUTE, HOUR, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


@pytest.fixture(autouse=True)
def _looking(monkeypatch: pytest.MonkeyPatch) -> None:
    let_look(monkeypatch, "mercari")


@pytest.fixture
def search(alice: Any, now: datetime, redis: Any) -> Target:
    return Target.objects.get(links__watch=watch_of(alice, now, tell_existing=True))


def matched(search: Target, row: Sighting, now: datetime) -> Target:
    """The look of a listing that a search has found and a watch wants."""
    record([result(search, [row], at=now)], now=now)
    follow.settle(listing_ids=[Listing.objects.get(external_id=row.external_id).pk], now=now)
    return Target.objects.looks().get()


def run(target: Target, *rows: Sighting, at: datetime, **options: Any) -> Recorded:
    return record([result(target, rows, at=at, **options)], now=at + SECOND)


def events() -> list[str]:
    return list(ListingEvent.objects.order_by("pk").exclude(kind="listed").values_list("kind", flat=True))


def due(target: Target) -> datetime | None:
    target.refresh_from_db()
    return target.due_at


def test_a_drop_and_then_the_sale_of_what_scrolled_off_the_page_are_seen(search: Target, now: datetime) -> None:
    look = matched(search, sighting(1), now)
    run(search, at=now + MINUTE)
    run(look, sighting(1, price=4_000), at=now + 10 * MINUTE)
    done = run(look, sighting(1, price=4_000, status=Status.SOLD), at=now + HOUR)
    drop = ListingEvent.objects.get(kind="price_drop")
    assert (drop.before, drop.after, events()) == (5_000, 4_000, ["price_drop", "sold"])
    assert list(PricePoint.objects.order_by("at").values_list("price", flat=True)) == [5_000, 4_000]
    assert (Listing.objects.get().status, Match.objects.get().price) == ("sold", 5_000)
    assert not done.standings[0].active
    assert OutboxRow.objects.filter(topic="listing", object_id=Listing.objects.get().pk).exists()


def test_a_look_is_a_check_like_any_other_and_has_no_beats_to_miss(search: Target, now: datetime) -> None:
    look = matched(search, sighting(1), now)
    run(look, sighting(1), at=now + 10 * MINUTE)
    check = Check.objects.get(target=look)
    assert (check.outcome, check.fetched, check.new, check.matched, check.missed_beats) == ("ok", 1, 0, 0, 0)


def test_every_look_says_when_the_next_one_is(search: Target, now: datetime) -> None:
    look = matched(search, sighting(1), now)
    first = due(look)
    assert first is not None
    assert 10 * MINUTE <= first - now <= 11 * MINUTE
    done = run(look, sighting(1), at=first)
    second = due(look)
    assert second is not None
    assert HOUR <= second - now <= 66 * MINUTE
    assert done.standings[0].due_ms == round(second.timestamp() * 1000)
    assert look.interval_seconds == round((second - first - SECOND).total_seconds())


def test_one_answer_that_it_is_gone_removes_nothing_and_is_doubted_soon(search: Target, now: datetime) -> None:
    look = matched(search, sighting(1), now)
    run(look, at=now + 10 * MINUTE, error="listing_gone")
    assert (Listing.objects.get().status, events()) == ("on_sale", [])
    assert due(look) == now + 11 * MINUTE + SECOND
    run(look, sighting(1), at=now + 11 * MINUTE)
    run(look, at=now + HOUR, error="listing_gone")
    assert (Listing.objects.get().status, events()) == ("on_sale", [])


def test_the_second_answer_in_a_row_removes_it_and_ends_the_following(search: Target, now: datetime) -> None:
    look = matched(search, sighting(1), now)
    run(look, at=now + 10 * MINUTE, error="listing_gone")
    run(look, at=now + 11 * MINUTE, error="unavailable")
    done = run(look, at=now + 12 * MINUTE, error="listing_gone")
    assert (Listing.objects.get().status, events()) == ("removed", ["removed"])
    assert (done.standings[0].active, due(look)) == (False, None)
    assert OutboxRow.objects.filter(topic="listing").exists()


def test_two_answers_of_one_bad_moment_remove_nothing(search: Target, now: datetime) -> None:
    look = matched(search, sighting(1), now)
    for wait in (0, 2, 4):
        run(look, at=now + 10 * MINUTE + wait * SECOND, error="listing_gone")
    assert Listing.objects.get().status == "on_sale"
    assert due(look) is not None


def test_what_was_sold_stays_sold_when_its_page_is_gone(search: Target, now: datetime) -> None:
    look = matched(search, sighting(1), now)
    run(look, sighting(1, status=Status.SOLD), at=now + 10 * MINUTE)
    for wait in (1, 2):
        run(look, at=now + wait * HOUR, error="listing_gone")
    assert (Listing.objects.get().status, events()) == ("sold", ["sold"])


def test_a_failed_look_comes_back_later_each_time_and_changes_nothing(search: Target, now: datetime) -> None:
    look = matched(search, sighting(1), now)
    waits = []
    for hour in range(1, 5):
        run(look, at=now + hour * HOUR, error="unavailable")
        waits.append((due(look) or now) - (now + hour * HOUR + SECOND))
    assert waits == [MINUTE, 2 * MINUTE, 4 * MINUTE, 8 * MINUTE]
    assert (Listing.objects.get().status, events()) == ("on_sale", [])


def auction(now: datetime, **changes: Any) -> Sighting:
    return sighting(1, **({"kind": Kind.AUCTION, "ends_at": now + 2 * HOUR, "bids": 1} | changes))


def test_an_auction_that_is_extended_says_so_and_is_looked_at_after_its_new_end(search: Target, now: datetime) -> None:
    look = matched(search, auction(now), now)
    run(look, auction(now, ends_at=now + 2 * HOUR + 40 * SECOND), at=now + HOUR)
    assert events() == []
    later = now + 2 * HOUR + 5 * MINUTE
    run(look, auction(now, ends_at=later, bids=2, price=6_000), at=now + 2 * HOUR - MINUTE)
    moved = ListingEvent.objects.get(kind="extended")
    assert (moved.before, moved.after) == (int((now + 2 * HOUR).timestamp()) + 40, int(later.timestamp()))
    assert events() == ["extended", "price_rise"]
    run(look, auction(now, ends_at=later, bids=2, price=6_000), at=later - 40 * SECOND)
    assert due(look) == later + 20 * SECOND
    done = run(look, auction(now, ends_at=later, bids=2, price=6_000, status=Status.SOLD), at=later + 20 * SECOND)
    assert (events()[-1], done.standings[0].active) == ("sold", False)


def test_an_auction_that_is_closed_early_without_bids_ended(search: Target, now: datetime) -> None:
    look = matched(search, auction(now, bids=0), now)
    run(look, auction(now, bids=0, ends_at=now + HOUR, status=Status.ENDED), at=now + HOUR)
    assert events() == ["ended"]
    assert Listing.objects.get().ends_at == now + HOUR


def test_reserved_and_back_again(search: Target, now: datetime) -> None:
    look = matched(search, sighting(1), now)
    run(look, sighting(1, status=Status.RESERVED), at=now + HOUR)
    run(look, sighting(1), at=now + 2 * HOUR)
    assert events() == ["reserved", "back"]
    assert OutboxRow.objects.filter(topic="follow").exists()


def as_search(now: datetime, **changes: Any) -> Sighting:
    """What a search tells: no description, one small picture, a cut title, no fee, no rating, no end."""
    told = {"title": "ルミナ カメラ 1号 箱なし…", "created": now, "updated": now, "condition": Condition.UNKNOWN}
    return sighting(1, **(told | changes))


def as_look(now: datetime, **changes: Any) -> Sighting:
    """What a look tells of the same listing: nearly everything in other words."""
    told = {
        "title": "ルミナ カメラ 1号 箱なし 動作確認済み",
        "description": "レンズに薄いキズがあります。",
        "kind": Kind.SHOP,
        "condition": Condition.FAIR,
        "shipping": Shipping.BUYER_PAYS,
        "shipping_fee": Money(amount=800, currency="JPY"),
        "seller": Seller(id="900", name="店", rating=4.5, count=30),
        "images": ("https://static.mercdn.net/a.jpg", "https://static.mercdn.net/b.jpg"),
        "updated": now + MINUTE,
        "buy_now": Money(amount=9_000, currency="JPY"),
        "extra": {"brand": "Lumina"},
    }
    return replace(sighting(1), **(told | changes))


@pytest.mark.parametrize("look_first", [True, False])
def test_looks_and_searches_that_see_different_fields_make_no_noise(
    search: Target, now: datetime, look_first: bool
) -> None:
    look = matched(search, as_search(now), now)
    at = now + HOUR
    for turn in range(60):
        for mine in (look, search) if (turn % 2 == 0) == look_first else (search, look):
            at += MINUTE
            if mine is look:
                run(look, as_look(now), at=at)
            else:
                rows = [as_search(now, bids=turn)] if turn % 3 else []  # it comes, changes a little, and goes
                run(search, *rows, at=at)
    assert events() == []
    assert (Match.objects.count(), PricePoint.objects.count()) == (1, 1)
    assert not OutboxRow.objects.filter(topic="listing").exists()


def test_neither_a_search_nor_a_look_makes_a_listing_less_known(search: Target, now: datetime) -> None:
    look = matched(search, as_search(now, bids=3), now)
    run(look, as_look(now), at=now + HOUR)
    run(search, as_search(now, bids=4, seller=Seller(id="900")), at=now + 2 * HOUR)
    bare = replace(sighting(1, price=None), seller=None, images=(), condition=Condition.UNKNOWN)
    run(look, replace(bare, shipping=Shipping.UNKNOWN, status=Status.UNKNOWN), at=now + 3 * HOUR)
    listing = Listing.objects.get()
    assert (listing.price, listing.status, listing.bids, listing.buy_now) == (5_000, "on_sale", 4, 9_000)
    assert (listing.description, listing.condition) == ("レンズに薄いキズがあります。", "fair")
    assert (listing.seller_name, listing.seller_rating, listing.seller_count) == ("店", 4.5, 30)
    assert (len(listing.images), listing.extra, listing.edited_at) == (2, {"brand": "Lumina"}, now + MINUTE)
    assert events() == []


def test_a_cut_title_does_not_replace_the_whole_one_and_a_new_one_does(search: Target, now: datetime) -> None:
    look = matched(search, as_search(now), now)
    run(look, as_look(now), at=now + HOUR)
    run(search, as_search(now, bids=1), at=now + 2 * HOUR)
    assert Listing.objects.get().title == as_look(now).title
    run(search, as_search(now, title="ルミナ レンズ"), at=now + 3 * HOUR)
    assert Listing.objects.get().title == "ルミナ レンズ"


def test_the_fee_of_another_way_to_ship_does_not_stay(search: Target, now: datetime) -> None:
    look = matched(search, as_search(now), now)
    run(look, as_look(now), at=now + HOUR)
    run(look, as_look(now, shipping=Shipping.INCLUDED, shipping_fee=None), at=now + 2 * HOUR)
    assert Listing.objects.get().shipping_fee is None


def test_another_seller_brings_no_rating_of_the_first(search: Target, now: datetime) -> None:
    look = matched(search, as_search(now), now)
    run(look, as_look(now), at=now + HOUR)
    run(look, as_look(now, seller=Seller(id="901")), at=now + 2 * HOUR)
    listing = Listing.objects.get()
    assert (listing.seller_id, listing.seller_name, listing.seller_rating) == ("901", "", None)


def test_a_search_that_lags_brings_nothing_back_until_it_still_says_so_later(search: Target, now: datetime) -> None:
    look = matched(search, sighting(1), now)
    run(look, sighting(1, status=Status.SOLD), at=now + HOUR)
    lagging = sighting(1, bids=1)
    for minute in (1, 2, 9):
        run(search, lagging, at=now + HOUR + minute * MINUTE)
    assert (events(), Listing.objects.get().status) == (["sold"], "sold")
    run(search, lagging, at=now + HOUR + 11 * MINUTE)
    assert (events(), Listing.objects.get().status) == (["sold", "back"], "on_sale")
    follow.settle(listing_ids=[Listing.objects.get().pk], now=now + 2 * HOUR)
    assert due(look) is not None


def test_a_lagging_search_makes_no_match_of_what_is_sold(alice: Any, search: Target, now: datetime) -> None:
    look = matched(search, sighting(1), now)
    run(look, sighting(1, status=Status.SOLD), at=now + HOUR)
    other = Target.objects.get(links__watch=watch_of(alice, now, must=["カメラ"], tell_existing=True))
    run(other, sighting(1, bids=1), at=now + HOUR + MINUTE)
    assert Match.objects.count() == 1


def test_a_stale_look_changes_nothing(search: Target, now: datetime) -> None:
    look = matched(search, sighting(1), now)
    run(look, sighting(1, price=4_000), at=now + HOUR, fence=200)
    time = due(look)
    done = run(look, sighting(1, status=Status.SOLD), at=now + 2 * HOUR, fence=100)
    assert done.stale == {look.pk}
    assert (due(look), events(), Listing.objects.get().status) == (time, ["price_drop"], "on_sale")
    assert done.standings[0].due_ms == round((time or now).timestamp() * 1000)


def test_a_search_and_a_look_of_one_flush_are_both_recorded(search: Target, now: datetime) -> None:
    look = matched(search, sighting(1), now)
    at = now + HOUR
    record([result(search, [sighting(1, price=4_500)], at=at), result(look, [as_look(now)], at=at + SECOND)], now=at)
    listing = Listing.objects.get()
    assert (listing.price, listing.description) == (5_000, as_look(now).description)
    assert Check.objects.filter(started_at__gte=at).count() == 2


def test_a_price_drop_that_a_look_saw_is_the_cause_of_the_match_it_brings(
    alice: Any, search: Target, now: datetime
) -> None:
    look = matched(search, sighting(1, price=12_000), now)
    picky = Target.objects.get(links__watch=watch_of(alice, now, must=["カメラ"], price_max=10_000))
    run(picky, sighting(1, price=12_000), at=now + MINUTE)
    run(look, sighting(1, price=9_000), at=now + HOUR)
    done = run(picky, sighting(1, price=9_000), at=now + HOUR + MINUTE)
    assert Match.objects.get(pk__in=done.matches).cause == "price_drop"
    assert events() == ["price_drop"]


def test_a_search_that_repeats_what_it_said_before_a_look_is_no_news(search: Target, now: datetime) -> None:
    look = matched(search, sighting(1), now)
    run(look, sighting(1, price=4_000), at=now + HOUR)
    run(search, at=now + 2 * HOUR)
    run(search, sighting(1), at=now + 3 * HOUR)
    assert (events(), Listing.objects.get().price) == (["price_drop"], 4_000)
    run(search, sighting(1, price=4_500), at=now + 4 * HOUR)
    assert (events(), Listing.objects.get().price) == (["price_drop", "price_rise"], 4_500)


def test_a_look_sees_no_bump_and_takes_no_later_edit_back(search: Target, now: datetime) -> None:
    look = matched(search, sighting(1, created=now), now)
    run(look, sighting(1, created=now, updated=now + MINUTE), at=now + HOUR)
    run(look, sighting(1, created=now, updated=now - MINUTE), at=now + 2 * HOUR)
    assert (events(), Listing.objects.get().edited_at) == ([], now + MINUTE)
