"""A file for whoever helps: what runs here and how it is, without names, secrets and anything of a marketplace."""

import io
import json
import platform
import re
import zipfile
from collections.abc import Iterable
from datetime import datetime
from importlib import metadata
from typing import Any
from urllib.parse import urlsplit

import redis
from django.conf import settings
from django.db import connection

from monitor_site import __version__
from monitor_site.accounts.models import User
from monitor_site.engine.models import CheckDay, Incident, PriceDay

from . import figures, metrics, status
from .doctor import rounds

SETTINGS = (
    "LIVE", "PRODUCTION", "DEBUG", "WORKERS_MIN", "WORKERS_MAX", "LEASE_SECONDS", "DRAIN_SECONDS", "LOAD_GUARD",
    "CLOCKWORK_NICE", "CHECK_RETENTION_DAYS", "LANES", "SPENDING_STOPPED", "BEHIND_PROXY", "TIME_ZONE",
)  # fmt: skip
PACKAGES = ("django", "rq", "redis", "httpx", "selectolax", "psycopg", "uvicorn", "prometheus-client")
MOST_ROWS = 500
HIDDEN = "***"
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)+")
IN_AN_URL = re.compile(r"(?<=//)[^/@\s]+@")
SHORTEST_SECRET = 4


def bundle(client: redis.Redis, *, now: datetime) -> bytes:
    """The file as a ZIP."""
    told, hidden = io.BytesIO(), _secrets()
    with zipfile.ZipFile(told, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in _parts(client, now):
            archive.writestr(name, redacted(text, hidden))
    return told.getvalue()


def _parts(client: redis.Redis, now: datetime) -> Iterable[tuple[str, str]]:
    yield "about.json", _json(_about(now))
    yield "doctor.txt", "\n".join(rounds.lines(rounds.examine(client)))
    found = figures.gather(client)
    yield "metrics.txt", metrics.exposition(found).decode()
    if found.running is not None:
        yield "status.json", _json(status.snapshot(client, now=now))
        yield "tasks.json", _json({name: str(state) for name, state in found.running.tasks.items()})
    yield "incidents.json", _json(list(Incident.objects.order_by("-pk").values()[:MOST_ROWS]))
    yield "days-checks.json", _json(list(CheckDay.objects.order_by("-pk").values()[:MOST_ROWS]))
    yield "days-prices.json", _json(list(PriceDay.objects.order_by("-pk").values()[:MOST_ROWS]))


def _json(what: Any) -> str:
    return json.dumps(what, indent=1, default=str)


def _about(now: datetime) -> dict[str, Any]:
    return {
        "at": now.isoformat(),
        "version": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "database": connection.vendor,
        "packages": {name: metadata.version(name) for name in PACKAGES},
        "settings": {name: getattr(settings, name) for name in SETTINGS},
    }


def _secrets() -> set[str]:
    """Words that must not be in it, wherever they might come from: keys, passwords, tokens, the names of people."""
    database: Any = settings.DATABASES["default"]
    words = [settings.SECRET_KEY, *settings.SECRETS_KEYS, settings.METRICS_TOKEN, database.get("PASSWORD")]
    words += [urlsplit(settings.REDIS_URL).password]
    words += User.objects.values_list("username", flat=True)
    words += [platform.node(), str(settings.DATA_DIR)]
    return {str(word) for word in words if word and len(str(word)) >= SHORTEST_SECRET}


def redacted(text: str, hidden: Iterable[str]) -> str:
    """The text without these words, addresses of mail, and what stands before a host in a URL."""
    for word in sorted(hidden, key=len, reverse=True):
        text = text.replace(word, HIDDEN)
    return ADDRESS.sub(HIDDEN, IN_AN_URL.sub(f"{HIDDEN}@", text))
