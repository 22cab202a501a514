"""The demo person's watches."""

from datetime import datetime

import pytest

from monitor_site.engine.home.demo import SAMPLES, demo_user
from monitor_site.marketplaces import catalog as catalogs
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
