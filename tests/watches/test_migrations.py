"""What a migration does with rows that are there already, forward and back."""

from collections.abc import Iterator
from datetime import datetime
from importlib import import_module
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

pytestmark = pytest.mark.django_db(transaction=True)

NAME = "0004_watch_marketplaces"
AFTER = ("watches", NAME)
VERSIONS = "0007_people"


def state_before(name: str) -> tuple[str, str]:
    found: tuple[str, str] = import_module(f"monitor_site.watches.migrations.{name}").Migration.dependencies[0]
    return found


@pytest.fixture
def before() -> Iterator[tuple[str, str]]:
    """The state before the migration; the newest one is back afterwards."""
    yield state_before(NAME)
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def go_to(node: tuple[str, str]) -> Any:
    executor = MigrationExecutor(connection)
    executor.migrate([node])
    return MigrationExecutor(connection).loader.project_state([node]).apps


def test_the_marketplace_of_a_watch_becomes_a_list_and_the_first_one_again(
    before: tuple[str, str], now: datetime
) -> None:
    old = go_to(before)
    user = old.get_model(*settings.AUTH_USER_MODEL.split(".")).objects.create(username="carol")
    made = {"user": user, "created_at": now, "updated_at": now, "marketplace": "mercari"}
    watches = old.get_model("watches", "Watch").objects
    one = watches.create(**made, name="one", options={"brand_ids": [7]}).pk
    two = watches.create(**made, name="two").pk

    new = go_to(AFTER)
    watches = new.get_model("watches", "Watch").objects
    found = {row.pk: (row.marketplaces, row.options) for row in watches.all()}
    assert found == {one: (["mercari"], {"mercari": {"brand_ids": [7]}}), two: (["mercari"], {})}

    options = {"mercari": {"brand_ids": [7]}, "yahoo_auctions": {"brand": 9}}
    watches.filter(pk=one).update(marketplaces=["mercari", "yahoo_auctions"], options=options)
    for name in ("mercari", "yahoo_auctions"):
        values = {"marketplace": name, "key": name, "criteria": "{}", "interval_seconds": 60, "created_at": now}
        target = new.get_model("watches", "Target").objects.create(**values)
        new.get_model("watches", "WatchTarget").objects.create(watch_id=one, target=target, began_at=now)

    old = go_to(before)
    found = {row.pk: (row.marketplace, row.options) for row in old.get_model("watches", "Watch").objects.all()}
    assert found == {one: ("mercari", {"brand_ids": [7]}), two: ("mercari", {})}
    links = old.get_model("watches", "WatchTarget").objects
    assert list(links.values_list("watch_id", "target__marketplace")) == [(one, "mercari")]


def rows_of_the_first_release(old: Any, now: datetime) -> None:
    """A watch with its question, a check, a matched listing and an event."""
    user = old.get_model(*settings.AUTH_USER_MODEL.split(".")).objects.create(username="carol")

    def make(model: str, **values: Any) -> Any:
        return old.get_model("watches", model).objects.create(**values)

    times = {"created_at": now, "updated_at": now}
    watch = make("Watch", user=user, name="one", marketplace="mercari", options={"brand_ids": [7]}, **times)
    target = make("Target", marketplace="mercari", key="a" * 64, criteria="{}", interval_seconds=60, created_at=now)
    make("WatchTarget", watch=watch, target=target, began_at=now)
    seen = dict.fromkeys(("first_seen_at", "seen_at", "observed_at"), now)
    words = {"kind": "fixed", "status": "on_sale", "condition": "good", "shipping": "unknown"}
    listing = make("Listing", marketplace="mercari", external_id="m1", currency="JPY", digest="d", **words, **seen)
    make("ListingEvent", listing=listing, kind="listed", at=now)
    make("Match", user=user, watch=watch, listing=listing, cause="listed", trace="t", matched_at=now)


def look_at(new: Any, now: datetime) -> None:
    """What a release with looks adds."""
    listing = new.get_model("watches", "Listing").objects.get()
    target = new.get_model("watches", "Target").objects.create(
        marketplace="mercari", kind="listing", key="b" * 64, criteria="m1", listing=listing, active=True,
        interval_seconds=1, due_at=now, created_at=now,
    )  # fmt: skip
    moments = dict.fromkeys(("due_at", "started_at", "finished_at"), now)
    new.get_model("watches", "Check").objects.create(
        target=target, trace="c", worker="w", outcome="ok", lateness_ms=0, duration_ms=1, **moments
    )
    new.get_model("watches", "ListingEvent").objects.create(listing=listing, kind="extended", at=now, before=1, after=2)


