"""The demo person of a practice installation, with watches over what the practice markets sell, one of which buys."""

from dataclasses import replace
from datetime import datetime

from django.db import transaction
from django.urls import reverse

from monitor_site.accounts.models import User
from monitor_site.accounts.signin import make_token
from monitor_site.contract import Condition
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches.models import ShippingWish, Watch
from monitor_site.watches.services import Wish, create_watch

from .demo_buying import let_buy

NAME = "demo"
BUYS = "シティ・カナリヤのアナログ盤"

SAMPLES = (
    Wish(
        name="ルミナのフィルムカメラ",
        marketplaces=("mercari", "yahoo_auctions"),
        must=("ルミナ", "フィルムカメラ"),
        none_of=("ジャンク", "訳あり"),
        price_max=90_000,
        interval_seconds=5,
        tell_existing=True,
    ),
    Wish(
        name="ポケリア 本体",
        marketplaces=("mercari",),
        must=("ポケリア", "本体"),
        none_of=("ジャンク", "部品"),
        price_max=12_000,
        interval_seconds=5,
        tell_existing=True,
    ),
    Wish(
        name="もふもん",
        marketplaces=("mercari", "yahoo_auctions"),
        must=("もふもん",),
        any_of=("ソフビ", "ぬいぐるみ"),
        interval_seconds=10,
    ),
    Wish(
        name="シティ・カナリヤのアナログ盤",
        marketplaces=("mercari",),
        must=("シティ・カナリヤ",),
        price_max=15_000,
        interval_seconds=10,
    ),
    Wish(
        name="ノクタ 50mm",
        marketplaces=("mercari",),
        must=("ノクタ", "50mm"),
        conditions=(Condition.NEW, Condition.LIKE_NEW, Condition.GOOD),
        interval_seconds=15,
    ),
    Wish(
        name="クロノア 腕時計",
        marketplaces=("mercari",),
        must=("クロノア", "腕時計"),
        price_min=20_000,
        price_max=60_000,
        interval_seconds=10,
    ),
    Wish(
        name="墨香の万年筆",
        marketplaces=("mercari",),
        must=("墨香", "万年筆"),
        shipping=ShippingWish.INCLUDED,
        interval_seconds=30,
    ),
    Wish(
        name="キーボード",
        marketplaces=("mercari",),
        must=("キーボード",),
        any_of=("HHK", "Alice"),
        none_of=("ジャンク",),
        interval_seconds=20,
    ),
    Wish(
        name="ルミナ（オークション）",
        marketplaces=("yahoo_auctions",),
        must=("ルミナ",),
        none_of=("ジャンク",),
        interval_seconds=10,
        tell_existing=True,
    ),
    Wish(
        name="もふもんカード",
        marketplaces=("yahoo_auctions",),
        must=("もふもんカード",),
        price_max=30_000,
        interval_seconds=10,
    ),
)


@transaction.atomic
def demo_user(*, now: datetime) -> User:
    """The person called ``demo``, staff of this installation; the sample watches are made with it, once.

    Whoever deletes a sample watch later has deleted it for good.
    """
    user, created = User.objects.get_or_create(
        username=NAME, defaults={"is_staff": True, "is_superuser": True, "password": "!"}
    )
    if created:
        for wish in SAMPLES:
            watch = _make(user, wish, now)
            if watch and wish.name == BUYS:
                let_buy(user=user, watch=watch, now=now)
    return user


def _make(user: User, wish: Wish, now: datetime) -> Watch | None:
    """At those of its marketplaces that work here."""
    here = [name for name in wish.marketplaces if name in catalog().plugins]
    return create_watch(user=user, wish=replace(wish, marketplaces=here), now=now) if here else None


def sign_in_link(user: User, address: str) -> str:
    """An address under ``address`` that signs ``user`` in once."""
    return address + reverse("sign-in-once", args=[make_token(user)])
