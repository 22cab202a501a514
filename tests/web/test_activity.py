"""The page of who did what: one's own, by filters, page by page, and as files."""

import csv
import io
from datetime import timedelta

import pytest
from django.test import override_settings
from django.urls import reverse
from django.utils import timezone

from monitor_site.accounts import auditing
from monitor_site.accounts.models import ActorKind, AuditEntry, SealCheck, User
from monitor_site.purchasing import budgeting, switching
from monitor_site.purchasing.budgeting import BudgetWish, Limits
from monitor_site.purchasing.moving import Because, move
from monitor_site.purchasing.transitions import State, Verb
from monitor_site.tracing import current_trace, traced
from monitor_site.web import activity_pages
from monitor_site.web.spreadsheets import defused
from tests.purchasing.rows import order_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
ME = auditing.Actor(kind=ActorKind.PERSON, name="alice", way="mfa")


@pytest.fixture
def told(alice, now):
    """A budget changed by alice with her second factor, and an order that she declined."""
    with auditing.acting(ME):
        budget = budgeting.create_budget(user=alice, wish=BudgetWish(name="Lenses", limits=Limits(total=5000)), now=now)
        later = now + timedelta(minutes=1)
        budgeting.change_budget(budget=budget, wish=BudgetWish(name="Lenses", limits=Limits(total=9000)), now=later)
    order = order_of(alice, now=now, state=State.AWAITING_APPROVAL)
    move(order=order, verb=Verb.DECLINE, because=Because(actor="person"), now=now + timedelta(minutes=2))
    return budget


def page(client, query=""):
    answer = client.get(f"/activity/{query}")
    assert answer.status_code == 200
    return answer


def what(answer):
    return [(line.thing, line.what) for line in answer.context["lines"]]


def test_entries_and_steps_of_orders_stand_in_one_list_newest_first(client, alice, told):
    client.force_login(alice)
    answer = page(client)
    assert what(answer)[:3] == [("Order", "declined"), ("Budget", "changed"), ("Budget", "made")]
    text = answer.content.decode()
    assert "¥5,000" in text
    assert "¥9,000" in text
    assert "you</bdi> (second factor)" in text
    assert f'href="/budgets/{told.pk}/"' in text


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("?kind=money&thing=budget", 2),
        ("?thing=order", 1),
        ("?actor=person&kind=money", 3),
        ("?actor=command", 0),
        ("?q=lenses&days=365", 2),
        ("?q=%00&kind=nonsense&days=7777777&before=1.2.x9", 3),
        ("?kind=security", 0),
    ],
)
def test_filters_find_what_they_say_and_nonsense_is_left_out(client, alice, told, query, found):
    client.force_login(alice)
    rows = [one for one in what(page(client, query)) if one[0] != "Sign-in and roles"]
    assert len(rows) == found


def test_a_stranger_sees_nothing_of_it(client, bob, told):
    client.force_login(bob)
    text = page(client).content.decode()
    assert "Lenses" not in text
    for key in (f"a{AuditEntry.objects.filter(thing='budget').first().pk}", "s1", "a999999999999999999", "x1", "a"):
        assert client.get(f"/activity/{key}/").status_code == 404
    assert "Lenses" not in client.get("/activity/as.csv").content.decode()
    assert client.get("/activity/as.json").json() == {"activity": []}


def test_staff_see_no_more_than_their_own_here(client, bob, told):
    User.objects.filter(pk=bob.pk).update(is_staff=True)
    switching.stop(user=None, reason="fire", now=timezone.now())
    client.force_login(bob)
    assert what(page(client)) == []


