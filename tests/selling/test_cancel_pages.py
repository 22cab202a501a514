"""An order is offered to be cancelled only where its plugin can; its page asks twice, and says what became of it."""

from datetime import timedelta

import pytest
from django.urls import reverse

from monitor_site.purchasing import cancelling, switching
from monitor_site.purchasing.models import Cancellation, Order
from monitor_site.purchasing.transitions import State

pytestmark = pytest.mark.django_db

ELSEWHERE = "This site cannot cancel at the marketplace"
ACT = "Cancel it at the marketplace"


@pytest.fixture
def bought(desk, client, alice):
    """A purchase of alice's, who looks at it."""
    client.force_login(alice)
    order = desk.approved()
    Order.objects.update(state=State.PLACED, reference="n1", paid=1000)
    order.refresh_from_db()
    return order


def page(client, order):
    return client.get(reverse("order", args=[order.public_id])).content.decode()


def press(client, order, **data):
    return client.post(reverse("order-cancel", args=[order.public_id]), data)


def test_where_the_plugin_can_it_is_offered_and_where_it_cannot_the_page_says_so(client, bought):
    assert ACT in page(client, bought)
    assert ELSEWHERE not in page(client, bought)
    bought.listing.__class__.objects.update(marketplace="mercari")
    answer = page(client, bought)
    assert ACT not in answer
    assert ELSEWHERE in answer


def test_the_first_press_asks_and_the_second_one_has_it_sent(client, bought):
    answer = press(client, bought).content.decode()
    assert "The money counts as spent until the marketplace itself shows" in answer
    assert not Cancellation.objects.exists()
    assert press(client, bought, sure="yes").status_code == 302
    assert Cancellation.objects.get().outcome == "asked"
    answer = page(client, bought)
    assert "on its way to the marketplace" in answer
    assert ACT not in answer
    assert Order.objects.get().state == State.PLACED


def test_a_second_press_changes_nothing_and_says_where_it_stands(client, bought):
    for _ in range(2):
        press(client, bought, sure="yes")
    assert Cancellation.objects.count() == 1
    assert "Nothing was changed" in page(client, bought)


def test_looking_asks_for_nothing(client, bought):
    assert client.get(reverse("order-cancel", args=[bought.public_id])).status_code == 405
    page(client, bought)
    assert not Cancellation.objects.exists()


def test_a_strangers_order_does_not_exist(client, bought, bob):
    client.force_login(bob)
    assert press(client, bought, sure="yes").status_code == 404
    assert not Cancellation.objects.exists()


def test_while_spending_is_stopped_it_is_not_offered(client, bought, alice, now):
    switching.stop(user=alice, reason="wait", now=now)
    assert ACT not in page(client, bought)
    press(client, bought, sure="yes")
    assert not Cancellation.objects.exists()


@pytest.mark.parametrize(
    ("outcome", "reason", "words"),
    [
        ("done", "", "has taken the request"),
        ("refused", "not_cancellable", "refused to cancel it: the marketplace does not let it be cancelled"),
        ("refused", "", "The marketplace refused to cancel it."),
        ("unknown", "", "Nobody knows yet"),
        ("unknown", "no_answer", "Please look at the marketplace yourself"),
        ("not_done", "", "still shows the purchase"),
        ("not_sent", "kept_back", "was not sent"),
    ],
)
def test_what_became_of_it_is_said_in_words(client, bought, now, outcome, reason, words):
    moments = {"asked_at": now, "begun_at": now, "send_deadline": now + timedelta(seconds=15)}
    fields = {"order": bought, "epoch": 1, "actor": "person", "outcome": outcome, "reason": reason}
    Cancellation.objects.create(**fields, **moments)
    answer = page(client, bought)
    assert words in answer
    assert (ACT in answer) == (outcome == "not_sent") == cancelling.can_ask(Order.objects.get())
