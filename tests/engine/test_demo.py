"""The demo person's watches."""

from datetime import datetime
from typing import Any

import pytest

from monitor_site.engine.home.demo import BUYS, SAMPLES, demo_user
from monitor_site.marketplaces import catalog as catalogs
from monitor_site.purchasing.models import BuyRule
from monitor_site.watches.models import Watch

pytestmark = pytest.mark.django_db


def test_the_samples_are_made_once_and_some_ask_several_marketplaces(now: datetime) -> None:
    for _ in range(2):
        user = demo_user(now=now)
    watches = list(Watch.objects.of(user))
    assert len(watches) == len(SAMPLES)
    assert sum(len(watch.marketplaces) > 1 for watch in watches) >= 2


def test_a_sample_is_made_at_those_of_its_marketplaces_that_work(
    now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = catalogs.catalog()
    few = catalogs.Catalog(plugins={"mercari": site.get("mercari")}, broken={})
    for module in ("engine.home.demo", "watches.wishes", "watches.questions", "watches.pages"):
        monkeypatch.setattr(f"monitor_site.{module}.catalog", lambda: few)
    watches = Watch.objects.of(demo_user(now=now))
    assert {tuple(watch.marketplaces) for watch in watches} == {("mercari",)}
    assert 0 < len(watches) < len(SAMPLES)


def test_the_demo_person_can_buy_with_an_account_that_the_practice_market_knows(now: datetime) -> None:
    user = demo_user(now=now)
    rule = BuyRule.objects.select_related("account", "watch").get(user=user)
    assert (rule.watch.name, rule.policy, rule.way) == (BUYS, "ask", "partner_api")
    assert rule.account is not None
    assert rule.account.spends_since == now
    assert user.budgets.get().per_item


def test_nothing_is_connected_where_the_real_marketplaces_are_asked(now: datetime, settings: Any) -> None:
    settings.LIVE = True
    user = demo_user(now=now)
    assert not user.marketplace_accounts.exists()
    assert not BuyRule.objects.exists()
