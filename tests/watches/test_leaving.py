"""An auction that newer ones have pushed off the search's page still comes near its end, and is not missed."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from monitor_site.contract import Condition, Kind, Money, Sighting, Status
from monitor_site.outbox.models import OutboxRow
from monitor_site.watches.blocking import SellerOf, block_seller
from monitor_site.watches.models import Doubt, Listing, Match, Target, Watch
from monitor_site.watches.record import record
from tests.watches.lookers import let_look
from tests.watches.makers import result, sighting, watch_of
from tests.watches.test_doubts import ask, run, search_of

pytestmark = pytest.mark.django_db

SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)


@pytest.fixture(autouse=True)
def _looking(monkeypatch: pytest.MonkeyPatch, redis: Any) -> None:
    let_look(monkeypatch, "mercari")


def auction(now: datetime, number: int = 1, **changes: Any) -> Sighting:
    return sighting(number, **({"kind": Kind.AUCTION, "ends_at": now + 2 * HOUR, "bids": 1} | changes))


def pushed_off(watch: Watch, now: datetime, *rows: Sighting) -> Target:
    """The question of a watch that has shown these, and shows something else now."""
    search = search_of(watch, now)
    run(search, *(rows or [auction(now)]), at=now + MINUTE)
    run(search, sighting(99), at=now + HOUR - 2 * SECOND)
    assert not Doubt.objects.exists()
    return search


def doubts() -> list[tuple[str, list[str], str]]:
    return list(Doubt.objects.order_by("pk").values_list("outcome", "open_rules", "cause"))


def test_one_look_decides_at_the_check_after_its_end_has_come_near(alice: Any, now: datetime) -> None:
    search = pushed_off(watch_of(alice, now, ends_within_minutes=60, price_max=6_000), now)
    run(search, sighting(99), at=now + HOUR)
    assert (doubts(), Match.objects.exclude(listing__external_id=sighting(99).external_id).count()) == (
        [("open", ["status"], "changed")], 0
    )  # fmt: skip
    (look,) = ask(now + HOUR)
    run(look, auction(now, price=5_900, bids=4), at=now + HOUR + MINUTE)
    match = Match.objects.get(listing__kind="auction")
    assert (match.cause, match.silent, match.price, doubts()[0][0]) == ("changed", False, 5_900, "matched")
    assert OutboxRow.objects.filter(topic="match", object_id=match.pk).exists()
    run(search, sighting(99), at=now + HOUR + 2 * MINUTE)
    assert Match.objects.filter(listing__kind="auction").count() == 1


@pytest.mark.parametrize(
    ("seen", "limits"),
    [
        ({"price": 6_100}, {"price_max": 6_000}),
        ({"bids": 6}, {"bids_max": 5}),
        ({"status": Status.ENDED}, {}),
        ({"status": Status.SOLD}, {}),
    ],
)
def test_what_the_look_finds_changed_is_no_match(
    alice: Any, now: datetime, seen: dict[str, Any], limits: dict[str, Any]
) -> None:
    search = pushed_off(watch_of(alice, now, ends_within_minutes=60, **limits), now)
    run(search, sighting(99), at=now + HOUR)
    (look,) = ask(now + HOUR)
    run(look, auction(now, **seen), at=now + HOUR + MINUTE)
    assert (doubts()[0][0], Match.objects.filter(listing__kind="auction").count()) == ("rejected", 0)


@pytest.mark.parametrize(
    ("shown", "limits"),
    [
        ({"price": 7_000}, {"price_max": 6_000}),
        ({"bids": 6}, {"bids_max": 5}),
        ({"title": "ルミナ ジャンク"}, {"none_of": ["ジャンク"]}),
        ({"condition": Condition.WORN}, {"conditions": ["good"]}),
        ({"status": Status.ENDED}, {}),
    ],
)
def test_nobody_looks_at_what_no_bid_can_make_fit(
    alice: Any, now: datetime, shown: dict[str, Any], limits: dict[str, Any]
) -> None:
    search = pushed_off(watch_of(alice, now, ends_within_minutes=60, **limits), now, auction(now, **shown))
    run(search, sighting(99), at=now + HOUR)
    assert not Doubt.objects.exists()


def test_a_bid_below_the_lowest_price_may_have_risen(alice: Any, now: datetime) -> None:
    search = pushed_off(watch_of(alice, now, ends_within_minutes=60, price_min=8_000), now)
    run(search, sighting(99, price=9_000), at=now + HOUR)
    assert [one[0] for one in doubts()] == ["open"]


def test_a_blocked_seller_is_not_looked_at(alice: Any, now: datetime) -> None:
    search = pushed_off(watch_of(alice, now, ends_within_minutes=60), now)
    block_seller(user=alice, seller=SellerOf(marketplace="mercari", id="900"), now=now)
    run(search, sighting(99), at=now + HOUR)
    assert not Doubt.objects.exists()


def test_what_another_question_has_shown_is_not_this_ones_affair(alice: Any, bob: Any, now: datetime) -> None:
    search = search_of(watch_of(alice, now, must=["カメラ"], ends_within_minutes=60), now)
    other = search_of(watch_of(bob, now, price_max=1), now)
    run(other, auction(now), at=now + MINUTE)
    for at in (now + HOUR - 2 * SECOND, now + HOUR):
        run(search, sighting(99), at=at)
    assert not Doubt.objects.exists()


def test_each_watch_waits_for_its_own_moment(alice: Any, bob: Any, now: datetime) -> None:
    early = watch_of(alice, now, ends_within_minutes=90)
    search = search_of(late := watch_of(bob, now, ends_within_minutes=30), now)
    run(search, auction(now), at=now + MINUTE)
    waiting = []
    for minutes in (29, 30, 89, 90):
        run(search, sighting(99), at=now + minutes * MINUTE)
        waiting.append(sorted(Doubt.objects.values_list("watch_id", flat=True)))
    assert waiting == [[], [early.pk], [early.pk], [early.pk, late.pk]]


def test_checks_that_failed_around_that_moment_lose_nothing(alice: Any, now: datetime) -> None:
    search = pushed_off(watch_of(alice, now, ends_within_minutes=60), now)
    run(search, at=now + HOUR, error="unavailable")
    assert not Doubt.objects.exists()
    run(search, sighting(99), at=now + HOUR + 10 * MINUTE)
    assert [one[0] for one in doubts()] == ["open"]


def test_what_has_ended_meanwhile_is_not_looked_at_for_that(alice: Any, now: datetime) -> None:
    search = pushed_off(watch_of(alice, now, ends_within_minutes=60), now)
    run(search, sighting(99), at=now + 3 * HOUR)
    assert not Doubt.objects.exists()


def test_what_a_look_had_decided_is_open_again_at_once(alice: Any, now: datetime) -> None:
    search = search_of(watch_of(alice, now, ends_within_minutes=60), now)
    run(search, auction(now, ends_at=None), at=now + MINUTE)
    (look,) = ask(now + MINUTE)
    run(look, auction(now), at=now + 2 * MINUTE)
    assert doubts()[0][0] == "rejected"
    run(search, sighting(99), at=now + HOUR)
    assert [one[0] for one in doubts()] == ["open"]
    assert ask(now + HOUR) == [look]


def test_a_watch_that_began_later_takes_its_first_answer_quietly(alice: Any, bob: Any, now: datetime) -> None:
    search = pushed_off(watch_of(alice, now, price_max=1), now)
    watch_of(bob, now + HOUR - SECOND, ends_within_minutes=60)
    run(search, sighting(99), at=now + HOUR)
    assert not Doubt.objects.exists()


def test_where_nobody_can_look_what_is_known_decides(
    alice: Any, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_look(monkeypatch)
    search = pushed_off(watch_of(alice, now, ends_within_minutes=60), now)
    done = run(search, sighting(99), at=now + HOUR)
    match = Match.objects.get(listing__kind="auction")
    assert (match.cause, match.price, done.matches) == ("changed", 5_000, [match.pk])


def test_an_unknown_price_is_no_match_where_nobody_can_look(
    alice: Any, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_look(monkeypatch)
    watch = watch_of(alice, now, ends_within_minutes=60, price_max=6_000)
    search = pushed_off(watch, now, auction(now, price=None))
    run(search, sighting(99), at=now + HOUR)
    assert not Match.objects.filter(listing__kind="auction").exists()


def test_what_is_still_shown_is_decided_by_its_row_alone(alice: Any, now: datetime) -> None:
    search = search_of(watch_of(alice, now, ends_within_minutes=60), now)
    run(search, auction(now), at=now + MINUTE)
    run(search, auction(now), at=now + HOUR)
    assert (Match.objects.count(), Doubt.objects.count()) == (1, 0)


def test_fifty_that_left_cost_a_recording_no_more_questions_than_one(alice: Any, now: datetime) -> None:
    asked = []
    for word, count in (("ルミナ", 1), ("カメラ", 50)):
        search = search_of(watch_of(alice, now, must=[word], ends_within_minutes=60), now)
        first = 100 * count
        rows = [auction(now, first + number, title=f"{word} {number}") for number in range(count)]
        run(search, *rows, at=now + MINUTE)
        run(search, sighting(99), at=now + HOUR - 2 * SECOND)
        search.refresh_from_db()
        with CaptureQueriesContext(connection) as caught:
            record([result(search, [sighting(99)], at=now + HOUR)], now=now + HOUR)
        asked.append(len(caught))
    assert Doubt.objects.count() == 51
    assert asked[1] - asked[0] <= 2


def test_after_a_long_silence_those_that_end_first_are_looked_at(
    alice: Any, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("monitor_site.watches.nearing.MOST_LEFT", 2)
    search = search_of(watch_of(alice, now, ends_within_minutes=60), now)
    rows = [auction(now, number, ends_at=now + 2 * HOUR - number * MINUTE) for number in range(1, 5)]
    run(search, *rows, at=now + MINUTE)
    run(search, sighting(99), at=now + HOUR)
    ended_first = Listing.objects.filter(doubts__isnull=False).values_list("external_id", flat=True)
    assert sorted(ended_first) == [rows[2].external_id, rows[3].external_id]


def test_many_windows_are_read_as_one(alice: Any, now: datetime) -> None:
    for minutes in range(50, 62):
        watch_of(alice, now, ends_within_minutes=minutes)
    search = pushed_off(
        watch_of(alice, now, ends_within_minutes=60), now, auction(now, ends_at=now + 2 * HOUR + MINUTE)
    )
    run(search, sighting(99), at=now + HOUR + MINUTE)
    waiting = set(Doubt.objects.values_list("watch__ends_within_minutes", flat=True))
    assert waiting == {60, 61}


def test_money_that_nobody_told_is_not_taken_for_the_old_one(alice: Any, now: datetime) -> None:
    search = pushed_off(watch_of(alice, now, ends_within_minutes=60, price_max=6_000), now)
    run(search, sighting(99), at=now + HOUR)
    (look,) = ask(now + HOUR)
    run(look, auction(now, price=None), at=now + HOUR + MINUTE)
    assert doubts()[0][0] == "unclear"
    assert Listing.objects.get(kind="auction").price == Money(amount=5_000, currency="JPY").amount
