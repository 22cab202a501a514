"""A whole installation follows what matched, also when the worker dies in the middle of a look."""

import signal
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from monitor_site.connections import key
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches import follow
from monitor_site.watches.models import Check, Listing, ListingEvent, Match, Target
from monitor_site.watches.services import Wish, create_watch
from tests.faults.installation import Installation, signal_to
from tests.waiting import until

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

# The first look never answers; the file tells that it began.
PLUGIN = """
import asyncio, pathlib
from monitor_site.contract import (
    CONTRACT_VERSION, Access, Capability, Kind, Manifest, Money, Pace, Plugin, SearchCriteria, SearchPage, Sighting,
    Status,
)

BEGAN = pathlib.Path(__file__).parent / "began"

manifest = Manifest(
    name="attic", title={"en": "Attic"}, contract=CONTRACT_VERSION, home="https://attic.example",
    hosts=("attic.example",), picture_hosts=("attic.example",), currency="JPY", time_zone="Asia/Tokyo",
    capabilities=frozenset({Capability.SEARCH, Capability.LOOK}), criteria=SearchCriteria,
    pace=Pace(per_minute=6000, ceiling_per_minute=6000, floor_seconds=1, concurrency=20),
    access=Access.PUBLIC_PAGES, control=SearchCriteria(keyword="control"),
    search_tells=frozenset({"price"}),
)

def sighting(price, status):
    return Sighting(external_id="lamp", title="lamp", url="https://attic.example/lamp", kind=Kind.FIXED, status=status,
                    price=Money(amount=price, currency="JPY"))

class Market:
    def __init__(self, session):
        self.session = session

    async def search(self, criteria, *, page_token=None):
        return SearchPage(sightings=(sighting(100, Status.ON_SALE),))

    async def look(self, external_id):
        if not BEGAN.exists():
            BEGAN.touch()
            await asyncio.sleep(3600)
        return sighting(90, Status.SOLD)

plugin = Plugin(manifest=manifest, connect=Market, api="https://attic.example", practice="plugins.attic")
"""


@pytest.fixture
def attic(installation: Installation, tmp_path: Path, settings: Any) -> Any:
    folder = tmp_path / "plugins" / "attic"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(PLUGIN, encoding="utf-8")
    settings.PLUGIN_DIR = tmp_path / "plugins"
    settings.PRACTICE_MARKETS = {"attic": "http://127.0.0.1:9"}
    installation.env |= {"PLUGIN_DIR": str(tmp_path / "plugins"), "PRACTICE_MARKETS": "attic=http://127.0.0.1:9"}
    catalog.cache_clear()
    yield installation
    catalog.cache_clear()


def test_a_worker_killed_in_a_look_costs_seconds_and_no_event(
    attic: Installation, alice: Any, redis: Any, tmp_path: Path
) -> None:
    wish = Wish(name="lamp", marketplaces=["attic"], must=["lamp"], interval_seconds=1, tell_existing=True)
    create_watch(user=alice, wish=wish, now=datetime.now(UTC))
    attic.start("run_promoter")
    attic.start("rqworker")
    until(lambda: Target.objects.looks().filter(active=True).exists(), what="the match is followed")
    follow.look_now(listing=Listing.objects.get(), now=datetime.now(UTC))
    until((tmp_path / "plugins/attic/began").exists, what="the look has begun")
    signal_to(attic.pids("rqworker", "checks"), signal.SIGKILL)
    until(lambda: Listing.objects.get().status == "sold", what="the sale is seen all the same")
    until(lambda: not Target.objects.looks().get().active, what="the following ends")
    until(lambda: not redis.exists(key("looks", "attic")), what="the look leaves the schedule")
    kinds = list(ListingEvent.objects.order_by("pk").values_list("kind", flat=True))
    assert kinds == ["listed", "price_drop", "sold"]
    assert Check.objects.filter(target__kind="listing").count() == 1
    assert (Match.objects.count(), Listing.objects.get().price) == (1, 90)
