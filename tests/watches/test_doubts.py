"""What a search leaves open is decided after one look, for every watch that waits for it."""

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from monitor_site.contract import Condition, Kind, Money, Seller, Shipping, Sighting, Status
from monitor_site.outbox.models import OutboxRow
from monitor_site.watches import follow, services
from monitor_site.watches.doubts import MOST_ASKED, REST
from monitor_site.watches.models import Check, Doubt, Listing, Match, Target, Watch
from monitor_site.watches.record import record
from monitor_site.watches.results import Recorded
from tests.watches.lookers import let_look
from tests.watches.makers import result, sighting, watch_of, wish

pytestmark = pytest.mark.django_db

SECOND, MINUTE, HOUR, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


@pytest.fixture(autouse=True)
def _looking(monkeypatch: pytest.MonkeyPatch, redis: Any) -> None:
    let_look(monkeypatch, "mercari")


def search_of(watch: Watch, now: datetime) -> Target:
    """The question of a watch after its first, silent answer."""
    search = Target.objects.get(links__watch=watch)
    record([result(search, at=now)], now=now)
    return search


def run(target: Target, *rows: Sighting, at: datetime, **options: Any) -> Recorded:
    target.refresh_from_db()
    return record([result(target, rows, at=at, **options)], now=at + SECOND)


def ask(at: datetime) -> list[Target]:
    """Settle what the outbox says; the looks that are due now."""
    rows = OutboxRow.objects.filter(topic="doubt", done_at=None)
    follow.settle(listing_ids=list(rows.values_list("object_id", flat=True)), now=at)
    rows.update(done_at=at)
    return list(Target.objects.looks().filter(active=True, due_at__lte=at).order_by("pk"))


def doubt() -> tuple[str, list[str]]:
    one = Doubt.objects.get()
    return one.outcome, one.open_rules


def untold(number: int = 1, **changes: Any) -> Sighting:
    """A row of a search that tells no condition."""
    return sighting(number, **({"condition": Condition.UNKNOWN} | changes))


def test_a_word_that_only_the_description_has_is_found_after_one_look(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now, must=["ルミナ", "ボッシュ"], in_description=True)
    search = search_of(watch, now)
    run(search, sighting(1, created=now + MINUTE), at=now + MINUTE)
    assert (Match.objects.count(), doubt()) == (0, ("open", ["must"]))
    (look,) = ask(now + MINUTE)
    run(look, sighting(1, description="モーターはボッシュ製です"), at=now + 2 * MINUTE)
    match = Match.objects.get()
    assert (match.watch, match.cause, match.silent, doubt()[0]) == (watch, "listed", False, "matched")
    assert match.decision[1]["words"] == ["ルミナ", "ボッシュ"]
    assert Check.objects.get(target=look).matched == 1
    assert OutboxRow.objects.filter(topic="match", object_id=match.pk).exists()


def test_a_blocked_word_in_the_description_makes_it_no_match(alice: Any, now: datetime) -> None:
    search = search_of(watch_of(alice, now, none_of=["ジャンク"], in_description=True), now)
    run(search, sighting(1), sighting(2), at=now + MINUTE)
    first, second = ask(now + MINUTE)
    run(first, sighting(1, description="動作しません。ｼﾞｬﾝｸ品です。"), at=now + 2 * MINUTE)
    run(second, sighting(2, description="よく動きます。"), at=now + 2 * MINUTE)
    assert [match.listing.external_id for match in Match.objects.all()] == [sighting(2).external_id]
    assert sorted(Doubt.objects.values_list("outcome", flat=True)) == ["matched", "rejected"]


def test_without_the_tick_a_blocked_word_keeps_nobody_waiting_and_a_known_description_counts(
    alice: Any, bob: Any, now: datetime
) -> None:
    search = search_of(watch_of(alice, now), now)
    run(search, sighting(1), at=now + MINUTE)
    follow.settle(listing_ids=[Listing.objects.get().pk], now=now)
    run(Target.objects.looks().get(), sighting(1, description="ジャンク"), at=now + HOUR)
    his = search_of(watch_of(bob, now, must=["カメラ"], none_of=["ジャンク"]), now + HOUR)
    run(his, sighting(1), sighting(2), at=now + 2 * HOUR)
    assert [match.listing.external_id for match in Match.objects.of(bob)] == [sighting(2).external_id]
    assert not Doubt.objects.exists()


