"""The pages of orders whose outcome was in doubt, and of purchases that belong to no order."""

from datetime import timedelta

import pytest

from monitor_site.contract import Unavailable
from monitor_site.purchasing import sweeping
from monitor_site.purchasing.models import Order, Scope, Stray, Submission
from monitor_site.purchasing.moving import Because, move
from monitor_site.purchasing.transitions import State, Verb
from tests.purchasing.market import Market, account_of, known, lost
from tests.purchasing.rows import budget_of, order_of
from tests.web.test_buying import handed, pressed, proposal, shown, wide

pytestmark = pytest.mark.usefixtures("redis")
PAID = {"paid": "900", "reference": "m-1"}
WE = Because(actor="reconciler")


@pytest.fixture
def now(standing):
    return standing


@pytest.fixture
def account(alice, now):
    return account_of(alice, now=now)


@pytest.fixture
def order(alice, account, now):
    """An order that waits for its person: the answer named a purchase, and the list showed none."""
    known(account, now=now)
    market = Market(now=now + timedelta(seconds=15))
    market.sell("m-old", "t-old", at=now - timedelta(days=9))
    order = lost(alice, account, now=now)
    Submission.objects.filter(order=order).update(evidence={"transaction_id": "t-said"}, answered_at=now)
    market.run(order, until=timedelta(hours=2))
    assert (order.state, order.reason) == (State.NEEDS_HUMAN, "contradiction")
    return order


def address(order):
    return f"/orders/{order.public_id}/"


def test_while_the_marketplace_is_asked_the_page_says_so_and_offers_no_second_try(page, alice, account, now):
    order = lost(alice, account, now=now)
    words = shown(page, address(order))
    assert "Do not buy it by hand yet" in words
    assert "Asked again:" in words
    assert "It was bought" not in words
    assert "Problems 1" in shown(page, "/orders/")
    assert 'hx-trigger="every 10s"' in page.get(address(order)).content.decode()


def test_a_failed_reading_is_shown_with_its_reason(page, alice, account, now):
    order = lost(alice, account, now=now)
    Market(now=now + timedelta(seconds=15), error=Unavailable("gone")).ask(order)
    assert "No usable answer: no answer." in shown(page, address(order))


def test_nobody_says_what_became_of_an_order_while_the_marketplace_is_asked(page, alice, account, now):
    order = lost(alice, account, now=now)
    for act in ("bought", "not-bought"):
        assert "Nothing was changed" in pressed(page, order, act, **PAID, sure="yes")
        assert order.state == State.UNKNOWN


def test_who_has_to_decide_sees_both_evidences_and_two_buttons(page, order):
    words = shown(page, address(order))
    assert "What the marketplace showed contradicts itself." in words
    assert "The answer to the order named the purchase t-said." in words
    assert "Not among the purchases; an older one was there." in words
    assert "It was bought" in words
    assert "It was not bought" in words
    assert "Problems 1" in shown(page, "/orders/")


def test_it_was_bought_is_said_twice_and_booked_at_what_was_paid(page, order):
    assert "Was it bought?" in pressed(page, order, "bought", **PAID)
    assert order.state == State.NEEDS_HUMAN
    pressed(page, order, "bought", **PAID, sure="yes")
    assert (order.state, order.paid, order.reference) == (State.PLACED, 900, "m-1")
    assert set(Scope.objects.filter(measure="money").values_list("held", "spent")) == {(0, 900)}


def test_it_was_not_bought_is_said_twice_and_frees_the_money(page, order):
    assert "Was it not bought?" in pressed(page, order, "not-bought")
    assert order.state == State.NEEDS_HUMAN
    pressed(page, order, "not-bought", sure="yes")
    assert order.state == State.NOT_PLACED
    assert set(Scope.objects.values_list("held", "spent")) == {(0, 0)}


@pytest.mark.parametrize("paid", ["", "0", "soon", "-5"])
def test_a_missing_price_is_never_nought(page, order, paid):
    assert page.post(f"{address(order)}bought/", {"paid": paid, "sure": "yes"}).status_code == 422
    order.refresh_from_db()
    assert order.state == State.NEEDS_HUMAN


def test_both_buttons_pressed_at_once_count_once(page, order):
    pressed(page, order, "bought", **PAID, sure="yes")
    assert "Nothing was changed" in pressed(page, order, "not-bought", sure="yes")
    assert order.state == State.PLACED


@pytest.mark.parametrize("act", ["bought", "not-bought", "again", "seen"])
def test_a_strangers_order_does_not_exist(client, bob, order, act):
    client.force_login(bob)
    assert client.get(address(order)).status_code == 404
    assert client.post(f"{address(order)}{act}/", PAID | {"sure": "yes"}).status_code == 404
    order.refresh_from_db()
    assert order.state == State.NEEDS_HUMAN


