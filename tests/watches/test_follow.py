"""What is matched is followed: by one target, for everybody who wants it, and for nobody else."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from monitor_site.engine import jobs
from monitor_site.outbox.models import OutboxRow
from monitor_site.watches import follow, services
from monitor_site.watches.models import Listing, Match, Target, Watch
from monitor_site.watches.record import record
from tests.watches.lookers import let_look
from tests.watches.makers import result, sighting, watch_of

pytestmark = pytest.mark.django_db

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


@pytest.fixture(autouse=True)
def _looking(monkeypatch: pytest.MonkeyPatch, redis: Any) -> None:
    let_look(monkeypatch, "mercari")


def found(watch: Watch, *numbers: int, at: datetime) -> None:
    """The watch's question finds these listings, and what follows from it is done."""
    target = Target.objects.searches().get(links__watch=watch)
    record([result(target, [sighting(n, created=at) for n in numbers], at=at)], now=at)
    settle_all(at)


def settle_all(now: datetime) -> None:
    """What the job of the topic does, at a moment of the story."""
    rows = OutboxRow.objects.filter(topic="follow", done_at=None)
    follow.settle(listing_ids=list(rows.values_list("object_id", flat=True)), now=now)
    rows.update(done_at=now)


def followed() -> set[str]:
    return set(Target.objects.looks().filter(active=True).values_list("criteria", flat=True))


def test_a_told_match_is_followed_and_a_silent_one_is_not(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now)
    old, new = sighting(1, created=now - DAY), sighting(2, created=now + MINUTE)
    target = Target.objects.get()
    record([result(target, [old], at=now)], now=now)
    record([result(target, [old, new], at=now + 2 * MINUTE)], now=now + 2 * MINUTE)
    settle_all(now + 2 * MINUTE)
    assert followed() == {new.external_id}
    look = Target.objects.looks().get()
    assert (look.links.count(), watch.links.count(), look.kind) == (0, 1, "listing")
    assert OutboxRow.objects.filter(topic="target", object_id=look.pk).exists()


