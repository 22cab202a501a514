"""The kill switch, thrown at any moment of many stories: nothing begins and nothing is sent after it."""

import random
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from django.db import connection

from monitor_site.purchasing import submitting, switching
from monitor_site.purchasing.models import Order, Submission
from monitor_site.purchasing.moving import Because, Overtaken, move
from monitor_site.purchasing.submitting import Told
from monitor_site.purchasing.transitions import State, Verb
from tests.purchasing.market import account_of
from tests.purchasing.rows import budget_of, order_of

SEEDS, ORDERS, ACTS = 25, 3, 30


def ready(user, number, *, now):
    """An order that may be sent, of an account of its own."""
    account = account_of(user, now=now, label=str(number))
    order = order_of(user, number, now=now, account=account, way="partner_api")
    move(order=order, verb=Verb.MAKE_READY, because=Because(actor="worker"), now=now)
    return order


class Story:
    """Orders of one person, their senders, and somebody at the switches; ``sent`` are the requests that went out."""

    def __init__(self, user, orders, *, seed, settings):
        self.user, self.orders, self.settings = user, orders, settings
        self.chance = random.Random(seed)
        self.allowed: list[int] = []
        self.sent: list[int] = []
        self.now = datetime.now(UTC)

    @property
    def is_stopped(self):
        return switching.is_stopped(user_id=self.user.pk, now=self.now)

    def act(self):
        """Something happens."""
        acts = [self.flip, *[self.begin, self.ask, self.conclude] * 2]
        self.chance.choice(acts)()

    def flip(self):
        """One of the three switches, thrown or taken back."""
        whose = self.chance.choice([self.user, None, "setting"])
        if whose == "setting":
            self.settings.SPENDING_STOPPED = not self.settings.SPENDING_STOPPED
        elif self.chance.random() < 0.5:
            switching.stop(user=whose, reason="", now=self.now)
        else:
            switching.resume(user=whose, now=self.now)

    def begin(self):
        order = Order.objects.get(pk=self.chance.choice(self.orders).pk)
        stopped, begun = self.is_stopped, None
        with suppress(Overtaken):
            begun = submitting.begin(order=order, now=self.now)
        assert not (stopped and begun), "it began after the switch"

    def ask(self):
        """A sender wants to send."""
        if (one := self.any_open()) is not None:
            stopped = self.is_stopped
            if submitting.may_commit(submission=one, now=self.now):
                assert not stopped, "it was sent after the switch"
                self.sent.append(one.order_id)

    def conclude(self):
        if (one := self.any_open()) is not None:
            went = one.committing_at is not None
            fields = {"outcome": "placed", "reference": f"t{one.pk}"} if went else {"outcome": "not_sent"}
            submitting.conclude(submission=one, told=Told(ended=True, **fields), now=self.now)

    def any_open(self):
        rows = list(Submission.objects.filter(outcome="open", order__in=self.orders).order_by("pk"))
        return self.chance.choice(rows) if rows else None


@pytest.mark.django_db
@pytest.mark.usefixtures("redis")
def test_nothing_begins_and_nothing_is_sent_while_a_switch_is_thrown(alice, now, settings, monkeypatch):
    monkeypatch.setattr(submitting, "RETRY_PAUSE", submitting.timedelta(0))
    sent = held_back = 0
    budget_of(alice, now=now, kind="user", total=10**9)
    for seed in range(SEEDS):
        settings.SPENDING_STOPPED = False
        for whose in (alice, None):
            switching.resume(user=whose, now=now)
        story = Story(
            alice, [ready(alice, seed * ORDERS + n, now=now) for n in range(ORDERS)], seed=seed, settings=settings
        )
        for _ in range(ACTS):
            story.act()
        assert len(story.sent) == len(set(story.sent)), f"seed {seed}: sent twice"
        sent += len(story.sent)
        held_back += Order.objects.filter(pk__in=[o.pk for o in story.orders], state=State.READY).count()
        # The next story's person begins anew, and is not too fast.
        Submission.objects.update(begun_at=now - submitting.timedelta(days=1))
    assert sent > SEEDS / 4
    assert held_back > SEEDS / 4


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("redis")
@pytest.mark.parametrize("seed", range(4))
def test_whoever_asks_after_the_switch_has_committed_is_told_no(alice, seed):
    now = datetime.now(UTC)
    budget_of(alice, now=now, kind="user", total=10**9)
    tries = [submitting.begin(order=ready(alice, number, now=now), now=now) for number in range(5)]
    most, told = random.Random(seed).randrange(4), []

    def ask():
        for one in tries:
            began = time.monotonic()
            told.append((began, submitting.may_commit(submission=one, now=datetime.now(UTC))))
        connection.close()

    asking = threading.Thread(target=ask)
    asking.start()
    while len(told) < most:
        time.sleep(0)
    switching.stop(user=alice, reason="", now=datetime.now(UTC))
    stopped = time.monotonic()
    asking.join()
    assert not any(yes for began, yes in told if began > stopped)
    assert sum(yes for _began, yes in told) == Submission.objects.exclude(committing_at=None).count()
