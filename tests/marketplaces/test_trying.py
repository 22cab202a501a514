"""``manage.py try_marketplace`` asks once, as the workers do, and tells what happened."""

import json
import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import StringIO
from typing import Any

import pytest
import redis as redis_library
from django.core.management import CommandError, call_command

from monitor_site.contract import (
    Answer,
    Capability,
    LayoutChanged,
    ListingGone,
    SearchCriteria,
    SearchPage,
    Session,
    Sighting,
    SignInNeeded,
    Throttled,
)
from monitor_site.marketplaces import trying
from monitor_site.marketplaces.breaker import breaker_key
from monitor_site.marketplaces.catalog import Catalog
from monitor_site.marketplaces.management.commands import try_marketplace
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.marketplaces.pace import pace_key
from tests.nowhere import closed_port

from .keys import CANARY, Keys, account
from .loopback import plugin, sighting

pytestmark = pytest.mark.django_db(transaction=True)

SECRET = "canary-of-a-proxy"


class Market:
    """A plugin's side of the little server: the keyword decides how it goes."""

    def __init__(self, session: Session) -> None:
        self.session = session

    async def search(self, criteria: SearchCriteria, *, page_token: str | None = None) -> SearchPage:
        if error := ERRORS.get(criteria.keyword):
            raise error()
        answer = await self.session.get(f"{self.session.base}/search")
        return SearchPage(sightings=tuple(map(row, json.loads(answer.body))))

    async def look(self, external_id: str) -> Sighting:
        if external_id == "gone":
            raise ListingGone("404")
        answer: Answer = await self.session.get(f"{self.session.base}/search")
        return row(json.loads(answer.body)[0] | {"external_id": external_id})


ERRORS: dict[str, Callable[[], Exception]] = {
    "often": lambda: Throttled("429", retry_after=90),
    "odd": lambda: LayoutChanged("no \x1b[31mrows"),
    "out": SignInNeeded,
}


def row(values: dict[str, Any]) -> Sighting:
    return sighting(**{"price": None} | values)


@pytest.fixture
def address() -> Iterator[str]:
    """A server with four things for sale."""
    rows = [{"external_id": f"b{n}", "title": f"Camera {n} \x1b[2J"} for n in range(4)]

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(rows).encode())

        def log_message(self, *_: Any) -> None:
            """Silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch, settings: Any, redis: redis_library.Redis, address: str) -> None:
    able = frozenset({Capability.SEARCH, Capability.LOOK})
    bazaar = plugin(connect=Market, capabilities=able, settings=Keys)
    shelf = Catalog(plugins={"bazaar": bazaar}, broken={"flea": "ImportError: no moon"})
    monkeypatch.setattr(try_marketplace, "catalog", lambda: shelf)
    settings.PRACTICE_MARKETS = {"bazaar": address}


def tried(*arguments: str) -> tuple[object, str]:
    """Its exit code and what it said."""
    out, code = StringIO(), 0
    try:
        call_command("try_marketplace", "bazaar", *arguments, stdout=out)
    except SystemExit as end:
        return end.code, out.getvalue()
    return code, out.getvalue()


def test_an_answer_is_told_with_its_first_rows_and_its_way(address: str, redis: redis_library.Redis) -> None:
    code, said = tried("--keyword", "camera")

    assert code == 0
    assert f"Asking bazaar at {address}, its practice market." in said
    assert "Proxy: none." in said
    assert "Account: none connected." in said
    assert "4 rows, " in said
    assert [line.strip() for line in said.splitlines() if "Camera" in line] == [
        f"Camera {n} ?[2J  price unknown" for n in range(3)
    ]
    assert redis.exists(pace_key("bazaar")), "it takes its pace as everybody does"


def test_one_listing_is_looked_at() -> None:
    code, said = tried("--look", "b9")
    assert code == 0
    assert "1 row, " in said


def test_the_account_is_named_and_its_secret_is_not(now: datetime) -> None:
    account(now)
    code, said = tried()
    assert code == 0
    assert "Account: bazaar ours." in said
    assert CANARY not in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("--keyword often", "throttled: 429 | all of the marketplace pauses for 90 s | Nobody is told | Wait."),
        ("--keyword odd", "layout_changed: no ?[31mrows | waits longer each time | operator | newer version"),
        ("--keyword out", "sign_in_needed | account pauses for 600 s | sees it on the watch | Connect an account"),
        ("--look gone", "listing_gone: 404 | nothing pauses | no such listing"),
    ],
)
def test_a_failure_is_told_with_its_consequence_and_a_hint(arguments: str, words: str) -> None:
    code, said = tried(*arguments.split())
    assert code == 1
    for word in words.split(" | "):
        assert word in said


def test_an_account_that_fails_is_paused_as_by_any_worker(now: datetime) -> None:
    account(now)
    tried("--keyword", "out")
    assert MarketplaceAccount.objects.get().pause_reason == "sign_in_needed"


def test_an_open_breaker_is_told_and_nothing_is_asked(redis: redis_library.Redis) -> None:
    redis.hset(breaker_key("bazaar"), mapping={"state": "open", "until": 4_000_000_000_000, "reason": "blocked"})

    code, said = tried()

    assert code == 1
    assert "its breaker is open because of blocked, until 2096-10-02 07:06:40 UTC" in said
    assert not redis.exists(pace_key("bazaar"))


def test_an_installation_that_practises_asks_no_real_marketplace(settings: Any) -> None:
    settings.PRACTICE_MARKETS, settings.LIVE = {}, False

    code, said = tried()

    assert code == 1
    assert "does not ask real ones" in said


def test_a_proxy_that_is_down_is_told_without_its_password(settings: Any) -> None:
    settings.PRACTICE_MARKETS, settings.LIVE = {}, True
    settings.PROXIES = f"bazaar=user:{SECRET}@127.0.0.1:{(port := closed_port())}"

    code, said = tried()

    assert code == 1
    assert "Asking bazaar at https://api.bazaar.example, the real one." in said
    assert f"Proxy: http://user:***@127.0.0.1:{port}." in said
    assert "takes no connection" in said
    assert "The operator finds it in the log." in said
    assert SECRET not in said


@pytest.mark.parametrize(("name", "words"), [("flea", "no moon"), ("nowhere", "there are bazaar")])
def test_a_marketplace_that_cannot_be_asked_is_a_sentence(name: str, words: str) -> None:
    with pytest.raises(CommandError, match=words):
        call_command("try_marketplace", name)


def test_without_redis_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = redis_library.Redis.from_url("redis://127.0.0.1:1/0")
    monkeypatch.setattr("monitor_site.marketplaces.trying.redis_client", lambda: nowhere)

    with pytest.raises(CommandError, match="Redis does not answer"):
        call_command("try_marketplace", "bazaar")


def test_no_hint_advises_a_way_around_a_refusal() -> None:
    for code in ("blocked", "throttled", "challenge_required"):
        assert "proxy" not in trying.HINTS[code]
        assert "another way" not in trying.HINTS[code]
