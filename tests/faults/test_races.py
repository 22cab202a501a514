"""People and workers at the same rows at once: nobody's wish is lost, nobody waits for ever."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connections

from monitor_site.contract import Condition
from monitor_site.watches import follow, services
from monitor_site.watches.models import Check, Doubt, Listing, Match, Target, Watch
from monitor_site.watches.record import record
from tests.waiting import PATIENCE_SECONDS
from tests.watches.lookers import let_look
from tests.watches.makers import result, sighting, watch_of, wish

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]

ROUNDS = 8


def at_once(*works: Callable[[], Any]) -> list[BaseException]:
    """Run all at the same moment, each in a thread with its own connection; returns what they raised."""
    start, raised = threading.Barrier(len(works)), []

    def run(work: Callable[[], Any]) -> None:
        try:
            start.wait(PATIENCE_SECONDS)
            work()
        except BaseException as error:  # noqa: BLE001 - the story is about whether anything is raised
            raised.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


def test_one_person_leaves_a_question_while_another_begins_to_ask_it(alice: Any, bob: Any, now: datetime) -> None:
    for number in range(ROUNDS):
        words = [f"ルミナ{number}"]
        leaving = watch_of(alice, now, must=words)
        raised = at_once(
            lambda leaving=leaving: services.pause_watch(watch=leaving, now=now),
            lambda words=words: services.create_watch(user=bob, wish=wish(must=words), now=now),
        )
        assert raised == []
        assert Target.objects.get(criteria__contains=words[0]).active


def test_a_watch_is_edited_while_its_first_check_is_recorded(alice: Any, now: datetime) -> None:
    for number in range(ROUNDS):
        watch = watch_of(alice, now, must=[f"アリア{number}"])
        target = Target.objects.get(links__watch=watch)
        changed = wish(must=[f"アリア{number}"], price_max=9_000 + number)
        rows = [sighting(row, title=f"アリア{number}") for row in range(20)]
        raised = at_once(
            lambda watch=watch, changed=changed: services.change_watch(watch=watch, wish=changed, now=now),
            lambda target=target, rows=rows: record([result(target, rows, at=now)], now=now),
        )
        assert raised == []


def test_two_workers_record_overlapping_pages_in_opposite_orders(alice: Any, now: datetime) -> None:
    targets = [Target.objects.get(links__watch=watch_of(alice, now, must=[word])) for word in ("ルミナ", "カメラ")]
    for beat in range(ROUNDS):
        at = now + timedelta(minutes=beat)
        rows = [sighting(row, price=5_000 + beat, created=now) for row in range(40)]
        raised = at_once(
            lambda at=at, rows=rows: record([result(targets[0], rows, at=at)], now=at),
            lambda at=at, rows=rows: record([result(targets[1], rows[::-1], at=at)], now=at),
        )
        assert raised == []
    assert Listing.objects.count() == 40
    assert Match.objects.count() == 40 * 2
    assert Check.objects.count() == ROUNDS * 2


def test_a_form_sent_twice_at_once_makes_no_error_and_one_question(alice: Any, now: datetime) -> None:
    raised = at_once(*[lambda: services.create_watch(user=alice, wish=wish(), now=now)] * 4)
    assert raised == []
    assert Target.objects.count() == 1
    assert Watch.objects.count() == 4


def test_a_watch_deleted_while_its_match_is_recorded_leaves_its_neighbours_recorded(alice: Any, now: datetime) -> None:
    from monitor_site.engine.flight import Landed
    from monitor_site.engine.recording import write
    from monitor_site.engine.schedule import Lease

    def landed(target: Target, at: datetime) -> Landed:
        lease = Lease(marketplace="mercari", id=str(target.pk), fence=1, due_ms=1)
        rows = [sighting(target.pk, title="ルミナ", created=at)]
        return Landed(lease=lease, result=result(target, rows, at=at), target=target)

    for number in range(ROUNDS):
        doomed = watch_of(alice, now, must=["ルミナ", f"d{number}"])
        stays = watch_of(alice, now, must=["ルミナ", f"s{number}"])
        targets = [Target.objects.get(links__watch=watch) for watch in (doomed, stays)]
        at = datetime.now(UTC)
        raised = at_once(
            lambda doomed=doomed: services.delete_watch(watch=doomed, now=now),
            lambda targets=targets, at=at: write([landed(target, at) for target in targets]),
        )
        assert raised == []
        assert Check.objects.filter(target=targets[1]).exists()


def test_a_search_and_a_look_change_one_listing_at_once_and_neither_is_lost(
    alice: Any, now: datetime, monkeypatch: Any
) -> None:
    let_look(monkeypatch, "mercari")
    search = Target.objects.get(links__watch=watch_of(alice, now, tell_existing=True))
    record([result(search, [sighting(1)], at=now)], now=now)
    follow.settle(listing_ids=[Listing.objects.get().pk], now=now)
    look = Target.objects.looks().get()
    for beat in range(1, ROUNDS):
        at = now + timedelta(minutes=beat)
        found = [sighting(1, bids=beat)]
        told = [sighting(1, description=f"d{beat}")]
        raised = at_once(
            lambda at=at, found=found: record([result(search, found, at=at)], now=at),
            lambda at=at, told=told: record([result(look, told, at=at + timedelta(seconds=1))], now=at),
        )
        assert raised == []
        assert Listing.objects.get().description == f"d{beat}"
    assert Check.objects.count() == 1 + 2 * (ROUNDS - 1)


def test_a_match_is_put_aside_while_its_listing_is_looked_at(alice: Any, now: datetime, monkeypatch: Any) -> None:
    let_look(monkeypatch, "mercari")
    search = Target.objects.get(links__watch=watch_of(alice, now, tell_existing=True))
    record([result(search, [sighting(1)], at=now)], now=now)
    follow.settle(listing_ids=[Listing.objects.get().pk], now=now)
    look, match = Target.objects.looks().get(), Match.objects.get()
    for beat in range(1, ROUNDS):
        at = now + timedelta(minutes=beat)
        raised = at_once(
            lambda at=at: services.ignore_match(match=match, now=at),
            lambda at=at: record([result(look, [sighting(1)], at=at)], now=at),
        )
        assert raised == []
        look.refresh_from_db()
        assert not look.active
        services.restore_match(match=match, now=at)
        look.refresh_from_db()
        assert look.active


def test_two_workers_find_gone_what_the_other_sees_change_and_neither_waits_for_ever(
    alice: Any, now: datetime, monkeypatch: Any
) -> None:
    let_look(monkeypatch, "mercari")
    words = ("ルミナ", "カメラ")
    one, two = (Target.objects.get(links__watch=watch_of(alice, now, must=[w], tell_existing=True)) for w in words)
    for beat in range(ROUNDS):
        first, last, start = 100 * beat, 100 * beat + 50, now + timedelta(hours=beat)
        shown = [sighting(number, created=start) for number in range(first, last + 1)]
        record([result(one, shown, at=start)], now=start)
        follow.settle(listing_ids=Listing.objects.filter(status="on_sale").values_list("pk", flat=True), now=start)
        looks = [Target.objects.looks().get(criteria=sighting(number).external_id) for number in (first, last)]
        record([result(look, at=start + timedelta(minutes=1), error="listing_gone") for look in looks], now=start)
        at = start + timedelta(minutes=5)
        cheaper = [sighting(number, price=4_000, created=start) for number in range(first, last + 1)]
        raised = at_once(
            lambda at=at, looks=looks, rows=cheaper[:-1]: record(
                [result(one, rows, at=at), result(looks[1], at=at, error="listing_gone")], now=at
            ),
            lambda at=at, looks=looks, rows=cheaper[1:]: record(
                [result(two, rows, at=at), result(looks[0], at=at, error="listing_gone")], now=at
            ),
        )
        assert raised == []


def test_a_look_decides_a_doubt_while_searches_see_the_listing_and_it_is_matched_once(
    alice: Any, now: datetime, monkeypatch: Any
) -> None:
    let_look(monkeypatch, "mercari")
    for number in range(ROUNDS):
        at = now + timedelta(minutes=number)
        word = f"アリア{number}"
        watch = watch_of(alice, now, must=[word], conditions=["new"])
        search = Target.objects.get(links__watch=watch)
        record([result(search, at=at)], now=at)
        search.refresh_from_db()
        unknown = sighting(number, title=word, condition=Condition.UNKNOWN)
        record([result(search, [unknown], at=at + timedelta(seconds=1))], now=at)
        follow.settle(listing_ids=[Listing.objects.get(title=word).pk], now=at)
        search.refresh_from_db()
        look = Target.objects.looks().get(listing__title=word)
        told = sighting(number, title=word, condition=Condition.NEW)
        later = at + timedelta(seconds=20)
        raised = at_once(
            lambda look=look, told=told, later=later: record([result(look, [told], at=later)], now=later),
            lambda search=search, told=told, later=later: record([result(search, [told], at=later)], now=later),
            lambda watch=watch, later=later: services.check_now(watch=watch, now=later),
        )
        assert raised == []
        assert Match.objects.filter(watch=watch).count() == 1
        assert not Doubt.objects.filter(watch=watch, outcome="open").exists()


def test_a_watch_with_doubts_is_paused_or_deleted_while_they_are_decided(
    alice: Any, bob: Any, now: datetime, monkeypatch: Any
) -> None:
    from monitor_site.engine.flight import Landed
    from monitor_site.engine.recording import write
    from monitor_site.engine.schedule import Lease

    let_look(monkeypatch, "mercari")

    def landed(target: Target, at: datetime, told: Any) -> Landed:
        lease = Lease(marketplace="mercari", id=str(target.pk), fence=1, due_ms=1)
        return Landed(lease=lease, result=result(target, [told], at=at), target=target)

    for number in range(ROUNDS):
        at, word = datetime.now(UTC), f"アリア{number}"
        stays, goes = (watch_of(user, at, must=[word], conditions=["new"]) for user in (alice, bob))
        search = Target.objects.get(links__watch=stays)
        record([result(search, at=at)], now=at)
        search.refresh_from_db()
        unknown = sighting(number, title=word, condition=Condition.UNKNOWN)
        record([result(search, [unknown], at=at + timedelta(milliseconds=1))], now=at)
        follow.settle(listing_ids=[Listing.objects.get(title=word).pk], now=at)
        look = Target.objects.looks().get(listing__title=word)
        leave = services.pause_watch if number % 2 else services.delete_watch
        told = sighting(number, title=word, condition=Condition.NEW)
        raised = at_once(
            lambda leave=leave, goes=goes, at=at: leave(watch=goes, now=at),
            lambda look=look, at=at, told=told: write([landed(look, at + timedelta(seconds=1), told)]),
        )
        assert raised == []
        assert Match.objects.filter(watch=stays).count() == 1
        assert not Doubt.objects.filter(outcome="open").exists()
