"""What goes wrong in the practice market, and what the plugin makes of it."""

from collections.abc import Awaitable, Callable
from email.utils import formatdate, parsedate_to_datetime
from typing import Any

import httpx
import pytest

from monitor_site import contract
from monitor_site.contract import MarketplaceError, Status, Throttled, Unavailable
from plugins.yahoo_auctions.manifest import YahooCriteria
from tests.plugins.standins import Market, PlainSession, impatient

ASKED = YahooCriteria(keyword="ルミナ")
SELLER = "PracticeSellerFault"
# What can be asked, by the route that it takes.
VERBS: dict[str, Callable[[Any, str], Awaitable[Any]]] = {
    "search": lambda yahoo, _: yahoo.search(ASKED),
    "seller": lambda yahoo, _: yahoo.search(YahooCriteria(seller=SELLER)),
    "closed": lambda yahoo, _: yahoo.sold_prices(ASKED),
    "item": lambda yahoo, listed: yahoo.look(listed),
}


@pytest.fixture
def listed(market: Market) -> str:
    """A listing of which every kind of page can be asked."""
    made: str = market.do("list", title="ルミナ 故障の見本", price=900, seller=SELLER, visible_in=0, bids=2)["id"]
    market.do("end", id=market.do("list", title="ルミナ 売れた見本", price=900, visible_in=0, bids=2)["id"])
    return made


async def failure(verb: str, yahoo: object, listed: str) -> MarketplaceError:
    with pytest.raises(MarketplaceError) as caught:
        await VERBS[verb](yahoo, listed)
    return caught.value


FAULTS = [
    ({"kind": "status", "status": 500}, "Unavailable"),
    ({"kind": "status", "status": 502}, "Unavailable"),
    ({"kind": "status", "status": 403}, "Blocked"),
    ({"kind": "maintenance"}, "Unavailable"),
    ({"kind": "maintenance200"}, "Unavailable"),
    ({"kind": "busy"}, "Unavailable"),
    ({"kind": "throttle"}, "Throttled"),
    ({"kind": "block200"}, "Blocked"),
    ({"kind": "block403"}, "Blocked"),
    ({"kind": "geo"}, "Blocked"),
    ({"kind": "login"}, "SignInNeeded"),
    ({"kind": "to_login"}, "SignInNeeded"),
    ({"kind": "captcha"}, "ChallengeRequired"),
    ({"kind": "empty"}, "LayoutChanged"),
    ({"kind": "no_body"}, "LayoutChanged"),
    ({"kind": "json"}, "LayoutChanged"),
    ({"kind": "truncate"}, "LayoutChanged"),
    ({"kind": "elsewhere"}, "LayoutChanged"),
]


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(("fault", "error"), FAULTS, ids=str)
async def test_a_fault_becomes_its_error_whatever_was_asked(
    market, yahoo, listed, verb: str, fault: dict[str, object], error: str
):
    market.do("faults", route=verb, **fault)
    assert type(await failure(verb, yahoo, listed)) is getattr(contract, error)
    market.do("faults/clear")
    await VERBS[verb](yahoo, listed)


async def test_a_captcha_to_which_one_is_sent_needs_a_person(market, yahoo, listed):
    market.do("faults", kind="to_captcha", route="item")
    assert isinstance(await failure("item", yahoo, listed), contract.ChallengeRequired)


LAYOUTS = [
    ("search", "list"),
    ("search", "cards"),
    ("search", "bids"),
    ("search", "times"),
    ("search", "order"),
    ("closed", "data"),
    ("closed", "rows"),
    ("seller", "data"),
    ("seller", "rows"),
    ("item", "all"),
    ("item", "fields"),
]


@pytest.mark.parametrize(("verb", "part"), LAYOUTS)
async def test_another_layout_is_said_and_is_neither_nothing_nor_an_end(market, yahoo, listed, verb: str, part: str):
    market.do("faults", kind="layout", route=verb, part=part)
    assert isinstance(await failure(verb, yahoo, listed), contract.LayoutChanged)


async def test_a_field_gone_from_every_row_is_another_layout(market, yahoo, listed):
    for at in range(5):
        market.do("list", title=f"ルミナ {at}", seller=SELLER, visible_in=0)
    market.do("faults", kind="layout", route="seller", part="fields")
    assert isinstance(await failure("seller", yahoo, listed), contract.LayoutChanged)


async def test_a_listing_whose_data_is_gone_is_read_from_what_is_left(market, yahoo, listed):
    usual = await yahoo.look(listed)
    market.do("faults", kind="layout", route="item", part="data")
    left = await yahoo.look(listed)
    assert (left.price, left.bids, left.ends_at, left.status) == (
        usual.price,
        usual.bids,
        usual.ends_at,
        Status.ON_SALE,
    )


