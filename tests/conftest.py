"""What every test may ask for."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import redis as redis_library
from allauth.account.internal.userkit import user_id_to_str
from django.conf import settings
from django.test import Client
from django.utils import timezone, translation
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from monitor_site.accounts.models import User
from tests import curio as curios
from tests import servers
from tests.waiting import PATIENCE_SECONDS

KEEPER = pytest.StashKey[subprocess.Popen[bytes]]()

# How long an example takes says how busy the machine is. Where the tests decide, the same ones are tried each time.
hypothesis_settings.register_profile(
    "patient",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=os.environ.get("CI") == "true",
)
hypothesis_settings.load_profile("patient")


def pytest_configure(config: pytest.Config) -> None:
    """Start PostgreSQL once for all processes of the run."""
    if os.environ.get("TEST_DATABASE") == "postgres" and not hasattr(config, "workerinput"):
        folder = Path(os.environ["TEST_ROOT"]) / "pg"
        folder.mkdir(parents=True)
        config.stash[KEEPER] = servers.start_postgres(folder)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Take away what the run has made."""
    if keeper := config.stash.get(KEEPER, None):
        servers.stop_postgres(keeper)
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ["TEST_ROOT"], ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def redis_server() -> Iterator[str]:
    """Address of this process's Redis; settings name it already."""
    process = servers.start_redis(
        port=int(os.environ["TEST_REDIS_PORT"]),
        password=os.environ["TEST_REDIS_PASSWORD"],
        folder=Path(settings.DATA_DIR),
    )
    yield settings.REDIS_URL
    servers.stop(process)


@pytest.fixture(autouse=True)
def default_language_and_zone() -> Iterator[None]:
    """What a request of one test has activated in this thread is not the next test's."""
    yield
    translation.deactivate()
    timezone.deactivate()


@pytest.fixture(autouse=True)
def fresh_sign_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whom a test signs in without a form has just come in by the front door, with whatever proves who they are."""
    came_in = Client._login

    def with_proof(self: Client, user: User, backend: str | None) -> None:
        came_in(self, user, backend)
        session = self.session
        records = [{"method": way, "at": time.time()} for way in ("password", "mfa")]
        session["account_authentication_methods"] = records
        session["account_authentication_methods_user"] = user_id_to_str(user)
        session.save()

    monkeypatch.setattr(Client, "_login", with_proof)


@pytest.fixture
def redis(redis_server: str) -> Iterator[redis_library.Redis]:
    """A client of an empty Redis; the library's own patience is a few seconds."""
    patience = {"socket_timeout": PATIENCE_SECONDS, "socket_connect_timeout": PATIENCE_SECONDS}
    with redis_library.Redis.from_url(redis_server, **patience) as client:
        client.flushall()
        yield client


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """The server goes with the run, so nobody drops databases that a thread may still use."""
    return True


@pytest.fixture(scope="session")
def django_db_modify_db_settings_xdist_suffix(request: pytest.FixtureRequest) -> None:
    """SQLite lives in a folder of the process's own and keeps its name; PostgreSQL's databases get a suffix."""
    worker = getattr(request.config, "workerinput", {}).get("workerid")
    if worker and settings.DATABASES["default"]["ENGINE"].endswith("postgresql"):
        settings.DATABASES["default"].setdefault("TEST", {})["NAME"] = f"test_{worker}"


@pytest.fixture
def child_env(db: None, redis_server: str) -> dict[str, str]:
    """Environment of a command that works on the test's own database and Redis; commit what it must see."""
    env = dict(os.environ) | {"DJANGO_SETTINGS_MODULE": "tests.settings"}
    if settings.DATABASES["default"]["ENGINE"].endswith("postgresql"):
        from django.db import connection

        base = env["DATABASE_URL"].rsplit("/", 1)[0]
        env["DATABASE_URL"] = f"{base}/{connection.settings_dict['NAME']}"
    return env


@pytest.fixture
def now() -> datetime:
    """A fixed moment."""
    return datetime(2026, 5, 1, 3, 0, tzinfo=UTC)


@pytest.fixture
def alice(db: None) -> User:
    """The person most stories are about."""
    return User.objects.create_user(username="alice", email="alice@example.com", password="alices-password")


@pytest.fixture
def bob(db: None) -> User:
    """A stranger to alice."""
    return User.objects.create_user(username="bob", email="bob@example.com", password="bobs-password")


@pytest.fixture
def curio() -> Iterator[None]:
    """The invented marketplace Curio works here too."""
    with curios.known(curios.plugin()):
        yield
