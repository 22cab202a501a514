"""The database: there, set up as it must be, migrated; and all clocks agree."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from monitor_site.ops.stored import round_trip_ms

from .finding import Finding, fail, ok, warn

SLOW_MS = 20.0
OLDEST_POSTGRES = 14
SKEW_WARN, SKEW_FAIL = 1.0, 10.0
CONNECTIONS_FULL = 0.8


def reachable() -> Iterable[Finding]:
    """It answers."""
    try:
        took = round_trip_ms()
    except DatabaseError as error:
        words = f"does not answer: {str(error).strip().splitlines()[0]}"
        yield fail("database", words, "Start it, or correct DATABASE_URL; nothing is recorded without it.")
        return
    words = f"{connection.vendor} answers in {took:.2f} ms"
    if took > SLOW_MS:
        yield warn("database", words, "Bring database, web and workers closer to each other.")
    else:
        yield ok("database", words)


def set_up() -> Iterable[Finding]:
    """Whatever is particular to the kind of database."""
    return _sqlite() if connection.vendor == "sqlite" else _postgres()


def _asked(question: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(question)
        return str(cursor.fetchone()[0])


def _sqlite() -> Iterable[Finding]:
    mode, wait = _asked("PRAGMA journal_mode"), int(_asked("PRAGMA busy_timeout"))
    if mode != "wal":
        yield fail("sqlite journal", mode, "It must be WAL: keep the database on a local disk.")
    else:
        yield ok("sqlite journal", "WAL")
    if wait < 5_000:
        yield fail("sqlite waiting", f"{wait} ms", "Writers must wait: leave the options of settings.py.")
    if settings.PRODUCTION:
        yield warn("sqlite", "in production", "SQLite is for one machine and one checks worker; PostgreSQL bears more.")


def _postgres() -> Iterable[Finding]:
    version = int(_asked("SHOW server_version_num")) // 10_000
    if version < OLDEST_POSTGRES:
        yield fail("postgresql version", str(version), f"Use PostgreSQL {OLDEST_POSTGRES} or newer.")
    else:
        yield ok("postgresql version", str(version))
    yield _pooler()
    most = int(_asked("SHOW max_connections"))
    used = int(_asked("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"))
    words = f"{used} of {most} connections used"
    if used > CONNECTIONS_FULL * most:
        yield warn("postgresql connections", words, "Put pgbouncer before it, or raise max_connections.")
    else:
        yield ok("postgresql connections", words)


def _pooler() -> Finding:
    """Options in DATABASE_URL may have brought session state back."""
    options = connection.settings_dict
    if options.get("DISABLE_SERVER_SIDE_CURSORS") and options.get("OPTIONS", {}).get("prepare_threshold", 5) is None:
        return ok("postgresql pooler", "no session state is relied on, so a transaction pooler may stand before it")
    return warn("postgresql pooler", "prepared statements or cursors are kept", "Remove options from DATABASE_URL.")


def migrations() -> Iterable[Finding]:
    """The tables are those of this release."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if plan:
        names = ", ".join(f"{migration.app_label}.{migration.name}" for migration, _ in plan[:3])
        yield fail("migrations", f"{len(plan)} missing: {names}", "Run manage.py migrate.")
    else:
        yield ok("migrations", "all applied")


def clocks(client: redis.Redis) -> Iterable[Finding]:
    """Redis' time is the schedule's clock; RQ and records read this machine's and the database's."""
    yield _skew("clock of redis", lambda: _redis_clock(client))
    if connection.vendor == "postgresql":
        yield _skew("clock of the database", _database_clock)


def _redis_clock(client: redis.Redis) -> float:
    seconds, micros = client.time()
    return seconds + micros / 1_000_000


def _database_clock() -> float:
    return float(_asked("SELECT extract(epoch FROM clock_timestamp())"))


def _skew(name: str, read: Callable[[], float]) -> Finding:
    """What the answer took on its way is no skew: between asking and hearing it, any moment is right."""
    asked = datetime.now(UTC).timestamp()
    there = read()
    heard = datetime.now(UTC).timestamp()
    ahead = there - min(max(there, asked), heard)
    words = f"{abs(ahead):.1f} s {'ahead of' if ahead > 0 else 'behind'} this machine's"
    advice = "Let all machines keep their time by NTP (timedatectl set-ntp true)."
    if abs(ahead) > SKEW_FAIL:
        return fail(name, words, advice)
    return warn(name, words, advice) if abs(ahead) > SKEW_WARN else ok(name, "agrees with this machine's")
