"""The figures of an installation."""

import json
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from monitor_site.engine.schedule import Schedule
from monitor_site.marketplaces.breaker import breaker_key, good_key
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.ops import status
from monitor_site.watches.models import Target
from monitor_site.watches.record import record
from tests.watches.makers import result, sighting, watch_of

pytestmark = pytest.mark.django_db

PROMISED = {
    "watches", "targets", "due", "leased", "overdue", "lateness_ms", "checks", "checks_failed", "missed_beats",
    "matches", "listings", "queues", "workers", "promoters", "breakers",
}  # fmt: skip


def test_the_json_holds_every_promised_figure(redis: Any) -> None:
    out = StringIO()
    call_command("status", "--json", stdout=out)
    figures = json.loads(out.getvalue())
    assert set(figures) >= PROMISED
    assert set(figures["lateness_ms"]) == {"p50", "p95", "p99", "max"}
    assert set(figures["queues"]) == {"express", "timed", "checks", "alerts", "upkeep"}
    assert figures["breakers"]["mercari"]["state"] == "closed"


def test_the_figures_count_what_is_there(alice: Any, redis: Any) -> None:
    now = datetime.now(UTC)
    watch_of(alice, now, tell_existing=True)
    target = Target.objects.get()
    schedule = Schedule(redis)
    schedule.put(marketplace="mercari", moves=[(str(target.pk), "at", schedule.now_ms() - 5_000)])
    record([result(target, [sighting(1)], at=now)], now=now)
    record([result(target, at=now + timedelta(seconds=1), error="blocked")], now=now)
    figures = status.snapshot(redis, now=now + timedelta(seconds=2))
    wanted = {"watches": 1, "targets": 1, "due": 1, "leased": 0, "overdue": 1, "checks": 2, "checks_failed": 1}
    assert {name: figures[name] for name in wanted} == wanted
    assert (figures["matches"], figures["listings"]) == (1, 1)


def test_in_words_each_marketplace_says_in_one_line_how_it_is(redis: Any, now: datetime) -> None:
    until = datetime.now(UTC) + timedelta(hours=1)
    redis.hset(breaker_key("mercari"), mapping={"state": "open", "until": 4_000_000_000_000, "reason": "blocked"})
    redis.set(good_key("yahoo_auctions"), 1_777_604_400_000)
    MarketplaceAccount.objects.create(
        marketplace="yahoo_auctions", paused_until=until, pause_reason="sign_in_needed", created_at=now, updated_at=now
    )

    call_command("status", stdout=(out := StringIO()))

    lines = {line.split()[0]: line for line in out.getvalue().splitlines() if line}
    assert "open because of blocked, until 2096-10-02 07:06:40 UTC; no success known" in lines["mercari"]
    assert "closed; its account paused because of sign_in_needed, until " in lines["yahoo_auctions"]
    assert "last success 2026-05-01 03:00:00 UTC" in lines["yahoo_auctions"]
    assert "{" not in out.getvalue()


def test_a_broken_plugin_has_its_line_too() -> None:
    figures = {"at": "now", "breakers": {}, "last_success": {}, "accounts_paused": {}, "plugins_broken": {"odd": "no"}}
    assert status.in_words(figures).splitlines()[-1] == "odd              broken: no"


def test_percentiles_of_nothing_are_unknown_and_of_one_figure_are_it() -> None:
    assert set(status.percentiles([]).values()) == {None}
    assert set(status.percentiles([7]).values()) == {7}
    assert status.percentiles(list(range(1, 101))) == {"p50": 51, "p95": 96, "p99": 100, "max": 100}


def test_without_redis_it_says_so(settings: Any, monkeypatch: pytest.MonkeyPatch, redis: Any) -> None:
    import redis as redis_library
    from django.core.management.base import CommandError

    nowhere = redis_library.Redis.from_url("redis://127.0.0.1:1/0")
    monkeypatch.setattr("monitor_site.ops.management.commands.status.redis_client", lambda: nowhere)
    with pytest.raises(CommandError, match="Redis does not answer"):
        call_command("status")


def test_a_killed_worker_is_counted_no_more_when_its_heartbeat_is_old(redis: Any) -> None:
    from monitor_site.engine import worker

    worker.build(lane="express", name="express-1").register_birth()
    assert status.snapshot(redis, now=datetime.now(UTC))["workers"] == 1
    assert status.snapshot(redis, now=datetime.now(UTC) + timedelta(minutes=2))["workers"] == 0
