"""A marketplace may be asked through a proxy: what the setting may look like, and what really goes over the wire."""

import asyncio
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
import redis as redis_library
import redis.asyncio
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from monitor_site.contract import PluginFault, SearchCriteria, SearchPage, Session, Unavailable
from monitor_site.marketplaces import transport
from monitor_site.marketplaces.breaker import breaker_key
from monitor_site.marketplaces.checks import check_proxies
from monitor_site.marketplaces.gateway import Gateway
from monitor_site.marketplaces.pictures import fetch_picture
from monitor_site.marketplaces.proxies import BadProxies, Proxy, ProxyRefused, parse_proxies
from monitor_site.marketplaces.transport import open_client
from tests.house.source import ROOT
from tests.nowhere import closed_port

from .asking import CAMERA, FIRST, page
from .loopback import Loopback, head, plugin, shelf
from .proxy import SmallProxy

SECRET = "canary-of-a-proxy"
FULL = Proxy(scheme="http", host="gate.example", port=3128, user="user", password=SECRET)


# -- the setting --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        f"http://user:{SECRET}@gate.example:3128",
        f"user:{SECRET}@gate.example:3128",
        f"gate.example:3128:user:{SECRET}",
        f"http://gate.example:3128:user:{SECRET}",
        f"HTTP://user:{SECRET}@Gate.Example:3128/",
    ],
)
def test_both_orders_that_people_type_are_read(text: str) -> None:
    assert parse_proxies(f"mercari={text}") == {"mercari": FULL}


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("10.0.0.1:8080", "http://10.0.0.1:8080"),
        ("https://gate.example:443", "https://gate.example:443"),
        ("[2001:db8::1]:3128", "http://[2001:db8::1]:3128"),
        ("[2001:db8::1]:3128:user:word", "http://user:***@[2001:db8::1]:3128"),
        ("localhost:1", "http://localhost:1"),
    ],
)
def test_a_proxy_is_shown_as_its_address(text: str, address: str) -> None:
    assert str(parse_proxies(f"bazaar={text}")["bazaar"]) == address


@pytest.mark.parametrize(
    ("text", "password"),
    [
        ("user:a%40b%2Cc@gate.example:3128", "a@b,c"),
        ("user:p@ss@gate.example:3128", "p@ss"),
        ("user:a:b@gate.example:3128", "a:b"),
        ("gate.example:3128:user:p@ss", "p@ss"),
        ("gate.example:3128:user:1234", "1234"),
        ("gate.example:3128:user:a:b=c", "a:b=c"),
        ("user@gate.example:3128", ""),
    ],
)
def test_odd_passwords_are_read_as_they_are_meant(text: str, password: str) -> None:
    found = parse_proxies(f"bazaar={text}")["bazaar"]
    assert (found.host, found.user, found.password) == ("gate.example", "user", password)


def test_each_marketplace_has_its_own_proxy() -> None:
    found = parse_proxies(f"mercari=user:{SECRET}@gate.example:3128 , yahoo_auctions = b.example:80,")
    assert {name: proxy.port for name, proxy in found.items()} == {"mercari": 3128, "yahoo_auctions": 80}
    assert not parse_proxies("")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"user:{SECRET}@gate.example:3128", "without the name"),
        ("mercari=", "names no proxy for mercari"),
        (f"mercari=user:{SECRET}@gate.example", "cannot be read"),
        (f"mercari=user:{SECRET}@gate.example:0", "cannot be read"),
        (f"mercari=user:{SECRET}@gate.example:70000", "cannot be read"),
        (f"mercari=user:{SECRET}@gate.example:3128/path", "cannot be read"),
        (f"mercari=user:{SECRET}@gäte.example:3128", "cannot be read"),
        (f"mercari=:{SECRET}@gate.example:3128", "no user"),
        (f"mercari=gate.example:3128::{SECRET}", "no user"),
        (f"mercari=socks5://user:{SECRET}@gate.example:1080", "SOCKS"),
        (f"mercari=ftp://user:{SECRET}@gate.example:21", "neither http"),
        (f"mercari=a.example:1, mercari=user:{SECRET}@b.example:2", "twice"),
        (f"Mercari=user:{SECRET}@b.example:2", "without the name"),
        (f"mercari={SECRET}", "cannot be read"),
    ],
)
def test_nonsense_is_refused_in_a_sentence_that_shows_no_password(text: str, words: str) -> None:
    with pytest.raises(BadProxies, match=words) as raised:
        parse_proxies(text)

    assert SECRET not in str(raised.value)
    assert raised.value.__cause__ is None


