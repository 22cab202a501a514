"""The picture that goes with a message: fetched by us, drawn anew; never something a message waits for long."""

import asyncio

import structlog

from monitor_site.contract import MarketplaceError
from monitor_site.marketplaces.catalog import catalog
from monitor_site.marketplaces.pictures import UnreadablePicture, fetch_picture, photo

from .ways.values import Picture

log = structlog.get_logger(__name__)

SECONDS = 2.0


async def picture(url: str) -> Picture | None:
    """A listing's picture as a small JPEG, which every channel can show; ``None`` when there is none in time."""
    try:
        data = await fetch_picture(url, catalog=catalog(), deadline=SECONDS)
        return Picture(name="picture.jpg", media_type="image/jpeg", data=await asyncio.to_thread(photo, data))
    except (MarketplaceError, UnreadablePicture) as error:
        log.info("alert.without_picture", error=type(error).__name__)
        return None
