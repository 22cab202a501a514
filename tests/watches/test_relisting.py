"""The same thing under a new number is linked, told once as what it is, and nothing else is."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from monitor_site.contract import Condition, Kind, Seller, Sighting, Status
from monitor_site.watches import blocking, follow
from monitor_site.watches.models import Listing, ListingEvent, Match, MatchState, Target
from monitor_site.watches.record import record
from monitor_site.watches.results import Recorded
from tests.watches.lookers import let_look
from tests.watches.makers import result, sighting, watch_of

pytestmark = pytest.mark.django_db

SECOND, MINUTE, HOUR, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
TITLE = "ルミナ カメラ 黒"
PICTURE = "https://static.mercdn.net/item/photos/{}_1.jpg?1"


@pytest.fixture(autouse=True)
def _looking(monkeypatch: pytest.MonkeyPatch) -> None:
    let_look(monkeypatch, "mercari")


@pytest.fixture
def search(alice: Any, now: datetime, redis: Any) -> Target:
    target = Target.objects.searches().get(links__watch=watch_of(alice, now))
    run(target, at=now)
    return target


def run(target: Target, *rows: Sighting, at: datetime, **options: Any) -> Recorded:
    return record([result(target, rows, at=at, **options)], now=at + SECOND)


def thing(number: int, **changes: Any) -> Sighting:
    base = sighting(number, title=TITLE)
    return sighting(number, **({"title": TITLE, "images": (PICTURE.format(base.external_id),)} | changes))


def gone(search: Target, at: datetime, status: Status = Status.STOPPED, **changes: Any) -> None:
    """Listing 1 was there and left: a look has seen it."""
    run(search, thing(1, created=at, **changes), at=at)
    follow.settle(listing_ids=[Listing.objects.get().pk], now=at)
    run(Target.objects.looks().get(), thing(1, status=status, **changes), at=at + HOUR)


def linked() -> dict[str, str | None]:
    found = Listing.objects.exclude(relisted_from=None).values_list("external_id", "relisted_from__external_id")
    return dict(found)


PAIR = {sighting(2).external_id: sighting(1).external_id}


@pytest.mark.parametrize("status", [Status.STOPPED, Status.REMOVED, Status.ENDED])
def test_what_was_taken_away_and_comes_under_a_new_number_is_linked(
    search: Target, now: datetime, status: Status
) -> None:
    gone(search, now + MINUTE, status)
    run(search, thing(2, price=4_000, created=now + DAY), at=now + DAY)
    assert linked() == PAIR
    event = ListingEvent.objects.get(kind="relisted")
    assert (event.listing.external_id, event.before, event.after) == (sighting(2).external_id, 5_000, 4_000)
    assert list(Match.objects.order_by("pk").values_list("cause", flat=True)) == ["listed", "relisted"]


def test_width_case_and_kana_of_the_title_do_not_matter(search: Target, now: datetime) -> None:
    gone(search, now + MINUTE)
    run(search, thing(2, title="るみな　ｶﾒﾗ  黒", created=now + DAY), at=now + DAY)
    assert linked() == PAIR


@pytest.mark.parametrize(
    "changes",
    [
        {"seller": Seller(id="901")},
        {"seller": None},
        {"title": "ルミナ カメラ 白"},
        {"images": ("https://static.mercdn.net/item/photos/other.jpg",)},
        {"status": Status.SOLD},
    ],
)
def test_another_seller_an_unknown_one_another_title_or_picture_is_not_linked(
    search: Target, now: datetime, changes: dict[str, Any]
) -> None:
    gone(search, now + MINUTE)
    run(search, thing(2, created=now + DAY, **changes), at=now + DAY)
    assert (Listing.objects.count(), linked()) == (2, {})


def test_nobody_is_linked_whose_old_seller_is_unknown(search: Target, now: datetime) -> None:
    gone(search, now + MINUTE, seller=None)
    run(search, thing(2, seller=None, created=now + DAY), at=now + DAY)
    assert linked() == {}


def test_an_unknown_picture_does_not_keep_them_apart(search: Target, now: datetime) -> None:
    gone(search, now + MINUTE, images=())
    run(search, thing(2, created=now + DAY), at=now + DAY)
    assert linked() == PAIR


def test_what_was_sold_is_another_thing(search: Target, now: datetime) -> None:
    gone(search, now + MINUTE, Status.SOLD)
    run(search, thing(2, created=now + DAY), at=now + DAY)
    assert linked() == {}


@pytest.mark.parametrize(("days", "count"), [(29, 1), (31, 0)])
def test_after_thirty_days_it_is_another_thing(search: Target, now: datetime, days: int, count: int) -> None:
    gone(search, now + MINUTE)
    at = now + days * DAY
    run(search, thing(2, created=at), at=at)
    assert len(linked()) == count


def test_the_end_of_an_auction_counts_not_when_we_saw_it(search: Target, now: datetime) -> None:
    ended = now - 20 * DAY
    gone(search, now + MINUTE, Status.ENDED, kind=Kind.AUCTION, bids=0, ends_at=ended)
    run(search, thing(2, created=now + 15 * DAY), at=now + 15 * DAY)
    assert linked() == {}


def test_of_two_new_ones_one_is_the_old_one(search: Target, now: datetime) -> None:
    gone(search, now + MINUTE)
    run(search, thing(2, created=now + DAY), thing(3, created=now + DAY), at=now + DAY)
    assert linked() == PAIR


def test_two_things_beside_each_other_are_two(search: Target, now: datetime) -> None:
    run(search, thing(1, created=now), thing(2, created=now), at=now + MINUTE)
    follow.settle(listing_ids=[Listing.objects.get(external_id=sighting(1).external_id).pk], now=now)
    run(Target.objects.looks().get(), thing(1, status=Status.STOPPED), at=now + HOUR)
    assert linked() == {}


def test_an_end_that_is_known_late_is_linked_when_it_is_known(search: Target, now: datetime) -> None:
    run(search, thing(1, created=now), at=now + MINUTE)
    follow.settle(listing_ids=[Listing.objects.get().pk], now=now + MINUTE)
    run(search, thing(2, created=now + HOUR), at=now + HOUR)
    assert linked() == {}
    look = Target.objects.looks().get()
    for wait in (2, 3):
        run(look, at=now + wait * HOUR, error="listing_gone")
    assert linked() == PAIR
    assert ListingEvent.objects.filter(kind="relisted").count() == 1


def test_a_seller_that_only_a_look_tells_is_enough(search: Target, now: datetime) -> None:
    gone(search, now + MINUTE)
    run(search, thing(2, seller=None, created=now + DAY), at=now + DAY)
    new = Listing.objects.get(external_id=sighting(2).external_id)
    follow.settle(listing_ids=[new.pk], now=now + DAY)
    run(Target.objects.looks().get(listing=new), thing(2), at=now + DAY + HOUR)
    assert linked() == PAIR


def test_what_a_person_put_aside_stays_aside_under_its_new_number(search: Target, now: datetime) -> None:
    gone(search, now + MINUTE)
    Match.objects.update(state=MatchState.IGNORED)
    done = run(search, thing(2, created=now + DAY), at=now + DAY)
    assert (done.matches, Match.objects.latest("pk").state) == ([], "ignored")


def asked_for_condition(user: Any, now: datetime) -> Target:
    """The question of a watch that wants a condition, after its first, silent answer."""
    target = Target.objects.searches().get(links__watch=watch_of(user, now, conditions=["good"]))
    run(target, at=now)
    return target


@pytest.mark.parametrize(("state", "told"), [(MatchState.IGNORED, 0), (MatchState.SEEN, 1)])
def test_it_stays_aside_too_when_only_a_look_tells_whether_it_fits(
    alice: Any, now: datetime, redis: Any, state: MatchState, told: int
) -> None:
    search = asked_for_condition(alice, now)
    gone(search, now + MINUTE)
    Match.objects.update(state=state)
    run(search, thing(2, condition=Condition.UNKNOWN, created=now + DAY), at=now + DAY)
    new = Listing.objects.get(external_id=sighting(2).external_id)
    follow.settle(listing_ids=[new.pk], now=now + DAY)
    done = run(Target.objects.looks().get(listing=new), thing(2), at=now + DAY + HOUR)
    match = Match.objects.get(listing=new)
    assert (len(done.matches), match.cause, match.state == MatchState.IGNORED) == (told, "relisted", not told)


def test_what_only_a_block_put_aside_is_told_again_where_the_block_does_not_hold(search: Target, now: datetime) -> None:
    gone(search, now + MINUTE)
    old = Match.objects.get()
    Listing.objects.update(description="ジャンク品です")
    made = blocking.block_phrase(user=old.user, phrase="ジャンク", now=now + HOUR)
    done = run(search, thing(2, created=now + DAY), at=now + DAY)
    assert (made.put_aside, len(done.matches), Match.objects.latest("pk").state) == (1, 1, "new")


def test_a_first_page_of_many_sellers_costs_one_question_about_them(
    alice: Any, now: datetime, redis: Any, django_assert_max_num_queries: Any
) -> None:
    target = Target.objects.searches().get(links__watch=watch_of(alice, now))
    rows = [sighting(number, seller=Seller(id=str(number))) for number in range(100)]
    with django_assert_max_num_queries(45):
        run(target, *rows, at=now)


@pytest.mark.parametrize(
    ("wished", "price", "silent"),
    [("alert", 5_000, False), ("silent", 4_000, True), ("price_change", 5_000, True), ("price_change", 4_000, False),
     ("price_change", None, True)],
)  # fmt: skip
def test_what_is_listed_again_follows_the_wish_of_its_watch(
    alice: Any, now: datetime, wished: str, price: int | None, silent: bool
) -> None:
    watch = watch_of(alice, now, tell_existing=True, relisted=wished)
    target = Target.objects.get(links__watch=watch)
    old, new = sighting(1), sighting(2, title=sighting(1).title, price=price)
    record([result(target, [old], at=now)], now=now)
    Listing.objects.update(status="removed")
    record([result(target, [new], at=now + timedelta(minutes=5))], now=now + timedelta(minutes=5))
    match = Match.objects.get(listing__external_id=new.external_id)
    assert (match.cause, match.silent) == ("relisted", silent)
