"""Redis, the promoter or the web process is lost while an order is on its way: it costs time, and nothing else."""

from datetime import UTC, datetime, timedelta

import httpx
import pytest
from django.conf import settings
from django.contrib.sessions.models import Session

from monitor_site.connections import key, lane_queue
from monitor_site.engine import jobs, upkeep, worker
from monitor_site.outbox import replay
from monitor_site.outbox import services as outbox
from monitor_site.outbox.models import OutboxRow
from monitor_site.purchasing import proposing
from monitor_site.purchasing.models import Order
from monitor_site.purchasing.moving import Overtaken
from monitor_site.purchasing.transitions import NoSuchStep, State
from monitor_site.watches import joining
from tests.faults.installation import Installation
from tests.selling.orders import again, all_holds
from tests.selling.points import PATIENT
from tests.servers import free_port, wait_for_port
from tests.waiting import PATIENCE_SECONDS, until

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

OURS = {joining.TOPIC: jobs.announce_matches, "order": jobs.advance_orders}


@pytest.fixture
def installation(desk, points, child_env):
    """Processes, none of which runs yet."""
    made = Installation(child_env | {PATIENT: "1"})
    yield made
    made.stop()


def test_an_order_comes_to_its_end_although_redis_is_emptied_between_any_two_steps(desk, clerk, redis, monkeypatch):
    monkeypatch.setattr(worker, "_clerks", [clerk])
    desk.budget()
    until_day = desk.now.date() + timedelta(days=2)
    found = desk.listed(desk.rule(policy="buy", until=until_day, confirmed_at=desk.now))
    outbox.write(topic=joining.TOPIC, object_ids=[found.pk], now=desk.now)
    for _ in range(12):
        redis.flushall()
        later = datetime.now(UTC) + timedelta(seconds=10)
        upkeep.keep_orders(later)
        replay.sweep(now=later, before=later)
        run_one(redis)
        clerk.settle(seconds=2 * PATIENCE_SECONDS)
    assert not OutboxRow.objects.filter(topic__in=OURS, done_at=None).exists()
    assert (Order.objects.get().state, len(desk.market.tries)) == (State.PLACED, 1)
    all_holds(desk.market)


def run_one(redis):
    """The first job that waits; all others are lost with Redis."""
    waiting = [job for lane in ("alerts", "express") for job in lane_queue(lane, redis).jobs]
    known = {f"{jobs.PATH}.{job.__name__}": job for job in OURS.values()}
    for job in [one for one in waiting if one.func_name in known][:1]:
        known[job.func_name](*job.args)


def test_an_order_that_waits_is_sent_by_whoever_comes_after_a_promoter_that_died(installation, desk, redis):
    installation.start("run_promoter")
    until(lambda: redis.hlen(key("promoters")), what="a promoter is heard of")
    order = desk.approved()
    installation.kill("run_promoter")
    redis.flushall()
    OutboxRow.objects.update(created_at=desk.now - timedelta(minutes=1))
    installation.start("run_promoter")
    for lane in ("upkeep", "express"):
        installation.start("rqworker", lane)
    until(lambda: again(order).state == State.PLACED, what="the order is placed")
    assert len(desk.market.tries) == 1
    all_holds(desk.market)


def test_a_web_process_that_dies_before_it_answers_an_approval_leaves_one_order_and_refuses_the_second_press(
    installation, client, desk, points
):
    desk.budget()
    order = desk.proposed()
    client.force_login(desk.user)
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    assert Session.objects.filter(pk=session).exists()
    port = free_port()
    web = installation.start("run_web", "--port", port)
    wait_for_port(port, web)
    points.arm("answering", "kill")
    with pytest.raises(httpx.TransportError), browser_of(session, port) as browser:
        pressed(browser, order)
    assert web.wait(PATIENCE_SECONDS) < 0
    assert again(order).state == State.READY
    wait_for_port(port, installation.start("run_web", "--port", port))
    with browser_of(session, port) as browser:
        assert "You have approved this already." in pressed(browser, order)
    assert (Order.objects.count(), order.history.filter(verb="approve").count()) == (1, 1)
    with pytest.raises((Overtaken, NoSuchStep)):
        proposing.approve(order=again(order), seen=order.shown, actor="person", now=desk.now)
    all_holds(desk.market)


def browser_of(session, port):
    """Somebody who is signed in already, at the real server."""
    cookies = {settings.SESSION_COOKIE_NAME: session}
    return httpx.Client(base_url=f"http://127.0.0.1:{port}", cookies=cookies, timeout=PATIENCE_SECONDS, trust_env=False)


def pressed(browser, order):
    """The press on "Approve" on the page that asks once more; what follows."""
    page = browser.get("/orders/")
    assert page.status_code == 200
    browser.headers["x-csrftoken"] = browser.cookies["csrftoken"]
    form = {"seen": order.shown, "sure": "yes"}
    return browser.post(f"/orders/{order.public_id}/approve/", data=form, follow_redirects=True).text
