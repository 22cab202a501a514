"""The admin: staff look at everything, act through services, and change no record of what happened."""

from datetime import datetime
from typing import Any

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from monitor_site.accounts import auditing
from monitor_site.accounts.models import AuditEntry, ExchangeRate, User
from monitor_site.alerts import feeding, happenings
from monitor_site.alerts.claiming import claim
from monitor_site.alerts.models import Alert, Channel, Delivery, Feed, Notice
from monitor_site.engine.models import CheckDay, Incident, PriceDay
from monitor_site.marketplaces.models import MarketplaceAccount, MarketplacePause
from monitor_site.outbox.models import OutboxRow
from monitor_site.watches import blocking, models, noting, tagging
from monitor_site.watches.models import Doubt, ListingEvent, PricePoint, Target, Watch
from tests.alerts.rows import RATES, SECRET, channel_of
from tests.web.watch_rows import make_checks, make_match, make_target, make_watch

OURS = [
    User,
    ExchangeRate,
    OutboxRow,
    models.Watch,
    models.Target,
    models.WatchTarget,
    models.Check,
    models.Listing,
    models.PricePoint,
    models.ListingEvent,
    models.Match,
    models.WatchVersion,
    models.Tag,
    models.Block,
    models.Note,
    models.Doubt,
    models.Crossing,
    Alert,
    Channel,
    Delivery,
    Feed,
    Notice,
    MarketplaceAccount,
    MarketplacePause,
    AuditEntry,
    Incident,
    CheckDay,
    PriceDay,
]
RECORDS = [model for model in OURS if model not in {User, ExchangeRate, Watch, MarketplaceAccount}]


@pytest.fixture
def staff(client: Client, db: None) -> Client:
    client.force_login(User.objects.create_superuser("carol", "carol@example.com", "carols-password"))
    return client


@pytest.fixture
def watch(alice: User, now: datetime) -> Watch:
    """A watch with a row of everything around it."""
    watch = make_watch(alice, now, name="Lumina")
    make_checks(make_target(watch, now), now, ["ok", "failed"])
    match = make_match(watch, now)
    PricePoint.objects.create(listing=match.listing, price=5000, at=now)
    ListingEvent.objects.create(listing=match.listing, kind="price_drop", at=now, before=6000, after=5000)
    models.Crossing.objects.create(match=match, kind="fall", kinds=["fall"], at=now, before=6000, price=5000, trace="t")
    Doubt.objects.create(watch=watch, listing=match.listing, cause="listed", raised_at=now, due_at=now)
    MarketplaceAccount.objects.create(marketplace="mercari", label="Lumina", created_at=now, updated_at=now)
    models.WatchVersion.objects.create(watch=watch, number=1, at=now, by=alice, wish={"name": "Lumina"})
    tagging.set_tags(watch=watch, names=["Lumina"])
    blocking.block_phrase(user=alice, phrase="Lumina", now=now)
    noting.write_note(user=alice, listing=match.listing, text="Lumina, a private matter", now=now)
    OutboxRow.objects.create(topic="match", object_id=match.pk, created_at=now, done_at=now)
    channel = channel_of(alice, now=now, name="Lumina")
    happenings.tell_of_matches(match_ids=[match.pk], now=now)
    claim(channel_id=channel.pk, rates=RATES, now=now)
    feeding.create_feed(user=alice, wish=feeding.Wish(kind="all", name="Lumina"), now=now)
    MarketplacePause.objects.create(marketplace="mercari", by="carol", reason="Lumina", since=now)
    auditing.note(user=alice, act="pause", subject="mercari", reason="Lumina", outcome="", now=now)
    Incident.objects.create(kind="load", subject="attic", detail="careful", opened_at=now)
    sums = {"checks": 2, "failed": 1, "missed_beats": 0, "took_ms": 9, "late_ms": 9, "worst_late_ms": 9}
    CheckDay.objects.create(day=now.date(), marketplace="mercari", kind="search", **sums)
    ExchangeRate.objects.create(currency="CNY", per_yen="0.048", at=now)
    PriceDay.objects.create(day=now.date(), marketplace="mercari", points=2, listings=1)
    return watch


