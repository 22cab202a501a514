"""Nothing on a private network is asked in the name of a marketplace."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

import httpx
import pytest
import redis.asyncio
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from monitor_site.contract import Unavailable
from monitor_site.marketplaces import transport
from monitor_site.marketplaces.cookies import Cookies
from monitor_site.marketplaces.hosts import Reach
from monitor_site.marketplaces.session import HttpSession
from monitor_site.marketplaces.tokens import Tokens
from monitor_site.marketplaces.transport import Limits, Resolve, open_client, resolve
from monitor_site.networks import is_public
from tests.nowhere import closed_port

from .loopback import PACE, Loopback, head

AGES = timedelta(days=9999)
HOME = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.127.255.255",
    "127.0.0.1",
    "127.9.9.9",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a00:1",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "3fff::1",
    "fc00::1",
    "fd12::1",
    "fe80::1",
    "fe80::1%1",
    "fec0::1",
    "ff02::1",
    "4000::1",
]
PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "100.128.0.1",
    "172.32.0.1",
    "192.0.1.1",
    "223.255.255.255",
    "2606:4700::1",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
]


@pytest.mark.parametrize("address", HOME)
def test_an_address_that_leads_home_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_an_address_on_the_internet_is_public(address: str) -> None:
    assert is_public(address)


def test_a_practice_market_is_one_address_to_the_port() -> None:
    reach = Reach.practising("http://127.0.0.1:9000")

    assert reach.allows(httpx.URL("http://127.0.0.1:9000/any/path"))
    assert not reach.allows(httpx.URL("http://127.0.0.1:9001/"))
    assert not reach.allows(httpx.URL("https://127.0.0.1:9000/"))


@pytest.mark.parametrize("spelling", ["0177.0.0.1", "2130706433", "127.1", "①②⑦.⓪.⓪.①", "localhost"])
async def test_odd_spellings_of_home_are_looked_through(spelling: str) -> None:
    await refused(resolve, f"https://{spelling}/")


async def test_one_private_address_among_public_ones_is_enough_to_refuse() -> None:
    await refused(answers("8.8.8.8", "10.0.0.1"), "https://api.bazaar.example/")


async def test_a_name_without_any_address_is_unreachable() -> None:
    await refused(answers(), "https://api.bazaar.example/")


async def test_a_label_no_resolver_takes_is_unreachable() -> None:
    await refused(resolve, f"https://{'a' * 70}.example/")


async def test_a_name_is_resolved_once_and_the_checked_address_is_the_one_connected_to(
    loopback: Loopback, home_is_public: None
) -> None:
    loopback.answer("/", b"reached")
    asked: list[str] = []

    async def rebinding(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["127.0.0.2"]

    async with open_client(guarded=True, resolve=rebinding) as client:
        answer = await client.get(f"http://api.bazaar.example:{loopback.port}/")

    assert (answer.content, asked) == (b"reached", ["api.bazaar.example"])
    assert loopback.asked[0].headers["host"] == f"api.bazaar.example:{loopback.port}"


async def test_the_next_address_is_tried_when_one_takes_no_connection(loopback: Loopback, home_is_public: None) -> None:
    loopback.answer("/", b"reached")

    async with open_client(guarded=True, resolve=answers("127.0.0.3", "127.0.0.1")) as client:
        answer = await client.get(f"http://api.bazaar.example:{loopback.port}/")

    assert answer.content == b"reached"


async def test_when_no_address_takes_the_connection_it_is_unreachable(home_is_public: None) -> None:
    async with open_client(guarded=True, resolve=answers("127.0.0.1", "127.0.0.2")) as client:
        with pytest.raises(httpx.ConnectError):
            await client.get(f"http://api.bazaar.example:{closed_port()}/")


async def test_a_resolver_that_hangs_is_cut_by_the_connect_time_out() -> None:
    async def hang(host: str, port: int) -> list[str]:
        await asyncio.Event().wait()
        return []

    async with open_client(guarded=True, limits=Limits(connect_seconds=0.05), resolve=hang) as client:
        with pytest.raises(httpx.ConnectTimeout):
            await client.get("https://api.bazaar.example/")


async def test_a_certificate_is_asked_for_by_name_and_a_wrong_one_is_refused(
    impostor: tuple[int, list[str | None]], home_is_public: None
) -> None:
    port, names = impostor

    async with open_client(guarded=True, resolve=answers("127.0.0.1")) as client:
        with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
            await client.get(f"https://api.bazaar.example:{port}/")

    assert names == ["api.bazaar.example"]


async def test_redirects_from_host_to_host_and_back_end(
    tmp_path: Path, now: datetime, home_is_public: None, aredis: redis.asyncio.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two names of one marketplace send us to each other."""
    names = ("api.bazaar.example", "www.bazaar.example")
    pem = self_signed(tmp_path, now, *names)
    asked: list[str] = []

    async def send_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = (await reader.readuntil(b"\r\n\r\n")).decode()
        host = next(line[6:] for line in request.split("\r\n") if line.lower().startswith("host: "))
        asked.append(host.partition(":")[0])
        other = names[1 - names.index(asked[-1])]
        location = f"https://{other}:{port}/"
        writer.write(head(302, {"location": location, "content-length": "0", "connection": "close"}))
        await writer.drain()
        writer.transport.abort()

    served, trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), httpx.create_ssl_context()
    served.load_cert_chain(pem)
    trusting.load_verify_locations(pem)
    monkeypatch.setattr(transport, "_ssl_context", lambda: trusting)
    server = await asyncio.start_server(send_on, "127.0.0.1", 0, ssl=served)
    port = server.sockets[0].getsockname()[1]
    reach = Reach.live(names)

    async with open_client(guarded=True, resolve=answers("127.0.0.1")) as client:
        session = HttpSession(
            client=client,
            cookies=Cookies(reach),
            tokens=Tokens(aredis),
            marketplace="bazaar",
            base="",
            web="",
            reach=reach,
            pace=PACE,
        )
        with pytest.raises(Unavailable, match="redirects"):
            await session.get(f"https://{names[0]}:{port}/")

    assert asked == [*names, *names]
    server.close()


