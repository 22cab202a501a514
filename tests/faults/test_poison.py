"""A plugin that raises, hangs, sleeps or kills its process: its own target suffers, its neighbours go on."""

import threading
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from monitor_site.engine.schedule import LONE_CRASHES
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches.models import Check, Target
from monitor_site.watches.services import Wish, create_watch
from tests.faults import invariants
from tests.faults.installation import Installation
from tests.waiting import PATIENCE_SECONDS, until

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]

PLUGIN = """
import asyncio, os, time
from monitor_site.contract import (
    CONTRACT_VERSION, Access, Capability, Kind, Manifest, Money, Pace, Plugin, SearchCriteria, SearchPage, Sighting,
    Status,
)

manifest = Manifest(
    name="poison", title={"en": "Poison"}, contract=CONTRACT_VERSION, home="https://poison.example",
    hosts=("poison.example",), picture_hosts=("poison.example",), currency="JPY", time_zone="Asia/Tokyo",
    capabilities=frozenset({Capability.SEARCH}), criteria=SearchCriteria,
    pace=Pace(per_minute=6000, ceiling_per_minute=6000, floor_seconds=1, concurrency=20),
    access=Access.PUBLIC_PAGES, control=SearchCriteria(keyword="control"),
    search_tells=frozenset({"price"}),
)

class Market:
    def __init__(self, session):
        self.session = session

    async def search(self, criteria, *, page_token=None):
        if criteria.keyword == "kills":
            os._exit(1)
        if criteria.keyword == "hangs":
            time.sleep(3600)
        if criteria.keyword == "raises":
            raise RuntimeError("the plugin is broken")
        if criteria.keyword == "lies":
            return {"sightings": []}
        if criteria.keyword == "dawdles":
            await asyncio.sleep(3600)
        if criteria.keyword in {"floods", "drips"}:
            await self.session.get(f"{self.session.base}/{criteria.keyword}")
        item = Sighting(external_id=criteria.keyword, title=criteria.keyword, url="https://poison.example/1",
                        price=Money(amount=100, currency="JPY"), kind=Kind.FIXED, status=Status.ON_SALE)
        return SearchPage(sightings=(item,))

plugin = Plugin(manifest=manifest, connect=Market, api="https://poison.example", practice="plugins.poison")
"""

NEIGHBOURS = ("one", "two", "three")


class Endless(BaseHTTPRequestHandler):
    """Answers that have no end: a flood, or a drop now and then."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        with suppress(OSError):
            while not self.server.over.wait(0.05 if self.path == "/drips" else 0):  # type: ignore[attr-defined]
                self.wfile.write(b"x" * (1 if self.path == "/drips" else 100_000))

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def endless() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Endless) as server:
        server.over = threading.Event()  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.over.set()  # type: ignore[attr-defined]
        server.shutdown()
        thread.join()


@pytest.fixture
def poisoned(installation: Installation, endless: str, tmp_path: Path, settings: Any) -> Any:
    folder = tmp_path / "plugins" / "poison"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(PLUGIN, encoding="utf-8")
    settings.PLUGIN_DIR = tmp_path / "plugins"
    settings.PRACTICE_MARKETS = {"poison": endless}
    installation.env |= {"PLUGIN_DIR": str(tmp_path / "plugins"), "PRACTICE_MARKETS": f"poison={endless}"}
    catalog.cache_clear()
    yield installation
    catalog.cache_clear()


def ask(user: Any, *words: str) -> None:
    for word in words:
        wish = Wish(name=word, marketplaces=["poison"], must=[word], interval_seconds=1)
        create_watch(user=user, wish=wish, now=datetime.now(UTC))


def target(word: str) -> Target:
    return Target.objects.get(criteria__contains=f'"{word}"')


def neighbours_are_checked_after(moment: datetime, what: str) -> None:
    def done() -> bool:
        return all((target(word).succeeded_at or moment) > moment for word in NEIGHBOURS)

    until(done, what=f"the neighbours are checked after {what}")


def all_ran_beside(word: str) -> bool:
    """During one check of it every neighbour was checked."""
    ran = Check.objects.filter(target__in=[target(neighbour) for neighbour in NEIGHBOURS])
    whiles = target(word).checks.values_list("started_at", "finished_at")
    beside = [ran.filter(started_at__range=between).values("target").distinct().count() for between in whiles]
    return len(NEIGHBOURS) in beside


def test_a_plugin_that_raises_or_lies_fails_its_own_checks_only(poisoned: Installation, alice: Any) -> None:
    ask(alice, *NEIGHBOURS, "raises", "lies")
    poisoned.start("run_promoter")
    poisoned.start("rqworker")
    for word in ("raises", "lies"):
        until(lambda word=word: target(word).last_error == "plugin_fault", what=f"{word} is told as a fault")
    neighbours_are_checked_after(datetime.now(UTC), "a fault")


def test_a_check_that_never_ends_holds_up_nobody(poisoned: Installation, alice: Any) -> None:
    ask(alice, *NEIGHBOURS, "dawdles")
    poisoned.start("run_promoter")
    poisoned.start("rqworker")
    neighbours_are_checked_after(datetime.now(UTC), "the start")
    neighbours_are_checked_after(datetime.now(UTC), "a while beside one that dawdles")


def test_answers_without_an_end_hold_up_nobody(poisoned: Installation, alice: Any) -> None:
    ask(alice, *NEIGHBOURS, "floods", "drips")
    poisoned.start("run_promoter")
    poisoned.start("rqworker")
    until(lambda: target("floods").last_error == "layout_changed", what="the flood is cut")
    for _ in range(3):
        neighbours_are_checked_after(datetime.now(UTC), "a flood, beside one that drips")
    until(lambda: all_ran_beside("drips"), what="every neighbour is checked while one drips")
    assert not Check.objects.filter(target=target("drips"), outcome="ok").exists()


@pytest.mark.parametrize("poison", ["kills", "hangs"])
def test_a_target_that_takes_its_worker_with_it_ends_in_quarantine_and_its_neighbours_go_on(
    poisoned: Installation, alice: Any, poison: str
) -> None:
    ask(alice, *NEIGHBOURS, poison)
    poisoned.start("run_promoter")
    poisoned.start("rqworker")
    neighbours_are_checked_after(datetime.now(UTC), "the start")
    began = datetime.now(UTC)
    until(
        lambda: target(poison).quarantined_at is not None,
        what=f"the target that {poison} is quarantined",
        seconds=LONE_CRASHES * PATIENCE_SECONDS,  # as many workers start, one after the other
    )
    assert target(poison).last_error == "quarantined"
    assert not target(poison).active
    neighbours_are_checked_after(datetime.now(UTC), "the quarantine")
    invariants.nobody_waited_too_long(since=began, until=datetime.now(UTC))
    invariants.nothing_is_double()
