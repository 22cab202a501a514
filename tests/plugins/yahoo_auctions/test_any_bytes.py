"""Whatever comes, it is a page or an error of the contract, and the same each time."""

from functools import partial
from random import Random

import pytest

from monitor_site.contract import Answer, MarketplaceError
from plugins.yahoo_auctions.manifest import YahooCriteria
from plugins.yahoo_auctions.parse import read_search
from plugins.yahoo_auctions.parse_closed import read_closed
from plugins.yahoo_auctions.parse_detail import read_listing
from plugins.yahoo_auctions.parse_seller import read_seller
from tests.plugins.yahoo_auctions.items import ID, ITEM_URL, at, closed_page, counted_page, item_page, seller_page, sold
from tests.plugins.yahoo_auctions.samples import NOW, answer, samples

SEEDS = {
    "full": samples()["full.html"].answer.body,
    "quick view": samples()["quick_view.html"].answer.body,
    "item": item_page().body,
    "counted": counted_page().body,
    "closed": closed_page(sold(), sold()).body,
    "seller": seller_page(sold(), sold()).body,
}
READERS = (
    partial(read_search, criteria=YahooCriteria()),
    partial(read_closed, criteria=YahooCriteria(grades=(1, 3), category=2500, ending_soon=True)),
    partial(read_seller, criteria=YahooCriteria(seller="SoldSeller", buy_now_to=9000)),
    partial(read_listing, external_id=ID),
)
URLS = (ITEM_URL, "https://auctions.yahoo.co.jp/", "http://[::")
PIECES = (b'"', b"<", b"</html>", b"\xff", b"\x00", b"9" * 400, b"null", b"[]", b"{}", b"-1", b"NaN", b"&#x110000;")


def spoiled(body: bytes, rng: Random) -> bytes:
    made = bytearray(body)
    for _ in range(rng.randrange(1, 10)):
        at = rng.randrange(len(made) - 60)
        made[at : at + rng.randrange(40)] = rng.choice((*PIECES, bytes([rng.randrange(256)]), made[at : at + 60] * 2))
    return bytes(made)


def outcome(made: Answer) -> list[object]:
    found: list[object] = []
    for reader in READERS:
        try:
            found.append(reader(made, now=NOW))
        except MarketplaceError as error:
            found.append((type(error), error.detail))
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_spoiled_pages_are_read_or_refused(seed: str):
    rng = Random(seed)
    for _ in range(60):
        made = at(answer(spoiled(SEEDS[seed], rng), status=rng.choice((200, 404))), rng.choice(URLS))
        assert outcome(made) == outcome(made)
