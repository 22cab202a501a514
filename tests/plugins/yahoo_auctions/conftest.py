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
    with standins.served(create, tmp_path_factory.mktemp("practice") / "truth.jsonl") as market:
        yield market


@pytest.fixture
def market(served: Market) -> Iterator[Market]:
    with standins.quiet(served) as market:
        yield market


@pytest.fixture
def yahoo(session: PlainSession) -> CanSearch:
    return plugin.connect(session)
