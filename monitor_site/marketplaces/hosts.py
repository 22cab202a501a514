"""Which addresses may be asked: the hosts a manifest names, encrypted, or one practice market."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import httpx

from monitor_site.contract.rules import host_matches


def origin(url: httpx.URL) -> tuple[str, str, int | None]:
    """Scheme, host and port of an address."""
    ports = {"http": 80, "https": 443}
    return url.scheme, url.host, url.port or ports.get(url.scheme)


@lru_cache(maxsize=16)
def _origin_of(address: str) -> tuple[str, str, int | None]:
    return origin(httpx.URL(address))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What a session may ask: https on the ``hosts`` named, or exactly the ``practice`` address and nothing else."""

    hosts: tuple[str, ...] = ()
    practice: str = ""

    @classmethod
    def live(cls, hosts: Iterable[str]) -> Self:
        """The hosts of a marketplace, encrypted."""
        return cls(hosts=tuple(hosts))

    @classmethod
    def practising(cls, address: str) -> Self:
        """One practice market."""
        return cls(practice=address)

    def allows(self, url: httpx.URL) -> bool:
        """Whether this address may be asked."""
        if self.practice:
            return origin(url) == _origin_of(self.practice)
        if url.scheme != "https" or url.userinfo:
            return False  # no redirect chooses in whose name we ask
        # As it goes over the wire: a name in other letters is not the one it looks like.
        return host_matches(url.raw_host.decode("ascii"), self.hosts)
