"""Troubles are told once when they begin and once when they are over, however they flicker in between."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone, translation

from monitor_site.accounts.models import User
from monitor_site.alerts import rendering, trouble_words
from monitor_site.alerts.claiming import claim
from monitor_site.alerts.concluding import conclude
from monitor_site.alerts.models import Alert, Notice, Trouble, TroubleKind
from monitor_site.alerts.troubles import CALM, LONGEST_CALM, Seen, note
from monitor_site.alerts.ways.values import Answer, Outcome
from monitor_site.watches import services
from tests.alerts.rows import RATES, channel_of
from tests.watches.makers import watch_of

pytestmark = pytest.mark.django_db

SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)


def stopped(now, *, marketplace="mercari", patience=timedelta(), until=None, reason="blocked"):
    facts = {"marketplace": marketplace, "reason": reason, "until": (until or now + 30 * MINUTE).isoformat()}
    return Seen(kind=TroubleKind.MARKETPLACE, subject=marketplace, patience=patience, facts=facts)


def keys():
    return [(one.user.username, one.key.partition(":")[0], one.facts["over"]) for one in Alert.objects.order_by("pk")]


def words(alert, language="en"):
    with translation.override(language):
        return trouble_words.headline(alert.facts), trouble_words.lines(alert.facts, at=alert.created_at)


@pytest.fixture
def staff(db):
    return User.objects.create_user(username="root", password="roots-password", is_staff=True)


def test_those_with_active_watches_at_a_marketplace_that_is_not_asked_are_told_once(alice, bob, staff, now):
    watch_of(alice, now)
    watch_of(alice, now, name="Other", must=["クロノア"])
    services.pause_watch(watch=watch_of(bob, now), now=now)
    for second in range(0, 60, 5):
        note([stopped(now)], now=now + second * SECOND)
    assert keys() == [("alice", "trouble", False)]
    assert Alert.objects.get().facts["watches"] == 2


def test_what_nobody_watches_is_told_to_nobody(alice, now):
    watch_of(alice, now)
    assert note([stopped(now, marketplace="yahoo_auctions")], now=now) == []


def test_they_are_told_once_more_when_it_has_been_asked_again_for_a_while(alice, now):
    watch_of(alice, now)
    note([stopped(now)], now=now)
    note([], now=now + MINUTE)
    assert keys() == [("alice", "trouble", False)]
    note([], now=now + CALM)
    note([], now=now + 2 * CALM)
    assert keys() == [("alice", "trouble", False), ("alice", "trouble", True)]


def test_a_breaker_that_flickers_all_day_is_told_of_twice(alice, now):
    watch_of(alice, now)
    for minute in range(600):
        note([stopped(now)] if minute % 4 < 2 else [], now=now + minute * MINUTE)
    assert keys() == [("alice", "trouble", False)]
    note([], now=now + 600 * MINUTE + CALM)
    assert len(keys()) == 2


def test_each_time_it_was_over_lately_it_must_stay_away_for_twice_as_long(alice, now):
    watch_of(alice, now)
    told, at = [], now
    for _ in range(6):
        note([stopped(at)], now=at)
        began = at
        while Trouble.objects.filter(ended_at=None).exists():
            at += MINUTE
            note([], now=at)
        told.append(at - began)
    assert told == [min(CALM * 2**n, LONGEST_CALM) for n in range(6)]


def test_what_is_over_sooner_than_anybody_cares_is_told_to_nobody(alice, now):
    watch_of(alice, now)
    for second in (0, 5, 10, 15):
        note([stopped(now, patience=MINUTE)], now=now + second * SECOND)
    note([], now=now + CALM + MINUTE)
    assert (keys(), Trouble.objects.count()) == ([], 0)


def test_what_comes_again_and_again_for_too_short_is_told_in_the_end(alice, now):
    watch_of(alice, now)
    for second in range(0, 120, 30):
        note([stopped(now, patience=MINUTE)] if second % 60 == 0 else [], now=now + second * SECOND)
    assert keys() == [("alice", "trouble", False)]


def test_only_who_was_told_of_its_beginning_is_told_of_its_end(alice, bob, now):
    watch_of(alice, now)
    note([stopped(now)], now=now)
    watch_of(bob, now + MINUTE)
    note([], now=now + CALM)
    assert keys() == [("alice", "trouble", False), ("alice", "trouble", True)]


def test_an_installation_that_stood_still_itself_ends_what_it_finds_over(alice, now):
    watch_of(alice, now)
    note([stopped(now)], now=now)
    note([], now=now + 24 * HOUR)
    assert keys()[-1] == ("alice", "trouble", True)


def test_staff_and_nobody_else_is_told_of_machines_lateness_and_promoters(alice, staff, now):
    watch_of(alice, now)
    facts = {"host": "box", "level": "shedding", "cpu": 97, "memory": 40}
    seen = [
        Seen(kind=TroubleKind.MACHINE, subject="box", facts=facts),
        Seen(kind=TroubleKind.LATENESS, facts={"overdue": 1200, "oldest_seconds": 45}),
        Seen(kind=TroubleKind.PROMOTER),
    ]
    note(seen, now=now)
    assert {one.user.username for one in Alert.objects.all()} == {"root"}
    assert [words(one)[0] for one in Alert.objects.order_by("pk")] == [
        "The machine box is busy (shedding)",
        "Checks are late, the latest by 45 s",
        "No promoter is alive, so nothing is checked",
    ]


def test_an_account_is_its_persons_affair_and_that_of_the_installation_is_staffs(alice, bob, staff, now):
    facts = {"marketplace": "mercari", "reason": "sign_in_needed", "until": None}
    own = Seen(kind=TroubleKind.ACCOUNT, subject="1", facts=facts, user_id=bob.pk)
    note([own, Seen(kind=TroubleKind.ACCOUNT, subject="2", facts=facts)], now=now)
    assert {(one.user.username, one.facts["trouble"]) for one in Alert.objects.all()} == {
        ("bob", "account"),
        ("root", "account"),
    }
    assert "user" not in Alert.objects.first().facts


def test_a_person_who_cannot_sign_in_any_more_is_not_told(alice, now):
    watch_of(alice, now)
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert note([stopped(now)], now=now) == []


@pytest.mark.parametrize(
    ("language", "headline", "lines"),
    [
        (
            "en",
            "Mercari is not asked at the moment: refused by the marketplace",
            ["1 of your watches waits", "next try at 12:30"],
        ),
        ("zh-hans", "目前暂停查询Mercari（煤炉）：被平台拒绝", ["你的 1 个关注在等待", "下次尝试：12:30"]),
        (
            "ja",
            "メルカリへの問い合わせを止めています：マーケットに拒否された",
            ["ウォッチ1件が待機中", "次の試行：12:30"],
        ),
    ],
)
def test_it_says_what_waits_and_when_it_is_tried_again_in_the_readers_language(alice, now, language, headline, lines):
    watch_of(alice, now)
    note([stopped(now)], now=now)
    with timezone.override(ZoneInfo("Asia/Tokyo")):
        assert words(Alert.objects.get(), language) == (headline, lines)


def test_its_end_says_how_long_it_lasted_and_what_goes_on(alice, now):
    watch_of(alice, now)
    note([stopped(now)], now=now)
    note([stopped(now)], now=now + 42 * MINUTE)
    note([], now=now + HOUR)
    over = Alert.objects.order_by("pk").last()
    assert words(over) == ("Mercari is asked again", ["It lasted 42 min.", "1 of your watches goes on"])


def test_every_trouble_has_words_for_its_beginning_and_its_end():
    for kind in TroubleKind.values:
        assert kind in trouble_words.BEGAN
        assert kind in trouble_words.OVER
        assert kind in rendering.PAGES


def test_a_message_leads_to_the_page_where_one_sees_how_it_stands(alice, now):
    channel = channel_of(alice, now=now)
    watch_of(alice, now)
    note([stopped(now)], now=now)
    parcel = claim(channel_id=channel.pk, rates=RATES, now=now)
    message = rendering.render(delivery=parcel.delivery, channel=channel)
    assert message.url.endswith("/watches/")
    assert message.subject.startswith("Mercari is not asked")
    assert "1 of your watches waits" in message.text


def test_a_marketplace_in_trouble_wakes_nobody_in_quiet_hours(alice, now):
    channel_of(alice, now=now, quiet_from=0, quiet_until=23 * 60)
    watch_of(alice, now)
    note([stopped(now)], now=now)
    notice = Notice.objects.get()
    assert (notice.held, notice.due_at > now) == ("quiet", True)


def test_what_a_dead_channel_should_have_told_of_a_marketplace_comes_on_another(alice, now):
    phone, other = channel_of(alice, now=now), channel_of(alice, now=now, name="Mail", is_default=False)
    watch_of(alice, now)
    note([stopped(now)], now=now)
    parcel = claim(channel_id=phone.pk, rates=RATES, now=now)
    conclude(parcel=parcel, answer=Answer(outcome=Outcome.GONE, words="gone"), now=now)
    assert {notice.alert.facts["trouble"] for notice in other.notices.all()} == {"channel", "marketplace"}
