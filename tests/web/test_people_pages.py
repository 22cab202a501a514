"""What people do beside changing a watch: history, tags, mutes, copies, blocks, snoozes, notes, many at once."""

from datetime import datetime, timedelta
from typing import Any

import pytest
import redis as redis_library
from django.conf import LazySettings
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from monitor_site.accounts.models import User
from monitor_site.watches import blocking, bulk, noting, resting, services, tagging
from monitor_site.watches.models import Block, Match, MatchState, Note, Tag, Watch
from tests.watches.makers import watch_of, wish
from tests.web.watch_rows import make_listing, make_match

METHODS = ("get", "head", "post", "put", "patch", "delete", "options")


@pytest.fixture
def now() -> datetime:
    return timezone.now()


@pytest.fixture
def watch(alice: User, now: datetime, redis: redis_library.Redis) -> Watch:
    return watch_of(alice, now, name="Lumina")


@pytest.fixture
def match(watch: Watch, now: datetime) -> Match:
    listing = make_listing(now, seller_id="900", seller_name="Bad shop")
    noting.write_note(user=watch.user, listing=listing, text="Ask first", now=now)
    return make_match(watch, now, listing)


def text_of(answer: Any) -> str:
    assert answer.status_code == 200
    return str(answer.content.decode())


def said(answer: Any) -> str:
    """What the next page says about an action."""
    return " ".join(str(message) for message in get_messages(answer.wsgi_request))


# ---- strangers


@pytest.mark.parametrize("method", METHODS)
def test_what_belongs_to_somebody_else_does_not_exist_whatever_the_address_and_the_method(
    client: Client, bob: User, watch: Watch, match: Match, now: datetime, method: str
) -> None:
    tagging.set_tags(watch=watch, names=["Kato"])
    block = blocking.block_phrase(user=watch.user, phrase="junk", now=now).block
    by_watch = ("watch-history", "watch-restore", "watch-mute", "watch-unmute", "watch-tags", "watch-copy")
    addresses = [reverse(name, args=[watch.pk]) for name in by_watch]
    addresses += [reverse(name, args=[Tag.objects.get().pk]) for name in ("tag-rename", "tag-remove")]
    addresses += [reverse("block-remove", args=[block.pk]), reverse("listing-note", args=[match.listing_id])]
    addresses += [reverse(f"match-{name}", args=[match.public_id]) for name in ("snooze", "wake", "block")]
    client.force_login(bob)
    data = {"version": "1", "for": "hour", "tags": "Bob", "name": "Bob", "note": "Bob"}
    answers = {address: getattr(client, method)(address, data).status_code for address in addresses}
    allowed = {404} if method == "post" else {404, 405}
    assert set(answers.values()) <= allowed, answers
    assert not Tag.objects.of(bob).exists()
    assert Note.objects.get().text == "Ask first"
    assert list(Block.objects.all()) == [block]


def test_nobody_acts_on_many_watches_of_somebody_else(client: Client, bob: User, watch: Watch) -> None:
    client.force_login(bob)
    for act in ("pause", "delete"):
        client.post(reverse("watch-bulk"), {"act": act, "watch": [watch.pk], "sure": "yes"})
        client.post(reverse("watch-bulk"), {"act": act, "all": "1", "sure": "yes"})
    watch.refresh_from_db()
    assert watch.paused_at is None


def test_a_foreign_tag_filters_to_nothing(client: Client, bob: User, watch: Watch, match: Match, now: datetime) -> None:
    tagging.set_tags(watch=watch, names=["Secret customer"])
    watch_of(bob, now, name="Bobs own")
    client.force_login(bob)
    for page in ("/watches/", "/matches/", "/tags/", "/blocks/"):
        text = text_of(client.get(page, {"tag": Tag.objects.get().pk}))
        assert "Secret customer" not in text
        assert 'class="w__name"' not in text


# ---- history


def test_history_shows_each_change_with_signs_newest_first(hers: Client, watch: Watch, now: datetime) -> None:
    said_then = wish(
        name="Lumina", must=["ルミナ", "T2"], price_max=48_000, interval_seconds=90, tell_existing=True,
        options={"mercari": {"brand_ids": [7]}},
    )  # fmt: skip
    services.change_watch(watch=watch, wish=said_then, now=now)
    text = text_of(hers.get(reverse("watch-history", args=[watch.pk])))
    for shown in ("<ins>+ <bdi>T2</bdi></ins>", "<ins>+ <bdi>¥48,000</bdi></ins>", "<del>− <bdi>30 s</bdi></del>"):
        assert shown in text
    assert "<ins>+ <bdi>1 min 30 s</bdi></ins>" in text
    assert "<ins>+ <bdi>yes</bdi></ins>" in text
    assert "<ins>+ <bdi>7</bdi></ins>" in text
    assert text.index("Version 2") < text.index("Version 1")
    assert text.count('name="version"') == 1


