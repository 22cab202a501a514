"""Where a numeric address leads: plainly to the public internet, to a network the operator named, or home.

``ipaddress`` alone is no guard: several ranges that lead home count as global there, and an IPv4 address may hide
inside an IPv6 one. So only what is plainly public passes. Standard library only: processes without Django use it, too.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Self

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

PORTS = frozenset({80, 443, 8443})
"""Of the web. The operator names a range to have its other ports, too."""


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


class BadNetworks(ValueError):
    """A range that cannot be read; its text is a sentence for the operator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Networks:
    """Where messages may go: what is plainly public, at usual ports, and at any port the ranges the operator ``named``.

    ``own`` are addresses of this machine: a message that arrives at ourselves reaches what trusts us.
    """

    named: tuple[IPv4Network | IPv6Network, ...] = ()
    own: frozenset[str] = frozenset()

    @classmethod
    def read(cls, ranges: Iterable[str], *, own: Iterable[str] = ()) -> Self:
        """From text such as ``192.168.0.0/16``. Raises :class:`BadNetworks`."""
        try:
            return cls(named=tuple(map(ip_network, ranges)), own=frozenset(own))
        except ValueError as error:
            raise BadNetworks(f"ALERT_NETWORKS cannot be read: {error}.") from error

    def names(self, address: str) -> bool:
        """Whether the operator named a range that this numeric address is in."""
        found = _unwrapped(address)
        return any(found in network for network in self.named)

    def allows(self, address: str, port: int) -> bool:
        """Whether a message may go to this numeric address and port."""
        if self.names(address):
            return True
        return port in PORTS and str(_unwrapped(address)) not in self.own and is_public(address)


def _unwrapped(address: str) -> IPv4Address | IPv6Address:
    found = ip_address(address)
    inner = _embedded(found) if isinstance(found, IPv6Address) else None
    return inner or found
