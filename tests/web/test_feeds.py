"""Feeds as readers get them, and the page where people make them."""

import json
import logging
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any
from xml.etree import ElementTree

import pytest
import time_machine
from django.core.signing import Signer
from django.test import Client, override_settings
from django.urls import reverse
from redis import Redis

from monitor_site.accounts.models import User
from monitor_site.alerts import feed_limit, feeding
from monitor_site.alerts.feeding import Wish
from monitor_site.alerts.models import Feed, FeedKind
from monitor_site.logs import _formatter
from monitor_site.watches.models import EventKind, ListingEvent, Match, MatchState, Watch
from tests.web.rows import listing, match, watch_of

NOW = datetime(2026, 5, 1, 3, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
ATOM, MEDIA = "{http://www.w3.org/2005/Atom}", "{http://search.yahoo.com/mrss/}"
FORMS = ("rss", "atom", "json")
EVIL = "]]>\x07\ufffe\u202e<script>alert(1)</script>&amp;\U0001f4f7"
PAGE = "/settings/feeds/"
pytestmark = pytest.mark.usefixtures("redis")


@pytest.fixture
def now() -> datetime:
    return NOW


def secret_of(user: User, kind: str = FeedKind.ALL, watch: Watch | None = None) -> str:
    return feeding.create_feed(user=user, wish=Wish(kind=kind, name="Phone", watch=watch), now=NOW).secret


def read(secret: str, form: str = "rss", client: Client | None = None, **headers: str) -> Any:
    """What a reader gets a quarter of an hour later: a program that is signed in nowhere."""
    with time_machine.travel(NOW + 15 * MINUTE, tick=False):
        return (client or Client()).get(f"/feeds/{secret}.{form}", headers={"accept-language": "en"} | headers)


def entries(answer: Any, form: str) -> list[dict[str, str]]:
    """Id, link, title, html, picture and moments of each entry, whatever its form."""
    return {"rss": _of_rss, "atom": _of_atom, "json": _of_json}[form](answer)


def _of_rss(answer: Any) -> list[dict[str, str]]:
    items = ElementTree.fromstring(answer.content).findall("channel/item")
    parts = {"id": "guid", "link": "link", "title": "title", "html": "description", "at": "pubDate"}
    found = [{name: item.findtext(part) or "" for name, part in parts.items()} for item in items]
    for one, item in zip(found, items, strict=True):
        picture = item.find(f"{MEDIA}thumbnail")
        one |= {"picture": "" if picture is None else picture.attrib["url"]}
        one |= {"at": parsedate_to_datetime(one["at"]).isoformat()}
    return found


def _of_atom(answer: Any) -> list[dict[str, str]]:
    found = []
    for item in ElementTree.fromstring(answer.content).findall(f"{ATOM}entry"):
        parts = {"id": "id", "title": "title", "html": "summary", "at": "published"}
        one = {name: item.findtext(f"{ATOM}{part}") or "" for name, part in parts.items()}
        picture, link = item.find(f"{MEDIA}thumbnail"), item.find(f"{ATOM}link")
        assert link is not None
        found.append(one | {"link": link.attrib["href"], "picture": "" if picture is None else picture.attrib["url"]})
    return found


def _of_json(answer: Any) -> list[dict[str, str]]:
    parts = {"id": "id", "link": "url", "title": "title", "html": "content_html", "at": "date_published"}
    items = json.loads(answer.content)["items"]
    return [{name: item[part] for name, part in parts.items()} | {"picture": item.get("image", "")} for item in items]


class TestEntries:
    @pytest.mark.parametrize("form", FORMS)
    @override_settings(SITE_URL="https://finder.example")
    def test_they_say_what_the_card_says_and_lead_to_the_decision(self, alice: User, watch: Watch, form: str) -> None:
        pictures = ["https://static.mercdn.net/1.jpg"]
        one = match(watch, 1, now=NOW, listing_price=4_200, listing_images=pictures, matched_at=NOW - 5 * MINUTE)
        (entry,) = entries(read(secret_of(alice), form), form)
        assert entry["id"] == f"urn:match:{one.public_id}"
        assert entry["link"] == f"https://finder.example/m/{one.public_id}/"
        assert entry["title"] == "¥4,200 · ルミナ カメラ 1"
        assert re.findall(r"<li>(.*?)</li>", entry["html"]) == [
            "¥4,200", "No visible damage", "Free shipping", "Mercari", "Watches: Lumina",
        ]  # fmt: skip
        assert entry["picture"].startswith("https://finder.example/media/thumb/")
        assert entry["html"].startswith(f'<p><a href="{entry["link"]}"><img src="{entry["picture"]}" alt="">')
        assert datetime.fromisoformat(entry["at"]) == NOW - 5 * MINUTE

    @pytest.mark.parametrize(
        ("language", "title", "fact"),
        [
            ("zh-hans", "4,200円 · ルミナ カメラ 1", "包邮"),
            ("ja", "4,200円 · ルミナ カメラ 1", "送料込み"),
            ("en", "¥4,200 · ルミナ カメラ 1", "Free shipping"),
        ],
    )
    def test_they_speak_the_language_of_their_person_whoever_reads(
        self, alice: User, bob: User, watch: Watch, language: str, title: str, fact: str
    ) -> None:
        User.objects.filter(pk=alice.pk).update(language=language)
        User.objects.filter(pk=bob.pk).update(language="en", time_zone="UTC")
        match(watch, 1, now=NOW, listing_price=4_200)
        his = Client()
        his.force_login(bob)
        (entry,) = entries(read(secret_of(alice), client=his), "rss")
        assert entry["title"] == title
        assert fact in entry["html"]

    def test_without_a_language_of_the_person_the_readers_counts(self, alice: User, watch: Watch) -> None:
        match(watch, 1, now=NOW)
        assert "包邮" in read(secret_of(alice), **{"accept-language": "zh-CN"}).content.decode()

    def test_what_is_unknown_is_called_so_and_what_is_gone_too(self, alice: User, watch: Watch) -> None:
        match(watch, 1, now=NOW, listing_price=None, listing_status="sold", listing_condition="unknown")
        (entry,) = entries(read(secret_of(alice)), "rss")
        assert entry["title"] == "Price unknown · ルミナ カメラ 1"
        assert "<ul><li>Sold to someone else</li><li>Price unknown</li><li>Free shipping</li>" in entry["html"]
        assert entry["picture"] == ""

    def test_an_auction_ends_on_the_clock_of_its_person_and_of_japan(self, alice: User, watch: Watch) -> None:
        User.objects.update(time_zone="Asia/Shanghai")
        match(watch, 1, now=NOW, listing_kind="auction", listing_bids=2, listing_ends_at=NOW + 90 * MINUTE)
        (entry,) = entries(read(secret_of(alice)), "rss")
        assert "<li>¥1,001 current bid</li>" in entry["html"]
        assert "<li>ends 12:30 (Japan 13:30)</li>" in entry["html"]

    @pytest.mark.parametrize("form", FORMS)
    def test_every_drop_is_an_entry_of_its_own(self, alice: User, watch: Watch, form: str) -> None:
        one = match(watch, 1, now=NOW)
        for minutes, before, after in ((2, 900, 800), (5, 800, 700)):
            ListingEvent.objects.create(
                listing=one.listing, kind=EventKind.PRICE_DROP, at=NOW + minutes * MINUTE, before=before, after=after
            )
        found = entries(read(secret_of(alice, FeedKind.DROPS), form), form)
        assert [entry["title"] for entry in found] == ["¥800 → ¥700 · ルミナ カメラ 1", "¥900 → ¥800 · ルミナ カメラ 1"]
        assert [datetime.fromisoformat(entry["at"]) for entry in found] == [NOW + 5 * MINUTE, NOW + 2 * MINUTE]
        assert len({entry["id"] for entry in found}) == 2
        assert {entry["link"] for entry in found} == {f"http://127.0.0.1:8000/m/{one.public_id}/"}

    @pytest.mark.parametrize("form", FORMS)
    def test_whatever_the_seller_wrote_is_text(self, alice: User, form: str) -> None:
        hostile = watch_of(alice, now=NOW, name="<b>]]>&")
        evil = 'https://static.mercdn.net/"><script>.jpg'
        match(hostile, 1, now=NOW, listing_title=EVIL, listing_images=[evil])
        (entry,) = entries(read(secret_of(alice), form), form)
        shown = "＜script＞alert(1)＜/script＞" if form == "rss" else "<script>alert(1)</script>"
        assert entry["title"] == f"¥1,001 · ]]>{shown}&amp;📷".replace("]]>", "]]＞" if form == "rss" else "]]>")
        assert "<script>" not in entry["html"]
        assert "<b>" not in entry["html"]
        assert "&lt;b&gt;]]&gt;&amp;" in entry["html"]

    def test_an_entry_keeps_its_name_whatever_becomes_of_it(self, alice: User, watch: Watch) -> None:
        one, secret = match(watch, 1, now=NOW), secret_of(alice)
        before = entries(read(secret), "rss")[0]["id"]
        type(one.listing).objects.update(price=500, title="another")
        Match.objects.update(state=MatchState.SEEN)
        again = entries(read(secret), "rss")
        assert [entry["id"] for entry in again] == [before]
        assert again[0]["title"] == "¥500 · another"


class TestForms:
    def test_rss_is_whole(self, alice: User, watch: Watch) -> None:
        match(watch, 1, now=NOW)
        answer = read(secret_of(alice))
        root = ElementTree.fromstring(answer.content)
        assert answer["Content-Type"] == "application/rss+xml; charset=utf-8"
        assert (root.tag, root.attrib["version"]) == ("rss", "2.0")
        told = {part: root.findtext(f"channel/{part}") for part in ("title", "link", "description", "language")}
        assert told == {"title": "Finder: Phone", "link": "http://127.0.0.1:8000/matches/",
                        "description": "Finder: Phone", "language": "en"}  # fmt: skip
        assert parsedate_to_datetime(root.findtext("channel/lastBuildDate") or "") == NOW
        guid = root.find("channel/item/guid")
        assert guid is not None
        assert guid.attrib == {"isPermaLink": "false"}
        assert root.findtext("channel/item/category") == "Lumina"

    def test_atom_is_whole(self, alice: User, watch: Watch) -> None:
        one = match(watch, 1, now=NOW)
        ListingEvent.objects.create(listing=one.listing, kind=EventKind.SOLD, at=NOW + MINUTE)
        answer = read(secret_of(alice), "atom")
        root = ElementTree.fromstring(answer.content)
        assert answer["Content-Type"] == "application/atom+xml; charset=utf-8"
        assert root.tag == f"{ATOM}feed"
        assert re.fullmatch(r"urn:feed:[0-9a-f]{32}", root.findtext(f"{ATOM}id") or "")
        assert root.findtext(f"{ATOM}author/{ATOM}name") == "Finder"
        moments = [root.findtext(f"{ATOM}updated"), root.findtext(f"{ATOM}entry/{ATOM}updated")]
        assert [datetime.fromisoformat(moment or "") for moment in moments] == [NOW + MINUTE, NOW + MINUTE]
        assert root.findtext(f"{ATOM}entry/{ATOM}published") == NOW.isoformat()

    def test_json_is_whole(self, alice: User, watch: Watch) -> None:
        match(watch, 1, now=NOW)
        answer = read(secret_of(alice), "json")
        told = json.loads(answer.content)
        assert answer["Content-Type"] == "application/feed+json; charset=utf-8"
        assert told["version"] == "https://jsonfeed.org/version/1.1"
        assert told["authors"] == [{"name": "Finder"}]
        assert {"title", "home_page_url", "language", "items"} <= set(told)
        (item,) = told["items"]
        assert {"id", "url", "title", "content_html", "date_published", "date_modified", "tags"} == set(item)
        assert all(isinstance(value, str) for name, value in item.items() if name != "tags")

    def test_its_name_stays_when_its_address_changes(self, alice: User) -> None:
        secret = secret_of(alice)
        names = [ElementTree.fromstring(read(secret, "atom").content).findtext(f"{ATOM}id")]
        again = feeding.rotate_feed(feed=Feed.objects.get()).secret
        names += [ElementTree.fromstring(read(again, "atom").content).findtext(f"{ATOM}id")]
        assert names[0] == names[1]

    @pytest.mark.parametrize("form", FORMS)
    def test_an_empty_one_is_as_old_as_itself(self, alice: User, form: str) -> None:
        answer = read(secret_of(alice), form)
        assert entries(answer, form) == []
        assert parsedate_to_datetime(answer["Last-Modified"]) == NOW


class TestTheAnswer:
    @pytest.mark.parametrize("form", FORMS)
    def test_it_is_for_nobody_else_to_keep_show_or_follow(self, alice: User, form: str) -> None:
        answer = read(secret_of(alice), form)
        assert answer["Cache-Control"] == "private, max-age=30"
        assert answer["X-Robots-Tag"] == "noindex"
        assert answer["Referrer-Policy"] == "no-referrer"
        assert answer["X-Content-Type-Options"] == "nosniff"

    @pytest.mark.parametrize("form", FORMS)
    def test_what_has_not_changed_is_not_sent_again(self, alice: User, watch: Watch, form: str) -> None:
        match(watch, 1, now=NOW)
        secret = secret_of(alice)
        first = read(secret, form)
        for headers in ({"if-none-match": first["ETag"]}, {"if-modified-since": first["Last-Modified"]}):
            answer = read(secret, form, **headers)
            assert (answer.status_code, answer.content) == (304, b"")
            assert answer["ETag"] == first["ETag"]
            assert answer["Cache-Control"] == "private, max-age=30"
            assert answer["X-Robots-Tag"] == "noindex"

    def test_what_has_changed_is_sent_again(self, alice: User, watch: Watch) -> None:
        match(watch, 1, now=NOW)
        secret = secret_of(alice)
        first = read(secret)
        match(watch, 2, now=NOW, matched_at=NOW + 2 * MINUTE)
        for headers in ({"if-none-match": first["ETag"]}, {"if-modified-since": first["Last-Modified"]}):
            assert read(secret, **headers).status_code == 200

    def test_what_comes_late_is_not_hidden_by_a_date(self, alice: User, watch: Watch) -> None:
        match(watch, 1, now=NOW, matched_at=NOW + 15 * MINUTE)
        secret = secret_of(alice)
        first = read(secret)
        assert "Last-Modified" not in first.headers
        assert read(secret, **{"if-none-match": first["ETag"]}).status_code == 304

    def test_a_head_is_answered_and_notes_no_reading(self, alice: User) -> None:
        secret = secret_of(alice)
        assert Client().head(f"/feeds/{secret}.rss").status_code == 200
        assert Feed.objects.get().read_at is None

    def test_a_reading_is_noted_with_what_the_reader_calls_itself(self, alice: User) -> None:
        read(secret_of(alice), **{"user-agent": "NetReader/1.0 <b>"})
        feed = Feed.objects.get()
        assert (feed.read_at, feed.reader) == (NOW + 15 * MINUTE, "NetReader/1.0 <b>")

    @pytest.mark.parametrize("secret", ["x", "", "\x00", "ü", "../x", "a.b", "9" * 5000])
    def test_a_wrong_secret_is_nothing_at_all(self, alice: User, secret: str) -> None:
        secret_of(alice)
        answer = read(secret)
        assert answer.status_code == 404
        assert "alice" not in answer.content.decode()

    def test_a_form_that_does_not_exist_is_nothing_either(self, alice: User) -> None:
        assert read(secret_of(alice), "html").status_code == 404

    def test_nothing_is_taken(self, alice: User) -> None:
        secret = secret_of(alice)
        for ask in (Client().post, Client().put, Client().delete):
            assert ask(f"/feeds/{secret}.rss").status_code == 405

    def test_nobody_gets_a_cookie_not_even_to_lose_an_old_one(self, alice: User) -> None:
        secret = secret_of(alice)
        for address in (f"/feeds/{secret}.rss", "/feeds/wrong.rss"):
            client = Client()
            client.cookies["sessionid"] = "gone"
            answer = client.get(address)
            assert not answer.cookies
            assert "Set-Cookie" not in answer.headers

    def test_it_holds_nothing_of_the_account(self, alice: User, watch: Watch) -> None:
        User.objects.update(first_name="Alicia", last_name="Lastname")
        match(watch, 1, now=NOW)
        secret = secret_of(alice)
        for form in FORMS:
            told = read(secret, form).content.decode()
            for word in ("alice", "Alicia", "Lastname", "example.com", secret, "csrf"):
                assert word not in told

    def test_a_secret_opens_what_its_person_matches_and_nothing_else(
        self, alice: User, bob: User, watch: Watch
    ) -> None:
        match(watch, 1, now=NOW)
        match(watch_of(bob, now=NOW, name="his"), 2, now=NOW)
        hers, his = read(secret_of(alice)).content.decode(), read(secret_of(bob)).content.decode()
        assert ("カメラ 1" in hers, "カメラ 2" in hers) == (True, False)
        assert ("カメラ 1" in his, "カメラ 2" in his) == (False, True)

    def test_who_asks_too_often_is_told_when_to_come_back(
        self, alice: User, redis: Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(feed_limit, "MOST_A_MINUTE", 2)
        secret = secret_of(alice)
        answers = [read(secret) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200, 200, 429]
        assert 1 <= int(answers[2]["Retry-After"]) <= 60
        assert answers[2]["Cache-Control"] == "no-store"

    def test_a_full_one_asks_little(
        self, alice: User, watch: Watch, django_assert_max_num_queries: Callable[..., Any]
    ) -> None:
        for number in range(60):
            match(watch, number, now=NOW)
        secret = secret_of(alice)
        with django_assert_max_num_queries(4):
            assert len(entries(read(secret), "rss")) == 50

    def test_its_pictures_need_no_sign_in_and_only_what_we_have_signed_is_shown(self, alice: User) -> None:
        assert Client().get("/media/thumb/made-up/480.webp").status_code == 404
        other = Signer(salt="another").sign_object("https://static.mercdn.net/1.jpg")
        assert Client().get(f"/media/thumb/{other}/480.webp").status_code == 404

    @pytest.mark.parametrize("as_json", [True, False])
    def test_no_line_of_the_log_holds_its_address(
        self, alice: User, caplog: pytest.LogCaptureFixture, as_json: bool
    ) -> None:
        secret = secret_of(alice)
        with caplog.at_level(logging.WARNING):
            read(secret, "html")
            feeding.revoke_feed(feed=Feed.objects.get())
            read(secret)
        assert len(caplog.records) >= 2
        lines = [_formatter(json=as_json).format(record) for record in caplog.records]
        assert not [line for line in lines if secret in line]
        assert all("/feeds/…" in line for line in lines)


class TestThePage:
    def made(self, client: Client, **fields: str) -> Any:
        return client.post(PAGE, {"lists": "all", "name": "Phone"} | fields, headers={"accept-language": "en"})

    def test_a_new_feed_shows_its_address_once_in_every_form(self, hers: Client) -> None:
        html = self.made(hers).content.decode()
        secrets = set(re.findall(r'value="http://127.0.0.1:8000/feeds/([\w-]{32})\.(?:rss|atom|json)"', html))
        assert len(secrets) == 1
        (secret,) = secrets
        assert html.count(f'data-copy="http://127.0.0.1:8000/feeds/{secret}.') == 3
        assert read(secret).status_code == 200
        assert secret not in hers.get(PAGE).content.decode()
        assert secret[: feeding.HINT] in hers.get(PAGE).content.decode()

    def test_the_answer_that_shows_it_is_kept_by_nobody(self, hers: Client) -> None:
        answer = self.made(hers)
        assert answer["Cache-Control"] == "no-store"
        assert not re.search(r"[\w-]{32}", json.dumps(dict(hers.session.get("made", {}))))

    def test_a_feed_of_one_watch_is_chosen_among_ones_own(
        self, hers: Client, alice: User, bob: User, watch: Watch
    ) -> None:
        his = watch_of(bob, now=NOW, name="his secret wish")
        assert "his secret wish" not in hers.get(PAGE).content.decode()
        assert self.made(hers, lists=str(his.pk)).status_code == 422
        self.made(hers, lists=str(watch.pk), name="")
        assert list(Feed.objects.values_list("user", "kind", "watch", "name")) == [
            (alice.pk, FeedKind.WATCH, watch.pk, "")
        ]

    @pytest.mark.parametrize("fields", [{"lists": "nothing"}, {"lists": ""}, {"name": "x" * 81}, {"name": "\x00"}])
    def test_what_makes_no_sense_is_refused_beside_the_field(self, hers: Client, fields: dict[str, str]) -> None:
        answer = self.made(hers, **fields)
        assert answer.status_code == 422
        assert 'class="field__error"' in answer.content.decode()
        assert not Feed.objects.exists()

    def test_a_second_press_makes_no_second_feed(self, hers: Client) -> None:
        self.made(hers, form_key="the page")
        again = hers.post(PAGE, {"lists": "all", "form_key": "the page"}, follow=True)
        assert "Its address was shown then, and only then." in again.content.decode()
        assert Feed.objects.count() == 1

    def test_more_than_allowed_are_refused_in_words(self, hers: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(feeding, "MOST_FEEDS", 1)
        self.made(hers)
        answer = self.made(hers)
        assert answer.status_code == 422
        assert "You may have 1 feed and no more." in answer.content.decode()

    def test_a_new_address_is_shown_and_ends_the_old_one(self, hers: Client, alice: User) -> None:
        old = secret_of(alice)
        rotate = reverse("feed-rotate", args=[Feed.objects.get().pk])
        html = hers.post(rotate).content.decode()
        (new,) = set(re.findall(r"/feeds/([\w-]{32})\.rss", html))
        assert (read(old).status_code, read(new).status_code) == (404, 200)
        assert hers.get(rotate)["Location"] == PAGE
        assert read(new).status_code == 200

    def test_an_ended_feed_is_gone_at_once(self, hers: Client, alice: User) -> None:
        secret = secret_of(alice)
        answer = hers.post(reverse("feed-revoke", args=[Feed.objects.get().pk]), follow=True)
        assert "The feed “Phone” is ended." in answer.content.decode()
        assert read(secret).status_code == 404

    def test_strangers_change_nothing(self, client: Client, alice: User, bob: User) -> None:
        secret = secret_of(alice)
        client.force_login(bob)
        for name in ("feed-rotate", "feed-revoke"):
            for pk in (Feed.objects.get().pk, 2**70):
                assert client.post(reverse(name, args=[pk])).status_code == 404
        assert "Phone" not in client.get(PAGE).content.decode()
        assert read(secret).status_code == 200

    def test_who_reads_it_is_told_as_text(self, hers: Client, alice: User) -> None:
        read(secret_of(alice), **{"user-agent": "<script>NetReader"})
        with time_machine.travel(NOW + 20 * MINUTE, tick=False):
            html = hers.get(PAGE, headers={"accept-language": "en"}).content.decode()
        words = " ".join(re.sub(r"<[^>]+>", " ", html).split())
        assert "last read 5 min ago &lt;script&gt;NetReader" in words

    def test_more_and_the_menu_lead_there(self, hers: Client) -> None:
        assert hers.get("/more/").content.decode().count(f'href="{PAGE}"') == 2


def test_a_listing_without_a_match_is_in_no_feed(alice: User, watch: Watch) -> None:
    listing(1, now=NOW)
    assert entries(read(secret_of(alice)), "rss") == []
