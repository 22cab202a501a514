"""What SQLite, PostgreSQL and Django do with two writers and a lost reply."""

import sqlite3
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import psycopg
import pytest
from django.conf import settings
from django.db import connection
from django.db.backends.sqlite3.base import DatabaseWrapper

from tests.conformance.wire import wire
from tests.waiting import PATIENCE_SECONDS

on_postgres = pytest.mark.skipif(connection.vendor != "postgresql", reason="PostgreSQL's own")
GOES_WRONG = "UPDATE purse SET spent = spent + 600"
HOLDS = "UPDATE purse SET spent = spent + 600 WHERE spent + 600 <= 1000"


@pytest.fixture
def connect(db: None) -> Iterator[Callable[..., Any]]:
    """Connections of a story's own to the test's PostgreSQL, where a purse of 1000 lies."""
    told = connection.settings_dict
    base = f"dbname={told['NAME']} user={told['USER']}"

    def opened(address: str = f"host={unquote(told['HOST'])}") -> Any:
        return psycopg.connect(f"{base} {address}")

    with closing(opened()) as first:
        first.execute("CREATE TABLE purse (spent integer)")
        first.execute("INSERT INTO purse VALUES (0)")
        first.commit()
        yield opened
        first.execute("DROP TABLE purse")
        first.commit()


@on_postgres
@pytest.mark.parametrize(("update", "spent"), [(GOES_WRONG, 1200), (HOLDS, 600)])
def test_look_then_update_overspends_and_a_conditional_update_does_not(
    connect: Callable[..., Any], update: str, spent: int
) -> None:
    """So winning is an update that changed one row, and the database repeats the limit as a constraint."""
    with closing(connect()) as one, closing(connect()) as two:
        for each in (one, two):
            assert each.execute("SELECT spent FROM purse").fetchone() == (0,)
        for each in (one, two):
            each.execute(update)
            each.commit()
        assert one.execute("SELECT spent FROM purse").fetchone() == (spent,)


@on_postgres
def test_a_lost_reply_to_commit_raises_although_the_row_is_committed(connect: Callable[..., Any]) -> None:
    """So an error at a commit says nothing: what is written again has a fence or a unique key, and is read first."""
    import socket

    def to_server() -> socket.socket:
        found = socket.socket(socket.AF_UNIX)
        found.connect(f"{unquote(connection.settings_dict['HOST'])}/.s.PGSQL.5432")
        return found

    with wire(to_server, lose=b"COMMIT") as line, closing(connect(f"host=127.0.0.1 port={line.port}")) as client:
        client.execute("UPDATE purse SET spent = 7")
        with pytest.raises(psycopg.OperationalError):
            client.commit()
    with closing(connect()) as fresh:
        assert fresh.execute("SELECT spent FROM purse").fetchone() == (7,)


@on_postgres
def test_the_embedded_server_listens_on_a_socket_of_the_file_system_only(db: None) -> None:
    """So a pooler or a proxy has to stand before it where something wants a port."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW listen_addresses")
        assert cursor.fetchone() == ("",)


def wrapper(path: Path, **options: Any) -> DatabaseWrapper:
    told = dict(settings.DATABASES["default"]) | {"ENGINE": "django.db.backends.sqlite3", "NAME": str(path)}
    told |= {"OPTIONS": {"timeout": PATIENCE_SECONDS} | options, "TIME_ZONE": None, "CONN_MAX_AGE": 0}
    told |= {"CONN_HEALTH_CHECKS": False, "AUTOCOMMIT": True, "ATOMIC_REQUESTS": False}
    return DatabaseWrapper(told, "story")


def look_and_write(database: DatabaseWrapper, between: Callable[[], None]) -> None:
    with database.cursor() as cursor:
        cursor.execute(f"BEGIN {database.transaction_mode or ''}")
        cursor.execute("SELECT spent FROM purse")
        cursor.fetchone()
        between()
        cursor.execute("UPDATE purse SET spent = spent + 1")
        cursor.execute("COMMIT")


@pytest.fixture
def purse(db: None, tmp_path: Path) -> Path:
    path = tmp_path / "purse.sqlite3"
    with closing(sqlite3.connect(path)) as first:
        first.execute("PRAGMA journal_mode=WAL")
        first.execute("CREATE TABLE purse (spent integer)")
        first.execute("INSERT INTO purse VALUES (0)")
        first.commit()
    return path


def test_a_deferred_transaction_that_looked_before_it_writes_fails_at_once(purse: Path) -> None:
    """However long it might wait. So ours are IMMEDIATE, with WAL: whoever will write waits before it looks."""
    from django.db.utils import OperationalError

    def another_writes() -> None:
        with closing(sqlite3.connect(purse)) as other:
            other.execute("UPDATE purse SET spent = 5")
            other.commit()

    database, began = wrapper(purse), time.monotonic()
    with closing(database), pytest.raises(OperationalError, match="locked"):
        look_and_write(database, another_writes)
    assert time.monotonic() - began < PATIENCE_SECONDS, "it waited"


def test_immediate_transactions_wait_for_each_other(purse: Path) -> None:
    """The same story, told with our setting."""
    done: list[int] = []

    def write(count: int) -> None:
        database = wrapper(purse, transaction_mode="IMMEDIATE")
        with closing(database):
            for _ in range(count):
                look_and_write(database, lambda: None)
                done.append(1)

    writers = [threading.Thread(target=write, args=(20,)) for _ in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    with closing(sqlite3.connect(purse)) as last:
        assert last.execute("SELECT spent FROM purse").fetchone() == (len(done),) == (80,)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite's own")
def test_our_options_for_sqlite_are_immediate_with_wal(db: None) -> None:
    """What the stories above ask for stands in the settings."""
    assert settings.DATABASES["default"]["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_one_bulky_writer_leaves_small_writes_quick_and_two_do_not(purse: Path, takes_minutes: None) -> None:
    """So one process records checks on SQLite, in fewer and larger transactions."""

    def p99(writers: int) -> float:
        stop = threading.Event()

        def bulk() -> None:
            with closing(sqlite3.connect(purse, timeout=20, isolation_level=None)) as own:
                while not stop.is_set():
                    own.execute("BEGIN IMMEDIATE")
                    own.executemany("INSERT INTO purse VALUES (?)", [(n,) for n in range(200)])
                    own.execute("COMMIT")
                    time.sleep(0.002)  # a real writer fetches something in between

        threads = [threading.Thread(target=bulk) for _ in range(writers)]
        for thread in threads:
            thread.start()
        found = []
        with closing(sqlite3.connect(purse, timeout=20, isolation_level=None)) as small:
            for _ in range(200):
                began = time.monotonic()
                small.execute("UPDATE purse SET spent = 1 WHERE rowid = 1")
                found.append(time.monotonic() - began)
                time.sleep(0.02)
        stop.set()
        for thread in threads:
            thread.join()
        return statistics.quantiles(found, n=100)[98]

    assert p99(1) < p99(2)
