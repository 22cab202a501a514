"""Feeds: their secrets, their limits, and what they list."""

import re
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.utils import translation
from redis import Redis

from monitor_site.accounts.models import User
from monitor_site.alerts import feed_limit, feeding
from monitor_site.alerts.feed_reads import MOST_ENTRIES, Entry, entries_of
from monitor_site.alerts.feeding import Opened, Wish
from monitor_site.alerts.models import Feed, FeedKind
from monitor_site.watches.models import EventKind, ListingEvent, Match, MatchState, Watch
from tests.web.rows import match, watch_of

MINUTE = timedelta(minutes=1)


@pytest.fixture
def watch(alice: User, now: datetime) -> Watch:
    return watch_of(alice, now=now)


def feed_of(user: User, now: datetime, kind: str = FeedKind.ALL, watch: Watch | None = None) -> Opened:
    return feeding.create_feed(user=user, wish=Wish(kind=kind, watch=watch), now=now)


def listed(feed: Feed, now: datetime) -> list[str]:
    return [entry.match.listing.external_id[-1] for entry in entries_of(feed, now=now)]


def drop(one: Match, at: datetime, **fields: Any) -> ListingEvent:
    facts = {"kind": EventKind.PRICE_DROP, "before": 900, "after": 800} | fields
    return ListingEvent.objects.create(listing=one.listing, at=at, **facts)


class TestTheSecret:
    def test_it_cannot_be_guessed_and_is_kept_as_a_digest_only(self, alice: User, now: datetime) -> None:
        opened = feed_of(alice, now)
        assert re.fullmatch(r"[\w-]{32}", opened.secret)
        with connection.cursor() as cursor:
            cursor.execute("SELECT * FROM alerts_feed")
            row = repr(cursor.fetchall())
        assert opened.secret not in row
        assert opened.secret[feeding.HINT :] not in row
        assert opened.feed.hint == opened.secret[: feeding.HINT]

    def test_it_finds_its_feed_and_any_other_finds_none(self, alice: User, now: datetime) -> None:
        opened = feed_of(alice, now)
        assert feeding.feed_behind(opened.secret) == opened.feed
        wrong = [opened.secret[:-1], f"{opened.secret}x", "", "\x00", "\udc80", "9" * 5000, opened.feed.digest]
        assert [feeding.feed_behind(secret) for secret in wrong] == [None] * len(wrong)

    def test_right_and_wrong_ones_cost_the_same_query(
        self, alice: User, now: datetime, django_assert_num_queries: Any
    ) -> None:
        opened = feed_of(alice, now)
        for secret in (opened.secret, "wrong", "x" * 5000):
            with django_assert_num_queries(1):
                feeding.feed_behind(secret)

    def test_a_new_one_ends_the_old_one(self, alice: User, now: datetime) -> None:
        opened = feed_of(alice, now)
        feeding.note_reading(feed=opened.feed, reader="Reader", now=now)
        again = feeding.rotate_feed(feed=opened.feed)
        assert feeding.feed_behind(opened.secret) is None
        found = feeding.feed_behind(again.secret)
        assert found == opened.feed
        assert (again.feed.read_at, again.feed.reader, again.feed.hint) == (None, "", again.secret[: feeding.HINT])

    def test_an_ended_feed_is_gone(self, alice: User, now: datetime) -> None:
        opened = feed_of(alice, now)
        feeding.revoke_feed(feed=opened.feed)
        assert feeding.feed_behind(opened.secret) is None

    def test_who_may_not_sign_in_any_more_has_no_feed(self, alice: User, now: datetime) -> None:
        opened = feed_of(alice, now)
        User.objects.update(is_active=False)
        assert feeding.feed_behind(opened.secret) is None