@pytest.mark.parametrize(
    ("told", "outcome", "matches"), [(Condition.NEW, "matched", 1), (Condition.POOR, "rejected", 0)]
)
def test_a_condition_that_the_search_does_not_tell_is_told_by_a_look(
    alice: Any, now: datetime, told: Condition, outcome: str, matches: int
) -> None:
    search = search_of(watch_of(alice, now, conditions=["new"]), now)
    run(search, untold(), at=now + MINUTE)
    (look,) = ask(now + MINUTE)
    done = run(look, sighting(1, condition=told), at=now + 2 * MINUTE)
    assert (doubt(), Match.objects.count()) == ((outcome, ["condition"]), matches)
    assert done.standings[0].active is bool(matches)


def test_a_fee_that_nobody_knows_is_asked_for_before_price_and_shipping_are_judged(alice: Any, now: datetime) -> None:
    search = search_of(watch_of(alice, now, price_max=5_500, landed=True), now)
    paid_by_buyer = sighting(1, shipping=Shipping.BUYER_PAYS)
    run(search, paid_by_buyer, at=now + MINUTE)
    assert doubt() == ("open", ["price"])
    (look,) = ask(now + MINUTE)
    fee = Money(amount=500, currency="JPY")
    run(look, replace(paid_by_buyer, shipping_fee=fee), at=now + 2 * MINUTE)
    assert (Match.objects.get().price, Match.objects.get().decision[2]["saw"]) == (5_000, "5500")


def test_what_a_look_does_not_tell_either_stays_unclear_and_is_not_asked_again(alice: Any, now: datetime) -> None:
    search = search_of(watch_of(alice, now, conditions=["new"]), now)
    run(search, untold(), at=now + MINUTE)
    (look,) = ask(now + MINUTE)
    done = run(look, untold(), at=now + 2 * MINUTE)
    run(search, untold(), at=now + 3 * MINUTE)
    assert (doubt()[0], done.standings[0].active, Match.objects.count()) == ("unclear", False, 0)
    assert ask(now + 3 * MINUTE) == []


def test_what_stays_unclear_and_goes_on_changing_is_looked_at_once_in_a_while(alice: Any, now: datetime) -> None:
    search = search_of(watch_of(alice, now, conditions=["new"]), now)
    looks = []
    for minute in range(1, 60 * 13):
        at = now + minute * MINUTE
        run(search, untold(bids=minute), at=at)
        for look in ask(at):
            looks.append(at - now)
            run(look, untold(), at=at + 10 * SECOND)
    assert looks[0] == MINUTE
    assert len(looks) == 3
    assert all(later - sooner >= REST for sooner, later in pairwise(looks))


def test_two_watches_that_doubt_one_listing_cause_one_look(alice: Any, bob: Any, now: datetime) -> None:
    watch_of(alice, now, conditions=["new"])
    search = search_of(watch_of(bob, now, rating_min=95), now)
    run(search, untold(), at=now + MINUTE)
    (look,) = ask(now + MINUTE)
    seller = Seller(id="900", rating=98.0, count=40)
    run(look, sighting(1, condition=Condition.NEW, seller=seller), at=now + 2 * MINUTE)
    assert {match.user for match in Match.objects.all()} == {alice, bob}


def test_what_another_look_has_told_already_needs_no_look(alice: Any, bob: Any, now: datetime) -> None:
    hers = search_of(watch_of(alice, now, conditions=["new"]), now)
    run(hers, untold(), at=now + MINUTE)
    (look,) = ask(now + MINUTE)
    run(look, sighting(1, condition=Condition.NEW), at=now + 2 * MINUTE)
    his = search_of(watch_of(bob, now, must=["カメラ"], conditions=["new"]), now + 3 * MINUTE)
    run(his, untold(), at=now + 4 * MINUTE)
    assert (Match.objects.of(bob).count(), Doubt.objects.of(bob).count()) == (1, 0)