def test_a_marketplace_that_shows_no_single_listings_is_not_followed(
    alice: Any, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_look(monkeypatch)
    found(watch_of(alice, now, tell_existing=True), 1, at=now)
    assert Match.objects.filter(silent=False).exists()
    assert not OutboxRow.objects.filter(topic="follow").exists()
    assert (follow.heal(now=now), Target.objects.looks().count()) == (0, 0)
    with pytest.raises(follow.CannotLook):
        follow.look_now(listing=Listing.objects.get(), now=now)


def test_two_watches_of_two_people_share_one_look_until_the_last_puts_it_aside(
    alice: Any, bob: Any, now: datetime
) -> None:
    found(watch_of(alice, now, tell_existing=True), 1, at=now)
    first = Target.objects.looks().get().due_at
    found(watch_of(bob, now, must=["カメラ"], tell_existing=True), 1, at=now + 5 * MINUTE)
    assert Target.objects.looks().get().due_at == first
    mine, theirs = Match.objects.order_by("pk")
    services.ignore_match(match=mine, now=now + 6 * MINUTE)
    assert len(followed()) == 1
    services.ignore_match(match=theirs, now=now + 6 * MINUTE)
    assert followed() == set()
    services.restore_match(match=mine, now=now + 7 * MINUTE)
    assert len(followed()) == 1


def test_a_second_match_begins_the_following_anew(alice: Any, bob: Any, now: datetime) -> None:
    found(watch_of(alice, now, tell_existing=True), 1, at=now)
    look = Target.objects.looks().get()
    Target.objects.filter(pk=look.pk).update(due_at=now + 3 * DAY)
    found(watch_of(bob, now, must=["カメラ"], tell_existing=True), 1, at=now + 2 * DAY)
    look.refresh_from_db()
    assert look.due_at is not None
    assert look.due_at - (now + 2 * DAY) <= 11 * MINUTE


def test_who_deletes_a_watch_takes_its_looks_along(alice: Any, bob: Any, now: datetime) -> None:
    mine = watch_of(alice, now, tell_existing=True)
    found(mine, 1, 2, at=now)
    found(watch_of(bob, now, must=["カメラ"], tell_existing=True), 2, at=now)
    services.delete_watch(watch=mine, now=now + MINUTE)
    settle_all(now + MINUTE)
    assert followed() == {sighting(2).external_id}


def test_a_paused_watch_keeps_following_what_it_found(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now, tell_existing=True)
    found(watch, 1, at=now)
    services.pause_watch(watch=watch, now=now + MINUTE)
    assert (len(followed()), follow.heal(now=now + MINUTE)) == (1, 0)


def test_matches_of_an_earlier_release_get_their_looks_spread(alice: Any, now: datetime) -> None:
    found(watch_of(alice, now, tell_existing=True), *range(40), at=now)
    Target.objects.looks().delete()
    later = now + 3 * DAY
    assert follow.heal(now=later) == 40
    times = sorted(Target.objects.looks().values_list("due_at", flat=True))
    assert times[0] > later
    assert times[-1] - times[0] > timedelta(hours=1)
    assert follow.heal(now=later) == 0


def test_what_is_over_or_matched_long_ago_is_not_begun(alice: Any, now: datetime) -> None:
    found(watch_of(alice, now, tell_existing=True), 1, 2, at=now)
    Target.objects.looks().delete()
    Listing.objects.filter(external_id=sighting(1).external_id).update(status="sold")
    assert (follow.heal(now=now + 31 * DAY), follow.heal(now=now + DAY)) == (0, 1)
    assert followed() == {sighting(2).external_id}


def test_a_look_that_nobody_wants_is_found_and_ended(alice: Any, now: datetime) -> None:
    found(watch_of(alice, now, tell_existing=True), 1, at=now)
    Match.objects.all().delete()
    assert follow.heal(now=now) == 1
    assert (followed(), Target.objects.looks().get().due_at) == (set(), None)


def test_searches_are_left_alone_by_looks_and_looks_by_the_healing_of_searches(alice: Any, now: datetime) -> None:
    from monitor_site.watches import questions

    found(watch_of(alice, now, tell_existing=True), 1, at=now)
    assert questions.heal(now=now) == 0
    questions.settle(target_ids=Target.objects.values_list("pk", flat=True), now=now)
    assert (len(followed()), Target.objects.searches().get().active) == (1, True)


def test_a_look_asked_for_by_a_person_is_due_now_and_then_goes_on_as_planned(alice: Any, now: datetime) -> None:
    found(watch_of(alice, now, tell_existing=True), 1, at=now)
    listing, look = Listing.objects.get(), Target.objects.looks().get()
    planned = look.due_at
    follow.look_now(listing=listing, now=now + MINUTE)
    look.refresh_from_db()
    assert look.due_at == now + MINUTE
    assert OutboxRow.objects.filter(topic="check_now", object_id=look.pk, done_at=None).exists()
    record([result(look, [sighting(1)], at=now + MINUTE)], now=now + MINUTE)
    look.refresh_from_db()
    assert look.due_at == planned


def test_any_listing_may_be_looked_at_once(alice: Any, now: datetime) -> None:
    found(watch_of(alice, now), 1, at=now - DAY)
    listing = Listing.objects.get()
    Match.objects.all().delete()
    follow.look_now(listing=listing, now=now)
    follow.look_now(listing=listing, now=now)
    assert follow.heal(now=now) == 0
    look = Target.objects.looks().get()
    record([result(look, [sighting(1, price=4_000)], at=now + MINUTE)], now=now + MINUTE)
    look.refresh_from_db()
    assert (look.active, look.due_at, Listing.objects.get().price) == (False, None, 4_000)


def test_a_quarantined_look_waits_for_a_person(alice: Any, now: datetime) -> None:
    found(watch_of(alice, now, tell_existing=True), 1, at=now)
    look = Target.objects.looks().get()
    Target.objects.filter(pk=look.pk).update(quarantined_at=now, active=False)
    follow.settle(listing_ids=[Listing.objects.get().pk], now=now)
    follow.look_now(listing=Listing.objects.get(), now=now)
    assert (follow.heal(now=now), followed()) == (0, set())
    look.refresh_from_db()
    services.release_target(target=look, now=now)
    assert len(followed()) == 1


def test_every_job_about_looks_may_run_twice(alice: Any, now: datetime) -> None:
    target = Target.objects.get(links__watch=watch_of(alice, now, tell_existing=True))
    record([result(target, [sighting(1)], at=now)], now=now)
    ids = [Listing.objects.get().pk]
    for _ in range(2):
        jobs.follow_listings(ids)
        jobs.announce_changes([*ids, 12345])
    assert Target.objects.looks().count() == 1
    assert OutboxRow.objects.get(topic="follow").done_at is not None


def test_open_pages_of_everybody_who_has_the_match_hear_of_a_change(
    alice: Any, bob: Any, now: datetime, redis: Any
) -> None:
    import json

    from monitor_site.outbox.stream import stream_key

    found(watch_of(alice, now, tell_existing=True), 1, at=now)
    found(watch_of(bob, now, must=["カメラ"], tell_existing=True), 1, at=now)
    look = Target.objects.looks().get()
    record([result(look, [sighting(1, price=4_000)], at=now + MINUTE)], now=now + MINUTE)
    services.ignore_match(match=Match.objects.get(user=bob), now=now)
    jobs.announce_changes([Listing.objects.get().pk])
    told = [json.loads(entry[b"data"]) for _, entry in redis.xrange(stream_key(alice.pk))]
    match = Match.objects.get(user=alice)
    assert told == [{"listing": match.listing_id}]
    assert not redis.exists(stream_key(bob.pk))
