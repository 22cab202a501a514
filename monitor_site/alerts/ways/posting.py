"""One guarded POST to an address that a user named: to the checked address, once, and hardly looked at afterwards."""

from collections.abc import Mapping
from datetime import datetime
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx

from monitor_site.marketplaces.transport import GuardedTransport, NotPermitted, Resolve, resolve
from monitor_site.networks import Networks

from .addresses import BadAddress, Wrong, read_address
from .answers import outcome_of, wait_of
from .guard import site_names
from .values import Answer, Outcome

CONNECT_SECONDS = 5.0
REPLY_BYTES = 4 * 1024
USER_AGENT = "marketplace-monitor"


def guarded_client(networks: Networks, *, resolve: Resolve = resolve) -> httpx.AsyncClient:
    """A client for addresses that people name. It has no time-out but for connecting: set a deadline around it."""
    near = GuardedTransport(resolve=resolve, permits=lambda address, _port: networks.names(address))
    return httpx.AsyncClient(
        mounts={"https://": GuardedTransport(resolve=resolve, permits=networks.allows), "http://": near},
        trust_env=False,
        follow_redirects=False,
        headers={"user-agent": USER_AGENT, "accept-encoding": "identity"},
        cookies=CookieJar(policy=DefaultCookiePolicy(allowed_domains=[])),
        timeout=httpx.Timeout(None, connect=CONNECT_SECONDS),
    )


class Poster:
    """Keeps the connections of a loop's life. http is for networks that the operator named, and for nothing else."""

    def __init__(self, networks: Networks, *, resolve: Resolve = resolve) -> None:
        self._client = guarded_client(networks, resolve=resolve)

    async def post(self, url: str, *, body: bytes, headers: Mapping[str, str], now: datetime) -> Answer:
        """What became of it. Of the reply nothing is told but its status."""
        try:
            place = read_address(url)
            if place.host in site_names():
                return Answer(outcome=Outcome.UNSAFE)
            async with self._client.stream("POST", place.url, content=body, headers=dict(headers)) as response:
                await _swallow(response)
        except BadAddress as error:
            return Answer(outcome=Outcome.UNSAFE if error.wrong is Wrong.USER else Outcome.FORBIDDEN)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            unsafe = isinstance(error.__cause__, NotPermitted)
            return Answer(outcome=Outcome.UNSAFE if unsafe else Outcome.UNREACHABLE)
        return _answer(response, now)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()


async def _swallow(response: httpx.Response) -> None:
    """A little of the reply, so that a well-behaved connection can be used again; the rest is cut off."""
    came = 0
    async for chunk in response.aiter_raw():
        came += len(chunk)
        if came > REPLY_BYTES:
            return


def _answer(response: httpx.Response, now: datetime) -> Answer:
    waits = wait_of(response.headers.get("retry-after", ""), now)
    outcome = outcome_of(response.status_code, asks_to_wait=waits is not None)
    return Answer(
        outcome=outcome,
        status=response.status_code,
        retry_after=waits if outcome is Outcome.THROTTLED else None,
    )
