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
