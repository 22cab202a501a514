"""Networks in settings, and who asks."""

import ipaddress
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.core.exceptions import ImproperlyConfigured

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
LOOPBACK = ("127.0.0.0/8", "::1/128")
NOBODY = "none"


def networks(given: Sequence[str], *, name: str) -> tuple[Network, ...]:
    """The networks of a setting: this machine alone when it is empty, nobody when it says ``none``.

    Raises ``ImproperlyConfigured``.
    """
    if list(given) == [NOBODY]:
        return ()
    try:
        return tuple(ipaddress.ip_network(text) for text in given or LOOPBACK)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} must be networks such as 10.0.0.0/8, comma separated: {error}") from error


def is_within(address: str, wanted: Iterable[Network]) -> bool:
    """Whether an address lies in one of the networks; what is no address lies in none."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return any((mapped or found) in network for network in wanted)


def asker(meta: Mapping[str, Any], *, behind_proxy: bool) -> str:
    """The address of who asks; empty when nobody can say.

    What came through a proxy that is not ours to trust is not taken for the proxy's own question.
    """
    forwarded = str(meta.get("HTTP_X_FORWARDED_FOR", "")) or str(meta.get("HTTP_FORWARDED", ""))
    if not forwarded:
        return str(meta.get("REMOTE_ADDR", ""))
    return forwarded.rpartition(",")[2].strip() if behind_proxy and "HTTP_X_FORWARDED_FOR" in meta else ""
