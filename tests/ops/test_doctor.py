"""What is wrong with an installation, one line each."""

import json
import shutil
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
import redis as redis_library
import time_machine
from cryptography.fernet import Fernet
from django.core.management import call_command
from django.db import connection

from monitor_site.alerts.models import Channel
from monitor_site.connections import key
from monitor_site.engine import settling, worker
from monitor_site.engine.promoter import Promoter
from monitor_site.engine.schedule import Schedule
from monitor_site.engine.tallying import VITALS_SECONDS, vitals_key
from monitor_site.engine.task_log import log_key
from monitor_site.marketplaces.breaker import breaker_key
from monitor_site.marketplaces.catalog import Catalog
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.marketplaces.vault import seal
from monitor_site.ops import figures, stored
from monitor_site.ops.doctor import database_checks, engine_checks, redis_checks, rounds, site_checks
from monitor_site.ops.doctor.finding import Finding
from monitor_site.outbox.models import OutboxRow
from monitor_site.watches.models import Target
from monitor_site.watches.record import record
from tests.engine.loads import say_load
from tests.watches.makers import result, watch_of

pytestmark = pytest.mark.django_db

HOUR_MS = 3_600_000


def levels(findings: Iterable[Finding]) -> list[str]:
    return [finding.level for finding in findings]


def now_in(redis: Any) -> figures.Running:
    return figures.running(redis)


@pytest.fixture
def well(redis: Any, settings: Any) -> Any:
    """An installation with a promoter, a worker for each lane and a complete schedule."""
    settings.PRACTICE_MARKETS = dict.fromkeys(("mercari", "yahoo_auctions"), "http://127.0.0.1:9")
    settings.DATA_DIR.chmod(0o700)
    for lane in settings.LANES:
        worker.build(lane=lane, name=f"{lane}-1").register_birth()
    Promoter(client=redis).beat(Schedule(redis).now_ms() + HOUR_MS)
    settling.rebuild(Schedule(redis))
    return redis


# ---- the command


def doctor(*options: str) -> tuple[str, int]:
    out = StringIO()
    try:
        call_command("doctor", *options, stdout=out)
    except SystemExit as end:
        return out.getvalue(), int(end.code or 0)
    return out.getvalue(), 0


def test_a_sound_installation_has_nothing_that_fails_and_ends_with_0(well: Any) -> None:
    text, code = doctor()
    assert code == 0, text
    assert not [line for line in text.splitlines() if line.startswith("fail")]
    for name in ("redis", "database", "migrations", "promoter", "workers", "schedule", "disk", "secrets", "kind"):
        assert any(line.split()[1] == name for line in text.splitlines()), name


def test_what_fails_ends_with_1_and_each_line_says_what_to_do(redis: Any) -> None:
    text, code = doctor()
    assert code == 1
    assert "fail promoter" in text
    assert "Start one: manage.py run_promoter." in text


def test_programs_get_json(well: Any) -> None:
    found = json.loads(doctor("--json")[0])
    assert {"level", "name", "words", "advice"} == set(found[0])


def test_without_redis_it_looks_at_the_rest_all_the_same() -> None:
    nowhere = redis_library.Redis.from_url("redis://127.0.0.1:1/0")
    found = {one.name: one.level for one in rounds.examine(nowhere)}
    assert found["redis"] == "fail"
    assert found["migrations"] == "ok"
    assert "promoter" not in found


