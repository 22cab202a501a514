"""What Prometheus reads, who may read it, and that all of it is written down."""

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError
from django.test import Client, override_settings
from prometheus_client.parser import text_string_to_metric_families

from monitor_site import __version__
from monitor_site.askers import networks
from monitor_site.connections import key
from monitor_site.engine import worker
from monitor_site.engine.counting import totals_key
from monitor_site.engine.promoter import Promoter
from monitor_site.engine.schedule import Schedule
from monitor_site.engine.tallying import VITALS_SECONDS, jobs_key, vitals_key
from monitor_site.engine.task_log import log_key
from monitor_site.marketplaces.breaker import breaker_key
from monitor_site.ops import figures, metrics, stored
from monitor_site.outbox.models import OutboxRow
from monitor_site.watches.models import Target
from tests.engine.loads import say_load
from tests.house.source import ROOT
from tests.watches.makers import watch_of

HOUR_MS = 3_600_000

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
DOCS = (ROOT / "docs" / "metrics.md").read_text("utf-8")
TOLD = re.compile(r"\bmonitor_[a-z_]+")


@pytest.fixture(autouse=True)
def _fresh() -> None:
    figures.forget()


def read(client: Client, **extra: Any) -> dict[tuple[str, str], float]:
    """Values by name and labels."""
    answer = client.get("/metrics", **extra)
    assert answer.status_code == 200
    families = text_string_to_metric_families(answer.content.decode())
    return {
        (sample.name, ",".join(f"{k}={v}" for k, v in sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }


def test_the_schedule_its_promoters_and_its_marketplaces_are_told(client: Client, redis: Any, alice: Any) -> None:
    watch_of(alice, datetime.now(UTC))
    schedule = Schedule(redis)
    late = schedule.now_ms() - 5_000
    schedule.put(marketplace="mercari", moves=[("1", "at", late), ("2", "at", late + 90_000), ("look:3", "at", late)])
    Promoter(client=redis).beat(Schedule(redis).now_ms() + HOUR_MS)
    redis.hset(
        breaker_key("yahoo_auctions"), mapping={"state": "open", "until": 4_000_000_000_000, "reason": "blocked"}
    )
    told = read(client)
    assert told["monitor_due", "marketplace=mercari"] == 1
    assert told["monitor_overdue", "marketplace=mercari,set=searches"] == 1
    assert told["monitor_overdue", "marketplace=mercari,set=looks"] == 1
    assert 5 <= told["monitor_oldest_due_seconds", "marketplace=mercari"] < 60
    assert told["monitor_breaker_state", "marketplace=yahoo_auctions"] == 2
    assert told["monitor_promoters_alive", ""] == 1
    assert told["monitor_questions", "marketplace=mercari"] == 1
    assert told["monitor_demand_per_minute", "marketplace=mercari"] > 0


def test_what_workers_counted_becomes_counters_and_histograms(client: Client, redis: Any) -> None:
    redis.hset(totals_key(), mapping={
        "checks|mercari|search|ok": 7, "error|mercari|blocked": 2, "late|fast|0": 3, "late|fast|14": 1,
        "late_ms|fast": 40_000, "nonsense": 1, "late|fast|99": 5, "late|fast|x": 5,
    })  # fmt: skip
    told = read(client)
    assert told["monitor_checks_total", "kind=search,marketplace=mercari,outcome=ok"] == 7
    assert told["monitor_check_errors_total", "code=blocked,marketplace=mercari"] == 2
    assert told["monitor_lateness_seconds_bucket", "class=fast,le=0.001"] == 3
    assert told["monitor_lateness_seconds_count", "class=fast"] == 4
    assert told["monitor_lateness_seconds_sum", "class=fast"] == 40


def test_lanes_workers_outbox_and_machines_are_told(client: Client, redis: Any) -> None:
    worker.build(lane="express", name="express-1").register_birth()
    OutboxRow.objects.create(topic="target", object_id=1, created_at=datetime.now(UTC) - timedelta(minutes=2))
    say_load(redis, "here", level="careful")
    told = read(client)
    assert told["monitor_workers_alive", "lane=express"] == 1
    assert told["monitor_workers_alive", "lane=alerts"] == 0
    assert told["monitor_lane_oldest_seconds", "lane=express"] == 0
    assert told["monitor_outbox_open", ""] == 1
    assert told["monitor_outbox_oldest_seconds", ""] > 100
    assert told["monitor_load_level", "host=here"] == 1


def test_a_job_that_waits_has_an_age(client: Client, redis: Any) -> None:
    from monitor_site.connections import lane_queue

    job = lane_queue("alerts", redis).enqueue("monitor_site.engine.jobs.settle_targets", [1])
    redis.hset(f"rq:job:{job.id}", "enqueued_at", "2020-01-01T00:00:00.000000Z")
    told = read(client)
    assert told["monitor_lane_waiting", "lane=alerts"] == 1
    assert told["monitor_lane_oldest_seconds", "lane=alerts"] > 86_400


def test_what_nobody_knows_is_left_out_and_never_0(client: Client, redis: Any) -> None:
    names = {name for name, _ in read(client)}
    assert "monitor_last_success_timestamp_seconds" not in names
    assert "monitor_lateness_recent_seconds" not in names


def test_without_redis_it_still_answers_and_says_so(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    import redis as redis_library

    nowhere = redis_library.Redis.from_url("redis://127.0.0.1:1/0")
    monkeypatch.setattr("monitor_site.ops.scraping.redis_client", lambda: nowhere)
    told = read(client)
    assert told["monitor_redis_up", ""] == 0
    assert told["monitor_database_up", ""] == 1
    assert not [name for name, _ in told if name == "monitor_promoters_alive"]


def test_without_the_database_it_still_answers_and_says_so(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(**_: Any) -> None:
        raise DatabaseError("away")

    monkeypatch.setattr(stored, "stored", away)
    told = read(client)
    assert (told["monitor_database_up", ""], told["monitor_redis_up", ""]) == (0, 1)
    assert not [name for name, _ in told if name == "monitor_outbox_open"]


def test_two_scrapes_within_a_second_gather_once(client: Client, django_assert_num_queries: Any) -> None:
    read(client)
    with django_assert_num_queries(0):
        read(client)


def test_gathering_takes_five_queries_however_much_there_is(client: Client, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(5):
        read(client)


# ---- who may


@pytest.mark.parametrize("address", ["203.0.113.5", "", "nonsense", "10.1.2.3"])
def test_a_stranger_gets_nothing(client: Client, address: str) -> None:
    answer = client.get("/metrics", REMOTE_ADDR=address)
    assert answer.status_code == 403
    assert b"monitor_" not in answer.content


@pytest.mark.parametrize("forwarded", [{"HTTP_X_FORWARDED_FOR": "127.0.0.1"}, {"HTTP_FORWARDED": "for=127.0.0.1"}])
def test_what_comes_through_an_unknown_proxy_is_not_taken_for_this_machine(client: Client, forwarded: Any) -> None:
    assert client.get("/metrics", REMOTE_ADDR="127.0.0.1", **forwarded).status_code == 403


@override_settings(BEHIND_PROXY=True)
@pytest.mark.parametrize(
    ("forwarded", "status"),
    [("203.0.113.5", 403), ("127.0.0.1, 203.0.113.5", 403), ("203.0.113.5, 127.0.0.1", 200), ("", 200)],
)
def test_behind_our_proxy_the_last_address_counts(client: Client, forwarded: str, status: int) -> None:
    head = {"HTTP_X_FORWARDED_FOR": forwarded} if forwarded else {}
    assert client.get("/metrics", REMOTE_ADDR="127.0.0.1", **head).status_code == status


@override_settings(METRICS_NETWORKS=networks(["10.0.0.0/8"], name="METRICS_NETWORKS"))
@pytest.mark.parametrize(("address", "status"), [("10.1.2.3", 200), ("::ffff:10.1.2.3", 200), ("127.0.0.1", 403)])
def test_networks_are_named_by_a_setting(client: Client, address: str, status: int) -> None:
    assert client.get("/metrics", REMOTE_ADDR=address).status_code == status


@override_settings(METRICS_TOKEN="quite-secret", METRICS_NETWORKS=())
@pytest.mark.parametrize(
    ("header", "status"),
    [("Bearer quite-secret", 200), ("Bearer wrong", 403), ("quite-secret", 403), ("Bearer ", 403), ("Bearer é", 403)],
)
def test_a_token_opens_it_from_anywhere(client: Client, header: str, status: int) -> None:
    answer = client.get("/metrics", REMOTE_ADDR="203.0.113.5", HTTP_AUTHORIZATION=header)
    assert answer.status_code == status
    assert b"quite-secret" not in answer.content


@override_settings(METRICS_NETWORKS=())
def test_an_empty_token_opens_nothing(client: Client) -> None:
    assert client.get("/metrics", HTTP_AUTHORIZATION="Bearer ").status_code == 403


def test_networks_that_make_no_sense_stop_the_start() -> None:
    assert networks(["none"], name="X") == ()
    assert len(networks([], name="X")) == 2
    for odd in (["10.0.0.1/8"], ["everybody"], ["none", "10.0.0.0/8"]):
        with pytest.raises(ImproperlyConfigured, match="X must be networks"):
            networks(odd, name="X")


@override_settings(ALLOWED_HOSTS=["shop.example"], SECURE_SSL_REDIRECT=True)
def test_it_is_asked_by_address_and_without_tls(client: Client) -> None:
    assert client.get("/metrics", headers={"host": "10.0.0.7:8000"}).status_code == 200
    assert client.post("/metrics").status_code == 405


# ---- written down


def test_every_metric_is_documented_and_no_other(client: Client) -> None:
    documented = {
        line.split("`")[1]: line.split("|")[2].strip() for line in DOCS.splitlines() if line.startswith("| `monitor_")
    }
    assert documented == {metric.name: metric.kind for metric in metrics.METRICS}


def test_every_label_is_documented(client: Client) -> None:
    for metric in metrics.METRICS:
        line = next(line for line in DOCS.splitlines() if line.startswith(f"| `{metric.name}` |"))
        assert re.findall(r"`([a-z]+)`", line.split("|")[3]) == list(metric.labels)


def names() -> set[str]:
    told = {metric.name for metric in metrics.METRICS}
    spread = {metric.name for metric in metrics.METRICS if metric.kind == "histogram"}
    return told | {f"{name}_{end}" for name in spread for end in ("bucket", "count", "sum")}


@pytest.mark.parametrize("file", ["alerts.yml", "grafana.json"])
def test_rules_and_dashboard_ask_only_for_metrics_that_exist(file: str) -> None:
    text = (ROOT / "deploy" / file).read_text("utf-8")
    asked = set(TOLD.findall(text))
    assert len(asked) > 10
    assert asked <= names()


def test_the_dashboard_is_whole_and_each_panel_asks_for_something() -> None:
    panels = json.loads((ROOT / "deploy" / "grafana.json").read_text("utf-8"))["panels"]
    assert all(TOLD.search(target["expr"]) for panel in panels for target in panel["targets"])
    assert all(panel["targets"] for panel in panels)
    assert len({panel["id"] for panel in panels}) == len(panels)


def test_every_alert_has_a_question_a_severity_and_a_sentence() -> None:
    rules = (ROOT / "deploy" / "alerts.yml").read_text("utf-8").split("- alert: ")[1:]
    assert len(rules) > 10
    for rule in rules:
        assert re.search(r"expr: (\||.*monitor_)", rule), rule
        assert re.search(r"severity: (page|warn)", rule), rule
        assert 'summary: "' in rule


def test_the_version_is_the_projects(client: Client) -> None:
    assert f'version = "{__version__}"' in (ROOT / "pyproject.toml").read_text("utf-8")
    assert any(f"version={__version__}" in labels for name, labels in read(client) if name == "monitor_build_info")


def test_keys_that_rq_chooses_are_where_they_are_read() -> None:
    from rq import Queue
    from rq.registry import FailedJobRegistry, StartedJobRegistry
    from rq.worker import Worker

    assert Queue.redis_queue_namespace_prefix == "rq:queue:"
    assert FailedJobRegistry.key_template == "rq:failed:{0}"
    assert StartedJobRegistry.key_template == "rq:wip:{0}"
    assert Worker.redis_worker_namespace_prefix == "rq:worker:"
    assert key("promoters").endswith(":promoters")


# ---- workers, housekeeping and what is dead


def test_jobs_workers_and_housekeeping_are_told(client: Client, redis: Any, alice: Any) -> None:
    worker.build(lane="express", name="express-1").register_birth()
    redis.set(vitals_key("express-1"), json.dumps({"memory": 1000}), ex=VITALS_SECONDS + 60)
    worker.build(lane="express", name="express-2").register_birth()
    redis.set(vitals_key("express-2"), json.dumps({"memory": 1000}), ex=VITALS_SECONDS - 60)
    redis.hset(jobs_key(), mapping={"ok|alerts|deliver": 3, "failed|alerts|deliver": 1, "ms|alerts|deliver": 400})
    state = {"at": 1e9, "ms": 5, "well_at": 1e9, "failed": 2, "error": "ValueError"}
    redis.hset(log_key(), "tidy", json.dumps(state))
    told = read(client)
    assert told["monitor_jobs_total", "job=deliver,lane=alerts,outcome=failed"] == 1
    assert told["monitor_job_seconds_total", "job=deliver,lane=alerts"] == 0.4
    assert (told["monitor_workers_alive", "lane=express"], told["monitor_workers_silent", "lane=express"]) == (1, 1)
    assert told["monitor_workers_memory_bytes", "lane=express"] == 1000
    assert ("monitor_workers_memory_bytes", "lane=alerts") not in told, "unknown is not 0"
    assert told["monitor_upkeep_failures", "task=tidy"] == 2
    assert told["monitor_upkeep_last_success_timestamp_seconds", "task=tidy"] == 1e9


def test_what_is_dead_no_longer_waits(client: Client, redis: Any) -> None:
    old = datetime.now(UTC) - timedelta(hours=1)
    OutboxRow.objects.create(topic="follow", object_id=1, created_at=old, died_at=old)
    told = read(client)
    assert (told["monitor_outbox_dead", ""], told["monitor_outbox_open", ""]) == (1, 0)


def test_the_planned_load_and_the_reserve_are_told(client: Client, redis: Any, alice: Any) -> None:
    watch_of(alice, datetime.now(UTC))
    Target.objects.update(interval_seconds=30)
    told = read(client)
    assert told["monitor_planned_peak_per_second", "marketplace=mercari"] == pytest.approx(1 / 30)
    assert told["monitor_pace_reserve_per_minute", "marketplace=mercari"] > 0
    assert told["monitor_people_starved", ""] == 0
