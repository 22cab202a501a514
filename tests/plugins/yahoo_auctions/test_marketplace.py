"""The connected plugin, with a session that only counts."""

from collections.abc import Callable
from datetime import datetime

import pytest

from monitor_site.contract import Answer, MarketplaceError, PluginFault, Refused, Sighting, Unavailable
from plugins.yahoo_auctions import plugin
from plugins.yahoo_auctions.manifest import YahooCriteria
from tests.plugins.yahoo_auctions.items import ID, ITEM_URL, at, item_page
from tests.plugins.yahoo_auctions.samples import NOW, answer


class Counting:
    """Gives the same answer to whatever is asked."""

    base = web = "https://auctions.yahoo.co.jp"
    settings = None

    def __init__(self, made: Answer) -> None:
        self.made, self.asked = made, []

    async def get(self, url: str, *, headers: object = None, weight: int = 1) -> Answer:
        self.asked.append(url)
        return self.made

    async def read(self, parse: Callable[[Answer], object], made: Answer) -> object:
        return parse(made)

    def now(self) -> datetime:
        return NOW


VERBS = {
    "search": lambda market: market.search(YahooCriteria(keyword="x")),
    "seller": lambda market: market.search(YahooCriteria(seller="x")),
    "look": lambda market: market.look(ID),
    "sold prices": lambda market: market.sold_prices(YahooCriteria(keyword="x")),
}


@pytest.mark.parametrize("verb", VERBS)
async def test_what_fails_is_asked_once_and_told(verb: str):
    session = Counting(answer("", status=500))
    with pytest.raises(Unavailable):
        await VERBS[verb](plugin.connect(session))
    assert len(session.asked) == 1


@pytest.mark.parametrize(
    "external_id", ["", "m12345678901", "../my/won", "x123", "x0900000031 ", "Ｘ0900000031", "SR8E4fXyZ"]
)
async def test_what_is_no_id_here_is_not_asked_and_not_gone(external_id: str):
    session = Counting(answer("", status=404))
    with pytest.raises(PluginFault, match="no id of this site"):
        await plugin.connect(session).look(external_id)
    assert session.asked == []


async def test_a_look_asks_for_the_page_of_the_listing():
    session = Counting(at(item_page()))
    found = await plugin.connect(session).look(ID)
    assert isinstance(found, Sighting)
    assert (session.asked, found.url) == ([ITEM_URL], ITEM_URL)


@pytest.mark.parametrize(
    "criteria", [YahooCriteria(category=5), YahooCriteria(seller="x", any_words=("y",)), YahooCriteria(keyword=" ")]
)
async def test_sold_prices_without_a_keyword_are_refused_and_not_asked(criteria: YahooCriteria):
    session = Counting(answer("", status=404))
    with pytest.raises(Refused) as caught:
        await plugin.connect(session).sold_prices(criteria)
    assert (session.asked, caught.value.kind, caught.value.pauses) == ([], "unsupported", "nothing")


@pytest.mark.parametrize("verb", VERBS)
async def test_an_answer_of_nonsense_is_an_error_of_the_contract(verb: str):
    for made in (answer("x"), answer("", status=302), answer("", status=418), answer(b"\x00" * 9)):
        with pytest.raises(MarketplaceError):
            await VERBS[verb](plugin.connect(Counting(made)))