def test_pages_follow_each_other_without_gap_or_repetition(client, alice, told, now, monkeypatch):
    monkeypatch.setattr(activity_pages, "PAGE", 2)
    for number in range(2, 6):  # at the same moment, so that only their places tell them apart
        order = order_of(alice, number, now=now, state=State.AWAITING_APPROVAL)
        move(order=order, verb=Verb.DECLINE, because=Because(actor="person"), now=now)
    client.force_login(alice)
    seen, query = [], "?kind=money"
    while query:
        answer = page(client, query)
        seen += [line.key for line in answer.context["lines"]]
        query = f"?{answer.context['older']}" if answer.context["older"] else ""
    assert len(seen) == len(set(seen)) == 7


def test_a_row_has_an_address_and_is_the_same_for_programs(client, alice, told):
    client.force_login(alice)
    entry = AuditEntry.objects.get(thing="budget", act="change")
    assert "Lenses" in client.get(f"/activity/a{entry.pk}/").content.decode()
    assert client.get(f"/activity/a{entry.pk}/?as=json").json()["changes"] == [
        {"field": "in all", "before": ["¥5,000"], "after": ["¥9,000"]}
    ]


def test_a_row_is_copied_as_json_and_leads_to_all_about_its_object(client, alice, told):
    other = budgeting.create_budget(user=alice, wish=BudgetWish(name="Bodies"), now=timezone.now())
    client.force_login(alice)
    entry = AuditEntry.objects.get(thing="budget", act="change")
    text = client.get(f"/activity/a{entry.pk}/").content.decode()
    assert 'data-copy="{&quot;key&quot;: &quot;a' in text
    assert f"?thing=budget&amp;id={told.pk}" in text
    found = page(client, f"?thing=budget&id={told.pk}").content.decode()
    assert "Lenses" in found
    assert "Bodies" not in found
    assert "only this one" in found
    assert "Bodies" in page(client, f"?thing=budget&id={other.pk}").content.decode()


def test_all_about_one_order_is_found_by_its_public_id(client, alice, told, now):
    order_of(alice, 2, now=now, state=State.AWAITING_APPROVAL)
    client.force_login(alice)
    answer = page(client, "?thing=order")
    [line] = answer.context["lines"]
    assert len(page(client, f"?{line.same}").context["lines"]) == 1
    assert what(page(client, "?thing=order&id=nonsense")) == []


def test_filters_that_find_nothing_are_taken_away_one_by_one(client, alice, told):
    client.force_login(alice)
    text = page(client, "?thing=budget&id=7777&q=%3Cb%3E&days=7&actor=command&kind=money").content.decode()
    for chip in ("&lt;b&gt;", "only this one", "the past 7 days", "a command", "money", "Budget"):
        assert f"<bdi>{chip}</bdi>" in text
    assert "<b>nothing" not in text
    assert 'href="/activity/?actor=command&amp;kind=money&amp;days=7&amp;q=%3Cb%3E"' in text


@pytest.mark.parametrize("query", ["?id=5", "?thing=nonsense&id=5", "?thing=budget&id=%00"])
def test_an_id_without_a_kind_is_left_out(client, alice, told, query):
    client.force_login(alice)
    assert len(what(page(client, query))) >= 2


def test_how_long_it_is_kept_is_said_at_its_end(client, alice, told, monkeypatch):
    client.force_login(alice)
    with override_settings(AUDIT_RETENTION_DAYS=90):
        assert "older than 90 days is removed from here" in page(client).content.decode()
        monkeypatch.setattr(activity_pages, "PAGE", 1)
        assert "is removed from here" not in page(client).content.decode()
    assert "is removed from here" not in page(client).content.decode()


def test_what_one_request_does_has_one_trace_and_another_request_another(client, alice):
    client.force_login(alice)
    client.post("/budgets/stop/", {"reason": "away"})
    client.post("/budgets/resume/")
    stop, resume = (AuditEntry.objects.get(act=act) for act in ("stop", "resume"))
    assert len(stop.trace) == len(resume.trace) == 16
    assert stop.trace != resume.trace
    assert [one[1] for one in what(page(client, f"?q={stop.trace}"))] == ["stopped"]
    assert current_trace() == ""


