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


@pytest.fixture
def before() -> Iterator[tuple[str, str]]:
    """The state before the migration; the newest one is back afterwards."""
    yield import_module(f"monitor_site.watches.migrations.{NAME}").Migration.dependencies[0]
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