def test_what_a_person_typed_is_shown_as_text(hers: Client, watch: Watch, now: datetime) -> None:
    services.change_watch(watch=watch, wish=wish(name="<b>Lumina"), now=now)
    assert "<b>Lumina" not in text_of(hers.get(reverse("watch-history", args=[watch.pk])))


def test_versions_of_any_shape_are_shown(hers: Client, watch: Watch, now: datetime) -> None:
    shapes: list[dict[str, Any]] = [{}, {"smell": 3}, {"conditions": ["mint"], "policy": "frame", "options": None}]
    shapes.append({"marketplaces": ["gone"], "options": {"gone": {"colour": True}}, "must": None})
    for number, shape in enumerate(shapes, start=2):
        watch.versions.create(number=number, at=now, wish=shape)
    assert "mint" in text_of(hers.get(reverse("watch-history", args=[watch.pk])))


def test_long_histories_come_in_pages(hers: Client, watch: Watch, now: datetime) -> None:
    for number in range(2, 34):
        watch.versions.create(number=number, at=now, wish={"name": f"Name {number}"})
    first = hers.get(reverse("watch-history", args=[watch.pk]))
    second = hers.get(reverse("watch-history", args=[watch.pk]), {"before": first.context["older"]})
    numbers = [entry.version.number for answer in (first, second) for entry in answer.context["entries"]]
    assert numbers == list(range(33, 0, -1))
    assert "Name 3<" in text_of(first)


def test_an_old_wish_comes_back_and_one_that_is_not_allowed_any_more_says_why(
    hers: Client, watch: Watch, now: datetime
) -> None:
    services.change_watch(watch=watch, wish=wish(price_max=48_000), now=now)
    restore = reverse("watch-restore", args=[watch.pk])
    assert "version 1 again" in said(hers.post(restore, {"version": "1"}))
    watch.refresh_from_db()
    assert watch.price_max is None
    watch.versions.create(number=9, at=now, wish={"name": "Old", "marketplaces": ["gone"]})
    assert "Version 9 cannot come back" in said(hers.post(restore, {"version": "9"}))
    for wrong in ("77", "x", ""):
        assert hers.post(restore, {"version": wrong}).status_code == 404


# ---- tags


def test_tags_are_typed_as_a_list_shown_and_filter_list_and_feed(
    hers: Client, alice: User, watch: Watch, match: Match, now: datetime
) -> None:
    other = watch_of(alice, now, name="Another", must=["other"])
    make_match(other, now, make_listing(now, title="Something else"))
    assert hers.post(reverse("watch-tags", args=[watch.pk]), {"tags": "Kato、 urgent, KATO"}).status_code == 302
    tag = Tag.objects.get(key="kato")
    text = text_of(hers.get("/watches/"))
    assert f'href="/watches/?tag={tag.pk}">KATO</a>' in text
    filtered = text_of(hers.get("/watches/", {"tag": tag.pk}))
    assert ("Another" in filtered, "Lumina" in filtered) == (False, True)
    feed = hers.get("/matches/", {"tag": tag.pk})
    assert [found.pk for found in feed.context["matches"]] == [match.pk]
    assert f'name="tag" value="{tag.pk}"' in text_of(feed)


def test_a_refused_list_of_tags_says_why(hers: Client, watch: Watch) -> None:
    assert "longer than 40" in said(hers.post(reverse("watch-tags", args=[watch.pk]), {"tags": "x" * 41}))


def test_tags_are_renamed_and_removed_on_their_page(hers: Client, watch: Watch) -> None:
    tagging.set_tags(watch=watch, names=["Kato", "urgent"])
    kato, urgent = Tag.objects.order_by("key")
    assert "1 watch" in text_of(hers.get("/tags/"))
    hers.post(reverse("tag-rename", args=[kato.pk]), {"name": "Sato"})
    assert "already" in said(hers.post(reverse("tag-rename", args=[kato.pk]), {"name": "URGENT"}))
    hers.post(reverse("tag-remove", args=[urgent.pk]))
    assert list(Tag.objects.values_list("name", flat=True)) == ["Sato"]
    assert "No tag yet" not in text_of(hers.get("/tags/"))


# ---- mute, snooze, copy


@pytest.mark.parametrize(("choice", "words"), [("hour", "Muted until"), ("morning", "08:00"), ("always", "Muted")])
def test_a_mute_shows_in_the_row_on_the_page_and_on_cards_until_it_is_lifted(
    hers: Client, watch: Watch, match: Match, choice: str, words: str
) -> None:
    assert words in said(hers.post(reverse("watch-mute", args=[watch.pk]), {"for": choice}))
    for page in ("/watches/", f"/watches/{watch.pk}/", "/matches/"):
        assert words in text_of(hers.get(page))
    hers.post(reverse("watch-unmute", args=[watch.pk]))
    watch.refresh_from_db()
    assert watch.muted_at is None


