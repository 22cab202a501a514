"""What was read before is used again, and nothing about it may show."""

from dataclasses import replace
from typing import Any

import pytest

from monitor_site.contract import Blocked, LayoutChanged, ReadBefore
from plugins.mercari.manifest import MercariCriteria
from plugins.mercari.parse import read_search as read_mercari
from plugins.yahoo_auctions.manifest import Order, Selling, YahooCriteria
from plugins.yahoo_auctions.parse import read_search as read_yahoo
from tests.plugins.mercari import samples as mercari
from tests.plugins.yahoo_auctions import samples as yahoo

MERCARI = [mercari.page_of(mercari.row(price=str(1000 + number))) for number in range(3)]
YAHOO = [yahoo.answer((yahoo.HERE / name).read_bytes()) for name in ("full.html", "last_page.html")]
READERS = [(read_mercari, MercariCriteria(keyword="x"), MERCARI), (read_yahoo, YahooCriteria(keyword="x"), YAHOO)]


@pytest.fixture
def anew(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Reads without what was read before."""

    def read(reader: Any, *args: Any, **more: Any) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr(ReadBefore, "of", lambda _self, _content, *_beside, read: read())
            return reader(*args, **more)

    return read


@pytest.mark.parametrize(("reader", "criteria", "answers"), READERS)
def test_a_page_read_again_is_what_reading_it_anew_gives(reader: Any, criteria: Any, answers: Any, anew: Any):
    for answer in [*answers, *answers]:
        assert reader(answer, criteria, now=yahoo.NOW) == anew(reader, answer, criteria, now=yahoo.NOW)


@pytest.mark.parametrize(("reader", "criteria", "answers"), READERS)
def test_the_same_bytes_are_not_read_twice(reader: Any, criteria: Any, answers: Any):
    first, again = (reader(answers[0], criteria, now=yahoo.NOW) for _ in range(2))
    assert first is again


@pytest.mark.parametrize(("reader", "criteria", "answers"), READERS)
def test_a_block_with_the_bytes_of_a_good_page_is_a_block(reader: Any, criteria: Any, answers: Any):
    reader(answers[0], criteria, now=yahoo.NOW)
    with pytest.raises(Blocked):
        reader(replace(answers[0], status=403), criteria, now=yahoo.NOW)


@pytest.mark.parametrize(("reader", "criteria", "answers"), READERS)
def test_addresses_begin_as_they_are_asked_to_whatever_was_read_before(reader: Any, criteria: Any, answers: Any):
    reader(answers[0], criteria, now=yahoo.NOW)
    page = reader(answers[0], criteria, now=yahoo.NOW, web="http://practice")
    assert all(found.url.startswith("http://practice/") for found in page.sightings)


def test_a_page_in_another_order_than_asked_is_refused_although_it_was_read_before():
    read_yahoo(YAHOO[0], YahooCriteria(keyword="x"), now=yahoo.NOW)
    with pytest.raises(LayoutChanged):
        read_yahoo(YAHOO[0], YahooCriteria(keyword="x", order=Order.CHEAPEST), now=yahoo.NOW)


def test_cards_read_before_are_still_compared_with_the_question(anew: Any):
    read_yahoo(YAHOO[0], YahooCriteria(keyword="x"), now=yahoo.NOW)
    auctions = YahooCriteria(keyword="x", selling=Selling.AUCTION)
    assert read_yahoo(YAHOO[0], auctions, now=yahoo.NOW) == anew(read_yahoo, YAHOO[0], auctions, now=yahoo.NOW)
    assert len(read_yahoo(YAHOO[0], auctions, now=yahoo.NOW).sightings) < 6


def test_a_charset_that_a_header_declares_counts_for_the_same_bytes(anew: Any):
    question = YahooCriteria(keyword="x")
    read_yahoo(YAHOO[0], question, now=yahoo.NOW)
    garbled = replace(YAHOO[0], headers={"content-type": "text/html; charset=iso-8859-1"})
    assert read_yahoo(garbled, question, now=yahoo.NOW) == anew(read_yahoo, garbled, question, now=yahoo.NOW)


def test_one_changed_price_is_seen_among_rows_that_stay():
    rows = [mercari.row(id=f"m{number}", price="1000") for number in range(6)]
    changed = [*rows[:5], mercari.row(id="m5", price="900")]
    pages = [read_mercari(mercari.page_of(*some), MercariCriteria(), now=yahoo.NOW) for some in (rows, changed)]
    amounts = [[found.price.amount for found in page.sightings] for page in pages]
    assert amounts == [[1000] * 6, [1000] * 5 + [900]]