@given(st.text(max_size=60))
def test_whatever_is_typed_is_read_or_refused(text: str) -> None:
    found = {}
    with suppress(BadProxies):
        found = dict(parse_proxies(f"bazaar={text}"))

    assert all(proxy.host and 1 <= proxy.port <= 65_535 for proxy in found.values())


def test_a_password_is_in_no_repr() -> None:
    assert SECRET not in repr(FULL) + str(FULL) + repr(parse_proxies(f"mercari=user:{SECRET}@gate.example:3128"))


def test_a_proxy_for_nobody_stops_the_start(settings: Any) -> None:
    settings.PROXIES = f"mecari=user:{SECRET}@gate.example:3128"

    [error] = check_proxies()

    assert (error.id, error.msg) == (
        "marketplaces.E002",
        "PROXIES names mecari, and no marketplace here is called that.",
    )
    assert "mercari" in error.hint


def test_a_command_does_not_start_with_a_setting_nobody_can_read(child_env: dict[str, str]) -> None:
    env = child_env | {"PROXIES": f"mercari=socks5://user:{SECRET}@gate.example:1080"}

    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env=env | {"DJANGO_SETTINGS_MODULE": "monitor_site.settings"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert "marketplaces.E001" in done.stderr
    assert "SOCKS" in done.stderr
    assert SECRET not in done.stdout + done.stderr


def test_no_listing_of_settings_shows_the_password(child_env: dict[str, str]) -> None:
    env = child_env | {"PROXIES": f"mercari=user:{SECRET}@gate.example:1080", "SECRETS_KEYS": SECRET}

    done = subprocess.run(
        [sys.executable, "manage.py", "diffsettings"],
        cwd=ROOT,
        env=env | {"DJANGO_SETTINGS_MODULE": "monitor_site.settings"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert "PROXIES = '***'" in done.stdout
    assert SECRET not in done.stdout + done.stderr


# -- over the wire ------------------------------------------------------------------------------------------------


async def over_https(session: Session, criteria: SearchCriteria, token: str | None) -> SearchPage:
    await session.get(f"{session.base}/search")
    return page("b1")


@pytest.fixture
async def gateway(aredis: redis.asyncio.Redis, settings: Any, proxy: SmallProxy) -> AsyncIterator[Gateway]:
    """A live installation that asks the bazaar through the proxy."""
    settings.LIVE, settings.PRACTICE_MARKETS = True, {}
    settings.PROXIES = f"bazaar=user:{SECRET}@{proxy.place}"
    opened = Gateway(redis=aredis, catalog=shelf(plugin(over_https)))
    yield opened
    await opened.close()


async def search(gateway: Gateway) -> None:
    await gateway.search(marketplace="bazaar", criteria=CAMERA, history=FIRST)


@pytest.mark.parametrize("status", ["407 Proxy Authentication Required", "403 Forbidden", "502 Bad Gateway"])
async def test_a_proxy_that_refuses_is_no_block_of_the_marketplace(
    gateway: Gateway, proxy: SmallProxy, redis: redis_library.Redis, status: str
) -> None:
    proxy.status = status

    with capture_logs() as lines, pytest.raises(ProxyRefused, match=status[:3]) as raised:
        await search(gateway)

    assert proxy.asked == ["CONNECT api.bazaar.example:443 HTTP/1.1"]
    assert proxy.users == [f"user:{SECRET}"]
    assert (raised.value.code, redis.exists(breaker_key("bazaar"))) == ("unavailable", 0)
    assert [(line["event"], line["log_level"]) for line in lines] == [("marketplace.failing", "error")]
    assert f"the proxy http://user:***@{proxy.place} does not let us to api.bazaar.example" in lines[0]["detail"]
    assert SECRET not in f"{lines} {raised.value!r} {raised.value.__cause__!r}"


async def test_a_proxy_that_is_down_says_so_and_is_told_once(gateway: Gateway, settings: Any) -> None:
    settings.PROXIES = f"bazaar=127.0.0.1:{closed_port()}"

    with capture_logs() as lines:
        for _ in range(3):
            with pytest.raises(ProxyRefused, match="takes no connection"):
                await search(gateway)

    assert [line["event"] for line in lines] == ["marketplace.failing"]


async def test_a_setting_that_cannot_be_read_never_means_to_ask_without_a_proxy(
    gateway: Gateway, settings: Any
) -> None:
    settings.PROXIES = "bazaar=socks5://gate.example:1080"

    with pytest.raises(Unavailable, match="SOCKS"):
        await search(gateway)


async def test_a_silent_proxy_is_cut_at_the_deadline(
    aredis: redis.asyncio.Redis, gateway: Gateway, proxy: SmallProxy
) -> None:
    proxy.silent = True
    short = Gateway(redis=aredis, catalog=shelf(plugin(over_https)), limits=transport.Limits(deadline_seconds=0.2))

    with pytest.raises(Unavailable, match=r"no whole answer in 0\.2 s from api\.bazaar\.example through the proxy"):
        await search(short)
    await short.close()


async def test_pictures_go_through_the_proxy_too(gateway: Gateway, proxy: SmallProxy) -> None:
    proxy.status = "403 Forbidden"

    with pytest.raises(ProxyRefused):
        await fetch_picture("https://pictures.bazaar.example/1.jpg", catalog=shelf(plugin(over_https)))

    assert proxy.asked == ["CONNECT pictures.bazaar.example:443 HTTP/1.1"]


async def test_a_proxy_is_not_asked_for_a_host_outside_the_manifest(
    aredis: redis.asyncio.Redis, gateway: Gateway, proxy: SmallProxy
) -> None:
    async def elsewhere(session: Session, criteria: SearchCriteria, token: str | None) -> SearchPage:
        await session.get("https://169.254.169.254/")
        return page("b1")

    curious = Gateway(redis=aredis, catalog=shelf(plugin(elsewhere)))

    with pytest.raises(PluginFault, match="manifest"):
        await search(curious)
    assert proxy.asked == []
    await curious.close()


async def test_a_practice_market_is_never_asked_through_a_proxy(
    gateway: Gateway, proxy: SmallProxy, loopback: Loopback, settings: Any
) -> None:
    settings.PRACTICE_MARKETS = {"bazaar": loopback.base}
    loopback.answer("/search")

    await search(gateway)

    assert (proxy.asked, len(loopback.asked)) == ([], 1)


async def test_behind_the_proxy_the_certificate_must_be_the_marketplaces(
    gateway: Gateway, proxy: SmallProxy, certified: "Certified"
) -> None:
    """A proxy that shows a certificate of its own gets nothing."""
    proxy.to = certified.port

    with pytest.raises(Unavailable, match="CERTIFICATE_VERIFY_FAILED"):
        await search(gateway)


async def test_a_whole_answer_comes_through_the_tunnel_with_the_certificate_checked(
    proxy: SmallProxy, certified: "Certified", monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy.to = certified.port
    monkeypatch.setattr(transport, "_ssl_context", lambda: certified.trusting)

    way = Proxy(scheme="http", host="127.0.0.1", port=proxy.port)
    async with open_client(guarded=True, proxy=way) as client:
        answer = await client.get("https://api.bazaar.example/")

    assert answer.text == "behind the tunnel"
    assert proxy.asked == ["CONNECT api.bazaar.example:443 HTTP/1.1"]
    assert proxy.users == []


class Certified:
    """A TLS server with a certificate that only ``trusting`` accepts."""

    def __init__(self, port: int, trusting: ssl.SSLContext) -> None:
        self.port, self.trusting = port, trusting


@pytest.fixture
async def certified(tmp_path: Path, now: Any) -> AsyncIterator[Certified]:
    from .test_guard import self_signed

    pem = self_signed(tmp_path, now)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(pem)
    trusting = httpx.create_ssl_context()
    trusting.load_verify_locations(pem)
    body = b"behind the tunnel"

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(head(200, {"content-length": str(len(body))}) + body)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            # Not close: that waits for the other side's good-bye.
            writer.transport.abort()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
    yield Certified(server.sockets[0].getsockname()[1], trusting)
    server.close()