def test_what_a_job_does_has_the_trace_of_its_log_lines(alice, now):
    with traced() as word:
        switching.stop(user=alice, reason="", now=now)
    assert AuditEntry.objects.get(act="stop").trace == word
    with traced("of-an-order"), auditing.acting(ME):
        switching.resume(user=alice, now=now)
    assert AuditEntry.objects.get(act="resume").trace == "of-an-order"


def test_what_a_command_does_has_a_trace(alice, now):
    with auditing.by_command("stop_spending"):
        switching.stop(user=alice, reason="", now=now)
    assert len(AuditEntry.objects.get(act="stop").trace) == 16


def test_no_cell_of_the_file_becomes_a_formula(client, alice, now):
    budgeting.create_budget(user=alice, wish=BudgetWish(name="=cmd()", limits=Limits(total=1)), now=now)
    client.force_login(alice)
    rows = list(csv.reader(io.StringIO(client.get("/activity/as.csv?thing=budget").content.decode("utf-8-sig"))))
    assert rows[1][5] == "'=cmd()"


@pytest.mark.parametrize("cell", ["=1", "+1", "-1", "@x", "\tx", "\rx", " =1", "\n=1"])
def test_every_beginning_of_a_formula_is_defused(cell):
    assert defused(cell) == f"'{cell}"
    assert (defused(-5), defused(None), defused("a=b")) == (-5, "", "a=b")


def test_the_state_of_the_chain_stands_on_top(client, alice, now):
    client.force_login(alice)
    SealCheck.objects.create(at=now, until=now)
    assert "The record is whole until" in page(client).content.decode()
    SealCheck.objects.create(at=now + timedelta(hours=1), place="audit 7 was changed")
    assert "audit 7 was changed" in page(client).content.decode()


@pytest.mark.parametrize(("kept", "source"), [(True, "127.0.0.1"), (False, "")])
def test_the_address_of_a_person_is_kept_only_where_the_operator_says_so(client, alice, kept, source):
    client.force_login(alice)
    with override_settings(AUDIT_ADDRESSES=kept):
        client.post("/budgets/stop/", {"reason": "away"})
    entry = AuditEntry.objects.get(act="stop")
    assert (entry.source, entry.name, entry.actor, entry.user) == (source, "alice", "person", alice)
    assert entry.way in {"password", "mfa"}


def test_failed_sign_ins_are_written_down_some_of_them_and_only_for_people_there_are(client, alice, monkeypatch):
    monkeypatch.setattr("monitor_site.accounts.adapter.MOST_FAILURES", 2)
    for name in ("alice", "nobody", "alice", "alice"):
        client.post(reverse("account_login"), {"login": name, "password": "wrong"})
    assert AuditEntry.objects.filter(act="fail_sign_in", user=alice).count() == 2
    assert AuditEntry.objects.filter(act="fail_sign_in").count() == 2


def test_roles_given_in_the_administration_are_written_down_with_who_gave_them(admin_client, admin_user, alice):
    form = admin_client.get(f"/admin/accounts/user/{alice.pk}/change/").context["adminform"].form
    values = {name: value for name, value in form.initial.items() if value not in (None, "", [])}
    values |= {"is_staff": "on", "last_login_0": "", "last_login_1": "", "date_joined_0": "2026-01-01"}
    answer = admin_client.post(f"/admin/accounts/user/{alice.pk}/change/", values | {"date_joined_1": "00:00:00"})
    assert answer.status_code == 302, answer.context["errors"]
    entry = AuditEntry.objects.get(thing="user", act="change")
    assert (entry.user, entry.name) == (alice, admin_user.get_username())
    assert (entry.before, entry.after) == ({"is_staff": False}, {"is_staff": True})


def test_everybody_finds_the_page_in_the_menus(client, alice):
    client.force_login(alice)
    assert 'href="/activity/"' in client.get("/more/").content.decode()
    assert client.get("/budgets/").content.decode().count('href="/activity/"') == 1
