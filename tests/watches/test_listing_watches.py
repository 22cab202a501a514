"""A watch about one listing: when it is looked at, what it tells, and what ends it."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from monitor_site.contract import Kind, Sighting, Status
from monitor_site.engine import jobs
from monitor_site.outbox.models import OutboxRow
from monitor_site.outbox.stream import stream_key
from monitor_site.watches import follow, services
from monitor_site.watches.models import Crossing, Listing, Match, MatchState, PricePoint, Target, Watch, WatchTarget
from monitor_site.watches.record import record
from monitor_site.watches.services import Wish
from tests.watches.lookers import let_look
from tests.watches.makers import result, sighting, watch_of

pytestmark = pytest.mark.django_db

SECOND, MINUTE, HOUR, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
ITEM = sighting(1).external_id


@pytest.fixture(autouse=True)
def _looking(monkeypatch: pytest.MonkeyPatch, redis: Any) -> None:
    let_look(monkeypatch, "mercari")


def wish(**changes: Any) -> Wish:
    base: dict[str, Any] = {
        "kind": "listing", "name": "", "marketplaces": ["mercari"], "external_id": ITEM, "interval_seconds": 60,
    }  # fmt: skip
    triggers = {} if {"price_max", "back_on_sale", "ends_within_minutes", "lowest_days"} & set(changes) else {
        "fall_percent": 10
    }  # fmt: skip
    return Wish(**(base | triggers | changes))


def listing_watch(user: Any, now: datetime, **changes: Any) -> Watch:
    return services.create_watch(user=user, wish=wish(**changes), now=now)


def look() -> Target:
    return Target.objects.looks().get(criteria=ITEM)


def saw(at: datetime, *, price: int | None = 48_000, error: str = "", **changes: Any) -> None:
    """A look, and what it brought."""
    rows = [] if error else [sighting(1, price=price, **changes)]
    record([result(look(), rows, at=at, error=error)], now=at + SECOND)


def kinds() -> list[list[str]]:
    return list(Crossing.objects.order_by("pk").values_list("kinds", flat=True))


def told() -> list[int]:
    return list(OutboxRow.objects.filter(topic="crossing").order_by("pk").values_list("object_id", flat=True))


def test_its_first_look_makes_the_listing_and_a_silent_match(alice: Any, now: datetime) -> None:
    watch = listing_watch(alice, now)
    target = look()
    assert (target.listing_id, target.active, target.due_at, watch.name) == (None, True, now, ITEM)
    assert OutboxRow.objects.filter(topic="target", object_id=target.pk).exists()
    saw(now + SECOND)
    match, target = Match.objects.get(), look()
    assert (match.silent, match.cause, match.price, match.watch_id) == (True, "existing", 48_000, watch.pk)
    assert target.listing == Listing.objects.get() == match.listing
    assert target.due_at == now + 2 * SECOND + MINUTE
    watch.refresh_from_db()
    assert watch.name == match.listing.title
    assert (kinds(), told(), Match.objects.told().count()) == ([], [], 0)


def test_a_name_that_somebody_gave_stays(alice: Any, now: datetime) -> None:
    watch = listing_watch(alice, now, name="My lens")
    saw(now)
    watch.refresh_from_db()
    assert watch.name == "My lens"


def test_a_fall_is_written_told_once_and_comes_to_the_top_as_new(alice: Any, now: datetime, redis: Any) -> None:
    listing_watch(alice, now)
    saw(now)
    saw(now + MINUTE, price=41_000)
    row, match = Crossing.objects.get(), Match.objects.get()
    assert (row.kind, row.before, row.price, row.at) == ("fall", 48_000, 41_000, now + MINUTE)
    assert (match.silent, match.state, match.cause, match.price) == (False, "new", "crossed", 41_000)
    assert match.matched_at == now + MINUTE + SECOND
    assert (match.trace, row.trace) == (row.trace, f"{look().pk}-{(now + MINUTE).timestamp():.3f}-0")
    assert told() == [row.pk]
    for _ in range(3):
        jobs.announce_crossings([row.pk])
    assert redis.xlen(stream_key(alice.pk)) == 1
    for wait in (2, 3):
        saw(now + wait * MINUTE, price=41_000)
    assert (Crossing.objects.count(), Match.objects.get().matched_at) == (1, match.matched_at)


@pytest.mark.parametrize("error", ["unavailable", "layout_changed", "suspect_empty", "listing_gone"])
def test_a_failed_look_between_two_good_ones_tells_nothing(alice: Any, now: datetime, error: str) -> None:
    listing_watch(alice, now)
    saw(now)
    saw(now + MINUTE, error=error)
    saw(now + 3 * MINUTE)
    saw(now + 4 * MINUTE, price=None)
    saw(now + 5 * MINUTE)
    assert (kinds(), Match.objects.get().silent) == ([], True)
    saw(now + 6 * MINUTE, price=43_000)
    assert kinds() == [["fall"]]


def test_what_flips_back_and_forth_is_told_once_in_an_hour(alice: Any, now: datetime) -> None:
    listing_watch(alice, now, price_max=42_000)
    for minute, price in enumerate((48_000, 41_000, 48_000, 41_000, 48_000, 41_500, 43_000, 40_000)):
        saw(now + minute * MINUTE, price=price)
    assert list(Crossing.objects.order_by("pk").values_list("price", flat=True)) == [41_000, 40_000]
    saw(now + 2 * HOUR, price=48_000)
    saw(now + 3 * HOUR, price=41_000)
    assert kinds() == [["limit"]] * 3


def test_what_was_put_aside_stays_there_and_is_told_to_nobody(alice: Any, now: datetime) -> None:
    listing_watch(alice, now)
    saw(now)
    saw(now + MINUTE, price=40_000)
    services.ignore_match(match=Match.objects.get(), now=now + 2 * MINUTE)
    OutboxRow.objects.filter(topic="crossing").delete()
    saw(now + 3 * MINUTE, price=30_000)
    assert (Match.objects.get().state, kinds(), told()) == (MatchState.IGNORED, [["fall"], ["fall"]], [])


def test_what_is_so_already_is_told_only_if_that_is_wished(alice: Any, bob: Any, now: datetime) -> None:
    listing_watch(alice, now, price_max=50_000)
    listing_watch(bob, now, price_max=50_000, tell_existing=True)
    saw(now)
    assert [row.match.user for row in Crossing.objects.all()] == [bob]


def test_everybody_who_watches_it_is_told_of_one_look(alice: Any, bob: Any, now: datetime) -> None:
    listing_watch(alice, now, interval_seconds=3600)
    listing_watch(bob, now, interval_seconds=120)
    assert WatchTarget.objects.filter(target=look()).count() == 2
    saw(now)
    assert look().due_at == now + SECOND + 2 * MINUTE
    saw(now + 2 * MINUTE, price=40_000)
    assert {row.match.user for row in Crossing.objects.all()} == {alice, bob}


def test_an_answer_that_comes_late_tells_nothing(alice: Any, now: datetime) -> None:
    listing_watch(alice, now)
    saw(now)
    search = Target.objects.get(links__watch=watch_of(alice, now))
    record([result(search, [sighting(1, price=47_500)], at=now + 10 * MINUTE)], now=now + 10 * MINUTE)
    saw(now + 9 * MINUTE, price=30_000)
    assert kinds() == []


def test_the_lowest_price_needs_a_history_that_long(alice: Any, now: datetime) -> None:
    listing_watch(alice, now, lowest_days=30)
    saw(now)
    saw(now + MINUTE, price=47_000)
    assert kinds() == []
    PricePoint.objects.create(listing=Listing.objects.get(), price=52_000, at=now - 31 * DAY)
    saw(now + 2 * MINUTE, price=46_000)
    saw(now + 3 * MINUTE, price=46_500)
    saw(now + 4 * MINUTE, price=45_000)
    assert [row.price for row in Crossing.objects.order_by("pk")] == [46_000, 45_000]


def test_a_lower_price_that_a_search_saw_first_is_still_the_lowest(alice: Any, now: datetime) -> None:
    listing_watch(alice, now, lowest_days=30)
    saw(now)
    PricePoint.objects.create(listing=Listing.objects.get(), price=52_000, at=now - 31 * DAY)
    search = Target.objects.get(links__watch=watch_of(alice, now))
    record([result(search, [sighting(1, price=40_000)], at=now + 10 * SECOND)], now=now + 10 * SECOND)
    saw(now + MINUTE, price=40_000)
    assert kinds() == [["lowest"]]


def test_a_near_end_is_told_by_a_look_that_is_due_right_then(alice: Any, now: datetime) -> None:
    auction = {"kind": Kind.AUCTION, "ends_at": now + 2 * HOUR}
    listing_watch(alice, now, ends_within_minutes=30, interval_seconds=3600)
    saw(now, **auction)
    saw(now + HOUR, **auction)
    assert look().due_at == now + 90 * MINUTE
    saw(now + 90 * MINUTE, **auction)
    saw(now + 100 * MINUTE, **auction)
    assert kinds() == [["ending"]]


def test_a_sale_ends_it_and_says_so(alice: Any, now: datetime) -> None:
    watch = listing_watch(alice, now)
    saw(now)
    saw(now + MINUTE, price=20_000, status=Status.SOLD)
    assert (look().active, kinds(), Listing.objects.get().status) == (False, [], "sold")
    assert follow.heal(now=now + HOUR) == 0
    services.check_now(watch=watch, now=now + HOUR)
    assert look().due_at == now + HOUR


def test_what_may_come_back_is_looked_at_seldom_and_told_when_it_does(alice: Any, now: datetime) -> None:
    listing_watch(alice, now, back_on_sale=True)
    saw(now)
    saw(now + MINUTE, status=Status.SOLD)
    assert look().due_at == now + MINUTE + SECOND + 6 * HOUR
    saw(now + 7 * HOUR, price=44_000)
    assert (kinds(), look().due_at) == ([["back"]], look().due_at)
    Target.objects.update(active=False, due_at=None)
    Listing.objects.update(status="removed")
    assert (follow.heal(now=now + 8 * HOUR), look().active) == (1, True)


def test_a_number_that_does_not_exist_is_asked_twice_and_then_no_more(alice: Any, now: datetime) -> None:
    watch = listing_watch(alice, now)
    saw(now, error="listing_gone")
    assert look().due_at == now + SECOND + MINUTE
    saw(now + MINUTE, error="listing_gone")
    assert (look().active, look().last_error, Listing.objects.count()) == (False, "listing_gone", 0)
    assert follow.heal(now=now + HOUR) == 0
    services.pause_watch(watch=watch, now=now + HOUR)
    services.resume_watch(watch=watch, now=now + 2 * HOUR)
    assert (look().active, look().due_at) == (True, now + 2 * HOUR)
    saw(now + 2 * HOUR)
    assert Match.objects.get().watch == watch


def test_a_listing_that_a_search_finds_first_is_the_one_that_is_looked_at(alice: Any, now: datetime) -> None:
    listing_watch(alice, now)
    search = Target.objects.get(links__watch=watch_of(alice, now, tell_existing=True))
    record([result(search, [sighting(1)], at=now)], now=now)
    follow.settle(listing_ids=[Listing.objects.get().pk], now=now)
    assert (look().listing, Target.objects.looks().count()) == (Listing.objects.get(), 1)


def test_a_first_look_that_fails_is_tried_again_and_hurries_nobody(alice: Any, now: datetime) -> None:
    listing_watch(alice, now)
    saw(now, error="unavailable")
    saw(now + MINUTE, error="unavailable")
    due = now + MINUTE + SECOND + 2 * MINUTE
    assert look().due_at == due
    assert follow.heal(now=now + MINUTE) == 0
    follow.settle_looks(target_ids=[look().pk], now=now + 90 * SECOND)
    assert look().due_at == due


def changed(watch: Watch, now: datetime, **changes: Any) -> None:
    services.change_watch(watch=watch, wish=wish(**changes), now=now)


ACTS: list[tuple[Callable[[Watch, datetime], Any], bool]] = [
    (lambda watch, now: services.pause_watch(watch=watch, now=now), False),
    (lambda watch, now: services.delete_watch(watch=watch, now=now), False),
    (lambda watch, now: changed(watch, now, interval_seconds=3600), True),
]


@pytest.mark.parametrize(("act", "goes_on"), ACTS)
def test_what_a_person_does_changes_the_look_at_once(alice: Any, now: datetime, act: Any, goes_on: bool) -> None:
    watch = listing_watch(alice, now, interval_seconds=1800)
    saw(now)
    act(watch, now + 5 * MINUTE)
    target = look()
    assert (target.active, target.due_at) == ((True, now + 80 * 1 * MILLI + HOUR) if goes_on else (False, None))
    assert OutboxRow.objects.filter(topic="target", object_id=target.pk, done_at=None).exists()


MILLI = timedelta(milliseconds=1)


def test_a_told_match_of_somebody_else_is_followed_when_the_watch_goes(alice: Any, bob: Any, now: datetime) -> None:
    search = Target.objects.get(links__watch=watch_of(bob, now, tell_existing=True))
    record([result(search, [sighting(1)], at=now)], now=now)
    watch = listing_watch(alice, now)
    follow.settle(listing_ids=[Listing.objects.get().pk], now=now)
    saw(now + SECOND)
    assert look().due_at == now + 2 * SECOND + MINUTE
    services.delete_watch(watch=watch, now=now + 3 * SECOND)
    assert look().active


def test_other_triggers_measure_from_the_price_that_is_seen_next(alice: Any, now: datetime) -> None:
    watch = listing_watch(alice, now)
    saw(now)
    saw(now + MINUTE, price=45_000)
    changed(watch, now + 2 * MINUTE, fall_percent=5)
    saw(now + 3 * MINUTE, price=45_000)
    assert kinds() == []
    saw(now + 4 * MINUTE, price=42_750)
    assert kinds() == [["fall"]]


def test_another_name_or_interval_forgets_nothing(alice: Any, now: datetime) -> None:
    watch = listing_watch(alice, now)
    saw(now)
    changed(watch, now + MINUTE, name="My lens", interval_seconds=120)
    saw(now + 2 * MINUTE, price=43_000)
    assert (Crossing.objects.get().before, watch.versions.count()) == (48_000, 2)


def test_what_happened_in_a_pause_is_the_new_beginning(alice: Any, now: datetime) -> None:
    watch = listing_watch(alice, now)
    saw(now)
    services.pause_watch(watch=watch, now=now + MINUTE)
    services.resume_watch(watch=watch, now=now + DAY)
    assert look().due_at == now + DAY
    saw(now + DAY, price=30_000)
    assert kinds() == []


def test_a_copy_watches_the_same_listing_and_is_paused(alice: Any, now: datetime) -> None:
    copy = services.copy_watch(watch=listing_watch(alice, now, name="lens", back_on_sale=True), now=now)
    assert (copy.kind, copy.external_id, copy.back_on_sale, copy.fall_percent) == ("listing", ITEM, True, None)
    assert set(WatchTarget.objects.values_list("target", flat=True)) == {look().pk}


def test_the_audit_finds_a_watched_listing_that_nobody_looks_at(alice: Any, now: datetime) -> None:
    listing_watch(alice, now)
    saw(now)
    Target.objects.update(active=False, due_at=None)
    assert (follow.heal(now=now + HOUR), follow.heal(now=now + HOUR)) == (1, 0)
    assert look().active


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"external_id": " "}, "external_id"),
        ({"external_id": "m1 m2"}, "external_id"),
        ({"external_id": "m" * 65}, "external_id"),
        ({"external_id": "m\x00"}, "external_id"),
        ({"marketplaces": []}, "marketplaces"),
        ({"marketplaces": ["mercari", "yahoo_auctions"]}, "marketplaces"),
        ({"marketplaces": ["gone"]}, "marketplaces"),
        ({"fall_percent": None}, "__all__"),
        ({"fall_percent": 0, "back_on_sale": False}, "__all__"),
        ({"fall_percent": 0, "back_on_sale": "false"}, "__all__"),
        ({"fall_percent": 100}, "fall_percent"),
        ({"fall_amount": 10**9}, "fall_amount"),
        ({"rise_percent": 1001}, "rise_percent"),
        ({"lowest_days": 1}, "lowest_days"),
        ({"ends_within_minutes": 10**6}, "ends_within_minutes"),
        ({"price_max": -1}, "price_max"),
        ({"interval_seconds": 1}, "interval_seconds"),
        ({"relisted": "never"}, "relisted"),
        ({"policy": "buy"}, "policy"),
    ],
)
def test_a_wish_that_cannot_be_is_refused_in_a_sentence(alice: Any, now: datetime, changes: Any, field: str) -> None:
    with pytest.raises(ValidationError) as refused:
        listing_watch(alice, now, **changes)
    assert field in refused.value.message_dict
    assert not Watch.objects.exists()


def test_what_is_about_searches_is_not_kept(alice: Any, now: datetime) -> None:
    watch = listing_watch(alice, now, must=["ルミナ"], none_of=["x"], price_max=0, fall_percent=5, price_min=3)
    assert (watch.must, watch.none_of, watch.price_max, watch.price_min) == ([], [], None, None)
    search = watch_of(alice, now, fall_percent=10, back_on_sale=True, external_id="m1")
    assert (search.fall_percent, search.back_on_sale, search.external_id) == (None, False, "")


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "listing", "marketplaces": ["mercari"], "external_id": ITEM},
        {"kind": "listing", "marketplaces": ["mercari"], "external_id": "", "fall_percent": 10},
        {"kind": "listing", "marketplaces": ["mercari", "yahoo_auctions"], "external_id": ITEM, "fall_percent": 10},
        {"kind": "listing", "marketplaces": ["mercari"], "external_id": ITEM, "fall_percent": 10, "must": ["x"]},
        {"kind": "listing", "marketplaces": ["mercari"], "external_id": ITEM, "fall_percent": 0},
        {"kind": "listing", "marketplaces": ["mercari"], "external_id": ITEM, "lowest_days": 366},
        {"kind": "search", "marketplaces": ["mercari"], "fall_percent": 10},
        {"kind": "search", "marketplaces": ["mercari"], "external_id": ITEM},
        {"kind": "other", "marketplaces": ["mercari"]},
    ],
)
def test_the_database_holds_what_a_listing_watch_is(alice: Any, now: datetime, fields: dict[str, Any]) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Watch.objects.create(user=alice, name="w", created_at=now, updated_at=now, **fields)


def test_most_looks_write_nothing(alice: Any, bob: Any, now: datetime, django_assert_max_num_queries: Any) -> None:
    for user in (alice, bob):
        for number in range(10):
            listing_watch(user, now, fall_percent=10 + number)
    saw(now)
    saw(now + MINUTE)
    with django_assert_max_num_queries(25):
        saw(now + 2 * MINUTE)


def test_one_row_of_a_look_is_not_mistaken_for_another(alice: Any, now: datetime) -> None:
    listing_watch(alice, now)
    other: Sighting = sighting(2)
    record([result(look(), [other], at=now)], now=now)
    assert (look().listing_id, Match.objects.count()) == (None, 0)


def relisted(now: datetime, *, price: int | None = 48_000) -> None:
    """It is taken away, and the same seller lists it again; what follows from that is done."""
    saw(now + MINUTE, status=Status.STOPPED)
    search = Target.objects.searches().get()
    row = sighting(2, price=price, title=sighting(1).title)
    record([result(search, [row], at=now + 2 * MINUTE)], now=now + 2 * MINUTE)
    rows = OutboxRow.objects.filter(topic="follow", done_at=None).values_list("object_id", flat=True)
    jobs.follow_listings(list(rows))


@pytest.mark.parametrize(
    ("relisted_wish", "price", "shown"),
    [("alert", 48_000, True), ("silent", 30_000, False), ("price_change", 48_000, False),
     ("price_change", 47_000, True), ("price_change", None, False)],
)  # fmt: skip
def test_it_goes_on_with_what_is_listed_again_as_the_person_wishes(
    alice: Any, bob: Any, now: datetime, relisted_wish: str, price: int | None, shown: bool
) -> None:
    watch = listing_watch(alice, now, relisted=relisted_wish)
    watch_of(bob, now)
    saw(now)
    relisted(now, price=price)
    watch.refresh_from_db()
    new = Listing.objects.get(external_id=sighting(2).external_id)
    match = Match.objects.get(watch=watch, listing=new)
    assert (watch.external_id, watch.versions.count(), match.silent) == (new.external_id, 2, not shown)
    assert [target.criteria for target in Target.objects.looks().filter(links__watch=watch)] == [new.external_id]
    assert OutboxRow.objects.filter(topic="match", object_id=match.pk).exists() is shown


def test_a_lower_price_of_what_is_listed_again_is_a_fall(alice: Any, bob: Any, now: datetime) -> None:
    watch = listing_watch(alice, now)
    watch_of(bob, now)
    saw(now)
    relisted(now, price=40_000)
    target = Target.objects.get(links__watch=watch)
    row = sighting(2, price=40_000, title=sighting(1).title)
    record([result(target, [row], at=now + 10 * MINUTE)], now=now + 10 * MINUTE)
    crossing = Crossing.objects.get()
    assert (crossing.before, crossing.price, crossing.match.listing.external_id) == (48_000, 40_000, row.external_id)


def test_a_successor_that_was_there_before_the_end_was_known_is_found_too(alice: Any, bob: Any, now: datetime) -> None:
    watch = listing_watch(alice, now)
    search = Target.objects.get(links__watch=watch_of(bob, now))
    saw(now)
    row = sighting(2, title=sighting(1).title)
    record([result(search, [row], at=now + MINUTE)], now=now + MINUTE)
    saw(now + 2 * MINUTE, status=Status.STOPPED)
    jobs.follow_listings(list(OutboxRow.objects.filter(topic="follow").values_list("object_id", flat=True)))
    watch.refresh_from_db()
    assert watch.external_id == row.external_id


def test_a_paused_watch_stays_where_it_is_until_it_goes_on(alice: Any, bob: Any, now: datetime) -> None:
    watch, other = listing_watch(alice, now), listing_watch(alice, now, name="other")
    watch_of(bob, now)
    saw(now)
    services.pause_watch(watch=watch, now=now)
    relisted(now)
    assert {one.external_id for one in Watch.objects.filter(pk=watch.pk)} == {ITEM}
    assert Watch.objects.get(pk=other.pk).external_id != ITEM
    services.resume_watch(watch=watch, now=now + HOUR)
    jobs.follow_listings(list(OutboxRow.objects.filter(topic="follow").values_list("object_id", flat=True)))
    assert Watch.objects.get(pk=watch.pk).external_id == sighting(2).external_id


def test_it_counts_like_any_watch_and_asks_one_question(alice: Any, now: datetime, settings: Any) -> None:
    settings.QUESTIONS_PER_USER = 1
    listing_watch(alice, now)
    with pytest.raises(ValidationError, match="Your watches may ask 1 question in all"):
        listing_watch(alice, now, external_id=sighting(2).external_id)
    settings.WATCHES_PER_USER = 1
    with pytest.raises(ValidationError, match="You may have 1 watch and no more"):
        listing_watch(alice, now)
