"""The machine and its settings: room, folders, keys, addresses, mail, time zones."""

import ipaddress
import shutil
import tempfile
import zoneinfo
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.http.request import validate_host

from monitor_site.accounts.models import User
from monitor_site.alerts.models import Channel
from monitor_site.marketplaces.catalog import catalog
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.marketplaces.vault import BadKeys, CannotOpen, unseal

from .finding import Finding, fail, ok, warn

GIB = 2**30
LOW_BYTES, LOWEST_BYTES = GIB, GIB // 5
MAIL = "mail"


def disk() -> Iterable[Finding]:
    """A full disk stops the database."""
    free = shutil.disk_usage(settings.DATA_DIR).free
    words, advice = f"{free / GIB:.1f} GiB free for {settings.DATA_DIR}", "Make room, or lower CHECK_RETENTION_DAYS."
    if free < LOWEST_BYTES:
        yield fail("disk", words, advice)
    else:
        yield warn("disk", words, advice) if free < LOW_BYTES else ok("disk", words)


def folders() -> Iterable[Finding]:
    """The folder of pictures takes files, and nobody else reads the data."""
    media = Path(settings.MEDIA_ROOT)
    try:
        media.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=media):
            yield ok("pictures", f"{media} takes files")
    except OSError as error:
        yield fail("pictures", f"{media}: {error.strerror}", "Let the user of the web process write there.")
    if settings.DATA_DIR.stat().st_mode & 0o077:
        words = f"others on this machine may look into {settings.DATA_DIR}"
        yield warn("data folder", words, f"chmod 700 {settings.DATA_DIR}")


def secrets() -> Iterable[Finding]:
    """Every sealed row opens with the keys that are here."""
    rows = [*MarketplaceAccount.objects.exclude(sealed=""), *Channel.objects.exclude(sealed="")]
    try:
        closed = [row for row in rows if not _opens(row)]
    except BadKeys as error:
        yield fail("secrets", str(error), "Give this machine the same SECRETS_KEYS as the others.")
        return
    if closed:
        words = f"{len(closed)} of {len(rows)} sealed rows do not open: {', '.join(map(_name, closed[:3]))}"
        yield fail("secrets", words, "Put the key they were sealed with behind the first in SECRETS_KEYS.")
    else:
        yield ok("secrets", f"{len(rows)} sealed rows open")


def _opens(row: MarketplaceAccount | Channel) -> bool:
    try:
        unseal(row.sealed, identity=row.identity)
    except CannotOpen:
        return False
    return True


def _name(row: MarketplaceAccount | Channel) -> str:
    return f"{type(row).__name__} {row.pk}"


def site_url() -> Iterable[Finding]:
    """Links in messages lead to people, not to themselves."""
    url, host = settings.SITE_URL, urlsplit(settings.SITE_URL).hostname or ""
    if _is_here(host) and (settings.LIVE or settings.PRODUCTION):
        yield warn("site address", f"{url} is this machine alone", "Set SITE_URL to where people reach the pages.")
    elif not _is_here(host) and not url.startswith("https://"):
        yield warn("site address", f"{url} is not encrypted", "Serve the pages over HTTPS and say so in SITE_URL.")
    elif not validate_host(host, settings.ALLOWED_HOSTS):
        yield fail("site address", f"{url} is not in ALLOWED_HOSTS", f"Add {host} to ALLOWED_HOSTS.")
    else:
        yield ok("site address", url)
    if settings.DEBUG and not _is_here(host):
        yield fail("debug", "DEBUG is on", "Switch it off: it shows the inside of the site to everybody.")


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def mail() -> Iterable[Finding]:
    """Channels that send mail need a server and a sender."""
    channels = Channel.objects.usable().filter(kind=MAIL).count()
    known = bool(getattr(settings, "EMAIL_URL", "") and getattr(settings, "EMAIL_FROM", ""))
    if known:
        yield ok("mail", "a server and a sender are set")
    elif channels:
        yield fail("mail", f"{channels} channels send mail, and no server is set", "Set EMAIL_URL and EMAIL_FROM.")
    else:
        yield ok("mail", "not set up, and no channel needs it")


def time_zones() -> Iterable[Finding]:
    """The data of the zones that people and marketplaces live in."""
    wanted = {"UTC", *User.objects.values_list("time_zone", flat=True).distinct()}
    wanted |= {plugin.manifest.time_zone for plugin in catalog().plugins.values()}
    unknown = sorted(name for name in wanted if not _is_known(name))
    if unknown:
        yield fail("time zones", f"unknown here: {', '.join(unknown)}", "Install the system's tzdata.")
    else:
        yield ok("time zones", ", ".join(sorted(wanted)))


def _is_known(name: str) -> bool:
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True
