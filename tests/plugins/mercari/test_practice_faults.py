"""Each scripted fault of the practice market, as the plugin meets it over real HTTP."""

import httpx
import pytest

from monitor_site.contract import Blocked, LayoutChanged, MarketplaceError, SearchCriteria, Throttled, Unavailable
from plugins.mercari.practice.faults import KINDS
from tests.plugins.standins import Market, PlainSession, impatient, patient, struck

ASKED = SearchCriteria(keyword="ルミナ")

NAMED = {
    "status": Unavailable,
    "maintenance": Unavailable,
    "throttle": Throttled,
    "block403": Blocked,
    "block200": Blocked,
    "truncate": LayoutChanged,
    "layout": LayoutChanged,
    "charset": LayoutChanged,
    "no_body": LayoutChanged,
    "gzip_bomb": LayoutChanged,
}
CUT_OFF = {"hang": {}, "drip": {}, "close": {}, "cut": {}}
OF_THEIR_OWN = {"expired", "delay", "empty", "endless", "huge"}
OF_PURCHASES = {"lost", "after", "failure", "verification"}


def test_every_kind_of_fault_is_tested_here_or_with_purchases():
    assert set(KINDS) == set(NAMED) | set(CUT_OFF) | OF_THEIR_OWN | OF_PURCHASES


@pytest.mark.parametrize("kind", NAMED)
async def test_a_fault_has_its_error(market: Market, mercari, kind: str):
    market.do("faults", kind=kind, count=1, megabytes=3)
    with pytest.raises(MarketplaceError) as caught:
        await mercari.search(ASKED)
    assert type(caught.value) is NAMED[kind]
    assert (await mercari.search(ASKED)).sightings


async def test_renamed_row_keys_are_another_layout(market: Market, mercari):
    market.do("faults", kind="layout", part="rows", count=1)
    with pytest.raises(LayoutChanged):
        await mercari.search(ASKED)


@pytest.mark.parametrize(("hint", "seconds"), [(7, 7.0), (None, 90.0)])
async def test_throttling_passes_on_its_hint(market: Market, mercari, hint: int | None, seconds: float):
    market.do("faults", kind="throttle", retry_after=hint, count=1)
    with pytest.raises(Throttled) as caught:
        await mercari.search(ASKED)
    assert caught.value.retry_after == seconds


@pytest.mark.parametrize("kind", CUT_OFF)
async def test_a_connection_that_gives_nothing_is_cut_by_one_side(market: Market, session: PlainSession, kind: str):
    market.do("faults", kind=kind, count=1, route="*", seconds=3600)
    session.client.timeout = impatient(0.3)
    with pytest.raises((httpx.TimeoutException, httpx.RemoteProtocolError, httpx.ReadError)):
        await session.get(f"{market.base}/photos/camera/m01_1.webp")
    await struck(market)
    session.client.timeout = patient()
    assert (await session.get(f"{market.base}/photos/camera/m01_1.webp")).status == 200


async def test_a_short_delay_is_only_a_delay(market: Market, mercari):
    market.do("faults", kind="delay", seconds=0.05, count=1)
    assert (await mercari.search(ASKED)).sightings


async def test_a_soft_block_looks_like_nothing_found(market: Market, mercari):
    market.do("faults", kind="empty", count=1)
    assert (await mercari.search(ASKED)).sightings == ()
    assert (await mercari.search(ASKED)).sightings


@pytest.mark.parametrize("kind", ["endless", "huge"])
async def test_a_body_without_end_keeps_coming(market: Market, session: PlainSession, kind: str):
    market.do("faults", kind=kind, count=1, route="*")
    taken = 0
    async with session.client.stream("GET", f"{market.base}/photos/camera/m02_1.webp") as answer:
        async for chunk in answer.aiter_bytes():
            taken += len(chunk)
            if taken > 9_000_000:
                break
    assert taken > 9_000_000
    assert market.look("state")["faults"] == []


async def test_a_huge_body_ends_at_its_size(market: Market, session: PlainSession):
    market.do("faults", kind="huge", megabytes=2, count=1, route="*")
    got = await session.get(f"{market.base}/photos/camera/m03_1.webp")
    assert 1_900_000 < len(got.body) <= 2_000_000


async def test_a_bomb_is_small_on_the_wire(market: Market, session: PlainSession):
    market.do("faults", kind="gzip_bomb", megabytes=20, count=1, route="*")
    async with session.client.stream("GET", f"{market.base}/photos/camera/m04_1.webp") as answer:
        assert answer.headers["content-encoding"] == "gzip"
        assert int(answer.headers["content-length"]) < 100_000


async def test_a_fault_strikes_as_often_as_it_was_told(market: Market, mercari):
    market.do("faults", kind="status", status=502, count=2)
    for _ in range(2):
        with pytest.raises(Unavailable):
            await mercari.search(ASKED)
    assert (await mercari.search(ASKED)).sightings
    assert market.look("faults") == {"faults": []}


async def test_a_fault_that_never_comes_and_one_that_is_over_do_not_strike(market: Market, mercari):
    market.do("faults", kind="status", probability=0)
    market.do("faults", kind="status", for_seconds=0)
    assert (await mercari.search(ASKED)).sightings


async def test_one_fault_may_be_cleared_and_the_other_stays(market: Market, mercari):
    first = market.do("faults", kind="block403")
    market.do("faults", kind="status")
    market.do("faults/clear", id=first["id"])
    with pytest.raises(Unavailable):
        await mercari.search(ASKED)


async def test_faults_of_pictures_leave_the_search_alone(market: Market, session: PlainSession, mercari):
    market.do("faults", kind="status", route="photos", status=500)
    (address,) = (await mercari.search(ASKED)).sightings[0].images
    assert (await session.get(address)).status == 500
