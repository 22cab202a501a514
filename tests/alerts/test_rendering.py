"""What messages say: in the channel's language, the person's zone, and harmless for every way out."""

import json
from datetime import timedelta
from decimal import Decimal
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor_site import second_currency
from monitor_site.accounts.exchange_rates import set_rate
from monitor_site.accounts.models import User
from monitor_site.alerts import happenings
from monitor_site.alerts.claiming import claim
from monitor_site.alerts.concluding import conclude
from monitor_site.alerts.escaping import for_html, for_markdown, tame
from monitor_site.alerts.models import Channel
from monitor_site.alerts.rendering import pictured, render
from monitor_site.alerts.services import begin_test
from monitor_site.alerts.ways.values import Answer, Outcome
from monitor_site.second_currency import Rate
from monitor_site.watches.models import Crossing, EventKind, ListingEvent
from tests.alerts.rows import RATES, channel_of, match, watch_of

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script> @everyone [x](http://evil.example) \u202egnp.exe\r\nBcc: all@example.com"


def message(channel, now, picture=None):
    """The next message of a channel."""
    parcel = claim(channel_id=channel.pk, rates=RATES, now=now)
    return render(delivery=parcel.delivery, channel=parcel.channel, picture=picture)


def matched(user, now, count=1, name="Lumina", **fields):
    watch = watch_of(user, now=now, name=name)
    found = [match(watch, number, now=now, **fields) for number in range(1, count + 1)]
    happenings.tell_of_matches(match_ids=[one.pk for one in found], now=now)
    return found


def happened(found, now, kind, **figures):
    ListingEvent.objects.create(listing=found.listing, kind=kind, at=now, trace="t", **figures)
    happenings.tell_of_changes(listing_ids=[found.listing_id], now=now)


@pytest.mark.parametrize(
    ("language", "subject", "facts", "watch"),
    [
        ("en", "¥48,000 · ルミナ T2", "Mercari · No visible damage · Free shipping", "Watch: Cameras"),
        ("ja", "48,000円 · ルミナ T2", "メルカリ · 目立った傷や汚れなし · 送料込み", "ウォッチ：Cameras"),
        ("zh-hans", "48,000円 · ルミナ T2", "Mercari（煤炉） · 无明显伤痕 · 包邮", "关注：Cameras"),
    ],
)
def test_a_match_says_price_title_facts_watch_and_where_to_look(alice, now, language, subject, facts, watch):
    channel = channel_of(alice, now=now, language=language)
    [found] = matched(alice, now, name="Cameras", listing_price=48_000, listing_title="ルミナ T2", price=48_000)
    told = message(channel, now)
    assert told.subject == subject
    assert told.text.splitlines()[:2] == [facts, watch]
    assert told.url.endswith(f"/m/{found.public_id}/")
    assert told.url in told.text


def test_without_a_language_of_its_own_a_channel_speaks_its_persons(alice, now):
    alice.language = "ja"
    alice.save()
    channel = channel_of(alice, now=now)
    matched(alice, now, price=48_000)
    assert message(channel, now).subject.startswith("48,000円")


def test_an_unknown_price_says_so_and_is_never_zero(alice, now):
    channel = channel_of(alice, now=now, language="en")
    matched(alice, now, listing_price=None, price=None)
    assert message(channel, now).subject == "price unknown · ルミナ カメラ 1"


@pytest.mark.parametrize(
    ("kind", "subject"),
    [
        (EventKind.PRICE_DROP, "¥48,000 → ¥41,000 · T2"),
        (EventKind.BACK, "Back on sale: ¥41,000 · T2"),
        (EventKind.SOLD, "Sold or gone: T2"),
    ],
)
def test_what_happened_later_says_what(alice, now, kind, subject):
    channel = channel_of(alice, now=now, language="en", tells=("price_drop", "back", "sold"))
    [found] = matched(alice, now, listing_title="T2")
    later = now + timedelta(hours=1)
    happened(found, later, kind, before=48_000, after=41_000)
    assert message(channel, later).subject == subject


@pytest.mark.parametrize(
    ("figures", "subject"),
    [
        ({"before": 2000, "price": 1500}, "price falls: ¥2,000 → ¥1,500 · T2"),
        ({"before": None, "price": 1500}, "price falls: ¥1,500 · T2"),
        ({"before": 1500, "price": 1500}, "price falls: ¥1,500 · T2"),
    ],
)
def test_a_crossing_says_what_crossed(alice, now, figures, subject):
    channel = channel_of(alice, now=now, language="en")
    watch = watch_of(alice, now=now, kind="listing", external_id="m00000000001", must=[], fall_percent=10)
    found = match(watch, 1, now=now, cause="crossed", listing_title="T2")
    crossing = Crossing.objects.create(match=found, kind="fall", kinds=["fall"], at=now, trace="t", **figures)
    happenings.tell_of_crossings(crossing_ids=[crossing.pk], now=now)
    assert message(channel, now).subject == subject


def test_a_burst_is_counted_names_the_watches_and_shows_the_first_ten(alice, now):
    channel = channel_of(alice, now=now, language="en")
    matched(alice, now, count=12, name="Cameras")
    told = message(channel, now)
    assert told.subject == "12 messages: Cameras"
    assert told.text.count("/m/") == 10
    assert "and 2 more" in told.text
    assert told.url.endswith("/matches/")


def test_one_message_names_every_watch_that_hit(alice, now):
    channel = channel_of(alice, now=now, language="en")
    [found] = matched(alice, now, name="Cameras")
    other = watch_of(alice, now=now, name="Bargains")
    second = type(found).objects.create(
        user=alice, watch=other, listing=found.listing, cause="listed", trace="t", matched_at=now, decision=[]
    )
    happenings.tell_of_matches(match_ids=[second.pk], now=now)
    assert "Watches: Cameras, Bargains" in message(channel, now).text


class Tags(HTMLParser):
    """The names of all tags and the addresses of all links."""

    def __init__(self, text):
        super().__init__()
        self.names, self.links = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        self.links |= {value for name, value in attrs if name == "href"}


def test_a_hostile_title_is_text_in_every_body(alice, now):
    channel = channel_of(alice, now=now)
    matched(alice, now, name=HOSTILE[:80], listing_title=HOSTILE)
    told = message(channel, now)
    assert len(told.subject.splitlines()) == 1
    assert "@everyone" not in "".join((told.subject, told.text, told.html, told.markdown, told.mail_html))
    assert "\u202e" not in told.subject + told.mail_html
    assert Tags(told.html).names <= {"a", "b", "i", "br"}
    assert "script" not in Tags(told.mail_html).names
    ours = told.url.split("/m/")[0]
    assert all(link.startswith(ours) for link in Tags(told.mail_html).links | Tags(told.html).links)
    assert "](http://evil.example)" not in told.markdown


@given(st.text(max_size=300))
def test_whatever_a_title_holds_it_becomes_one_tame_line(title):
    line = tame(title)
    assert len(line) <= 120
    assert "\n" not in line
    assert "@" not in line
    assert line.isprintable() or "\u200d" in line
    assert "<" not in for_html(line)
    assert "](" not in for_markdown(line).replace("\\]", "").replace("\\(", "")


def test_the_payload_is_plain_json_with_unknown_as_null(alice, now):
    channel = channel_of(alice, now=now)
    [found] = matched(alice, now, listing_shipping_fee=None, price=1001)
    told = message(channel, now)
    [one] = json.loads(json.dumps(told.payload))["alerts"]
    assert (one["kind"], one["facts"]["price"], one["listing"]["shipping_fee"]) == ("match", 1001, None)
    assert one["watches"] == [{"id": found.watch_id, "name": "Lumina"}]
    assert told.payload["id"] == told.id


def test_a_price_is_told_in_the_second_currency_of_its_person_too_and_in_nobody_elses(alice, bob, now):
    set_rate(rate=Rate(currency="CNY", per_yen=Decimal("0.048"), at=now), now=now)
    User.objects.filter(pk=alice.pk).update(second_currency="CNY")
    for number, (person, shown) in enumerate(((alice, "¥1,001 ≈ CN¥48.0 · "), (bob, "¥1,001 · "))):
        person.refresh_from_db()
        channel = channel_of(person, now=now)
        found = match(watch_of(person, now=now), number, now=now, price=1001)
        happenings.tell_of_matches(match_ids=[found.pk], now=now)
        assert message(channel, now).subject.startswith(shown)
        assert second_currency.active() is None


def test_a_repetition_says_the_same_under_the_same_id(alice, now):
    channel = channel_of(alice, now=now)
    matched(alice, now)
    parcel = claim(channel_id=channel.pk, rates=RATES, now=now)
    first = render(delivery=parcel.delivery, channel=parcel.channel)
    conclude(parcel=parcel, answer=Answer(outcome=Outcome.UNREACHABLE), now=now)
    later = now + timedelta(minutes=1)
    again = message(channel, later)
    assert (again.id, again.subject, again.text, again.at) == (first.id, first.subject, first.text, first.at)


def test_a_test_says_which_channel_it_tests(alice, now):
    channel = channel_of(alice, now=now, language="en", name="Kitchen")
    begin_test(channel=channel, now=now)
    told = message(channel, now)
    assert told.subject == "A test of “Kitchen”"
    assert told.url.endswith("/channels/")


def test_a_channel_that_fails_is_named_on_the_other_one(alice, now):
    channel = channel_of(alice, now=now, language="en", name="Phone")
    other = channel_of(alice, now=now, language="en", name="Mail", is_default=False)
    matched(alice, now)
    parcel = claim(channel_id=channel.pk, rates=RATES, now=now)
    conclude(parcel=parcel, answer=Answer(outcome=Outcome.GONE, status=410), now=now)
    assert "“Phone”" in message(other, now).subject


def test_no_message_holds_a_secret_of_its_channel(alice, now):
    channel = channel_of(alice, now=now)
    matched(alice, now)
    told = message(channel, now)
    assert "whsec_" not in repr(told)
    assert "whsec_" not in repr(Channel.objects.get().__dict__)


def test_the_picture_is_that_of_the_one_listing(alice, now):
    channel = channel_of(alice, now=now)
    matched(alice, now, listing_images=["https://static.mercdn.net/1.jpg", "https://static.mercdn.net/2.jpg"])
    parcel = claim(channel_id=channel.pk, rates=RATES, now=now)
    alerts = [notice.alert for notice in parcel.delivery.notices.all()]
    assert pictured(alerts) == "https://static.mercdn.net/1.jpg"
    assert pictured(alerts * 2) == ""
