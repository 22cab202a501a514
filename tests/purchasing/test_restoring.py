"""A restored database is older than the marketplace: nothing is sent, and every purchase since is found or flagged."""

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from monitor_site.purchasing import restoring, sweeping, switching
from monitor_site.purchasing.ledger import recount
from monitor_site.purchasing.models import Order, OrderStep, Scope, Submission, Sweep
from monitor_site.purchasing.moving import Because, Overtaken, move
from monitor_site.purchasing.transitions import State, Verb
from tests.purchasing.market import Market, account_of, known, submitted
from tests.purchasing.rows import budget_of, order_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
SENDER = Because(actor="sender")


def ready(user, account, number, now):
    order = order_of(user, number, now=now, account=account, way="partner_api")
    move(order=order, verb=Verb.MAKE_READY, because=SENDER, now=now)
    return order


def test_the_drill_sends_nothing_and_finds_or_flags_all_twenty_purchases_made_since_the_backup(alice, now):
    budget_of(alice, now=now, kind="user", total=100_000)
    accounts = [account_of(alice, now=now, label=str(number)) for number in range(2)]
    known(accounts[0], now=now)
    begun = submitted(alice, accounts[0], 1, now=now)
    waiting = [ready(alice, accounts[1], number, now) for number in range(2, 9)]

    markets = [Market(now=now + timedelta(hours=1)) for _ in accounts]
    markets[0].sell("m-old", "t-old", at=now - timedelta(days=9))
    markets[0].sell(begun.listing.external_id, "t-1")
    for order in waiting:
        markets[1].sell(order.listing.external_id, f"t-{order.pk}")
    for number in range(12):
        markets[number % 2].sell(f"m-later-{number}", f"t-later-{number}")

    later = now + timedelta(hours=6)
    done = restoring.take_over(backup_at=now, now=later)
    assert (done.ended, done.asked, done.swept) == (7, 1, 2)
    for market, account in zip(markets, accounts, strict=True):
        market.now = later
        market.sweep(account)
    markets[0].run(begun, until=timedelta(hours=1))

    assert Submission.objects.count() == 1
    assert set(Order.objects.values_list("state", flat=True)) == {State.PLACED, State.PAID}
    assert Order.objects.filter(found_late_at__isnull=False).count() == 7
    assert sweeping.strays_of(alice).count() == 12
    assert recount(Scope.objects.all()) == []


def test_nothing_is_sent_until_a_person_resumes_spending(alice, now):
    budget_of(alice, now=now, kind="user", total=100_000)
    restoring.take_over(backup_at=now, now=now)
    order = ready(alice, account_of(alice, now=now), 1, now)
    with pytest.raises(Overtaken):
        move(order=order, verb=Verb.SUBMIT, because=SENDER, now=now)
    switching.resume(user=None, now=now)
    move(order=order, verb=Verb.SUBMIT, because=SENDER, now=now)


def test_whoever_remembers_the_time_after_the_backup_is_overtaken(alice, now):
    budget_of(alice, now=now, kind="user", total=100_000)
    order = submitted(alice, account_of(alice, now=now), now=now)
    restoring.take_over(backup_at=now, now=now)
    with pytest.raises(Overtaken):
        move(order=order, verb=Verb.PLACE, because=SENDER, now=now)
    move(order=order, verb=Verb.PLACE, because=SENDER, now=now)
    assert OrderStep.objects.filter(order=order).latest("pk").number > restoring.AHEAD


def test_what_its_person_orders_themselves_goes_on(alice, now):
    order = order_of(alice, now=now, state=State.HANDED_OVER)
    restoring.take_over(backup_at=now, now=now)
    order.refresh_from_db()
    assert order.state == State.HANDED_OVER


def test_an_account_that_was_swept_before_shows_what_came_since_a_day_before_the_backup(alice, now):
    account = account_of(alice, now=now)
    Sweep.objects.create(account=account, due_at=now + timedelta(days=1), shows_since=now, swept_at=now)
    restoring.take_over(backup_at=now, now=now + timedelta(hours=3))
    sweep = Sweep.objects.get()
    assert (sweep.due_at, sweep.shows_since) == (now + timedelta(hours=3), now - timedelta(days=1))


def test_the_command_says_what_it_did(capsys, alice):
    account_of(alice, now=timezone.now())
    call_command("restored", "2026-05-01T03:00+09:00")
    said = capsys.readouterr().out
    assert "All spending is stopped." in said
    assert "1 accounts will be compared" in said


@pytest.mark.parametrize("when", ["yesterday", "2026-05-01T03:00", "2226-05-01T03:00Z", "2026-13-41T03:00Z"])
def test_a_moment_that_makes_no_sense_changes_nothing(when):
    with pytest.raises(CommandError, match="no past moment"):
        call_command("restored", when)
    assert not Sweep.objects.exists()
