"""What people keep beside their watches: tags, mutes, snoozes, notes, and many watches at once."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from monitor_site.watches import bulk, noting, resting, services, tagging
from monitor_site.watches.models import Match, MatchState, Note, Tag, Watch, WatchTag
from tests.watches.makers import watch_of
from tests.web.watch_rows import make_listing, make_match

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]

HOUR = timedelta(hours=1)


def tags_of(watch: Watch) -> list[str]:
    return [tag.name for tag in tagging.tags_by_watch([watch.pk])[watch.pk]]


# ---- tags


def test_one_tag_is_one_tag_in_any_case_and_width(alice: Any, now: datetime) -> None:
    one, two = watch_of(alice, now), watch_of(alice, now)
    tagging.set_tags(watch=one, names=["Kato  san", "ＫＡＴＯ SAN"])
    tagging.add_tags(watch=two, names=["ｋａｔｏ　san", "はな", "ハナ"])
    assert tags_of(one) == ["ＫＡＴＯ SAN"]
    assert set(tags_of(two)) == {"ＫＡＴＯ SAN", "はな", "ハナ"}
    assert Tag.objects.count() == 3


def test_people_do_not_share_tags(alice: Any, bob: Any, now: datetime) -> None:
    hers, his = watch_of(alice, now), watch_of(bob, now)
    tagging.set_tags(watch=hers, names=["Kato"])
    tagging.set_tags(watch=his, names=["Kato"])
    tagging.remove_tag(tag=Tag.objects.of(bob).get())
    assert (tags_of(hers), tags_of(his)) == (["Kato"], [])


def test_a_watch_wears_twenty_tags_and_no_more(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now)
    tagging.set_tags(watch=watch, names=[f"tag {n}" for n in range(20)])
    for refused in (tagging.add_tags, tagging.set_tags):
        with pytest.raises(ValidationError, match="at most 20 tags"):
            refused(watch=watch, names=[f"tag {n}" for n in range(21)])
    assert WatchTag.objects.count() == Tag.objects.count() == 20


@pytest.mark.parametrize("name", ["x" * 41, "a\u202eb", "ﷺ" * 10])
def test_a_tag_that_cannot_be_shown_is_refused(alice: Any, now: datetime, name: str) -> None:
    watch = watch_of(alice, now)
    with pytest.raises(ValidationError):
        tagging.set_tags(watch=watch, names=[name])
    assert not Tag.objects.exists()


def test_a_tag_that_nothing_wears_is_gone(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now)
    tagging.set_tags(watch=watch, names=["Kato", "urgent"])
    assert tagging.take_tags(watch=watch, names=["KATO", "unknown"]) == 1
    assert list(Tag.objects.values_list("name", flat=True)) == ["urgent"]


def test_a_tag_is_renamed_on_all_its_watches_but_not_into_another_one(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now)
    tagging.set_tags(watch=watch, names=["Kato", "urgent"])
    tag = Tag.objects.get(key="kato")
    tagging.rename_tag(tag=tag, name="ＫＡＴＯ")
    with pytest.raises(ValidationError, match="already"):
        tagging.rename_tag(tag=tag, name="URGENT")
    assert tags_of(watch) == ["ＫＡＴＯ", "urgent"]
    with pytest.raises(IntegrityError), transaction.atomic():
        Tag.objects.create(user=alice, name="again", key="kato")


def test_a_copy_wears_the_tags_of_its_watch(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now)
    tagging.set_tags(watch=watch, names=["Kato"])
    assert tags_of(services.copy_watch(watch=watch, now=now)) == ["Kato"]


# ---- mute and snooze


def test_a_muted_watch_is_muted_until_its_time_and_one_without_a_time_until_it_is_unmuted(
    alice: Any, now: datetime
) -> None:
    watch = watch_of(alice, now)
    resting.mute_watch(watch=watch, until=now + HOUR, now=now)
    watch.refresh_from_db()
    assert [watch.is_muted(now=now + HOUR * share) for share in (0, 0.99, 1)] == [True, True, False]
    resting.mute_watch(watch=watch, until=None, now=now)
    watch.refresh_from_db()
    assert watch.is_muted(now=now + 10_000 * HOUR)
    assert [resting.unmute_watch(watch=watch) for _ in range(2)] == [True, False]
    watch.refresh_from_db()
    assert not watch.is_muted(now=now)


def test_a_mute_ends_after_it_begins(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now)
    for muted_at in (now, None):
        with pytest.raises(IntegrityError), transaction.atomic():
            Watch.objects.filter(pk=watch.pk).update(muted_at=muted_at, muted_until=now)


@pytest.mark.parametrize(
    ("moment", "zone", "morning"),
    [
        (datetime(2026, 5, 1, 3, tzinfo=UTC), "Asia/Tokyo", datetime(2026, 5, 1, 23, tzinfo=UTC)),
        (datetime(2026, 5, 1, 23, tzinfo=UTC), "Asia/Tokyo", datetime(2026, 5, 2, 23, tzinfo=UTC)),
        # The clocks of Berlin go forward that night.
        (datetime(2026, 3, 28, 12, tzinfo=UTC), "Europe/Berlin", datetime(2026, 3, 29, 6, tzinfo=UTC)),
    ],
)
def test_tomorrow_morning_is_eight_on_the_persons_own_clock(moment: datetime, zone: str, morning: datetime) -> None:
    assert resting.tomorrow_morning(now=moment, zone=ZoneInfo(zone)) == morning


def test_a_snoozed_match_sleeps_and_comes_back_by_itself_as_new(alice: Any, now: datetime) -> None:
    match = make_match(watch_of(alice, now), now, state=MatchState.SEEN)
    resting.snooze_match(match=match, until=now + HOUR)
    asleep = [Match.objects.awake(now=now + HOUR * share).exists() for share in (0, 0.99, 1)]
    assert asleep == [False, False, True]
    assert Match.objects.get().state == MatchState.NEW
    resting.wake_match(match=match)
    assert Match.objects.awake(now=now).exists()


def test_what_is_put_aside_is_not_snoozed(alice: Any, now: datetime) -> None:
    match = make_match(watch_of(alice, now), now, state=MatchState.IGNORED)
    resting.snooze_match(match=match, until=now + HOUR)
    match.refresh_from_db()
    assert (match.state, match.snoozed_until) == (MatchState.IGNORED, None)


# ---- notes


def test_a_note_is_kept_changed_and_taken_away_and_others_have_their_own(alice: Any, bob: Any, now: datetime) -> None:
    listing = make_listing(now)
    noting.write_note(user=bob, listing=listing, text="mine", now=now)
    for text in (" first \r\nline ", "second"):
        noting.write_note(user=alice, listing=listing, text=text, now=now)
    assert dict(Note.objects.values_list("user__username", "text")) == {"alice": "second", "bob": "mine"}
    noting.write_note(user=alice, listing=listing, text="  ", now=now)
    assert Note.objects.get().user == bob


@pytest.mark.parametrize("text", ["x" * 2001, "a\x00b"])
def test_a_note_that_cannot_be_kept_is_refused_and_the_old_one_stays(alice: Any, now: datetime, text: str) -> None:
    listing = make_listing(now)
    noting.write_note(user=alice, listing=listing, text="old\nand\tgood", now=now)
    with pytest.raises(ValidationError):
        noting.write_note(user=alice, listing=listing, text=text, now=now)
    assert Note.objects.get().text == "old\nand\tgood"


# ---- many at once


def test_each_watch_of_many_is_done_or_refused_alone(alice: Any, now: datetime) -> None:
    full, paused, fresh = (watch_of(alice, now, must=[word]) for word in ("full", "paused", "fresh"))
    tagging.set_tags(watch=full, names=[f"tag {n}" for n in range(20)])
    tagging.set_tags(watch=paused, names=["Kato"])
    done = bulk.act_on(
        watches=[full, paused, fresh],
        act=lambda watch: tagging.add_tags(watch=watch, names=["Kato"]) > 0,
        enough=lambda: False,
    )
    assert (done.changed, done.unchanged, dict(done.refused)) == (1, 1, {"A watch wears at most 20 tags.": 1})
    assert tags_of(fresh) == ["Kato"]


def test_what_there_is_no_time_for_is_left_and_told(alice: Any, now: datetime) -> None:
    watches = [watch_of(alice, now, must=[word]) for word in ("one", "two", "three")]
    clock = iter([False, True, True])
    act = lambda watch: services.pause_watch(watch=watch, now=now)  # noqa: E731 - as the list calls it
    done = bulk.act_on(watches=watches, act=act, enough=lambda: next(clock))
    assert (done.changed, done.left) == (1, 2)
    assert Watch.objects.active().count() == 2
