"""Who did what is written down with the change itself, and whoever edits the record afterwards is found out."""

import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from monitor_site.accounts import auditing
from monitor_site.accounts.models import AuditEntry, Seal
from monitor_site.marketplaces import services as accounts
from monitor_site.purchasing import budgeting, rules, sealing, switching
from monitor_site.purchasing.budgeting import BudgetWish, Limits
from monitor_site.purchasing.models import LedgerEntry, OrderStep
from monitor_site.purchasing.moving import Because, move
from monitor_site.purchasing.transitions import State, Verb
from monitor_site.watches import services
from monitor_site.watches.models import Watch
from tests.marketplaces.keys import account
from tests.purchasing.rows import budget_of, order_of, watch_of

pytestmark = pytest.mark.django_db
ALICE = auditing.Actor(kind="person", name="alice", way="password")


def acts() -> list[tuple[str, str]]:
    return list(AuditEntry.objects.order_by("pk").values_list("thing", "act"))


def test_a_budget_made_changed_and_removed_leaves_what_it_was_and_became(alice, now):
    with auditing.acting(ALICE):
        budget = budgeting.create_budget(user=alice, wish=BudgetWish(name="C", limits=Limits(per_day=500)), now=now)
        budgeting.change_budget(budget=budget, wish=BudgetWish(name="C", limits=Limits(per_day=900)), now=now)
        budgeting.remove_budget(budget=budget, now=now)
    assert acts() == [("budget", "make"), ("budget", "change"), ("budget", "remove")]
    change = AuditEntry.objects.get(act="change")
    assert (change.before, change.after) == ({"per_day": 500}, {"per_day": 900})
    assert (change.user, change.kind, change.actor, change.name, change.way) == (
        alice, "money", "person", "alice", "password",
    )  # fmt: skip


def test_a_save_that_changes_nothing_writes_nothing(alice, now):
    wish = BudgetWish(name="C", limits=Limits(per_day=500))
    budget = budgeting.create_budget(user=alice, wish=wish, now=now)
    budgeting.change_budget(budget=budget, wish=wish, now=now)
    assert acts() == [("budget", "make")]


def test_what_is_rolled_back_was_never_written(alice, now):
    with transaction.atomic():
        switching.stop(user=alice, reason="", now=now)
        transaction.set_rollback(True)
    assert acts() == []


def test_a_switch_is_written_down_when_it_turns_and_not_when_it_stands_so_already(alice, now):
    for _ in range(2):
        switching.stop(user=alice, reason="holidays", now=now)
    for _ in range(2):
        switching.resume(user=alice, now=now)
    assert acts() == [("spending", "stop"), ("spending", "resume")]
    assert AuditEntry.objects.get(act="stop").reason == "holidays"


def test_a_command_is_named_as_who_did_it(alice, now):
    call_command("spending", "stop", user="alice", stdout=None)
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.name, entry.user) == ("command", "spending", alice)


def test_what_happens_by_itself_is_the_sites(alice, now):
    row = account(now, user=alice)
    accounts.pause_account(account_id=row.pk, until=now, reason="sign_in_needed", now=now)
    accounts.pause_account(account_id=row.pk, until=now, reason="sign_in_needed", now=now)
    paused = AuditEntry.objects.get(act="pause")
    assert (paused.actor, paused.after) == ("system", {"paused": "sign_in_needed"})


def test_secrets_and_settings_of_an_account_stand_in_no_entry(alice, now):
    row = account(now, user=alice, secrets={"token": "canary-1"})
    accounts.replace_secrets(account=row, secrets={"token": "canary-2"}, now=now)
    accounts.change_account(account=row, label="Mine", values={"name": "canary-3"}, now=now)
    accounts.let_spend(account=row, by=alice, reason="tried", now=now)
    accounts.end_spending(account=row, now=now)
    accounts.remove_account(account=row, now=now)
    told = [act for thing, act in acts() if thing == "account"]
    assert told[-5:] == ["replace_secrets", "change", "let_spend", "end_spending", "remove"]
    assert "canary" not in json.dumps(list(AuditEntry.objects.values("before", "after", "subject")))


def test_rules_and_watches_leave_what_changed(alice, now):
    watch = watch_of(alice, now=now, name="Lens")
    wish = rules.BuyWish(price_max=5000, shipping_estimate=None, approval_minutes=30)
    rules.set_rule(watch=watch, wish=wish, now=now)
    rules.set_rule(watch=watch, wish=wish, now=now)
    rules.remove_rule(watch=watch, now=now)
    services.pause_watch(watch=watch, now=now)
    services.resume_watch(watch=Watch.objects.get(), now=now)
    services.delete_watch(watch=Watch.objects.get(), now=now)
    assert acts() == [
        ("buy_rule", "make"), ("buy_rule", "remove"), ("watch", "pause"), ("watch", "resume"), ("watch", "remove"),
    ]  # fmt: skip


