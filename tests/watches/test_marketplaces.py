"""A watch over several marketplaces: who is asked what and how often, and what one of them alone can change."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from monitor_site.marketplaces import catalog as catalogs
from monitor_site.watches import services
from monitor_site.watches.models import Match, Target, Watch, WatchTarget
from monitor_site.watches.record import record
from tests import curio as curios
from tests.watches.makers import result, sighting, watch_of, wish

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]

BOTH = ["yahoo_auctions", "mercari"]


def targets() -> dict[str, Target]:
    """By marketplace; where each has one."""
    return {target.marketplace: target for target in Target.objects.all()}


def refusal(alice: Any, now: datetime, field: str, **changes: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        services.create_watch(user=alice, wish=wish(**changes), now=now)
    assert not Watch.objects.exists()
    return str(caught.value.message_dict[field][0])


def test_each_marketplace_is_asked_once_for_every_one_of_several_words(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now, marketplaces=[*BOTH, "mercari"], any_of=["T2", "T3"])
    assert watch.marketplaces == ["mercari", "yahoo_auctions"]
    asked = sorted(watch.links.values_list("target__marketplace", "target__criteria"))
    assert asked == [
        (name, f'{{"keyword":"{word} ルミナ"}}') for name in ("mercari", "yahoo_auctions") for word in ("T2", "T3")
    ]


def test_the_options_of_a_marketplace_go_to_it_alone(alice: Any, now: datetime) -> None:
    options = {"mercari": {"brand_ids": (7,)}, "yahoo_auctions": {"brand": 9}}
    watch = watch_of(alice, now, marketplaces=BOTH, options=options)
    assert watch.options == {"mercari": {"brand_ids": [7]}, "yahoo_auctions": {"brand": 9}}
    assert targets()["mercari"].criteria == '{"brand_ids":[7],"keyword":"ルミナ"}'
    assert targets()["yahoo_auctions"].criteria == '{"brand":9,"keyword":"ルミナ"}'


def test_options_of_a_marketplace_that_is_not_chosen_are_not_kept(alice: Any, now: datetime) -> None:
    assert watch_of(alice, now, options={"yahoo_auctions": {"brand": 9}, "mercari": {}}).options == {}


def test_a_marketplace_that_allows_less_is_asked_at_its_own_floor_and_the_wish_stays(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now, marketplaces=BOTH, interval_seconds=5)
    assert watch.interval_seconds == 5
    assert {name: target.interval_seconds for name, target in targets().items()} == {"mercari": 5, "yahoo_auctions": 10}
    services.change_watch(watch=watch, wish=wish(marketplaces=BOTH, interval_seconds=8), now=now)
    assert {name: target.interval_seconds for name, target in targets().items()} == {"mercari": 8, "yahoo_auctions": 10}


def test_an_interval_below_every_floor_is_refused(alice: Any, now: datetime) -> None:
    assert "every 5 seconds" in refusal(alice, now, "interval_seconds", marketplaces=BOTH, interval_seconds=4)


def test_marketplaces_of_two_currencies_need_a_watch_each(alice: Any, now: datetime) -> None:
    with curios.known(curios.plugin(name="bazaar", currency="USD", title={"en": "Bazaar"})):
        sentence = refusal(alice, now, "marketplaces", marketplaces=["mercari", "bazaar"])
        watch_of(alice, now, marketplaces=["bazaar"])
    assert "Bazaar USD, Mercari JPY" in sentence
    assert Watch.objects.get().currency == "USD"


@pytest.mark.usefixtures("curio")
def test_a_seller_is_enough_where_the_plugin_can_be_asked_so(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now, name="", must=[], marketplaces=["curio"], options={"curio": {"seller": "anna"}})
    assert watch.name == "Curio"
    assert Target.objects.get().criteria == '{"seller":"anna"}'
    done = record([result(Target.objects.get(), [sighting(1, created=now)], at=now)], now=now)
    assert Match.objects.filter(pk__in=done.matches).count() == 1


@pytest.mark.usefixtures("curio")
def test_the_marketplace_that_needs_words_is_named(alice: Any, now: datetime) -> None:
    options = {"curio": {"seller": "anna"}}
    sentence = refusal(alice, now, "must", must=[], marketplaces=["curio", "mercari"], options=options)
    assert "Mercari" in sentence
    assert "Curio" not in sentence


def test_a_marketplace_that_is_added_begins_silently_and_leaves_the_others_alone(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now, tell_existing=True)
    record([result(targets()["mercari"], [sighting(1)], at=now)], now=now)
    later = now + timedelta(hours=1)
    services.change_watch(watch=watch, wish=wish(marketplaces=BOTH, tell_existing=True), now=later)
    assert WatchTarget.objects.get(target__marketplace="mercari").baselined_at == now
    old = sighting(2, created=now, external_id="y2")
    done = record([result(targets()["yahoo_auctions"], [old], at=later)], now=later)
    assert done.matches == []
    assert Match.objects.get(listing__external_id="y2").silent


def test_a_marketplace_that_is_taken_out_takes_only_its_links_with_it(alice: Any, bob: Any, now: datetime) -> None:
    watch = watch_of(alice, now, marketplaces=BOTH, tell_existing=True)
    watch_of(bob, now, marketplaces=["yahoo_auctions"], must=["アリア"])
    record([result(targets()["mercari"], [sighting(1)], at=now)], now=now)
    services.change_watch(watch=watch, wish=wish(tell_existing=True), now=now)
    assert list(watch.links.values_list("target__marketplace", "baselined_at")) == [("mercari", now)]
    assert watch.matches.count() == 1
    active = Target.objects.filter(active=True).values_list("marketplace", "criteria")
    assert set(active) == {("mercari", '{"keyword":"ルミナ"}'), ("yahoo_auctions", '{"keyword":"アリア"}')}


def test_under_a_changed_rule_a_marketplace_that_was_down_does_not_make_old_things_new_at_another(
    alice: Any, now: datetime
) -> None:
    watch = watch_of(alice, now, marketplaces=BOTH)
    found = targets()
    for name, back in (("mercari", timedelta(minutes=1)), ("yahoo_auctions", timedelta(days=3))):
        record([result(found[name], at=now - back)], now=now - back)
    services.change_watch(watch=watch, wish=wish(marketplaces=BOTH, none_of=["ジャンク"]), now=now)
    old = [sighting(1, created=now - timedelta(days=1))]
    assert record([result(found["mercari"], old, at=now)], now=now).matches == []
    old = [sighting(2, created=now - timedelta(days=1))]
    assert len(record([result(found["yahoo_auctions"], old, at=now)], now=now).matches) == 1


@pytest.mark.parametrize(("name", "cause"), [("mercari", "listed"), ("yahoo_auctions", "existing")])
def test_how_late_a_new_listing_may_come_is_its_own_marketplaces_word(
    alice: Any, now: datetime, name: str, cause: str
) -> None:
    watch_of(alice, now, marketplaces=BOTH)
    target = targets()[name]
    record([result(target, at=now)], now=now)
    later = now + timedelta(seconds=30)
    made = now - timedelta(seconds=150)  # within Mercari's minute and our margin of two; Yahoo! has no minute
    record([result(target, [sighting(1, created=made)], at=later)], now=later)
    assert Match.objects.get().cause == cause


def test_a_watch_whose_one_plugin_is_gone_is_paused_resumed_and_asked_at_the_others(
    alice: Any, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    with curios.known(curios.plugin()):
        watch = watch_of(alice, now, marketplaces=["curio", "mercari"])
    services.pause_watch(watch=watch, now=now)
    services.resume_watch(watch=watch, now=now)
    assert {name: (one.active, one.interval_seconds) for name, one in targets().items()} == {
        "curio": (True, 30), "mercari": (True, 30)
    }  # fmt: skip
    watch.refresh_from_db()
    done = record([result(targets()["mercari"], [sighting(1, created=now)], at=now)], now=now)
    assert len(done.matches) == 1
    assert "curio" not in catalogs.catalog().plugins


def test_a_watch_cannot_be_saved_with_a_marketplace_that_is_gone_and_says_which(alice: Any, now: datetime) -> None:
    assert "nowhere" in refusal(alice, now, "marketplaces", marketplaces=["mercari", "nowhere"])


def test_the_database_keeps_a_marketplace_in_every_watch(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now)
    with pytest.raises(IntegrityError), transaction.atomic():
        Watch.objects.filter(pk=watch.pk).update(marketplaces=[])