def address(model: Any, page: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def act(client: Client, model: Any, action: str, rows: Any) -> Any:
    data = {"action": action, "_selected_action": [row.pk for row in rows]}
    return client.post(address(model, "changelist"), data, follow=True)


def test_every_model_of_ours_has_a_page() -> None:
    registered = {model for model in admin.site._registry if model.__module__.startswith("monitor_site.")}
    assert registered == set(OURS)


@pytest.mark.parametrize("model", OURS)
def test_staff_see_the_list_find_and_open_a_row(staff: Client, watch: Watch, model: Any) -> None:
    assert staff.get(address(model, "changelist")).status_code == 200
    assert staff.get(address(model, "changelist"), {"q": "1"}).status_code == 200
    row = model._default_manager.first()
    assert staff.get(address(model, "change", row.pk)).status_code == 200


@pytest.mark.parametrize("model", OURS)
def test_people_who_are_not_staff_see_nothing_of_it(client: Client, alice: User, watch: Watch, model: Any) -> None:
    for person in (None, alice):
        if person:
            client.force_login(person)
        answer = client.get(address(model, "changelist"))
        assert answer.status_code in {302, 403}
        assert b"Lumina" not in answer.content


def test_signing_in_to_the_admin_goes_through_the_sites_own_page(client: Client, db: None) -> None:
    answer = client.get(reverse("admin:login"))
    assert answer.status_code == 302
    assert answer["Location"].startswith(reverse("account_login"))


@pytest.mark.parametrize("model", RECORDS)
def test_a_record_cannot_be_added_changed_or_deleted(staff: Client, watch: Watch, model: Any) -> None:
    row = model._default_manager.first()
    before = model._default_manager.values().get(pk=row.pk)
    assert staff.get(address(model, "add")).status_code == 403
    assert staff.post(address(model, "change", row.pk), {"error": "x", "title": "x"}).status_code == 403
    assert staff.post(address(model, "delete", row.pk), {"post": "yes"}).status_code == 403
    assert model._default_manager.values().get(pk=row.pk) == before


def test_staff_see_that_there_is_a_note_and_not_what_it_says(staff: Client, watch: Watch) -> None:
    note = models.Note.objects.get()
    for page in (address(models.Note, "changelist"), address(models.Note, "change", note.pk)):
        assert "private matter" not in staff.get(page).content.decode()


def test_staff_see_no_secret_of_a_channel_and_not_where_it_leads(staff: Client, watch: Watch) -> None:
    channel = Channel.objects.get()
    for page in (address(Channel, "changelist"), address(Channel, "change", channel.pk)):
        shown = staff.get(page).content.decode()
        assert "Lumina" in shown
        assert SECRET not in shown
        assert channel.sealed not in shown
        assert "sink.example.com" not in shown


def test_what_was_not_delivered_is_sent_again_under_the_same_id(staff: Client, watch: Watch, now: datetime) -> None:
    dead = Delivery.objects.get()
    Delivery.objects.update(state="dead", ended_at=now)
    assert act(staff, Delivery, "send_again", [dead]).status_code == 200
    again = Delivery.objects.get()
    assert (again.state, again.public_id) == ("waiting", dead.public_id)


def test_staff_give_a_person_limits_of_their_own(staff: Client, alice: User) -> None:
    page = staff.get(address(User, "change", alice.pk))
    data = {name: value for name, value in page.context["adminform"].form.initial.items() if value is not None}
    data |= {"last_login_0": "", "last_login_1": "", "date_joined_0": "2026-05-01", "date_joined_1": "00:00:00"}
    answer = staff.post(address(User, "change", alice.pk), data | {"watch_limit": "7", "weight": "3"})
    assert answer.status_code == 302
    alice.refresh_from_db()
    assert (alice.watch_limit, alice.question_limit, alice.weight) == (7, None, 3)


def test_a_weight_that_would_starve_or_crown_a_person_is_refused(staff: Client, alice: User) -> None:
    page = staff.get(address(User, "change", alice.pk))
    data = {name: value for name, value in page.context["adminform"].form.initial.items() if value is not None}
    data |= {"last_login_0": "", "last_login_1": "", "date_joined_0": "2026-05-01", "date_joined_1": "00:00:00"}
    for weight in ("0", "101", "-1", "many"):
        assert staff.post(address(User, "change", alice.pk), data | {"weight": weight}).status_code == 200
    alice.refresh_from_db()
    assert alice.weight == 1


def test_staff_create_a_person_who_can_then_sign_in(staff: Client) -> None:
    password = "a-good-long-one-97"
    data = {"username": "dora", "usable_password": "true", "password1": password, "password2": password}
    assert staff.post(address(User, "add"), data).status_code == 302
    assert User.objects.get(username="dora").check_password(password)


def test_staff_pause_and_resume_watches_through_the_services(staff: Client, watch: Watch) -> None:
    act(staff, Watch, "pause", [watch])
    assert Watch.objects.get().paused_at is not None
    assert not Target.objects.get().active
    act(staff, Watch, "resume", [watch])
    assert Watch.objects.get().paused_at is None
    assert Target.objects.get().active


@pytest.mark.parametrize("in_bulk", [True, False])
def test_a_watch_that_staff_delete_leaves_the_schedule(staff: Client, watch: Watch, in_bulk: bool) -> None:
    if in_bulk:
        data = {"action": "delete_selected", "_selected_action": [watch.pk], "post": "yes"}
        staff.post(address(Watch, "changelist"), data)
    else:
        staff.post(address(Watch, "delete", watch.pk), {"post": "yes"})
    assert not Watch.objects.exists()
    assert not Target.objects.get().active


def test_staff_release_a_target_from_quarantine(staff: Client, watch: Watch, now: datetime) -> None:
    Target.objects.update(quarantined_at=now, active=False, failures=5, last_error="plugin_fault")
    answer = act(staff, Target, "release", Target.objects.all())
    target = Target.objects.get()
    assert (target.quarantined_at, target.active, target.failures) == (None, True, 0)
    assert "1 target runs again." in answer.content.decode()


def test_staff_open_an_outbox_row_again(staff: Client, watch: Watch) -> None:
    row = OutboxRow.objects.get(topic="match")
    act(staff, OutboxRow, "open_again", [row])
    again = OutboxRow.objects.get(pk=row.pk)
    assert (again.done_at, again.epoch) == (None, row.epoch + 1)


def test_who_may_only_look_may_not_act(client: Client, watch: Watch, now: datetime) -> None:
    from django.contrib.auth.models import Permission

    looker = User.objects.create_user("erin", "erin@example.com", "erins-password", is_staff=True)
    looker.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    client.force_login(looker)
    OutboxRow.objects.update(done_at=now)
    act(client, Watch, "pause", [watch])
    act(client, OutboxRow, "open_again", OutboxRow.objects.all())
    assert Watch.objects.get().paused_at is None
    assert not OutboxRow.objects.filter(done_at=None).exists()


def test_admin_pages_run_under_the_sites_strict_policy(staff: Client, watch: Watch) -> None:
    for answer in (staff.get(address(Watch, "changelist")), staff.get(reverse("admin:index"))):
        assert "script-src 'self';" in answer["Content-Security-Policy"] + ";"
        text = answer.content.decode()
        assert " style=" not in text
        assert " onclick=" not in text
        assert "<script>" not in text


def test_a_time_zone_that_does_not_exist_is_refused(staff: Client, alice: User) -> None:
    page = address(User, "change", alice.pk)
    fields = {name: value for name, value in staff.get(page).context["adminform"].form.initial.items() if value}
    moments = {"date_joined_0": "2026-05-01", "date_joined_1": "03:00:00"}
    for zone, status in (("Mars/Olympus", 200), ("Europe/Paris", 302)):
        assert staff.post(page, fields | moments | {"time_zone": zone}).status_code == status
    alice.refresh_from_db()
    assert alice.time_zone == "Europe/Paris"


@pytest.mark.parametrize("model", OURS)
def test_no_list_groups_a_whole_table_by_days(model: Any) -> None:
    assert admin.site._registry[model].date_hierarchy is None


def test_watches_are_found_by_any_marketplace_they_ask(staff: Client, watch: Watch, alice: User, now: datetime) -> None:
    make_target(watch, now, marketplace="yahoo_auctions")
    make_target(make_watch(alice, now, name="other"), now)
    for name, count in (("yahoo_auctions", 1), ("mercari", 2), ("nowhere", 0)):
        answer = staff.get(address(Watch, "changelist"), {"marketplace": name})
        assert answer.context["cl"].result_count == count