def test_an_entry_stays_when_its_person_is_gone(bob, now):
    switching.stop(user=bob, reason="", now=now)
    number = bob.pk
    bob.delete()
    assert AuditEntry.objects.get().user_id == number


@pytest.fixture
def sealed(alice, now):
    """An approved order with its ledger and two entries, sealed an hour later."""
    budget_of(alice, now=now, total=90_000)
    order = order_of(alice, now=now, state=State.AWAITING_APPROVAL)
    budgeting.set_overall_budget(user=alice, limits=Limits(total=50_000), now=now)
    move(order=order, verb=Verb.APPROVE, because=Because(actor="person"), now=now)
    switching.stop(user=alice, reason="", now=now)
    assert sealing.seal(now=now + timedelta(hours=1)) == 2 + 1 + LedgerEntry.objects.count()
    return now + timedelta(hours=2)


def run(sql: str, *values: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)


def test_a_chain_that_nobody_touched_is_whole(sealed):
    check = sealing.verify(now=sealed)
    assert (check.place, check.until) == ("", sealed - timedelta(hours=1))


def test_what_is_sealed_once_is_not_sealed_again(sealed):
    seals = Seal.objects.count()
    assert sealing.seal(now=sealed) == 0
    assert Seal.objects.count() == seals


def test_what_was_written_a_moment_ago_waits_for_its_seal(alice, now):
    switching.stop(user=alice, reason="", now=now)
    assert sealing.seal(now=now + timedelta(seconds=30)) == 0
    assert sealing.seal(now=now + timedelta(seconds=90)) == 1


def test_an_edited_entry_is_found_with_its_place(sealed):
    entry = AuditEntry.objects.get(act="stop")
    run("UPDATE accounts_auditentry SET name = %s WHERE id = %s", "mallory", entry.pk)
    assert sealing.verify(now=sealed).place.startswith(f"audit {entry.pk} was changed")


def test_a_removed_step_of_an_order_is_found_with_its_place(sealed):
    step = OrderStep.objects.get()
    run("DELETE FROM purchasing_orderstep WHERE id = %s", step.pk)
    assert sealing.verify(now=sealed).place.startswith(f"step {step.pk} was removed")


def test_an_amount_changed_in_the_ledger_is_found_with_its_place(sealed):
    entry = LedgerEntry.objects.order_by("pk").first()
    run("UPDATE purchasing_ledgerentry SET amount = amount - 1 WHERE id = %s", entry.pk)
    with pytest.raises(CommandError, match=f"ledger {entry.pk} was changed"):
        call_command("verify_audit")


def test_a_seal_changed_to_fit_breaks_the_chain(sealed):
    seal = Seal.objects.get(table="audit")
    rows = dict(seal.rows)
    rows.popitem()
    run("UPDATE accounts_seal SET rows = %s WHERE number = %s", json.dumps(rows), seal.number)
    assert sealing.verify(now=sealed).place == f"seal {seal.number} was changed or is missing"


def test_a_removed_seal_breaks_the_chain(sealed):
    run("DELETE FROM accounts_seal WHERE number = 1")
    assert sealing.verify(now=sealed).place == "seal 1 was changed or is missing"


def test_an_entry_put_in_between_is_found(sealed, alice, monkeypatch):
    monkeypatch.setattr(sealing, "OVERTAKERS", 0)
    AuditEntry.objects.create(pk=0, at=sealed, user=alice, kind="money", act="stop", reason="slipped in")
    assert sealing.verify(now=sealed).place == "audit 0 was put in between"


def test_an_end_cut_off_is_found_by_whoever_kept_a_digest(sealed, capsys):
    call_command("verify_audit")
    digest = capsys.readouterr().out.split()[-1]
    run("DELETE FROM accounts_seal WHERE digest = %s", digest)
    assert "missing" in sealing.verify(now=sealed, knows=digest).place


def test_entries_whose_time_is_over_leave_a_whole_chain(sealed):
    assert sealing.retire(before=sealed, now=sealed) == 2
    assert acts() == [("seal", "retire_seals")]
    assert sealing.verify(now=sealed).place == ""
    sealing.seal(now=sealed + timedelta(hours=1))
    assert sealing.verify(now=sealed + timedelta(hours=1)).place == ""


def test_a_row_overtaken_by_another_is_sealed_later(sealed, alice):
    seal = Seal.objects.get(table="audit")
    AuditEntry.objects.create(pk=seal.last_row + 2, at=sealed, user=alice, kind="money", act="stop")
    assert sealing.seal(now=sealed + timedelta(hours=1)) == 1
    AuditEntry.objects.create(pk=seal.last_row + 1, at=sealed, user=alice, kind="money", act="stop")
    assert sealing.seal(now=sealed + timedelta(hours=1)) == 1
    assert sealing.verify(now=sealed + timedelta(hours=1)).place == ""