def test_the_silent_baseline_doubts_nothing_and_one_that_is_told_doubts(alice: Any, bob: Any, now: datetime) -> None:
    for user, tells in ((alice, False), (bob, True)):
        watch = watch_of(user, now, must=[f"ルミナ{user.pk}"], conditions=["new"], tell_existing=tells)
        row = untold(user.pk, title=f"ルミナ{user.pk}", created=now - DAY)
        record([result(Target.objects.get(links__watch=watch), [row], at=now)], now=now)
    assert [(one.watch.user, one.cause) for one in Doubt.objects.all()] == [(bob, "existing")]
    (look,) = ask(now)
    run(look, replace(untold(bob.pk), title=f"ルミナ{bob.pk}", condition=Condition.NEW), at=now + MINUTE)
    assert [match.silent for match in Match.objects.all()] == [False]


def test_a_marketplace_that_shows_no_single_listings_leaves_it_unclear(
    alice: Any, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_look(monkeypatch)
    run(search_of(watch_of(alice, now, conditions=["new"]), now), untold(), at=now + MINUTE)
    assert (Doubt.objects.count(), Match.objects.count()) == (0, 0)


def test_a_rule_that_no_look_can_tell_asks_for_none(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now, conditions=["new"], pattern="カメラ")
    search = search_of(watch, now)
    Watch.objects.update(pattern="(?=a)")
    run(search, sighting(1), untold(2), at=now + MINUTE)
    assert (Doubt.objects.count(), Match.objects.count(), Check.objects.filter(outcome="ok").count()) == (0, 0, 1)


def test_no_more_than_some_are_asked_at_once_newest_first_and_none_is_lost(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now, conditions=["new"])
    search = search_of(watch, now)
    rows = [untold(number, created=now + number * SECOND) for number in range(1, 51)]
    run(search, *rows, at=now + MINUTE)
    assert (Doubt.objects.asked().count(), Doubt.objects.waiting().count()) == (MOST_ASKED, 50 - MOST_ASKED)
    newest = {row.external_id for row in rows[-MOST_ASKED:]}
    looks = ask(now + MINUTE)
    assert {look.criteria for look in looks} == newest
    run(search, *rows, at=now + 2 * MINUTE)
    assert Doubt.objects.asked().count() == MOST_ASKED
    for beat in range(3, 7):
        for look in looks:
            told = next(row for row in rows if row.external_id == look.criteria)
            run(look, replace(told, condition=Condition.NEW), at=now + beat * MINUTE)
        run(search, *rows, at=now + beat * MINUTE + 10 * SECOND)
        looks = ask(now + beat * MINUTE + 20 * SECOND)
    assert (Match.objects.count(), Doubt.objects.still_open().count()) == (50, 0)


def test_looks_that_never_answer_block_the_others_for_an_hour_only(alice: Any, now: datetime) -> None:
    search = search_of(watch_of(alice, now, conditions=["new"]), now)
    rows = [untold(number) for number in range(1, MOST_ASKED + 2)]
    run(search, *rows, at=now + MINUTE)
    run(search, *rows, at=now + 59 * MINUTE)
    assert Doubt.objects.waiting().count() == 1
    run(search, *rows, at=now + 62 * MINUTE)
    assert Doubt.objects.waiting().count() == 0


def test_a_look_that_fails_leaves_it_open_and_comes_back_later_each_time(alice: Any, now: datetime) -> None:
    search = search_of(watch_of(alice, now, conditions=["new"]), now)
    run(search, untold(), at=now + MINUTE)
    (look,) = ask(now + MINUTE)
    waits = []
    for hour in range(1, 4):
        at = now + hour * HOUR
        run(look, at=at, error="unavailable")
        look.refresh_from_db()
        assert look.due_at is not None
        waits.append(look.due_at - at - SECOND)
        follow.settle(listing_ids=[Listing.objects.get().pk], now=at + 2 * SECOND)
        assert follow.heal(now=at + 2 * SECOND) == 0
    assert (waits, doubt()[0]) == ([MINUTE, 2 * MINUTE, 4 * MINUTE], "open")
    run(look, sighting(1, condition=Condition.NEW), at=now + 4 * HOUR)
    assert Match.objects.count() == 1


def test_a_listing_that_is_gone_closes_the_doubt(alice: Any, now: datetime) -> None:
    search = search_of(watch_of(alice, now, conditions=["new"]), now)
    run(search, untold(), at=now + MINUTE)
    (look,) = ask(now + MINUTE)
    run(look, at=now + 2 * MINUTE, error="listing_gone")
    assert doubt()[0] == "open"
    done = run(look, at=now + 3 * MINUTE, error="listing_gone")
    assert (doubt()[0], Listing.objects.get().status, done.standings[0].active) == ("gone", "removed", False)


@pytest.mark.parametrize(
    ("change", "outcome"),
    [({"condition": Condition.NEW}, "matched"), ({"price": 9_000}, "rejected"), ({"status": Status.SOLD}, "rejected")],
)
def test_a_search_that_tells_it_after_all_decides_without_the_look(
    alice: Any, now: datetime, change: dict[str, Any], outcome: str
) -> None:
    search = search_of(watch_of(alice, now, conditions=["new"], price_max=6_000), now)
    run(search, untold(), at=now + MINUTE)
    run(search, untold(**change), at=now + 2 * MINUTE)
    assert (doubt()[0], Match.objects.count()) == (outcome, int(outcome == "matched"))


def test_what_was_rejected_and_is_cheaper_now_may_be_doubted_again_after_a_rest(alice: Any, now: datetime) -> None:
    search = search_of(watch_of(alice, now, conditions=["new"], price_max=6_000), now)
    run(search, untold(), at=now + MINUTE)
    run(search, untold(price=9_000), at=now + 2 * MINUTE)
    run(search, untold(price=5_500), at=now + 3 * MINUTE)
    one = Doubt.objects.get()
    assert (one.outcome, one.cause, one.asked_at, one.due_at) == (
        "open",
        "price_drop",
        None,
        now + MINUTE + SECOND + REST,
    )


def test_a_listing_with_an_older_answer_on_its_way_is_matched_once(alice: Any, now: datetime) -> None:
    search = search_of(watch_of(alice, now, conditions=["new"]), now)
    run(search, untold(), at=now + MINUTE)
    (look,) = ask(now + MINUTE)
    search.refresh_from_db()
    both = [
        result(search, [sighting(1, condition=Condition.NEW)], at=now + 2 * MINUTE),
        result(look, [sighting(1, condition=Condition.NEW)], at=now + 2 * MINUTE),
    ]
    record(both, now=now + 3 * MINUTE)
    stale = record([result(look, [sighting(1)], at=now + 2 * MINUTE, fence=1)], now=now + 4 * MINUTE)
    assert (Match.objects.count(), doubt()[0], stale.stale) == (1, "matched", {look.pk})


def test_a_watch_that_pauses_or_goes_leaves_no_doubt_and_no_look(alice: Any, bob: Any, now: datetime) -> None:
    hers, his = (watch_of(user, now, conditions=["new"]) for user in (alice, bob))
    search_of(hers, now)
    run(search_of(his, now), untold(), at=now + MINUTE)
    ask(now + MINUTE)
    services.pause_watch(watch=hers, now=now + MINUTE)
    listing = Listing.objects.get().pk
    follow.settle(listing_ids=[listing], now=now + MINUTE)
    assert Target.objects.looks().get().active
    services.delete_watch(watch=his, now=now + MINUTE)
    assert OutboxRow.objects.filter(topic="follow", object_id=listing).exists()
    follow.settle(listing_ids=[listing], now=now + MINUTE)
    assert (Doubt.objects.count(), Target.objects.looks().get().active) == (0, False)


def test_a_doubt_is_decided_by_the_rule_that_holds_when_the_look_comes(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now, conditions=["new"])
    run(search_of(watch, now), untold(), at=now + MINUTE)
    (look,) = ask(now + MINUTE)
    services.change_watch(watch=watch, wish=wish(conditions=["good"]), now=now + MINUTE)
    run(look, sighting(1, condition=Condition.GOOD), at=now + 2 * MINUTE)
    assert Match.objects.count() == 1


def test_a_look_that_got_lost_is_asked_for_again(alice: Any, now: datetime) -> None:
    run(search_of(watch_of(alice, now, conditions=["new"]), now), untold(), at=now + MINUTE)
    assert not Target.objects.looks().exists()
    assert (follow.heal(now=now + 5 * MINUTE), Target.objects.looks().get().active) == (1, True)
    assert follow.heal(now=now + 5 * MINUTE) == 0


def test_a_known_price_is_not_put_in_place_of_an_unknown_one(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now, price_max=6_000, conditions=["new"])
    search = search_of(watch, now)
    run(search, untold(price=9_000), at=now + MINUTE)
    run(search, sighting(1, price=None, condition=Condition.NEW), at=now + 2 * MINUTE)
    assert (Match.objects.count(), doubt()) == (0, ("open", ["price"]))


def auction(now: datetime, **changes: Any) -> Sighting:
    return sighting(1, **({"kind": Kind.AUCTION, "ends_at": now + 2 * HOUR, "bids": 1} | changes))


def test_an_auction_matches_at_the_check_after_its_end_has_come_near(alice: Any, now: datetime) -> None:
    search = search_of(watch_of(alice, now, ends_within_minutes=60), now)
    run(search, auction(now), at=now + MINUTE)
    run(search, auction(now), at=now + HOUR - 2 * SECOND)
    assert Match.objects.count() == 0
    run(search, auction(now), at=now + HOUR)
    match = Match.objects.get()
    assert (match.cause, match.silent, match.matched_at) == ("changed", False, now + HOUR + SECOND)
    run(search, auction(now), at=now + HOUR + MINUTE)
    assert Match.objects.count() == 1


def test_checks_that_fail_around_that_moment_lose_nothing(alice: Any, now: datetime) -> None:
    search = search_of(watch_of(alice, now, ends_within_minutes=60), now)
    run(search, auction(now), at=now + MINUTE)
    run(search, at=now + HOUR, error="unavailable")
    run(search, auction(now), at=now + HOUR + 10 * MINUTE)
    assert Match.objects.count() == 1


def test_an_end_that_only_a_look_tells_comes_near_too(alice: Any, now: datetime) -> None:
    search = search_of(watch_of(alice, now, ends_within_minutes=60), now)
    unknown = auction(now, ends_at=None)
    run(search, unknown, at=now + MINUTE)
    (look,) = ask(now + MINUTE)
    run(look, auction(now), at=now + 2 * MINUTE)
    assert (doubt()[0], Match.objects.count()) == ("rejected", 0)
    run(search, unknown, at=now + HOUR)
    assert Match.objects.count() == 1


def test_a_neighbour_without_that_rule_is_not_asked_again_about_what_did_not_change(
    alice: Any, bob: Any, now: datetime
) -> None:
    watch_of(alice, now, ends_within_minutes=60)
    search = search_of(watch_of(bob, now, price_max=4_000), now)
    run(search, auction(now), at=now + MINUTE)
    Watch.objects.filter(user=bob).update(price_max=6_000)
    run(search, auction(now), at=now + HOUR)
    assert [match.user for match in Match.objects.all()] == [alice]


def test_a_page_nobody_waits_for_is_not_read_for_ends(alice: Any, now: datetime) -> None:
    plain = search_of(watch_of(alice, now), now)
    run(plain, auction(now), at=now + MINUTE)
    plain.refresh_from_db()
    with CaptureQueriesContext(connection) as asked:
        record([result(plain, [auction(now)], at=now + 2 * MINUTE)], now=now + 2 * MINUTE)
    assert not [query for query in asked.captured_queries if "watches_listing" in query["sql"]]
