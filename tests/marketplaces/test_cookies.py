"""What a marketplace asks us to remember stays between it and one account."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
import redis.asyncio
from structlog.testing import capture_logs

from monitor_site.contract import AccountSettings, SearchCriteria, SearchPage, Session
from monitor_site.marketplaces.accounts import Account
from monitor_site.marketplaces.clients import Clients, Way
from monitor_site.marketplaces.cookies import MOST_COOKIES, Cookies
from monitor_site.marketplaces.exchange import Exchange
from monitor_site.marketplaces.gateway import Gateway
from monitor_site.marketplaces.hosts import Reach
from monitor_site.marketplaces.transport import USUAL_LIMITS, open_client

from .asking import CAMERA, FIRST, page
from .loopback import Loopback, head, plugin, shelf

CANARY = "canary-of-a-cookie"


async def over_http(session: Session, criteria: SearchCriteria, token: str | None) -> SearchPage:
    answer = await session.get(f"{session.base}/search")
    assert "set-cookie" not in answer.headers
    return page(*json.loads(answer.body or b"[]"))


@pytest.fixture
async def gateway(aredis: redis.asyncio.Redis, settings: Any, loopback: Loopback) -> AsyncIterator[Gateway]:
    """Two marketplaces, played by one server."""
    settings.PRACTICE_MARKETS = {"bazaar": loopback.base, "flea": loopback.base}
    opened = Gateway(redis=aredis, catalog=shelf(plugin(over_http), plugin(over_http, name="flea")))
    yield opened
    await opened.close()


@pytest.fixture
async def clients() -> AsyncIterator[Clients]:
    opened = Clients(USUAL_LIMITS)
    yield opened
    await opened.close()


def carried(loopback: Loopback) -> list[str | None]:
    return [asked.headers.get("cookie") for asked in loopback.asked]


async def ask(way: Way, url: str) -> None:
    exchange = Exchange(
        client=way.client,
        limits=USUAL_LIMITS,
        count=lambda _: None,
        cookies=way.cookies,
        fresh=lambda: open_client(guarded=False),
    )
    await exchange.ask("GET", httpx.URL(url))


async def test_a_cookie_comes_back_at_the_next_visit(gateway: Gateway, loopback: Loopback) -> None:
    loopback.answer("/search", b'["b1"]', set_cookie="who=we; Path=/; HttpOnly")

    for _ in range(2):
        await gateway.search(marketplace="bazaar", criteria=CAMERA, history=FIRST)

    assert carried(loopback) == [None, "who=we"]


async def test_a_cookie_never_crosses_marketplaces_even_on_one_host(gateway: Gateway, loopback: Loopback) -> None:
    loopback.answer("/search", b'["b1"]', set_cookie=f"who={CANARY}")

    await gateway.search(marketplace="bazaar", criteria=CAMERA, history=FIRST)
    await gateway.search(marketplace="flea", criteria=CAMERA, history=FIRST)

    assert carried(loopback) == [None, None]


async def test_cookies_end_with_the_gateway(gateway: Gateway, loopback: Loopback) -> None:
    loopback.answer("/search", b'["b1"]', set_cookie="who=we")
    await gateway.search(marketplace="bazaar", criteria=CAMERA, history=FIRST)
    await gateway.close()

    await gateway.search(marketplace="bazaar", criteria=CAMERA, history=FIRST)

    assert carried(loopback) == [None, None]


async def test_a_cookie_never_crosses_accounts_nor_outlives_their_secrets(clients: Clients, loopback: Loopback) -> None:
    loopback.answer("/", set_cookie=f"who={CANARY}")
    reach = Reach.practising(loopback.base)
    accounts = [None, account(1, "a"), account(2, "a"), account(1, "b")]

    for each in accounts:
        await ask(clients.way(marketplace="bazaar", account=each, reach=reach), f"{loopback.base}/")
    await ask(clients.way(marketplace="bazaar", account=account(1, "b"), reach=reach), f"{loopback.base}/")

    assert carried(loopback) == [None, None, None, None, f"who={CANARY}"]


async def test_the_second_try_over_a_fresh_connection_uses_the_same_jar(clients: Clients, loopback: Loopback) -> None:
    loopback.answer("/", set_cookie="who=we")
    way = clients.way(marketplace="bazaar", account=None, reach=Reach.practising(loopback.base))
    await ask(way, f"{loopback.base}/")
    answers = iter([None, head(200, {"content-length": "0", "set-cookie": "when=now"})])

    async def once_broken(writer: Any) -> None:
        if answer := next(answers):
            writer.write(answer)
        else:
            writer.transport.abort()

    loopback.routes["/"] = once_broken
    await ask(way, f"{loopback.base}/")

    assert carried(loopback) == [None, "who=we", "who=we"]
    assert len(way.cookies) == 2


async def test_a_cookie_for_another_host_is_not_kept(clients: Clients, loopback: Loopback) -> None:
    loopback.answer("/", set_cookie="who=we; Domain=elsewhere.example")
    way = clients.way(marketplace="bazaar", account=None, reach=Reach.practising(loopback.base))

    await ask(way, f"{loopback.base}/")

    assert len(way.cookies) == 0


def test_a_cookie_goes_to_the_hosts_of_the_manifest_and_to_nobody_else() -> None:
    jar = Cookies(Reach.live([".bazaar.example"]))
    jar.keep(answered("https://www.bazaar.example/", f"who={CANARY}; Domain=.bazaar.example; Path=/"))

    assert sent(jar, "https://api.bazaar.example/") == f"who={CANARY}"
    for elsewhere in ("https://bazaar.example.evil.example/", "https://xbazaar.example/", "http://api.bazaar.example/"):
        assert sent(jar, elsewhere) is None


def test_an_answer_of_a_host_outside_leaves_nothing_in_the_jar() -> None:
    jar = Cookies(Reach.live(["api.bazaar.example"]))

    jar.keep(answered("https://elsewhere.example/", "who=stranger; Domain=.example"))
    jar.keep(answered("http://api.bazaar.example/", "who=unencrypted"))

    assert len(jar) == 0


def test_a_cookie_that_the_plugin_sets_itself_stays_its_own() -> None:
    jar = Cookies(Reach.live(["api.bazaar.example"]))
    jar.keep(answered("https://api.bazaar.example/", "who=we"))
    request = httpx.Request("GET", "https://api.bazaar.example/", headers={"Cookie": "mine=1"})

    jar.attach(request)

    assert request.headers["cookie"] == "mine=1"


def test_a_flood_of_cookies_costs_the_jar_and_a_huge_one_is_not_taken() -> None:
    jar = Cookies(Reach.live(["api.bazaar.example"]))

    jar.keep(answered("https://api.bazaar.example/", f"huge={'x' * 5000}"))
    jar.keep(answered("https://api.bazaar.example/", *(f"c{n}=1" for n in range(MOST_COOKIES))))
    assert len(jar) == MOST_COOKIES

    jar.keep(answered("https://api.bazaar.example/", "one=more"))
    assert len(jar) == 0


async def test_a_cookie_is_in_no_repr_and_no_log(gateway: Gateway, loopback: Loopback) -> None:
    loopback.answer("/search", b'["b1"]', status=200, set_cookie=f"who={CANARY}")
    jar = Cookies(Reach.live(["api.bazaar.example"]))
    jar.keep(answered("https://api.bazaar.example/", f"who={CANARY}"))

    with capture_logs() as lines:
        await gateway.search(marketplace="bazaar", criteria=CAMERA, history=FIRST)

    assert len(jar) == 1
    assert CANARY not in repr(jar) + str(vars(jar).keys()) + str(lines)


def account(pk: int, version: str) -> Account:
    return Account(id=pk, version=version, settings=AccountSettings(), paused_until=datetime(2020, 1, 1, tzinfo=UTC))


def answered(url: str, *cookies: str) -> httpx.Response:
    return httpx.Response(200, headers=[("set-cookie", each) for each in cookies], request=httpx.Request("GET", url))


def sent(jar: Cookies, url: str) -> str | None:
    jar.attach(request := httpx.Request("GET", url))
    value: str | None = request.headers.get("cookie")
    return value
