"""Who asks: one client and one cookie jar for each account at each marketplace, through that marketplace's proxy."""

from dataclasses import dataclass

from django.conf import settings

from .accounts import Account
from .cookies import Cookies
from .hosts import Reach
from .proxies import BadProxies, Proxy, ProxyRefused, parse_proxies
from .transport import Client, Limits, open_client


def proxy_of(marketplace: str, reach: Reach) -> Proxy | None:
    """The proxy that the setting names for a marketplace; a practice market is asked directly.

    Raises :class:`ProxyRefused` when the setting cannot be read: never is anything asked without its proxy instead,
    for the operator has said which way requests go.
    """
    try:
        return None if reach.practice else parse_proxies(settings.PROXIES).get(marketplace)
    except BadProxies as error:
        raise ProxyRefused(str(error)) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """What a session needs to ask as one account: its client, its jar, and the proxy it goes through, if any."""

    client: Client
    cookies: Cookies
    proxy: Proxy | None


class Clients:
    """Keeps the ways of one event loop until :meth:`close`; nothing of one account is ever used for another.

    Other secrets make it another account: what a marketplace remembers of the old ones is not carried over.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._ways: dict[tuple[str, int | None, str, Reach], Way] = {}

    def way(self, *, marketplace: str, account: Account | None, reach: Reach) -> Way:
        """The way of an account, or of the installation without one; made when it is first asked for."""
        who = (account.id, account.version) if account else (None, "")
        place = (marketplace, *who, reach)
        if place not in self._ways:
            self._ways[place] = self._opened(marketplace, reach)
        return self._ways[place]

    async def close(self) -> None:
        """Close the connections and forget the cookies."""
        for way in self._ways.values():
            await way.client.aclose()
        self._ways.clear()

    def _opened(self, marketplace: str, reach: Reach) -> Way:
        proxy = proxy_of(marketplace, reach)
        client = open_client(guarded=not reach.practice, limits=self._limits, proxy=proxy)
        return Way(client=client, cookies=Cookies(reach), proxy=proxy)
