"""One watch: its matches, its runs, and what can be done with it."""

from datetime import datetime, timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from monitor_site.accounts.models import User
from monitor_site.outbox.models import OutboxRow
from monitor_site.watches.models import Match, Watch
from tests.web.watch_rows import make_checks, make_listing, make_match, make_target, make_watch

PAGES = ("watch", "watch-runs", "watch-schedule", "watch-edit", "watch-delete")
ACTIONS = ("watch-pause", "watch-resume", "watch-check", "watch-delete")


@pytest.fixture
def now() -> datetime:
    return timezone.now()


@pytest.fixture
def watch(alice: User, now: datetime) -> Watch:
    return make_watch(alice, now, name="Lumina")


def at(name: str, watch: Watch) -> str:
    return reverse(name, args=[watch.pk])


@pytest.mark.parametrize("method", ["get", "head", "post", "put", "patch", "delete", "options"])
@pytest.mark.parametrize("name", sorted({*PAGES, *ACTIONS}))
def test_a_foreign_watch_does_not_exist_whatever_the_address_and_the_method(
    client: Client, bob: User, watch: Watch, name: str, method: str
) -> None:
    client.force_login(bob)
    answer = getattr(client, method)(at(name, watch), {"sure": "no"})
    assert answer.status_code == 404
    watch.refresh_from_db()
    assert watch.paused_at is None


def test_who_deletes_twice_finds_it_done_and_a_foreign_watch_stays(
    hers: Client, bob: User, watch: Watch, now: datetime
) -> None:
    theirs = make_watch(bob, now)
    for one in (watch, watch, theirs):
        answer = hers.post(at("watch-delete", one), {"sure": "yes"})
        assert answer.status_code == 302
        assert answer["Location"] == "/watches/"
    assert list(Watch.objects.all()) == [theirs]


@pytest.mark.parametrize("name", sorted({*PAGES, *ACTIONS}))
def test_a_stranger_is_sent_to_sign_in(client: Client, watch: Watch, name: str) -> None:
    for answer in (client.get(at(name, watch)), client.post(at(name, watch), {"sure": "yes"})):
        assert answer.status_code == 302
        assert reverse("account_login") in answer["Location"]
    assert Watch.objects.filter(paused_at=None).count() == 1


@pytest.mark.parametrize("name", ["watch-pause", "watch-resume", "watch-check"])
def test_following_a_link_changes_nothing(hers: Client, watch: Watch, name: str) -> None:
    assert hers.get(at(name, watch)).status_code == 405


@pytest.mark.parametrize("number", ["0", "99999999", "999999999999999999999999"])
def test_a_number_without_a_watch_is_not_found(hers: Client, number: str) -> None:
    assert hers.get(f"/watches/{number}/").status_code == 404


@pytest.mark.parametrize("language", [code for code, _ in settings.LANGUAGES])
def test_every_page_of_a_watch_speaks_every_language(hers: Client, watch: Watch, now: datetime, language: str) -> None:
    User.objects.update(language=language)
    make_checks(make_target(watch, now), now, ["ok", "empty", "failed"])
    make_match(watch, now)
    for name in PAGES:
        answer = hers.get(at(name, watch))
        assert answer.status_code == 200
        assert "Lumina" in answer.content.decode()


def test_the_head_states_the_rule(hers: Client, alice: User, now: datetime) -> None:
    watch = make_watch(
        alice,
        now,
        any_of=["帯付き"],
        none_of=["ジャンク"],
        price_min=500,
        price_max=9000,
        conditions=["new"],
        shipping="included",
    )
    text = hers.get(at("watch", watch)).content.decode()
    for fact in ("all of: ルミナ", "one of: 帯付き", "none of: ジャンク", "¥500 to ¥9,000", "New", "shipping included"):
        assert fact in text


def test_the_matches_of_a_watch_are_its_own(hers: Client, alice: User, watch: Watch, now: datetime) -> None:
    make_match(watch, now, make_listing(now, title="one of hers"))
    make_match(make_watch(alice, now), now, make_listing(now, title="of another watch"))
    text = hers.get(at("watch", watch)).content.decode()
    assert "one of hers" in text
    assert "of another watch" not in text


def test_what_was_there_before_lies_folded_below_the_matches(hers: Client, watch: Watch, now: datetime) -> None:
    for number in range(8):
        make_match(watch, now, make_listing(now, title=f"before {number}"), silent=True, cause="existing")
    text = hers.get(at("watch", watch)).content.decode()
    assert "No match yet." in text
    assert text.count("before ") >= 6
    assert "Show all 8" in text
    everything = hers.get(at("watch", watch) + "?existing").content.decode()
    assert all(f"before {number}" in everything for number in range(8))


def test_older_matches_are_a_page_away(hers: Client, watch: Watch, now: datetime) -> None:
    for number in range(35):
        make_match(watch, now, make_listing(now, title=f"thing {number:02d}"))
    first = hers.get(at("watch", watch))
    older = hers.get(at("watch", watch), {"before": first.context["older"]})
    assert [len(answer.context["matches"]) for answer in (first, older)] == [30, 5]
    assert older.context["older"] is None


@pytest.mark.parametrize("before", ["x", "-1", "9" * 40, "", "１"])
def test_a_place_in_the_feed_without_sense_is_its_beginning(hers: Client, watch: Watch, before: str) -> None:
    assert hers.get(at("watch", watch), {"before": before}).status_code == 200
    assert hers.get(at("watch-runs", watch), {"before": before}).status_code == 200


