"""Which addresses may be asked: the hosts a manifest names, and nothing on a private network.

``ipaddress`` alone is no guard: several ranges that lead home count as global there, and an IPv4 address may hide
inside an IPv6 one. So only what is plainly public passes.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Self

import httpx

from monitor_site.contract.rules import host_matches

HOME_V4 = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3",
    )
)
PUBLIC_V6 = ip_network("2000::/3")
HOME_V6 = tuple(ip_network(text) for text in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"))
NAT64 = ip_network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """Whether a numeric address is plainly on the public internet; an embedded IPv4 address decides for itself."""
    found = ip_address(address)
    if isinstance(found, IPv4Address):
        return not any(found in network for network in HOME_V4)
    if (inner := _embedded(found)) is not None:
        return is_public(str(inner))
    return found in PUBLIC_V6 and not any(found in network for network in HOME_V6)


def _embedded(found: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that a mapped or a NAT64 address stands for."""
    if found.ipv4_mapped:
        return found.ipv4_mapped
    return IPv4Address(int(found) & 0xFFFFFFFF) if found in NAT64 else None


def origin(url: httpx.URL) -> tuple[str, str, int | None]:
    """Scheme, host and port of an address."""
    ports = {"http": 80, "https": 443}
    return url.scheme, url.host, url.port or ports.get(url.scheme)


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
            return origin(url) == origin(httpx.URL(self.practice))
        if url.scheme != "https" or url.userinfo:
            return False  # no redirect chooses in whose name we ask
        # As it goes over the wire: a name in other letters is not the one it looks like.
        return host_matches(url.raw_host.decode("ascii"), self.hosts)