def test_what_was_done_can_be_undone_beside_the_sentence(hers: Client, watch: Watch) -> None:
    answer = hers.post(reverse("watch-mute", args=[watch.pk]), {"for": "hour", "next": "/watches/"}, follow=True)
    assert 'class="toast__t">' in text_of(answer)
    assert f'<form method="post" action="{reverse("watch-unmute", args=[watch.pk])}">' in text_of(answer)


def test_a_snoozed_match_is_out_of_feed_and_counts_until_it_is_back(
    hers: Client, alice: User, match: Match, now: datetime
) -> None:
    answer = hers.post(reverse("match-snooze", args=[match.public_id]), {"for": "hour"}, headers={"HX-Request": "true"})
    assert reverse("match-wake", args=[match.public_id]) in text_of(answer)
    page = hers.get("/matches/")
    assert (page.context["matches"], page.context["nav"]["new"]) == ([], 0)
    assert hers.get("/matches/", {"after": "0", "count": "1"}).json() == {"ids": []}
    Match.objects.update(snoozed_until=now - timedelta(seconds=1))
    assert hers.get("/matches/").context["nav"]["new"] == 1
    resting.snooze_match(match=match, until=now + timedelta(hours=1))
    hers.post(reverse("match-wake", args=[match.public_id]))
    assert hers.get("/matches/").context["matches"] == [match]


def test_marking_all_as_seen_leaves_what_is_snoozed_new(hers: Client, match: Match, now: datetime) -> None:
    resting.snooze_match(match=match, until=now + timedelta(hours=1))
    hers.post(reverse("matches-seen"))
    match.refresh_from_db()
    assert match.state == MatchState.NEW


def test_a_copy_opens_its_form_and_one_too_many_says_so(
    hers: Client, alice: User, watch: Watch, settings: LazySettings
) -> None:
    answer = hers.post(reverse("watch-copy", args=[watch.pk]))
    copy = Watch.objects.exclude(pk=watch.pk).get()
    assert answer["Location"] == reverse("watch-edit", args=[copy.pk])
    assert copy.name == "Copy of Lumina"
    settings.WATCHES_PER_USER = 2
    assert "You may have 2 watches and no more." in said(hers.post(reverse("watch-copy", args=[watch.pk])))


def test_the_form_of_one_watch_too_many_says_so_and_keeps_what_was_typed(
    hers: Client, watch: Watch, settings: LazySettings
) -> None:
    settings.WATCHES_PER_USER = 1
    data = {"marketplaces": "mercari", "must": "second", "shipping": "any", "pace": "normal"}
    answer = hers.post(reverse("watch-new"), data)
    assert answer.status_code == 422
    assert "You may have 1 watch and no more." in answer.content.decode()
    assert "second" in answer.content.decode()


# ---- blocks and notes


def test_a_seller_is_blocked_from_a_card_with_a_count_and_the_way_back(hers: Client, match: Match) -> None:
    assert reverse("match-block", args=[match.public_id]) in text_of(hers.get("/matches/"))
    answer = hers.post(
        reverse("match-block", args=[match.public_id]), headers={"Referer": "http://testserver/matches/"}
    )
    assert answer["Location"] == "/matches/"
    assert "“Bad shop” is blocked. 1 new match is put aside." in said(answer)
    block = Block.objects.get()
    assert (block.marketplace, block.value, block.label) == ("mercari", "900", "Bad shop")
    page = text_of(hers.get("/matches/"))
    assert f'action="{reverse("block-remove", args=[block.pk])}"' in page
    assert "1 match is back." in said(hers.post(reverse("block-remove", args=[block.pk])))
    assert not Block.objects.exists()


def test_after_an_action_nobody_is_led_to_another_site(hers: Client, match: Match) -> None:
    data, headers = {"next": "https://evil.example/"}, {"Referer": "https://evil.example/matches/"}
    answer = hers.post(reverse("match-block", args=[match.public_id]), data, headers=headers)
    assert answer["Location"] == reverse("blocks")


def test_phrases_and_sellers_are_blocked_and_listed_on_their_page(hers: Client, alice: User, match: Match) -> None:
    assert 'value="ルミナ"' in text_of(hers.get("/blocks/", {"phrase": "ルミナ"}))
    hers.post(reverse("block-phrase"), {"phrase": "<i>ジャンク", "note": "never"})
    hers.post(reverse("block-seller"), {"marketplace": "mercari", "seller": "777"})
    assert "choose a marketplace" in said(hers.post(reverse("block-seller"), {"marketplace": "x", "seller": "1"}))
    assert "phrase that can be searched" in said(hers.post(reverse("block-phrase"), {"phrase": " "}))
    text = text_of(hers.get("/blocks/"))
    for shown in ("&lt;i&gt;ジャンク", "never", "777"):
        assert shown in text
    assert Block.objects.of(alice).count() == 2


