"""The practice market on a real port, and the plugin asking it."""

from collections.abc import Iterator

import pytest

from monitor_site.contract import CanSearch
from plugins.yahoo_auctions import plugin
from plugins.yahoo_auctions.practice import create
from tests.plugins import standins
from tests.plugins.standins import Market, PlainSession


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Market]:
    # The market sends dates itself where its clock is to be wrong.
    log = tmp_path_factory.mktemp("practice") / "truth.jsonl"
    with standins.served(create, log, date_header=False) as market:
        yield market


@pytest.fixture
def market(served: Market) -> Iterator[Market]:
    with standins.quiet(served, fuzzy=0, date_offset=None) as market:
        yield market
        market.do("settings", fuzzy=0, date_offset=None)


@pytest.fixture
def yahoo(session: PlainSession) -> CanSearch:
    return plugin.connect(session)