async def test_the_older_view_is_read_without_its_bids(market, yahoo):
    usual = {found.external_id: found for found in (await yahoo.search(ASKED)).sightings}
    market.do("faults", kind="layout", part="quick")
    quick = (await yahoo.search(ASKED)).sightings
    assert {found.external_id for found in quick} == set(usual)
    for found in quick:
        assert (found.price, found.ends_at) == (usual[found.external_id].price, usual[found.external_id].ends_at)
        assert found.bids is None


async def test_a_search_that_has_moved_is_another_layout_and_a_listing_is_gone(market, yahoo, listed):
    market.do("faults", kind="not_found", route="*")
    kinds = [type(await failure(verb, yahoo, listed)).__name__ for verb in ("search", "seller", "closed", "item")]
    assert kinds == ["LayoutChanged", "LayoutChanged", "LayoutChanged", "ListingGone"]


async def test_nothing_found_a_block_page_and_an_empty_body_are_three_things(market, yahoo, listed):
    nothing = await yahoo.search(YahooCriteria(keyword="該当なし"))
    none_sold = await yahoo.sold_prices(YahooCriteria(keyword="該当なし"))
    assert (nothing.sightings, none_sold.sightings, nothing.about, none_sold.about) == ((), (), 0, 0)
    for kind, error in (("block200", "Blocked"), ("no_body", "LayoutChanged")):
        market.do("faults", kind=kind, count=1)
        assert type(await failure("search", yahoo, listed)).__name__ == error


async def test_a_refusal_a_notice_to_the_eea_and_a_captcha_all_stop_asking_each_in_its_way(market, yahoo, listed):
    told = []
    for kind in ("block403", "geo", "captcha"):
        market.do("faults", kind=kind, count=1)
        error = await failure("search", yahoo, listed)
        told.append((error.code, error.pauses.value, error.retry_after))
    assert told == [
        ("blocked", "marketplace", 1800.0),
        ("blocked", "marketplace", 86_400.0),
        ("challenge_required", "account", 600.0),
    ]


async def test_an_odd_keyword_is_sent_in_a_form_that_works_and_a_500_is_an_error(market, yahoo, session: PlainSession):
    assert market.page("/search/search", p="ルミナ（初期）,箱").status == 500
    odd = YahooCriteria(keyword="ルミナ（初期）,箱")
    assert (await yahoo.search(odd)).sightings
    await yahoo.sold_prices(odd)
    market.do("faults", kind="status", count=1)
    with pytest.raises(Unavailable):
        await yahoo.search(odd)
    assert len(session.asked) == 3  # never again by itself


@pytest.mark.parametrize("offset", [4, -4, 7200])
async def test_a_wait_until_a_moment_is_measured_by_the_clock_that_named_it(market, session, yahoo, offset: int):
    market.do("settings", date_offset=offset)
    now = market.look("state")["now"] + offset
    market.do("faults", kind="throttle", retry_after=formatdate(int(now) + 60, usegmt=True))
    with pytest.raises(Throttled) as caught:
        await yahoo.search(ASKED)
    assert caught.value.retry_after == 60.0
    said = parsedate_to_datetime((await session.get(f"{market.base}/seller/{SELLER}")).headers["date"])
    assert int(said.timestamp()) == int(now)


async def test_a_flood_of_requests_without_a_hint_waits_as_usual(market, yahoo, listed):
    market.do("faults", kind="throttle", route="item")
    assert (await failure("item", yahoo, listed)).retry_after == Throttled.default_retry_after


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


async def test_what_hangs_never_comes(market, session, yahoo):
    session.client.timeout = impatient(0.2)
    market.do("faults", kind="hang")
    with pytest.raises(httpx.ReadTimeout):
        await yahoo.search(ASKED)


async def test_what_drips_comes_in_drops(market, session):
    market.do("faults", kind="drip", seconds=3600)
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


STORIES = {
    19: test_a_fault_becomes_its_error_whatever_was_asked,
    21: test_another_layout_is_said_and_is_neither_nothing_nor_an_end,
    24: test_nothing_found_a_block_page_and_an_empty_body_are_three_things,
    25: test_a_refusal_a_notice_to_the_eea_and_a_captcha_all_stop_asking_each_in_its_way,
    26: test_an_odd_keyword_is_sent_in_a_form_that_works_and_a_500_is_an_error,
    28: test_a_wait_until_a_moment_is_measured_by_the_clock_that_named_it,
}
"""Stories of a site in trouble by their numbers; those of listings stand in ``test_scenarios``."""