def test_an_installation_of_the_first_release_comes_here_and_goes_back_with_all_that_it_knew(
    before: tuple[str, str], now: datetime
) -> None:
    first = ("watches", "0001_initial")
    rows_of_the_first_release(go_to(first), now)
    newest = [node for node in MigrationExecutor(connection).loader.graph.leaf_nodes() if node[0] == "watches"]
    new = go_to(newest[0])
    assert new.get_model("watches", "Watch").objects.get().marketplaces == ["mercari"]
    target = new.get_model("watches", "Target").objects.get()
    assert (target.kind, target.usual, target.due_at, target.listing_id) == ("search", {}, None, None)
    look_at(new, now)
    old = go_to(first)
    counts = {
        name: old.get_model("watches", name).objects.count()
        for name in ("Watch", "Target", "WatchTarget", "Check", "Listing", "ListingEvent", "Match")
    }
    assert counts == {
        "Watch": 1, "Target": 1, "WatchTarget": 1, "Check": 0, "Listing": 1, "ListingEvent": 1, "Match": 1,
    }  # fmt: skip
    watch = old.get_model("watches", "Watch").objects.get()
    assert (watch.marketplace, watch.options) == ("mercari", {"brand_ids": [7]})


def test_every_watch_that_is_there_gets_what_it_wishes_as_its_first_version(
    before: tuple[str, str], now: datetime
) -> None:
    old = go_to(state_before(VERSIONS))
    user = old.get_model(*settings.AUTH_USER_MODEL.split(".")).objects.create(username="carol")
    made = {"user": user, "created_at": now, "updated_at": now, "marketplaces": ["mercari"]}
    watch = old.get_model("watches", "Watch").objects.create(**made, name="one", must=["ルミナ"], price_max=9_000)

    version = go_to(("watches", VERSIONS)).get_model("watches", "WatchVersion").objects.get()
    assert (version.watch_id, version.number, version.at, version.by_id) == (watch.pk, 1, now, user.pk)
    assert (version.wish["must"], version.wish["price_max"]) == (["ルミナ"], 9_000)


PRICES = ("watches", "0008_prices")


@pytest.fixture
def before_prices() -> Iterator[tuple[str, str]]:
    """The state before sales were remembered; the newest one is back afterwards."""
    yield import_module(f"monitor_site.watches.migrations.{PRICES[1]}").Migration.dependencies[0]
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def test_what_was_seen_sold_before_was_sold_for_its_last_price(before_prices: tuple[str, str], now: datetime) -> None:
    listings = go_to(before_prices).get_model("watches", "Listing").objects
    moments = dict.fromkeys(("first_seen_at", "seen_at", "observed_at"), now)
    made = {"marketplace": "mercari", "title": "x", "url": "https://jp.mercari.com/item/m1", "currency": "JPY"}
    made |= {"condition": "good", "shipping": "included", "digest": "d", "trace": "t", "kind": "fixed"} | moments
    for name, fields in {
        "sold": {"status": "sold", "price": 900},
        "priceless": {"status": "sold", "price": None},
        "bid": {"status": "sold", "price": 700, "kind": "auction", "bids": 3},
        "unsold": {"status": "sold", "price": 700, "kind": "auction", "bids": 0},
        "open": {"status": "on_sale", "price": 900},
    }.items():
        listings.create(external_id=name, **made | fields)

    found = go_to(PRICES).get_model("watches", "Listing").objects.values_list("external_id", "paid", "sold_at")
    assert {name: (paid, at) for name, paid, at in found if paid} == {"sold": (900, now), "bid": (700, now)}


def test_watches_of_one_listing_go_with_a_way_back_and_searches_stay(before: tuple[str, str], now: datetime) -> None:
    here, back = ("watches", "0009_listing_watches"), ("watches", "0008_prices")
    old = go_to(back)
    user = old.get_model(*settings.AUTH_USER_MODEL.split(".")).objects.create(username="carol")
    made = {"user": user, "created_at": now, "updated_at": now, "marketplaces": ["mercari"]}
    search = old.get_model("watches", "Watch").objects.create(**made, name="one", must=["x"]).pk
    new = go_to(here)
    watches = new.get_model("watches", "Watch").objects
    assert (watches.get().kind, watches.get().relisted, watches.get().external_id) == ("search", "alert", "")
    watch = watches.create(
        user_id=user.pk, created_at=now, updated_at=now, marketplaces=["mercari"], name="two", kind="listing",
        external_id="m1", fall_percent=10,
    )  # fmt: skip
    target = new.get_model("watches", "Target").objects.create(
        marketplace="mercari", kind="listing", key="b" * 64, criteria="m1", active=True, interval_seconds=1, due_at=now,
        created_at=now,
    )  # fmt: skip
    new.get_model("watches", "WatchTarget").objects.create(watch=watch, target=target, began_at=now)
    old = go_to(back)
    assert list(old.get_model("watches", "Watch").objects.values_list("pk", flat=True)) == [search]
    assert not old.get_model("watches", "Target").objects.exists()