@pytest.mark.parametrize("act", ["again", "seen"])
def test_looking_changes_nothing(page, order, act):
    assert page.get(f"{address(order)}{act}/").status_code == 405


def test_what_was_found_late_says_so_and_the_account_waits_until_somebody_has_looked(page, alice, account, now):
    order = lost(alice, account, now=now)
    move(order=order, verb=Verb.RULE_OUT, because=WE, now=now)
    move(order=order, verb=Verb.FIND_LATE, because=Because(actor="sweep", fields={"reason": "late"}), now=now)
    assert "It was given up and bought all the same." in shown(page, address(order))
    assert "The account may order again" in pressed(page, order, "seen")
    assert order.reason == ""
    assert "This site cannot cancel at the marketplace." in shown(page, address(order))


def test_q7_no_order_offers_to_be_cancelled_at_the_marketplace_as_no_plugin_can(page, alice, account, now):
    order = lost(alice, account, now=now)
    move(order=order, verb=Verb.PLACE, because=WE, now=now)
    assert "until the marketplace itself shows it cancelled" in shown(page, address(order))


def test_what_expired_is_proposed_again_at_the_price_of_now(page, watch, now):
    order = proposal(watch, now)
    move(order=order, verb=Verb.EXPIRE, because=Because(actor="clock"), now=now)
    type(order.listing).objects.update(price=1100)
    assert "Propose again for ¥1,100" in shown(page, address(order))
    words = pressed(page, order, "again")
    again = Order.objects.get(supersedes=order)
    assert (again.state, again.price) == (State.AWAITING_APPROVAL, 1100)
    assert "Buy this?" in words
    assert "It is proposed or ordered already." in pressed(page, order, "again")
    assert "Propose again" not in shown(page, address(order))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"status": "sold"}, "It is not on sale any more."),
        ({"price": None}, "Its price is not known any more."),
        ({"price": 90_000}, "It costs more now than the rule of its watch allows."),
        ({"kind": "auction"}, "It cannot be ordered as it is offered now."),
    ],
)
def test_what_cannot_be_proposed_again_says_why(page, watch, now, changes, said):
    order = proposal(watch, now)
    move(order=order, verb=Verb.EXPIRE, because=Because(actor="clock"), now=now)
    type(order.listing).objects.update(**changes)
    assert said in shown(page, address(order))
    assert said in pressed(page, order, "again")
    assert not Order.objects.filter(supersedes=order).exists()


def test_who_bought_it_after_the_time_was_over_says_so_and_it_is_booked(page, alice, watch, now):
    wide(alice, now)
    order = handed(watch, now)
    move(order=order, verb=Verb.EXPIRE, because=Because(actor="clock"), now=now)
    assert "I bought it after all" in shown(page, address(order))
    pressed(page, order, "bought", **PAID)
    assert (order.state, order.paid) == (State.LATE_PLACED, 900)
    assert order.reason == ""


def stray_of(account, now, **fields):
    standard = {"external_id": "m-by-hand", "number": "t-by-hand", "paid": 2500, "currency": "JPY"}
    return Stray.objects.create(account=account, first_seen_at=now, **standard | fields)


def test_a_purchase_that_belongs_to_no_order_is_shown_until_it_is_noted(page, account, now):
    stray = stray_of(account, now)
    words = shown(page, "/orders/")
    assert "Not ordered from here 1" in words
    assert "t-by-hand" in words
    assert "¥2,500" in words
    page.post(f"/orders/strays/{stray.pk}/noted/")
    assert "Not ordered from here" not in shown(page, "/orders/")


def test_a_purchase_without_a_price_shows_none_and_its_text_is_text(page, account, now):
    stray_of(account, now, paid=None, currency="", external_id="<b>x</b>", number="<i>1</i>")
    html = page.get("/orders/").content.decode()
    assert "&lt;b&gt;x&lt;/b&gt;" in html
    assert "<i>1</i>" not in html
    assert "¥0" not in html


def test_a_strangers_purchases_are_not_there(client, bob, account, now):
    stray = stray_of(account, now)
    client.force_login(bob)
    assert "Not ordered from here" not in client.get("/orders/").content.decode()
    assert client.post(f"/orders/strays/{stray.pk}/noted/").status_code == 404
    assert list(sweeping.strays_of(account.user)) == [stray]


def test_a_late_find_of_what_was_never_approved_stands_among_the_orders(page, alice, now):
    budget_of(alice, now=now, kind="user", total=5000)
    order = order_of(alice, now=now)
    for verb in (Verb.ASK, Verb.EXPIRE):
        move(order=order, verb=verb, because=WE, now=now)
    pressed(page, order, "bought", **PAID)
    assert order.listing.title in shown(page, "/orders/")
