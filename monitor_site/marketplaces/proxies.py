"""Through which proxy a marketplace is asked: the setting ``PROXIES``, read. Pure.

People copy proxies in the order in which they were sold to them: ``user:password@host:port``,
``host:port:user:password`` or ``host:port``, with or without ``http://`` before it. No sentence and no repr of this
module shows a password, or a text it could not read, which may be one.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from ipaddress import IPv6Address
from types import MappingProxyType
from urllib.parse import unquote

from monitor_site.contract import Tells, Unavailable

SCHEMES = {"http", "https"}
NEXT = re.compile(r",\s*(?=[A-Za-z][A-Za-z0-9_]*\s*=)")
NAME = re.compile(r"[a-z][a-z0-9_]*")
HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
FORMS = "http://user:password@host:port, host:port:user:password or host:port"


class BadProxies(ValueError):
    """The setting cannot be read; its text is a sentence for the operator, without any password."""


class ProxyRefused(Unavailable):
    """The proxy let nothing through: it is down, or it refuses. That says nothing against the marketplace."""

    tells = Tells.OPERATOR


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """One proxy; as text it is its address without the password."""

    scheme: str
    host: str
    port: int
    user: str = ""
    password: str = field(default="", repr=False)

    @property
    def address(self) -> str:
        """Scheme, host and port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    def __str__(self) -> str:
        scheme, _, rest = self.address.partition("://")
        return f"{scheme}://{self.user}:***@{rest}" if self.user else self.address


@cache
def parse_proxies(text: str) -> Mapping[str, Proxy]:
    """Marketplace → its proxy, from ``mercari=http://user:secret@host:3128, yahoo_auctions=...``.

    Raises :class:`BadProxies`.
    """
    found: dict[str, Proxy] = {}
    for entry in filter(None, (part.strip().rstrip(",").rstrip() for part in NEXT.split(text))):
        name, proxy = _entry(entry)
        if name in found:
            raise BadProxies(f"PROXIES names {name} twice; one marketplace has one proxy.")
        found[name] = proxy
    return MappingProxyType(found)


def _entry(entry: str) -> tuple[str, Proxy]:
    name, equals, address = (part.strip() for part in entry.partition("="))
    if not equals or not NAME.fullmatch(name):
        raise BadProxies("PROXIES has a part without the name of a marketplace before it: write mercari=host:port.")
    if not address:
        raise BadProxies(f"PROXIES names no proxy for {name}: write {FORMS}, or leave {name} out.")
    return name, _proxy(name, address)


def _proxy(name: str, address: str) -> Proxy:
    scheme, separator, rest = address.partition("://")
    scheme, rest = (scheme.lower(), rest) if separator else ("http", address)
    if scheme.startswith("socks"):
        raise BadProxies(f"The proxy of {name} is a SOCKS proxy; only http and https proxies are supported.")
    if scheme not in SCHEMES:
        raise BadProxies(f"The proxy of {name} begins with neither http:// nor https://.")
    host, port, user, password = _parts(name, rest.removesuffix("/"))
    return Proxy(scheme=scheme, host=host, port=port, user=unquote(user), password=unquote(password))


def _parts(name: str, rest: str) -> tuple[str, int, str, str]:
    """Host, port, user, password, whichever order they stand in."""
    before, at, tail = rest.rpartition("@")
    if at and (place := _place(tail)):
        user, _, password = before.partition(":")
        _demand_user(name, user)
        return (*place, user, password)
    if place := _place(rest):
        return (*place, "", "")
    host, port, user, password = _sold_order(rest)
    if place := _place(f"{host}:{port}"):
        _demand_user(name, user)
        return (*place, user, password)
    raise BadProxies(f"The proxy of {name} cannot be read: write {FORMS}, with a port from 1 to 65535.")


def _demand_user(name: str, user: str) -> None:
    if not user:
        raise BadProxies(f"The proxy of {name} has a password and no user before it.")


def _sold_order(rest: str) -> tuple[str, str, str, str]:
    """``host:port:user:password``; a password may hold more colons, an IPv6 address stands in brackets."""
    bracket = rest.find("]") + 1 if rest.startswith("[") else 0
    host, _, after = rest[bracket:].partition(":")
    port, user, password = [*after.split(":", 2), "", "", ""][:3]
    return rest[:bracket] + host, port, user, password


def _place(text: str) -> tuple[str, int] | None:
    """``host:port`` read; ``None`` when it is none."""
    host, _, port = text.rpartition(":")
    if not port.isascii() or not port.isdecimal() or not 1 <= int(port) <= 65_535:
        return None
    if host.startswith("[") and host.endswith("]"):
        return (inner, int(port)) if _is_v6(inner := host[1:-1]) else None
    return (host.lower(), int(port)) if HOST.fullmatch(host) else None


def _is_v6(text: str) -> bool:
    try:
        return bool(IPv6Address(text))
    except ValueError:
        return False
