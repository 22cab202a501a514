"""What a watch wished before: kept at every save, read whatever its shape, wished again."""

from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from monitor_site.watches import services, versions
from monitor_site.watches.models import Target, WatchVersion
from monitor_site.watches.services import Wish
from tests.watches.makers import watch_of, wish

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]

LATER = timedelta(hours=1)


def test_a_new_watch_has_its_first_version(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now, price_max=9_000)
    version = watch.versions.get()
    assert (version.number, version.at, version.by) == (1, now, alice)
    assert version.wish["price_max"] == 9_000


def test_every_save_that_changes_the_wish_is_a_version_of_its_own(alice: Any, bob: Any, now: datetime) -> None:
    watch = watch_of(alice, now)
    services.change_watch(watch=watch, wish=wish(price_max=5_000), now=now + LATER)
    services.change_watch(watch=watch, wish=wish(price_max=5_000), now=now + 2 * LATER)
    services.change_watch(watch=watch, wish=wish(price_max=4_000), now=now + 3 * LATER, by=bob)
    found = watch.versions.order_by("number").values_list("number", "at", "by", "wish__price_max")
    assert list(found) == [
        (1, now, alice.pk, None),
        (2, now + LATER, alice.pk, 5_000),
        (3, now + 3 * LATER, bob.pk, 4_000),
    ]


def test_a_refused_change_leaves_no_version(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now)
    with pytest.raises(ValidationError):
        services.change_watch(watch=watch, wish=wish(price_max=0), now=now)
    assert watch.versions.count() == 1


def test_what_is_kept_reads_back_as_the_wish_that_was_saved(alice: Any, now: datetime) -> None:
    said = wish(
        marketplaces=["mercari", "yahoo_auctions"], any_of=["T2"], none_of=["ジャンク"], price_min=1, price_max=9_000,
        conditions=["good"], shipping="included", tell_existing=True, options={"mercari": {"brand_ids": [7]}},
    )  # fmt: skip
    watch = services.create_watch(user=alice, wish=said, now=now)
    read = versions.wish_of(WatchVersion.objects.get(watch=watch).wish)
    for field in fields(Wish):
        kept, meant = getattr(read, field.name), getattr(said, field.name)
        assert kept == (list(meant) if isinstance(meant, tuple) else meant), field.name


def test_a_wish_of_an_older_or_a_newer_shape_is_read_as_far_as_it_goes() -> None:
    old = versions.wish_of({"name": "Old", "marketplaces": ["mercari"], "must": ["ルミナ"]})
    assert old == Wish(name="Old", marketplaces=["mercari"], must=["ルミナ"])
    assert versions.wish_of({"must": ["T2"], "smell": "fresh"}) == Wish(name="", marketplaces=(), must=["T2"])


def test_an_old_wish_is_wished_again_as_a_new_version_and_asked(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now, must=["ルミナ"])
    services.change_watch(watch=watch, wish=wish(must=["T2"]), now=now + LATER)
    services.restore_version(version=watch.versions.get(number=1), by=alice, now=now + 2 * LATER)
    watch.refresh_from_db()
    assert watch.must == ["ルミナ"]
    assert watch.versions.order_by("-number").values_list("number", "wish__must").first() == (3, ["ルミナ"])
    assert Target.objects.get(active=True).criteria == '{"keyword":"ルミナ"}'


def test_an_old_wish_that_is_allowed_no_more_is_refused_with_a_sentence(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now)
    version = watch.versions.get()
    version.wish |= {"marketplaces": ["nowhere"]}
    with pytest.raises(ValidationError) as refusal:
        services.restore_version(version=version, by=alice, now=now)
    assert "marketplaces" in refusal.value.message_dict
    watch.refresh_from_db()
    assert watch.marketplaces == ["mercari"]


def test_a_number_stands_for_one_version(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now)
    with pytest.raises(IntegrityError), transaction.atomic():
        WatchVersion.objects.create(watch=watch, number=1, at=now, by=alice, wish={})


def test_versions_outlive_the_person_who_made_them(alice: Any, bob: Any, now: datetime) -> None:
    watch = watch_of(alice, now)
    services.change_watch(watch=watch, wish=wish(price_max=4_000), now=now, by=bob)
    bob.delete()
    assert watch.versions.get(number=2).by is None


def test_a_copy_is_paused_says_what_it_is_and_wishes_the_same(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now, name="n" * 80, price_max=9_000)
    copy = services.copy_watch(watch=watch, now=now + LATER)
    assert copy.name == f"Copy of {'n' * 72}"
    assert (copy.price_max, copy.created_at) == (9_000, now + LATER)
    copy.refresh_from_db()
    assert copy.paused_at == now + LATER
    assert copy.versions.get().wish["name"] == copy.name
