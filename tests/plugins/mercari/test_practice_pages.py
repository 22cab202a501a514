"""Results cut into pages as the real ones are, read through the gateway; and the page each listing links to."""

import pytest
from django.utils.html import strip_tags

from monitor_site.contract import CanSearch, Kind
from monitor_site.marketplaces.gateway import Found, Gateway, History
from plugins.mercari.manifest import MercariCriteria
from plugins.mercari.practice.pages import NOTE
from tests.plugins.standins import Market, PlainSession

# A keyword the market adds nothing to: only what a test lists is there.
WORD = "該当なし"


async def search(gateway: Gateway, keyword: str, *, known: tuple[str, ...] = ("long gone",)) -> Found:
    history = History(known=frozenset(known), usual=True, empty_streak=0)
    return await gateway.search(marketplace="mercari", criteria=MercariCriteria(keyword=keyword), history=history)


def listed(market: Market, title: str, count: int) -> list[str]:
    """Ids of ``count`` new listings, newest first."""
    made = [market.do("list", title=f"{title} {n}", price=500 + n, visible_in=0, age=n * 100) for n in range(count)]
    return [listing["id"] for listing in made]


@pytest.mark.parametrize(
    ("name", "odd", "pages"),
    [
        ("整った頁", {}, 3),
        ("欠けた頁", {"short_pages": True}, 4),
        ("重なる頁", {"duplicates": True}, 3),
        ("両方の頁", {"short_pages": True, "duplicates": True}, 4),
    ],
)
async def test_all_distinct_rows_are_read_once_and_the_empty_token_ends_it(
    market: Market, gateway: Gateway, name: str, odd: dict[str, bool], pages: int
):
    word = f"{WORD} {name}"
    ids = listed(market, word, 16)
    market.do("settings", page_size=6, **odd)

    found = await search(gateway, word)

    assert [sighting.external_id for sighting in found.sightings] == ids
    assert (found.pages, found.gap, found.bad_rows) == (pages, False, 0)


async def test_a_short_page_has_a_token_and_the_rumoured_total_is_too_big(market: Market, mercari: CanSearch):
    listed(market, f"{WORD} 短い頁", 6)
    market.do("settings", page_size=6, short_pages=True)
    asked = MercariCriteria(keyword=f"{WORD} 短い頁")

    first = await mercari.search(asked)
    last = await mercari.search(asked, page_token=first.next_token)

    assert [len(first.sightings), len(last.sightings)] == [4, 2]
    assert (first.next_token, last.next_token) == ("v1:1", None)
    assert first.about == 7


async def test_a_duplicate_is_the_last_row_of_the_page_before(market: Market, mercari: CanSearch):
    ids = listed(market, f"{WORD} 重複", 5)
    market.do("settings", page_size=3, duplicates=True)
    asked = MercariCriteria(keyword=f"{WORD} 重複")

    first = await mercari.search(asked)
    second = await mercari.search(asked, page_token=first.next_token)

    assert [found.external_id for found in second.sightings] == [ids[2], ids[3], ids[4]]


async def test_a_known_row_ends_the_reading_however_the_pages_are_cut(market: Market, gateway: Gateway):
    ids = listed(market, f"{WORD} 既知", 16)
    market.do("settings", page_size=6, short_pages=True, duplicates=True)

    found = await search(gateway, f"{WORD} 既知", known=(ids[5],))

    assert (found.pages, found.gap) == (2, False)


@pytest.mark.parametrize("size", [0, -3, "many"])
def test_a_page_of_no_rows_is_refused(market: Market, size: object):
    assert market.ask("settings", {"page_size": size}).status_code == 400


async def test_a_connection_cut_once_costs_nothing(market: Market, gateway: Gateway):
    ids = listed(market, f"{WORD} 途切れ", 4)
    market.do("faults", kind="close", count=1)

    assert [sighting.external_id for sighting in (await search(gateway, f"{WORD} 途切れ")).sightings] == ids
    assert market.look("faults") == {"faults": []}


async def test_links_of_listings_lead_to_their_pages_in_the_practice_market(
    market: Market, gateway: Gateway, session: PlainSession
):
    shop = market.do("list", title=f"{WORD} 行き先", price=12345, visible_in=0, shop="kotorishopKotorishop22")
    person = market.do("list", title=f"{WORD} 行き先", price=None, visible_in=0)

    found = {sighting.kind: sighting for sighting in (await search(gateway, f"{WORD} 行き先")).sightings}

    assert found[Kind.SHOP].url == f"{market.base}/shops/product/{shop['id']}"
    assert found[Kind.FLEA].url == f"{market.base}/item/{person['id']}"
    for sighting, price in ((found[Kind.SHOP], "¥12,345"), (found[Kind.FLEA], "価格未定")):
        page = await session.get(sighting.url)
        assert (page.status, page.media_type) == (200, "text/html")
        assert all(text in page.body.decode() for text in (f"{WORD} 行き先", price, NOTE))
        assert f'src="/photos/camera/{sighting.external_id}_1.webp"' in page.body.decode()


async def test_a_title_is_shown_as_text_whatever_it_holds(market: Market, session: PlainSession):
    title = "</title><script>alert(1)</script> AT&amp;T \"x\" 'y'"
    made = market.do("list", title=title, price=1, art='"><script>', visible_in=0)

    page = await session.get(f"{market.base}/item/{made['id']}")

    text = page.body.decode()
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt; AT&amp;T &quot;x&quot;" in text
    assert "alert(1)" in strip_tags(text)


async def test_a_page_runs_nothing_and_loads_only_its_picture(market: Market, session: PlainSession):
    made = market.do("list", title="固い頁", price=1, visible_in=0)

    headers = (await session.get(f"{market.base}/item/{made['id']}")).headers

    assert headers["content-security-policy"].startswith("default-src 'none'; img-src 'self'; style-src 'sha256-")
    assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "no-referrer")


@pytest.mark.parametrize("path", ["/item/m000", "/item/", "/shops/product/none", "/item/%3Cscript%3E"])
async def test_a_page_nobody_has_is_not_found(market: Market, session: PlainSession, path: str):
    page = await session.get(f"{market.base}{path}")

    assert page.status == 404
    assert b"<script" not in page.body


async def test_a_persons_thing_has_no_page_among_the_shops(market: Market, session: PlainSession):
    made = market.do("list", title="人の物", price=1, visible_in=0)

    assert (await session.get(f"{market.base}/shops/product/{made['id']}")).status == 404


async def test_faults_of_the_search_leave_pages_alone_and_the_other_way_round(
    market: Market, session: PlainSession, mercari: CanSearch
):
    made = market.do("list", title="無事な頁", price=1, visible_in=0)
    market.do("faults", kind="block403")
    assert (await session.get(f"{market.base}/item/{made['id']}")).status == 200

    market.do("faults/clear")
    market.do("faults", kind="status", route="pages", status=503)
    assert (await session.get(f"{market.base}/item/{made['id']}")).status == 503
    assert (await mercari.search(MercariCriteria(keyword="ルミナ"))).sightings
