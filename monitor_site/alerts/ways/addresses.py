"""Read an address as the network will, and judge where it leads: the first of two guards, the other is at connecting.

An address is taken apart by one strict pattern and put together anew, so that no two readers can understand it
differently. Names that a person would read as something else are not taken at all.
"""

import re
import socket
import unicodedata
from collections.abc import Callable, Collection
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import IPv4Address, IPv6Address
from threading import Thread

import idna

from monitor_site.networks import Networks

LONGEST = 2048
RESOLVE_SECONDS = 4.0
WHOLE = re.compile(r"(https?)://([^/?#\\]*)([/?][^#\\]*)?", re.IGNORECASE)
IN_BRACKETS = re.compile(r"\[([0-9A-Fa-f:.]+)\](?::(\d{1,5}))?")
NAMED = re.compile(r"([^:\[\]@%]+)(?::(\d{1,5}))?")
LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
NUMBER = re.compile(r"\d+|0x[0-9a-f]*")
USUAL = {"https": 443, "http": 80}

ResolveNow = Callable[[str, int], list[str]]


class Wrong(StrEnum):
    """Why an address is not taken."""

    FORM = "form"
    USER = "user"
    NOT_FOUND = "not_found"
    HTTP = "http"
    PORT = "port"
    HOME = "home"


class BadAddress(ValueError):
    """An address we do not send to; ``wrong`` says why, ``host`` is as much of it as may be shown."""

    def __init__(self, wrong: Wrong, host: str = "") -> None:
        super().__init__(wrong.value)
        self.wrong = wrong
        self.host = host


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """An address taken apart; ``host`` as it goes over the wire, an IPv6 address without brackets."""

    scheme: str
    host: str
    port: int
    rest: str

    @property
    def bracketed(self) -> str:
        """The host as it stands in an address."""
        return f"[{self.host}]" if ":" in self.host else self.host

    @property
    def origin(self) -> str:
        """Scheme, host and, where it is not the usual one, port."""
        port = "" if self.port == USUAL[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self.bracketed}{port}"

    @property
    def url(self) -> str:
        """The whole address."""
        return self.origin + self.rest


def read_address(text: str) -> Place:
    """The parts of a web address. Raises :class:`BadAddress`."""
    text = text.strip()
    found = WHOLE.fullmatch(text)
    if found is None or len(text) > LONGEST or not text.isprintable() or " " in text:
        raise BadAddress(Wrong.FORM)
    scheme, authority, rest = found[1].lower(), found[2], found[3] or "/"
    if "@" in authority:
        raise BadAddress(Wrong.USER)
    host, port = _place(authority)
    port = USUAL[scheme] if port is None else port
    if not 1 <= port <= 65_535:
        raise BadAddress(Wrong.FORM)
    return Place(scheme=scheme, host=host, port=port, rest=rest if rest.startswith("/") else f"/{rest}")


def _place(authority: str) -> tuple[str, int | None]:
    if found := IN_BRACKETS.fullmatch(authority):
        with suppress(ValueError):
            return str(IPv6Address(found[1])), int(found[2]) if found[2] else None
    elif found := NAMED.fullmatch(authority):
        return _name(found[1]), int(found[2]) if found[2] else None
    raise BadAddress(Wrong.FORM)


def _name(text: str) -> str:
    """A host as it goes over the wire; what ends like a number must be a plain IPv4 address."""
    name = (text.lower() if text.isascii() else _encoded(text)).removesuffix(".")
    labels = name.split(".")
    if len(name) > 253 or not all(map(LABEL.fullmatch, labels)):
        raise BadAddress(Wrong.FORM)
    if NUMBER.fullmatch(labels[-1]):
        _demand_plain(name)
    return name


def _encoded(text: str) -> str:
    try:
        name = idna.encode(unicodedata.normalize("NFKC", text), uts46=True).decode("ascii")
    except idna.IDNAError as error:
        raise BadAddress(Wrong.FORM) from error
    if "xn--" not in name:
        raise BadAddress(Wrong.FORM)  # letters, digits or dots of other widths, which stand for plain ones
    return name


def _demand_plain(name: str) -> None:
    try:
        IPv4Address(name)
    except ValueError as error:
        raise BadAddress(Wrong.FORM) from error


def resolve_now(host: str, port: int) -> list[str]:
    """The numeric addresses of a host, none when it has none or nobody says so in time: ``getaddrinfo`` has no end."""
    answer: Future[list[str]] = Future()

    def ask() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            answer.set_result([str(entry[4][0]) for entry in found])
        except (OSError, UnicodeError):
            answer.set_result([])

    Thread(target=ask, daemon=True).start()
    try:
        return answer.result(RESOLVE_SECONDS)
    except NotInTime:
        return []


def judge(
    place: Place, networks: Networks, *, resolve: ResolveNow = resolve_now, ours: Collection[str] = frozenset()
) -> None:
    """Raises :class:`BadAddress` unless every address of the host may be sent to; ``ours`` are our site's names."""
    if place.host in ours:
        raise BadAddress(Wrong.HOME, place.host)
    found = resolve(place.host, place.port)
    if not found:
        raise BadAddress(Wrong.NOT_FOUND, place.host)
    if all(map(networks.names, found)):
        return
    if not all(networks.allows(address, USUAL["https"]) for address in found):
        raise BadAddress(Wrong.HOME, place.host)
    if place.scheme != "https":
        raise BadAddress(Wrong.HTTP, place.host)
    if not all(networks.allows(address, place.port) for address in found):
        raise BadAddress(Wrong.PORT, place.host)
