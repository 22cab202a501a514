"""What goes wrong in the practice market, and what the plugin makes of it."""

import httpx
import pytest

from monitor_site import contract
from monitor_site.contract import MarketplaceError, Throttled
from plugins.yahoo_auctions.manifest import YahooCriteria
from tests.plugins.standins import Market

ASKED = YahooCriteria(keyword="ルミナ")
FAULTS = [
    ({"kind": "status", "status": 500}, "Unavailable"),
    ({"kind": "status", "status": 502}, "Unavailable"),
    ({"kind": "maintenance"}, "Unavailable"),
    ({"kind": "maintenance200"}, "Unavailable"),
    ({"kind": "busy"}, "Unavailable"),
    ({"kind": "throttle"}, "Throttled"),
    ({"kind": "block200"}, "Blocked"),
    ({"kind": "block403"}, "Blocked"),
    ({"kind": "geo"}, "Blocked"),
    ({"kind": "login"}, "SignInNeeded"),
    ({"kind": "captcha"}, "ChallengeRequired"),
    ({"kind": "not_found"}, "LayoutChanged"),
    ({"kind": "empty"}, "LayoutChanged"),
    ({"kind": "no_body"}, "LayoutChanged"),
    ({"kind": "json"}, "LayoutChanged"),
    ({"kind": "truncate"}, "LayoutChanged"),
    ({"kind": "layout", "part": "list"}, "LayoutChanged"),
    ({"kind": "layout", "part": "cards"}, "LayoutChanged"),
    ({"kind": "layout", "part": "bids"}, "LayoutChanged"),
    ({"kind": "layout", "part": "times"}, "LayoutChanged"),
    ({"kind": "layout", "part": "order"}, "LayoutChanged"),
]


@pytest.mark.parametrize(("fault", "error"), FAULTS, ids=str)
async def test_a_fault_becomes_its_error(market, yahoo, fault: dict[str, object], error: str):
    market.do("faults", **fault)
    with pytest.raises(MarketplaceError) as caught:
        await yahoo.search(ASKED)
    assert type(caught.value) is getattr(contract, error)


async def test_a_wait_is_kept(market, yahoo):
    market.do("faults", kind="throttle", retry_after=33)
    with pytest.raises(Throttled) as caught:
        await yahoo.search(ASKED)
    assert caught.value.retry_after == 33.0


@pytest.mark.parametrize("silent", [False, True])
async def test_another_charset_is_read(market, yahoo, silent: bool):
    market.do("faults", kind="charset", silent=silent)
    assert "ルミナ" in (await yahoo.search(ASKED)).sightings[0].title


async def test_a_late_answer_is_an_answer(market, yahoo):
    market.do("faults", kind="delay", seconds=0.05)
    assert (await yahoo.search(ASKED)).sightings


@pytest.mark.parametrize("kind", ["close", "cut"])
async def test_connections_are_really_cut(market, yahoo, kind: str):
    market.do("faults", kind=kind)
    with pytest.raises(httpx.RemoteProtocolError):
        await yahoo.search(ASKED)


@pytest.mark.parametrize("fault", [{"kind": "hang"}, {"kind": "drip", "seconds": 0.05}])
async def test_hanging_and_dripping_never_come_to_an_end(market, session, yahoo, fault: dict[str, object]):
    session.client.timeout = httpx.Timeout(0.2)
    market.do("faults", **fault)
    if fault["kind"] == "hang":
        with pytest.raises(httpx.ReadTimeout):
            await yahoo.search(ASKED)
        return
    async with session.client.stream("GET", f"{market.base}/search/search?p=x") as got:
        assert len(await anext(got.aiter_raw())) <= 2


def test_too_much_is_sent_until_the_client_leaves(market: Market):
    market.do("faults", kind="huge", megabytes=1)
    assert len(market.client.get(f"{market.base}/search/search?p=x").content) > 900_000
    market.do("faults/clear")
    market.do("faults", kind="gzip_bomb", megabytes=2)
    got = market.client.get(f"{market.base}/search/search?p=x")
    assert (len(got.content), int(got.headers["content-length"]) < 20_000) == (2_000_000, True)


async def test_faults_strike_their_own_route_only(market, yahoo):
    market.do("faults", kind="status", route="item")
    assert (await yahoo.search(ASKED)).sightings
    assert market.page("/jp/auction/x0000000000").status == 500