def test_a_seller_whom_nobody_knows_cannot_be_blocked(hers: Client, watch: Watch, now: datetime) -> None:
    match = make_match(watch, now)
    assert reverse("match-block", args=[match.public_id]) not in text_of(hers.get("/matches/"))
    assert "seller's ID" in said(hers.post(reverse("match-block", args=[match.public_id])))


def test_a_note_is_written_on_the_listing_and_shown_on_its_cards_only_to_its_person(
    hers: Client, bob: User, watch: Watch, match: Match, now: datetime
) -> None:
    make_match(watch_of(bob, now), now, match.listing)
    note = reverse("listing-note", args=[match.listing_id])
    hers.post(note, {"note": "Call <Kato>"})
    assert "longer than 2000" in said(hers.post(note, {"note": "x" * 2001}))
    listing = reverse("listing", args=[match.listing_id])
    for page in (listing, "/matches/", f"/watches/{watch.pk}/"):
        assert "Call &lt;Kato&gt;" in text_of(hers.get(page))
    hers.force_login(bob)
    for page in (listing, "/matches/"):
        assert "Kato" not in text_of(hers.get(page))


# ---- many at once


def do(client: Client, act: str, **data: Any) -> Any:
    return client.post(reverse("watch-bulk"), {"act": act} | data)


@pytest.fixture
def three(alice: User, now: datetime, redis: redis_library.Redis) -> list[Watch]:
    return [watch_of(alice, now, name=f"{word} watch", must=[word]) for word in ("one", "two", "three")]


def names(**facts: Any) -> list[str]:
    return sorted(Watch.objects.filter(**facts).values_list("name", flat=True))


def test_the_chosen_ones_are_acted_on_and_what_was_not_done_is_told(hers: Client, three: list[Watch]) -> None:
    two = [watch.pk for watch in three[:2]]
    assert "Pause: 2 watches." in said(do(hers, "pause", watch=two))
    assert "Pause: 1 watch. 2 were so already." in said(do(hers, "pause", all="1"))
    assert "Resume: 2 watches." in said(do(hers, "resume", watch=[*two, 10**30, "x"]))
    assert names(paused_at=None) == ["one watch", "two watch"]


def test_all_means_all_that_fit_the_filters(hers: Client, three: list[Watch]) -> None:
    text = text_of(hers.get("/watches/", {"q": "three"}))
    assert "all 1 that fits these filters" in text
    answer = do(hers, "mute-always", all="1", filters="?q=three")
    assert answer["Location"] == "/watches/?q=three"
    assert names(muted_at__isnull=False) == ["three watch"]
    do(hers, "unmute", all="1")
    assert names(muted_at__isnull=False) == []


def test_many_are_tagged_and_untagged(hers: Client, three: list[Watch]) -> None:
    assert "Write the tags" in said(do(hers, "tag", all="1"))
    tagging.set_tags(watch=three[0], names=[f"tag {n}" for n in range(20)])
    told = said(do(hers, "tag", all="1", tags="Kato, Sato"))
    assert "Add tags: 2 watches." in told
    assert "1 was refused: A watch wears at most 20 tags." in told
    do(hers, "untag", watch=[three[1].pk], tags="kato")
    assert names(tagged__tag__name="Kato") == ["three watch"]
    assert names(tagged__tag__name="Sato") == ["three watch", "two watch"]


def test_deleting_many_asks_first_naming_how_many(hers: Client, three: list[Watch], now: datetime) -> None:
    make_match(three[0], now)
    text = text_of(do(hers, "delete", watch=[watch.pk for watch in three[:2]]))
    for shown in ("Delete 2 watches?", "With 1 match", "one watch", "two watch", 'name="sure"'):
        assert shown in text
    assert len(names()) == 3
    do(hers, "delete", watch=[watch.pk for watch in three[:2]], sure="yes")
    assert names() == ["three watch"]


def test_at_most_so_many_at_once_and_the_rest_is_told(
    hers: Client, three: list[Watch], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("monitor_site.web.watch_bulk.MOST_AT_ONCE", 2)
    assert "1 is left for another time." in said(do(hers, "pause", all="1"))
    assert len(names(paused_at=None)) == 1
    assert bulk.MOST_AT_ONCE == 500


@pytest.mark.parametrize("data", [{}, {"act": "pause"}, {"act": "shout", "all": "1"}, {"act": "pause", "watch": "x"}])
def test_without_a_choice_nothing_happens(hers: Client, three: list[Watch], data: dict[str, str]) -> None:
    answer = hers.post(reverse("watch-bulk"), data)
    assert "Choose watches" in said(answer)
    assert len(names(paused_at=None)) == 3