def test_a_watch_without_runs_says_when_the_first_one_comes(hers: Client, watch: Watch) -> None:
    assert "No run yet." in hers.get(at("watch-runs", watch)).content.decode()


def test_a_run_is_told_with_its_figures(hers: Client, watch: Watch, now: datetime) -> None:
    target = make_target(watch, now)
    make_checks(target, now, ["ok"], fetched=120, new=7, matched=3, lateness_ms=2600, duration_ms=412, gap=True)
    make_checks(target, now, ["failed"], error="layout_changed")
    text = hers.get(at("watch-runs", watch)).content.decode()
    for shown in (">120<", ">7<", ">3<", "2.6 s", "412 ms", "found", "gap", "answer not readable"):
        assert shown in text


def test_runs_are_filtered_and_come_in_pages_of_fifty(hers: Client, watch: Watch, now: datetime) -> None:
    make_checks(make_target(watch, now), now, ["failed"] * 3 + ["ok"] * 57)
    first = hers.get(at("watch-runs", watch))
    second = hers.get(at("watch-runs", watch) + first.context["older"])
    failed = hers.get(at("watch-runs", watch), {"result": "failed"})
    assert [len(answer.context["runs"]) for answer in (first, second, failed)] == [50, 10, 3]


def test_runs_of_several_questions_say_which_one_was_asked(hers: Client, watch: Watch, now: datetime) -> None:
    for word in ("black", "silver"):
        make_checks(make_target(watch, now, criteria=f'{{"keyword":"{word}"}}'), now, ["ok"])
    text = hers.get(at("watch-runs", watch)).content.decode()
    assert "black" in text
    assert "silver" in text


def test_pausing_and_resuming_are_plain_forms_that_come_back(hers: Client, watch: Watch) -> None:
    answer = hers.post(at("watch-pause", watch), {"next": "/watches/?sort=name"})
    assert answer["Location"] == "/watches/?sort=name"
    watch.refresh_from_db()
    assert watch.paused_at is not None
    assert hers.post(at("watch-resume", watch))["Location"] == at("watch", watch)
    watch.refresh_from_db()
    assert watch.paused_at is None


@pytest.mark.parametrize("place", ["https://example.com/", "//example.com/", "javascript:alert(1)", "\\\\example.com"])
def test_a_form_never_leads_off_the_site(hers: Client, watch: Watch, place: str) -> None:
    assert hers.post(at("watch-pause", watch), {"next": place})["Location"] == at("watch", watch)


def test_a_list_that_swaps_rows_gets_the_row(hers: Client, watch: Watch) -> None:
    answer = hers.post(at("watch-pause", watch), {"row": "1"}, headers={"HX-Request": "true"})
    text = answer.content.decode()
    assert text.startswith(f'<tr id="w-{watch.pk}" class="w--off">')
    assert 'aria-checked="false"' in text


def test_a_check_by_hand_is_noted_for_the_schedule(hers: Client, watch: Watch, now: datetime) -> None:
    target = make_target(watch, now)
    assert hers.post(at("watch-check", watch)).status_code == 302
    assert OutboxRow.objects.filter(topic="check_now", object_id=target.pk, done_at=None).exists()


def test_a_paused_watch_is_not_checked_by_hand(hers: Client, alice: User, now: datetime) -> None:
    watch = make_watch(alice, now, paused_at=now - timedelta(hours=1))
    make_target(watch, now)
    hers.post(at("watch-check", watch))
    assert not OutboxRow.objects.exists()
    assert at("watch-check", watch) not in hers.get(at("watch", watch)).content.decode()


def test_deleting_asks_first_and_says_what_goes(hers: Client, watch: Watch, now: datetime) -> None:
    make_match(watch, now)
    text = hers.get(at("watch-delete", watch)).content.decode()
    assert "its 1 match are removed" in text
    assert hers.post(at("watch-delete", watch)).status_code == 200
    assert Watch.objects.count() == 1


def test_a_sure_delete_removes_the_watch_and_its_matches(hers: Client, watch: Watch, now: datetime) -> None:
    make_match(watch, now)
    answer = hers.post(at("watch-delete", watch), {"sure": "yes"}, follow=True)
    assert (Watch.objects.count(), Match.objects.count()) == (0, 0)
    assert "“Lumina” is deleted." in answer.content.decode()


def test_a_request_without_the_token_of_the_page_is_refused(alice: User, watch: Watch) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)
    assert strict.post(at("watch-pause", watch)).status_code == 403


def test_a_marketplace_that_answers_with_other_things_is_said_on_list_page_and_runs(
    client: Client, alice: User, redis: object
) -> None:
    from monitor_site.watches.record import record
    from tests.watches.makers import result, sighting, watch_of

    client.force_login(alice)
    now = timezone.now()
    watch = watch_of(alice, now)
    for second in range(3):
        at = now + timedelta(seconds=second)
        strange = [sighting(number, title=f"食器 {number}点") for number in range(20)]
        record([result(watch.links.get().target, strange, at=at)], now=at)
    english = {"accept-language": "en"}
    page = client.get(reverse("watch", args=[watch.pk]), headers=english).content.decode()
    assert "Mercari answers with other things: hardly any row has one of its words." in page
    assert "Answered with other things" in client.get(reverse("watches"), headers=english).content.decode()
    runs = client.get(reverse("watch-runs", args=[watch.pk]), headers=english).content.decode()
    assert runs.count("0 of 20 rows with its words") == 3