class TestMakingOne:
    def test_it_is_called_what_it_lists_unless_it_has_a_name(self, alice: User, watch: Watch, now: datetime) -> None:
        wishes = [
            Wish(kind=FeedKind.DROPS),
            Wish(kind=FeedKind.WATCH, watch=watch),
            Wish(kind="all", name=" Phone  x "),
        ]
        feeds = [feeding.create_feed(user=alice, wish=wish, now=now).feed for wish in wishes]
        assert [feeding.name_of(feed) for feed in feeds] == ["price drops", "Lumina", "Phone x"]
        with translation.override("ja"):
            assert feeding.name_of(feeds[0]) == "値下げ"

    @pytest.mark.parametrize(
        "wish",
        [Wish(kind=""), Wish(kind="everything"), Wish(kind=FeedKind.WATCH), Wish(kind="all", name="x" * 81),
         Wish(kind="all", name="a\x07b"), Wish(kind="all", name="a\ud800")],
    )  # fmt: skip
    def test_what_makes_no_sense_is_refused_in_words(self, alice: User, now: datetime, wish: Wish) -> None:
        with pytest.raises(ValidationError, match="Please"):
            feeding.create_feed(user=alice, wish=wish, now=now)
        assert not Feed.objects.exists()

    def test_a_watch_must_be_ones_own_and_belongs_to_its_kind(
        self, alice: User, bob: User, watch: Watch, now: datetime
    ) -> None:
        right = Wish(kind=FeedKind.WATCH, watch=watch)
        for user, wish in ((bob, right), (alice, replace(right, kind=FeedKind.ALL))):
            with pytest.raises(ValidationError):
                feeding.create_feed(user=user, wish=wish, now=now)

    def test_nobody_has_more_than_so_many(
        self, alice: User, bob: User, now: datetime, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(feeding, "MOST_FEEDS", 2)
        for _ in range(2):
            feed_of(alice, now)
        with pytest.raises(ValidationError, match="You may have 2 feeds and no more"):
            feed_of(alice, now)
        feed_of(bob, now)


class TestReading:
    def test_it_is_noted_at_most_once_a_minute(self, alice: User, now: datetime) -> None:
        feed = feed_of(alice, now).feed
        noted = []
        for seconds, reader in ((0, "One\x00 \n" + "x" * 100), (59, "Two"), (60, "Three")):
            fresh = Feed.objects.get(pk=feed.pk)
            noted.append(feeding.note_reading(feed=fresh, reader=reader, now=now + timedelta(seconds=seconds)))
            if seconds == 0:
                assert Feed.objects.get(pk=feed.pk).reader == "One " + "x" * 76
        assert noted == [True, False, True]
        assert Feed.objects.get(pk=feed.pk).reader == "Three"

    def test_of_two_readings_at_once_one_is_noted(self, alice: User, now: datetime) -> None:
        feed = feed_of(alice, now).feed
        both = [Feed.objects.get(pk=feed.pk) for _ in range(2)]
        assert [feeding.note_reading(feed=one, reader="R", now=now) for one in both] == [True, False]

    def test_too_many_readings_wait_until_the_minute_is_over(self, alice: User, redis: Redis, now: datetime) -> None:
        feed, other = feed_of(alice, now).feed, feed_of(alice, now).feed
        waits = [feed_limit.seconds_to_wait(feed) for _ in range(feed_limit.MOST_A_MINUTE + 1)]
        assert waits[:-1] == [0] * feed_limit.MOST_A_MINUTE
        assert 1 <= waits[-1] <= 60
        assert feed_limit.seconds_to_wait(other) == 0

    def test_without_redis_nobody_waits(self, alice: User, now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
        nowhere = Redis(host="127.0.0.1", port=1)
        monkeypatch.setattr(feed_limit, "redis_client", lambda: nowhere)
        assert feed_limit.seconds_to_wait(feed_of(alice, now).feed) == 0


class TestWhatItLists:
    def test_the_newest_matches_of_its_person_alone(self, alice: User, bob: User, watch: Watch, now: datetime) -> None:
        for number in (1, 2):
            match(watch, number, now=now)
        match(watch, 3, now=now, state=MatchState.IGNORED)
        match(watch, 4, now=now, silent=True)
        match(watch, 5, now=now, snoozed_until=now + MINUTE)
        match(watch_of(bob, now=now), 6, now=now)
        feed = feed_of(alice, now).feed
        assert listed(feed, now) == ["2", "1"]
        assert listed(feed, now + MINUTE) == ["5", "2", "1"]

    def test_so_many_and_no_more(
        self, alice: User, watch: Watch, now: datetime, django_assert_max_num_queries: Any
    ) -> None:
        for number in range(MOST_ENTRIES + 5):
            match(watch, number, now=now)
        feed = feed_of(alice, now).feed
        with django_assert_max_num_queries(2):
            assert len(listed(feed, now)) == MOST_ENTRIES

    def test_what_several_watches_hit_comes_once_and_names_them(self, alice: User, watch: Watch, now: datetime) -> None:
        one = match(watch, 1, now=now)
        cheap = watch_of(alice, now=now, name="Cheap")
        Match.objects.create(user=alice, watch=cheap, listing=one.listing, cause="listed", trace="t", matched_at=now)
        (entry,) = entries_of(feed_of(alice, now).feed, now=now)
        assert (entry.match, entry.watches) == (one, ("Lumina", "Cheap"))

    def test_one_watch_lists_only_its_own(self, alice: User, watch: Watch, now: datetime) -> None:
        other = watch_of(alice, now=now, name="Cheap")
        match(watch, 1, now=now)
        match(other, 2, now=now)
        assert listed(feed_of(alice, now, FeedKind.WATCH, other).feed, now) == ["2"]

    def test_an_entry_says_when_anything_last_happened_to_it(self, alice: User, watch: Watch, now: datetime) -> None:
        one, other = match(watch, 1, now=now), match(watch, 2, now=now)
        drop(one, now + MINUTE)
        drop(other, now - MINUTE)
        found = {entry.match: entry.changed_at for entry in entries_of(feed_of(alice, now).feed, now=now)}
        assert found == {one: now + MINUTE, other: now}

    def test_drops_are_those_of_matched_listings_each_by_itself(
        self, alice: User, bob: User, watch: Watch, now: datetime
    ) -> None:
        one, his = match(watch, 1, now=now), match(watch_of(bob, now=now), 2, now=now)
        aside = match(watch, 3, now=now, state=MatchState.IGNORED)
        drops = [drop(one, now + MINUTE), drop(one, now + 2 * MINUTE)]
        drop(one, now + 3 * MINUTE, damped=True)
        drop(one, now + 4 * MINUTE, kind=EventKind.PRICE_RISE)
        for other in (his, aside):
            drop(other, now + MINUTE)
        found: list[Entry] = entries_of(feed_of(alice, now, FeedKind.DROPS).feed, now=now)
        assert [entry.drop for entry in found] == drops[::-1]
        assert {entry.match for entry in found} == {one}

    def test_a_drop_before_the_match_is_none_unless_it_brought_it(
        self, alice: User, watch: Watch, now: datetime
    ) -> None:
        match_before, brought = match(watch, 1, now=now), match(watch, 2, now=now, trace="the check")
        drop(match_before, now - MINUTE, trace="another")
        told = drop(brought, now - timedelta(seconds=2), trace="the check")
        found = entries_of(feed_of(alice, now, FeedKind.DROPS).feed, now=now)
        assert [entry.drop for entry in found] == [told]
