"""The product's settings on servers of the test run's own.

``TEST_DATABASE`` is ``sqlite`` (default) or ``postgres``. Each process of a parallel run has a folder and a Redis of
its own; PostgreSQL is shared, with one database for each. Commands that tests start inherit all of it.
"""

import os
import secrets
import sys
import tempfile
from pathlib import Path

from tests.servers import free_port, postgres_url


def claim() -> None:
    """Choose folder, addresses and options once in each test process; its children find them chosen."""
    owner = os.environ.get("PYTEST_XDIST_WORKER", "main")
    if os.environ.get("TEST_OWNER") == owner:
        return
    root = Path(os.environ.get("TEST_ROOT") or tempfile.mkdtemp(prefix="monitor-test-"))
    own = root / owner
    (own / "static").mkdir(parents=True, exist_ok=True)
    switches = ("LIVE", "PRODUCTION", "DEBUG", "PORT", "SITE_URL", "METRICS_NETWORKS", "METRICS_TOKEN")
    alerts = ("ALERT_NETWORKS", "EMAIL_URL", "EMAIL_FROM", "VAPID_PRIVATE_KEY")
    for name in (*switches, *alerts, "PRACTICE_MARKETS", "PROXIES", "SECRETS_KEYS", "STATIC_ROOT", "DATABASE_URL"):
        os.environ.pop(name, None)
    os.environ |= {
        "TEST_OWNER": owner,
        "TEST_ROOT": str(root),
        "TEST_REDIS_PORT": str(port := free_port()),
        "TEST_REDIS_PASSWORD": (password := secrets.token_hex(8)),
        "REDIS_URL": f"redis://:{password}@127.0.0.1:{port}/0",
        "DATA_DIR": str(own),
        "SECRET_KEY": "only-for-tests-" + "x" * 40,
        "DEMO": "0",
        "LOAD_GUARD": "0",  # a busy machine must not change what a test sees
        "CLOCKWORK_NICE": "0",  # nor must the tests beside it starve a worker
        "LOG_LEVEL": "WARNING",
    }
    if os.environ.get("TEST_DATABASE") == "postgres":
        os.environ["DATABASE_URL"] = postgres_url(root / "pg")


claim()
sys.modules.pop("monitor_site.settings", None)

from monitor_site.settings import *  # noqa: E402, F403
from monitor_site.settings import DATA_DIR, DATABASES, MIDDLEWARE, STORAGES  # noqa: E402
from tests.selling.points import VARIABLE, hit  # noqa: E402

FAULTPOINT = hit
if VARIABLE in os.environ:
    MIDDLEWARE = ["tests.selling.points.before_answering", *MIDDLEWARE]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = STORAGES | {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # A file, since threads and processes of a test share it; the name that commands in subprocesses use, too.
    DATABASES["default"]["TEST"] = {"NAME": str(DATA_DIR / "db.sqlite3")}
else:
    DATABASES["default"]["CONN_MAX_AGE"] = 0
