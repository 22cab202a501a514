"""Where practice markets may be: near by. What is asked there is asked without pace and without a guard."""

from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured


def practice_markets(told: Mapping[str, str], pairs: Iterable[str], *, live: bool) -> dict[str, str]:
    """Marketplace → address, from what runs here (``told``) and from the setting's ``name=address`` pairs.

    Raises ``ImproperlyConfigured`` for an address that is not near by, and for any beside ``live``.
    """
    given = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
    if live and given:
        raise ImproperlyConfigured("PRACTICE_MARKETS and LIVE=1 exclude each other: live data is never made up.")
    for name, address in given.items():
        if not is_near(address):
            raise ImproperlyConfigured(
                f"PRACTICE_MARKETS must name http:// addresses on this machine or its own network, by number or as "
                f"localhost; that of {name} is none: practice markets are asked without the pace of real ones."
            )
    return {} if live else dict(told) | given


def is_near(address: str) -> bool:
    """Whether an address is that of this machine or of its own network, without a name to look up."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        return parts.scheme == "http" and (host == "localhost" or not ip_address(host).is_global)
    except ValueError:
        return False
