"""The servers of the test run themselves."""

import os
import subprocess
import sys

import pytest
from django.conf import settings
from django.db import connection

from monitor_site.accounts.models import User


def test_redis_answers_at_the_address_that_settings_name(redis):
    redis.set("word", "kept")
    assert redis.get("word") == b"kept"
    assert settings.RQ_QUEUES["checks"]["URL"] == settings.REDIS_URL


@pytest.mark.django_db(transaction=True)
def test_a_command_in_a_subprocess_sees_the_rows_of_the_test(alice, child_env):
    code = (
        "import django; django.setup();"
        "from monitor_site.accounts.models import User; print(User.objects.get().username)"
    )
    out = subprocess.run([sys.executable, "-c", code], env=child_env, capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "alice"


@pytest.mark.django_db
def test_the_database_is_the_one_that_was_asked_for():
    wanted = {"postgres": "postgresql"}.get(os.environ.get("TEST_DATABASE", "sqlite"), "sqlite")
    assert connection.vendor == wanted
    assert User.objects.count() == 0


@pytest.mark.django_db
def test_sqlite_writes_ahead_and_claims_its_lock_at_once():
    if connection.vendor != "sqlite":
        pytest.skip("about SQLite")
    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    assert connection.settings_dict["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