def test_a_check_that_breaks_is_a_finding_and_stops_no_other(well: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Any:
        raise RuntimeError("no idea\nat all")

    broken.__name__ = "disk"
    monkeypatch.setattr(site_checks, "disk", broken)
    found = {one.name: one for one in rounds.examine(well)}
    assert found["disk"].words == "could not be looked at: no idea"
    assert found["plugins"].level == "ok"


# ---- Redis


def test_a_slow_redis_is_a_warning(redis: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert levels(redis_checks.reachable(redis))[0] in {"ok", "warn"}
    monkeypatch.setattr(redis_checks, "_ping_ms", lambda client: 2.5)
    assert levels(redis_checks.reachable(redis)) == ["warn"]
    monkeypatch.setattr(redis_checks, "_ping_ms", lambda client: 1.9)
    assert levels(redis_checks.reachable(redis)) == ["ok"]


def test_a_real_server_that_evicts_is_noticed(redis: Any) -> None:
    assert levels(redis_checks.eviction(redis.info())) == ["ok"]
    redis.config_set("maxmemory-policy", "allkeys-lru")
    try:
        assert levels(redis_checks.eviction(redis.info())) == ["warn"]
    finally:
        redis.config_set("maxmemory-policy", "noeviction")


INFOS = [
    (redis_checks.version, {"redis_version": "5.0.7"}, "fail"),
    (redis_checks.version, {"redis_version": "6.2.1"}, "warn"),
    (redis_checks.version, {"redis_version": "7.2.4", "valkey_version": "9.1.0"}, "ok"),
    (redis_checks.version, {}, "warn"),
    (redis_checks.eviction, {}, "warn"),
    (redis_checks.memory, {"used_memory": 95, "maxmemory": 100}, "warn"),
    (redis_checks.memory, {"used_memory": 95, "maxmemory": 0}, "ok"),
    (redis_checks.memory, {}, "ok"),
    (redis_checks.persistence, {"rdb_last_bgsave_status": "err"}, "fail"),
    (redis_checks.persistence, {"loading": 1}, "warn"),
    (redis_checks.persistence, {"aof_enabled": 1}, "ok"),
    (redis_checks.persistence, {}, "ok"),
]


@pytest.mark.parametrize(("check", "info", "level"), INFOS)
def test_what_a_server_tells_of_itself_is_judged(check: Any, info: Any, level: str) -> None:
    assert levels(check(info)) == [level]


# ---- database and clocks


def test_the_database_of_the_tests_is_set_up_as_it_must_be(settings: Any) -> None:
    assert levels(database_checks.reachable())[0] in {"ok", "warn"}
    assert set(levels(database_checks.set_up())) == {"ok"}


@pytest.mark.parametrize(("mode", "wait", "found"), [("delete", 20_000, ["fail"]), ("wal", 0, ["ok", "fail"])])
def test_sqlite_without_its_options_fails(
    mode: str, wait: int, found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_checks, "_asked", lambda question: mode if "journal" in question else str(wait))
    assert levels(database_checks._sqlite()) == found


def test_an_old_and_full_postgresql_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {"server_version_num": "130005", "max_connections": "10", "pg_stat": "9"}
    monkeypatch.setattr(database_checks, "_asked", lambda ask: next(v for k, v in answers.items() if k in ask))
    monkeypatch.setitem(connection.settings_dict, "OPTIONS", {"prepare_threshold": 5})
    assert levels(database_checks._postgres()) == ["fail", "warn", "warn"]


def test_a_missing_migration_fails_and_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert levels(database_checks.migrations()) == ["ok"]
    missing = SimpleNamespace(app_label="watches", name="0099_more")
    executor = SimpleNamespace(
        loader=SimpleNamespace(graph=SimpleNamespace(leaf_nodes=list)), migration_plan=lambda _: [(missing, False)]
    )
    monkeypatch.setattr(database_checks, "MigrationExecutor", lambda _: executor)
    (found,) = database_checks.migrations()
    assert (found.level, found.advice) == ("fail", "Run manage.py migrate.")
    assert "watches.0099_more" in found.words


def test_clocks_that_agree_are_well(redis: Any) -> None:
    assert set(levels(database_checks.clocks(redis))) == {"ok"}
    assert len(list(database_checks.clocks(redis))) == (2 if connection.vendor == "postgresql" else 1)


@pytest.mark.parametrize(("ahead", "level"), [(0.2, "ok"), (2, "warn"), (-2, "warn"), (600, "fail"), (-600, "fail")])
def test_a_clock_that_goes_wrong_is_noticed(now: datetime, ahead: float, level: str) -> None:
    with time_machine.travel(now, tick=False):
        assert database_checks._skew("clock", lambda: now.timestamp() + ahead).level == level


def test_an_answer_that_was_long_on_its_way_is_no_wrong_clock(now: datetime) -> None:
    def read() -> float:
        travelling.shift(20)
        there = datetime.now(UTC).timestamp()
        travelling.shift(20)
        return there

    with time_machine.travel(now, tick=False) as travelling:
        assert database_checks._skew("clock", read).level == "ok"


# ---- the engine


def test_a_promoter_that_has_fallen_silent_is_missing(redis: Any) -> None:
    assert levels(engine_checks.promoters(now_in(redis))) == ["fail"]
    old = redis.time()[0] * 1000 - 6_000
    redis.hset(key("promoters"), "gone", f"{old}|{old}|host")
    assert levels(engine_checks.promoters(now_in(redis))) == ["fail"]
    Promoter(client=redis).beat(Schedule(redis).now_ms() + HOUR_MS)
    assert levels(engine_checks.promoters(now_in(redis))) == ["ok"]


def test_a_lane_without_a_worker_is_named(well: Any, redis: Any) -> None:
    assert levels(engine_checks.workers(now_in(redis))) == ["ok"]
    redis.delete("rq:worker:alerts-1")
    (found,) = engine_checks.workers(now_in(redis))
    assert (found.level, found.words) == ("fail", "none for alerts")


def test_a_schedule_that_is_not_built_fails_and_one_with_holes_warns(alice: Any, well: Any) -> None:
    watch_of(alice, datetime.now(UTC))
    settling.rebuild(Schedule(well))
    assert levels(engine_checks.schedule(well, now_in(well))) == ["ok"]
    well.zrem(key("due", "mercari"), str(Target.objects.searches().get().pk))
    (found,) = engine_checks.schedule(well, now_in(well))
    assert (found.level, found.words) == ("warn", "1 active questions are missing")
    well.delete(key("built"))
    assert levels(engine_checks.schedule(well, now_in(well))) == ["fail"]


@pytest.mark.parametrize(("late_ms", "level"), [(-HOUR_MS, "ok"), (2_000, "warn"), (31_000, "fail")])
def test_late_searches_are_judged_by_their_age(redis: Any, late_ms: int, level: str) -> None:
    schedule = Schedule(redis)
    schedule.put(marketplace="mercari", moves=[("1", "at", schedule.now_ms() - late_ms)])
    assert levels(engine_checks.overdue(now_in(redis))) == [level]


def test_what_is_late_where_nobody_may_ask_is_told_by_the_breaker_alone(redis: Any) -> None:
    schedule = Schedule(redis)
    schedule.put(marketplace="mercari", moves=[("1", "at", schedule.now_ms() - 60_000)])
    stopped = {"state": "open", "until": 4_000_000_000_000, "reason": "blocked"}
    redis.hset(breaker_key("mercari"), mapping=stopped)
    now = now_in(redis)
    assert levels(engine_checks.overdue(now)) == ["ok"]
    (found,) = engine_checks.breakers(now)
    assert found.level == "warn"
    assert "mercari is open: blocked" in found.words


def test_more_questions_than_the_pace_allows_are_a_warning(alice: Any, redis: Any, settings: Any) -> None:
    watch_of(alice, datetime.now(UTC))
    kept = stored.stored(now=datetime.now(UTC))
    assert list(engine_checks.demand(now_in(redis), kept)) == []
    settings.PRACTICE_MARKETS = {"mercari": "http://127.0.0.1:9"}
    settings.PRACTICE_PACE_PER_MINUTE = 1
    Target.objects.update(interval_seconds=1)
    assert levels(engine_checks.demand(now_in(redis), stored.stored(now=datetime.now(UTC)))) == ["warn"]


def test_a_busy_machine_and_a_late_consequence_and_a_quarantine_are_told(alice: Any, redis: Any) -> None:
    watch_of(alice, datetime.now(UTC))
    say_load(redis, "attic", level="shedding")
    assert [one.words[:17] for one in engine_checks.load(now_in(redis))] == ["attic is shedding"]
    OutboxRow.objects.update(created_at=datetime.now(UTC) - timedelta(minutes=5))
    Target.objects.update(quarantined_at=datetime.now(UTC), active=False)
    kept = stored.stored(now=datetime.now(UTC))
    assert [one.name for one in engine_checks.outbox(now_in(redis), kept) if one.level == "warn"] == [
        "outbox", "quarantine",
    ]  # fmt: skip


def test_plugins_that_do_not_work_fail_and_the_kind_of_installation_is_told(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.PRACTICE_MARKETS = {}
    assert [(one.name, one.level) for one in engine_checks.plugins()] == [("plugins", "ok"), ("kind", "warn")]
    settings.LIVE = True
    assert [one.words for one in engine_checks.plugins()][1].startswith("live")
    broken = Catalog(plugins=MappingProxyType({}), broken=MappingProxyType({"odd": "ImportError"}))
    monkeypatch.setattr(engine_checks, "catalog", lambda: broken)
    assert [(one.name, one.level) for one in engine_checks.plugins()] == [("plugin", "fail"), ("plugins", "fail")]


# ---- machine and settings


@pytest.mark.parametrize(("free", "level"), [(5 * 2**30, "ok"), (2**29, "warn"), (2**20, "fail")])
def test_a_disk_that_fills_up_is_noticed(free: int, level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    assert levels(site_checks.disk()) == [level]


def test_a_folder_of_pictures_that_takes_no_files_fails(tmp_path: Path, settings: Any) -> None:
    settings.DATA_DIR.chmod(0o700)
    settings.MEDIA_ROOT = tmp_path / "media"
    assert levels(site_checks.folders()) == ["ok"]
    (tmp_path / "file").write_text("")
    settings.MEDIA_ROOT = tmp_path / "file" / "media"
    assert levels(site_checks.folders()) == ["fail"]


def test_a_data_folder_that_others_may_read_is_a_warning(tmp_path: Path, settings: Any) -> None:
    tmp_path.chmod(0o755)
    settings.DATA_DIR, settings.MEDIA_ROOT = tmp_path, tmp_path / "media"
    assert levels(site_checks.folders()) == ["ok", "warn"]


def test_every_sealed_row_must_open_and_no_secret_is_shown(alice: Any, settings: Any, now: datetime) -> None:
    settings.SECRETS_KEYS = [Fernet.generate_key().decode()]
    account = MarketplaceAccount.objects.create(marketplace="mercari", created_at=now, updated_at=now)
    channel = Channel.objects.create(user=alice, kind="ntfy", name="n", created_at=now, updated_at=now)
    for row in (account, channel):
        row.sealed = seal({"token": "canary"}, identity=row.identity)
        row.save()
    assert levels(site_checks.secrets()) == ["ok"]
    Channel.objects.update(sealed=account.sealed)
    (found,) = site_checks.secrets()
    assert (found.level, found.words) == ("fail", f"1 of 2 sealed rows do not open: Channel {channel.pk}")
    settings.SECRETS_KEYS = [Fernet.generate_key().decode()]
    assert "2 of 2" in next(iter(site_checks.secrets())).words
    settings.SECRETS_KEYS = []
    assert levels(site_checks.secrets()) == ["fail"]


ADDRESSES = [
    ({"SITE_URL": "http://127.0.0.1:8000"}, ["ok"]),
    ({"SITE_URL": "http://127.0.0.1:8000", "LIVE": True}, ["warn"]),
    ({"SITE_URL": "http://localhost:8000", "PRODUCTION": True}, ["warn"]),
    ({"SITE_URL": "http://monitor.example.com"}, ["warn"]),
    ({"SITE_URL": "https://monitor.example.com", "ALLOWED_HOSTS": ["other.example.com"]}, ["fail"]),
    ({"SITE_URL": "https://monitor.example.com", "ALLOWED_HOSTS": [".example.com"]}, ["ok"]),
    ({"SITE_URL": "https://monitor.example.com", "DEBUG": True}, ["ok", "fail"]),
]


@pytest.mark.parametrize(("given", "found"), ADDRESSES)
def test_the_address_of_the_site_makes_sense(given: dict[str, Any], found: list[str], settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    for name, value in given.items():
        setattr(settings, name, value)
    assert levels(site_checks.site_url()) == found


def test_channels_that_send_mail_need_a_server(alice: Any, settings: Any, now: datetime) -> None:
    settings.EMAIL_URL = settings.EMAIL_FROM = ""
    assert levels(site_checks.mail()) == ["ok"]
    Channel.objects.create(user=alice, kind="mail", name="m", created_at=now, updated_at=now)
    assert levels(site_checks.mail()) == ["fail"]
    settings.EMAIL_URL, settings.EMAIL_FROM = "smtp://mail.example.com", "monitor@example.com"
    assert levels(site_checks.mail()) == ["ok"]


def test_a_time_zone_that_is_unknown_here_fails(alice: Any) -> None:
    assert levels(site_checks.time_zones()) == ["ok"]
    type(alice).objects.update(time_zone="Mars/Olympus")
    (found,) = site_checks.time_zones()
    assert (found.level, found.words) == ("fail", "unknown here: Mars/Olympus")


# ---- housekeeping, dead jobs, odd workers


def test_failing_housekeeping_is_named_with_its_error(well: Any) -> None:
    assert levels(engine_checks.upkeep(now_in(well))) == ["ok"]
    state = {"at": 1e9, "ms": 5, "well_at": None, "failed": 3, "error": "ValueError"}
    well.hset(log_key(), "tidy", json.dumps(state))
    [finding] = engine_checks.upkeep(now_in(well))
    assert (finding.level, finding.words) == ("warn", "tidy failed 3 times in a row with ValueError")


def test_days_that_nobody_sums_are_told(well: Any, alice: Any) -> None:
    assert levels(engine_checks.roll_up()) == ["ok"]
    watch_of(alice, datetime.now(UTC) - timedelta(days=9))
    at = datetime.now(UTC) - timedelta(days=8)
    record([result(Target.objects.get(), at=at)], now=at)
    assert levels(engine_checks.roll_up()) == ["warn"]


def test_dead_jobs_and_a_pause_are_told(well: Any) -> None:
    now = datetime.now(UTC)
    OutboxRow.objects.create(topic="follow", object_id=1, created_at=now, died_at=now)
    found = engine_checks.outbox(now_in(well), stored.stored(now=now))
    assert [one.words for one in found if one.name == "dead jobs"] == [
        "1 facts are dead, since their jobs failed too often (follow)"
    ]
    well.hset(breaker_key("mercari"), mapping={"state": "open", "until": 9_999_999_999_999, "reason": "paused"})
    [finding] = engine_checks.breakers(now_in(well))
    assert finding.words == "mercari is paused by an operator"


def test_a_silent_worker_and_two_versions_at_once_are_told(well: Any) -> None:
    def beat(name: str, version: str, seconds: int = VITALS_SECONDS + 60) -> None:
        well.set(vitals_key(name), json.dumps({"version": version}), ex=seconds)

    beat("express-1", "1.0")
    beat("alerts-1", "1.1")
    beat("timed-1", "1.1", VITALS_SECONDS - 60)
    found = {one.name: one.words for one in engine_checks.workers(now_in(well)) if one.level == "warn"}
    assert found == {"silent workers": "timed-1", "versions": "workers of 1.0 and 1.1 run"}
