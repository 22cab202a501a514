"""Whatever comes, it is a page or an error of the contract, and the same each time."""

from datetime import datetime
from random import Random

import pytest

from monitor_site.contract import Answer, MarketplaceError, SearchPage
from plugins.yahoo_auctions.manifest import YahooCriteria
from plugins.yahoo_auctions.parse import read_search
from plugins.yahoo_auctions.parse_closed import read_closed
from plugins.yahoo_auctions.parse_detail import read_listing
from tests.plugins.yahoo_auctions.items import closed_page, counted_page, item_page, sold
from tests.plugins.yahoo_auctions.samples import NOW, answer, samples

SEEDS = {
    "full": samples()["full.html"].answer.body,
    "quick view": samples()["quick_view.html"].answer.body,
    "item": item_page().body,
    "counted": counted_page().body,
    "closed": closed_page(sold(), sold()).body,
}
PIECES = (b'"', b"<", b"</html>", b"\xff", b"\x00", b"9" * 400, b"null", b"[]", b"{}", b"-1", b"NaN", b"&#x110000;")


def spoiled(body: bytes, rng: Random) -> bytes:
    made = bytearray(body)
    for _ in range(rng.randrange(1, 10)):
        at = rng.randrange(len(made) - 60)
        made[at : at + rng.randrange(40)] = rng.choice((*PIECES, bytes([rng.randrange(256)]), made[at : at + 60] * 2))
    return bytes(made)


def searched(made: Answer, *, now: datetime) -> SearchPage:
    return read_search(made, YahooCriteria(), now=now)


def outcome(made: Answer) -> list[object]:
    found: list[object] = []
    for reader in (searched, read_closed, read_listing):
        try:
            found.append(reader(made, now=NOW))
        except MarketplaceError as error:
            found.append((type(error), error.detail))
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_spoiled_pages_are_read_or_refused(seed: str):
    rng = Random(seed)
    for _ in range(60):
        made = answer(spoiled(SEEDS[seed], rng), status=rng.choice((200, 404)))
        assert outcome(made) == outcome(made)
