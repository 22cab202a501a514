"""Thumbnails from our own address: the marketplace never learns who looks, and pictures load everywhere."""

import asyncio
import hashlib
from pathlib import Path

import structlog
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.signing import BadSignature, Signer
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_GET

from monitor_site.contract import MarketplaceError
from monitor_site.marketplaces.catalog import catalog
from monitor_site.marketplaces.pictures import UnreadablePicture, fetch_picture, thumbnail

log = structlog.get_logger(__name__)

SIZES = (160, 480)
SALT = "monitor_site.web.pictures"
YEAR = 365 * 24 * 3600
BLANK = settings.BASE_DIR / "static" / "ui" / "no-picture.svg"
_under_way: dict[str, asyncio.Task[None]] = {}


def address(url: str, *, size: int) -> str:
    """Our address of a marketplace's picture; ``size`` is one of :data:`SIZES`, in pixels of the longer side."""
    return reverse("thumb", args=[Signer(salt=SALT).sign_object(url), size])


@login_required
@require_GET
async def thumb(request: HttpRequest, signed: str, size: int) -> HttpResponse:  # noqa: ARG001
    """A picture that we have signed, fetched once and kept; a broken one is a quiet placeholder for five minutes."""
    url = _unsigned(signed)
    if size not in SIZES:
        raise Http404
    path = _file(url, size)
    try:
        if not path.exists():
            await _fetched_once(url)
        content = await asyncio.to_thread(path.read_bytes)
    except (MarketplaceError, UnreadablePicture, OSError) as error:
        log.info("picture.unavailable", url=url, error=str(error))
        return _answer(BLANK.read_bytes(), kind="image/svg+xml", age=300)
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
    data = await fetch_picture(url, catalog=catalog())
    await asyncio.to_thread(_keep, url, data)


def _keep(url: str, data: bytes) -> None:
    """Both sizes from one download; a file appears whole or not at all."""
    for size in SIZES:
        path = _file(url, size)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.write_bytes(thumbnail(data, size=size))
        part.replace(path)
