"""Rates of exchange, asked for once a day at an address of the operator's choice; off without one."""

import asyncio
from datetime import datetime

import httpx
import structlog
from django.conf import settings

from monitor_site.accounts.exchange_rates import rates_in, take_rates
from monitor_site.alerts.ways.addresses import BadAddress, read_address
from monitor_site.alerts.ways.guard import networks_now, site_names
from monitor_site.alerts.ways.posting import guarded_client
from monitor_site.second_currency import BadRate

log = structlog.get_logger(__name__)

SECONDS = 24 * 3600
DEADLINE_SECONDS = 20.0
LARGEST = 256 * 1024


def is_wanted(_now: datetime) -> bool:
    """The operator has named an address."""
    return bool(settings.EXCHANGE_RATES_URL)


def load_rates(now: datetime) -> None:
    """Keep what the address answers; what cannot be had or read leaves the last rates. Raises ``BadRate``."""
    source, body = asyncio.run(_asked(str(settings.EXCHANGE_RATES_URL)))
    taken = take_rates(rates=rates_in(body, source=source, now=now), now=now)
    log.info("rates.loaded", source=source, taken=taken)


async def _asked(url: str) -> tuple[str, bytes]:
    """The host and what it answers. The address itself is told nowhere: it may hold a key."""
    try:
        place = read_address(url)
        if place.host in site_names():
            raise BadRate("EXCHANGE_RATES_URL is an address of this site itself.")
        async with asyncio.timeout(DEADLINE_SECONDS), guarded_client(networks_now()) as client:
            return place.host, await _body(client, place.url, place.host)
    except BadAddress:
        raise BadRate("EXCHANGE_RATES_URL is no address that can be asked.") from None
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
        raise BadRate(f"EXCHANGE_RATES_URL cannot be had ({type(error).__name__}: {place.host}).") from None


async def _body(client: httpx.AsyncClient, url: str, host: str) -> bytes:
    body = b""
    async with client.stream("GET", url, headers={"accept": "application/json"}) as response:
        if response.status_code != httpx.codes.OK:
            raise BadRate(f"{host} answers {response.status_code} when asked for rates.")
        async for chunk in response.aiter_raw():
            body += chunk
            if len(body) > LARGEST:
                raise BadRate(f"{host} answers more than a table of rates.")
    return body
