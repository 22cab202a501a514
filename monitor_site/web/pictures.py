"""Thumbnails from our own address: the marketplace never learns who looks, and pictures load everywhere."""

import asyncio
import hashlib
import secrets
import time
from contextlib import suppress
from pathlib import Path
from weakref import WeakKeyDictionary

import structlog
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.signing import BadSignature, Signer
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from monitor_site.contract import MarketplaceError
from monitor_site.marketplaces.catalog import catalog
from monitor_site.marketplaces.pictures import UnreadablePicture, fetch_picture, thumbnail

log = structlog.get_logger(__name__)

SIZES = (160, 480)
SALT = "monitor_site.web.pictures"
YEAR = 365 * 24 * 3600
BLANK = settings.BASE_DIR / "static" / "ui" / "no-picture.svg"
BROKEN_SECONDS = 300
DEADLINE_SECONDS = 5.0
AT_ONCE = 2
_under_way: dict[str, asyncio.Task[None]] = {}
_gates: "WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]" = WeakKeyDictionary()


def address(url: str, *, size: int) -> str:
    """Our address of a marketplace's picture; ``size`` is one of :data:`SIZES`, in pixels of the longer side."""
    return reverse("thumb", args=[Signer(salt=SALT).sign_object(url), size])


@login_not_required
@require_safe
async def thumb(request: HttpRequest, signed: str, size: int) -> HttpResponse:  # noqa: ARG001
    """A picture that we have signed, fetched once and kept; a broken one is a quiet placeholder for five minutes.

    No sign-in: readers of feeds have none, and nobody knows an address here but from a page or feed of their own.
    """
    url = _unsigned(signed)
    if size not in SIZES:
        raise Http404
    path = _file(url, size)
    if not path.exists() and not _is_broken(url):
        await _fetched_once(url)
    try:
        content = await asyncio.to_thread(path.read_bytes)
    except OSError:
        return _answer(BLANK.read_bytes(), kind="image/svg+xml", age=BROKEN_SECONDS)
    return _answer(content, kind="image/webp", age=YEAR)


def _unsigned(signed: str) -> str:
    try:
        return str(Signer(salt=SALT).unsign_object(signed))
    except (BadSignature, ValueError) as error:
        raise Http404 from error


def _answer(content: bytes, *, kind: str, age: int) -> HttpResponse:
    forever = ", immutable" if age == YEAR else ""
    return HttpResponse(content, content_type=kind, headers={"Cache-Control": f"private, max-age={age}{forever}"})


def _file(url: str, size: int) -> Path:
    name = hashlib.sha256(url.encode()).hexdigest()
    return Path(settings.MEDIA_ROOT) / "thumb" / name[:2] / f"{name}-{size}.webp"


async def _fetched_once(url: str) -> None:
    """One download, however many ask at once; it goes on when the first asker leaves."""
    task = _under_way.get(url)
    if task is None or task.get_loop() is not asyncio.get_running_loop():
        task = asyncio.create_task(_fetch(url))
        _under_way[url] = task
        task.add_done_callback(lambda done: _forget(url, done))
    await asyncio.shield(task)


def _forget(url: str, task: asyncio.Task[None]) -> None:
    if _under_way.get(url) is task:
        del _under_way[url]
    if not task.cancelled():
        task.exception()  # whoever waited has it; nobody waiting is no reason for a warning


async def _fetch(url: str) -> None:
    """Two downloads at a time, each with an end; one that fails leaves a mark and is not tried again at once."""
    gate = _gates.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(AT_ONCE))
    async with gate:
        try:
            async with asyncio.timeout(DEADLINE_SECONDS):
                data = await fetch_picture(url, catalog=catalog())
            await asyncio.to_thread(_keep, url, data)
        except (MarketplaceError, UnreadablePicture, OSError) as error:  # a deadline is an OSError, too
            log.info("picture.unavailable", url=url, error=str(error))
            await asyncio.to_thread(_mark_broken, url)


def _keep(url: str, data: bytes) -> None:
    """Both sizes from one download."""
    for size in SIZES:
        _write(_file(url, size), thumbnail(data, size=size))


def _write(path: Path, content: bytes) -> None:
    """A file appears whole or not at all, whichever process writes it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{secrets.token_hex(8)}.part")
    part.write_bytes(content)
    part.replace(path)


def _broken_mark(url: str) -> Path:
    return _file(url, SIZES[0]).with_suffix(".broken")


def _mark_broken(url: str) -> None:
    with suppress(OSError):
        _write(_broken_mark(url), b"")


def _is_broken(url: str) -> bool:
    try:
        return time.time() - _broken_mark(url).stat().st_mtime < BROKEN_SECONDS
    except OSError:
        return False
