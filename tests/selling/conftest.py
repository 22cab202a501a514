"""A market stall on a real port, a person with an account and a budget there, and a clerk who sends."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from monitor_site.engine import clerk as clerks
from monitor_site.engine.clerk import Clerk
from monitor_site.engine.senders import Senders
from monitor_site.marketplaces import catalog as catalogs
from monitor_site.marketplaces import services
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.purchasing import cancelling, submitting
from plugins.mercari.practice import create
from tests.plugins.mercari.buying import connected
from tests.plugins.standins import quiet as practice_quiet
from tests.plugins.standins import served as practice_served
from tests.selling import market as markets
from tests.selling.lanes import Shopper
from tests.selling.orders import Desk
from tests.selling.points import VARIABLE, Points
from tests.waiting import PATIENCE_SECONDS

CANARY = "canary-of-a-buyer"
PLUGINS = Path(__file__).parent / "plugins"


@pytest.fixture
def now() -> datetime:
    """The present: senders are processes, and live in it."""
    return datetime.now(UTC)


@pytest.fixture(scope="module")
def stall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[markets.Market]:
    """The server, for all stories of a file; processes started from here know it, and where faults are armed."""
    with markets.served() as served, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PLUGIN_DIR", str(PLUGINS))
        patch.setenv("PRACTICE_MARKETS", f"stall={served.base}")
        patch.setenv(VARIABLE, str(tmp_path_factory.mktemp("faults") / "fault"))
        yield served


@pytest.fixture
def market(stall: markets.Market, settings: Any) -> Iterator[markets.Market]:
    """The stall works here, and sells nothing yet."""
    settings.PLUGIN_DIR, settings.PRACTICE_MARKETS = PLUGINS, {"stall": stall.base}
    stall.clear()
    catalogs.catalog.cache_clear()
    yield stall
    catalogs.catalog.cache_clear()


@pytest.fixture
def points(stall: markets.Market) -> Iterator[Points]:
    """Faults to arm."""
    made = Points(Path(os.environ[VARIABLE]))
    yield made
    made.clear()


@pytest.fixture(scope="module")
def senders(stall: markets.Market) -> Iterator[Senders]:
    """One process for all stories of a file forks their senders."""
    made = Senders()
    yield made
    made.stop()


@pytest.fixture
def account(alice: Any, now: datetime) -> MarketplaceAccount:
    """Alice's account at the stall, allowed to spend."""
    made = services.connect_account(
        marketplace="stall", user=alice, label="mine", values={}, secrets={"key": "k"}, now=now
    )
    MarketplaceAccount.objects.filter(pk=made.pk).update(spends_since=now)
    made.refresh_from_db()
    return made


@pytest.fixture
def desk(alice: Any, account: MarketplaceAccount, market: markets.Market, redis: Any, now: datetime) -> Desk:
    """What alice orders."""
    return Desk(user=alice, account=account, market=market, now=now)


@pytest.fixture
def patient_children(child_env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that are started from here work on the test's own database, and have time."""
    for name in ("DATABASE_URL", "DJANGO_SETTINGS_MODULE"):
        if name in child_env:
            monkeypatch.setenv(name, child_env[name])
    assert os.environ["DJANGO_SETTINGS_MODULE"] == "tests.settings"
    # The machine may be busy, and a deadline that comes too soon is another story.
    for module, seconds in ((submitting, 120), (clerks, 120), (cancelling, 50)):
        monkeypatch.setattr(module, "SEND_TIME", timedelta(seconds=seconds))


@pytest.fixture
def shopper(
    patient_children: None, alice: Any, redis: Any, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Shopper]:
    """Alice at the practice market of Mercari, called by a name that is part of each of her secrets there."""
    with practice_served(create, tmp_path / "truth.jsonl") as served, practice_quiet(served) as market:
        settings.PRACTICE_MARKETS = {"mercari": market.base}
        monkeypatch.setenv("PRACTICE_MARKETS", f"mercari={market.base}")
        account = connected(alice, CANARY, named="shop", client_id="shop-7")
        yield Shopper(user=alice, account=account, market=market, redis=redis)


@pytest.fixture
def clerk(patient_children: None, market: Any, senders: Senders) -> Iterator[Clerk]:
    """Sends, in processes of the test's own database."""
    made = Clerk(senders)
    yield made
    made.stop(seconds=PATIENCE_SECONDS)