@pytest.mark.parametrize(
    "spelling", ["https://xn--bcher-kva.example/", "https://bücher.example/", "https://BÜCHER.example/"]
)
def test_a_name_in_other_letters_is_judged_as_it_goes_over_the_wire(spelling: str) -> None:
    assert Reach.live(["xn--bcher-kva.example"]).allows(httpx.URL(spelling))
    assert not Reach.live(["bucher.example"]).allows(httpx.URL(spelling))


@pytest.fixture
def home_is_public(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no public server to connect to in a test: loopback stands for one."""
    monkeypatch.setattr(transport, "is_public", lambda address: True)


@pytest.fixture
async def impostor(tmp_path: Path, now: datetime) -> AsyncIterator[tuple[int, list[str | None]]]:
    """A TLS server with a certificate nobody vouches for, and the names it was asked for."""
    names: list[str | None] = []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(self_signed(tmp_path, now))
    context.sni_callback = lambda _, name, __: names.append(name)

    async def close(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    server = await asyncio.start_server(close, "127.0.0.1", 0, ssl=context)
    yield server.sockets[0].getsockname()[1], names
    server.close()


def self_signed(folder: Path, now: datetime, *names: str) -> Path:
    """A certificate for ``names``, the API's alone when there are none; good at whatever time this machine has."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "api.bazaar.example")])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now - AGES, now + AGES)
        .add_extension(
            x509.SubjectAlternativeName(list(map(x509.DNSName, names or ("api.bazaar.example",)))), critical=False
        )
        .sign(key, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    path = folder / "impostor.pem"
    path.write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain) + certificate.public_bytes(pem))
    return path


def answers(*addresses: str) -> Resolve:
    async def resolver(host: str, port: int) -> list[str]:
        return list(addresses)

    return resolver


async def refused(resolver: Resolve, url: str) -> None:
    async with open_client(guarded=True, resolve=resolver) as client:
        with pytest.raises((httpx.ConnectError, httpx.InvalidURL)):
            await client.get(url)


@pytest.mark.parametrize("address", ["https://somebody:secret@bazaar.example/", "https://somebody@bazaar.example/"])
def test_no_address_brings_a_name_and_a_password_of_its_own(address: str) -> None:
    assert Reach.live(["bazaar.example"]).allows(httpx.URL("https://bazaar.example/"))
    assert not Reach.live(["bazaar.example"]).allows(httpx.URL(address))
