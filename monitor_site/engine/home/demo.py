"""The demo person of a practice installation, with watches over what the practice markets sell."""

from datetime import datetime

from django.db import transaction
from django.urls import reverse

from monitor_site.accounts.models import User
from monitor_site.accounts.signin import make_token
from monitor_site.contract import Condition
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches.models import ShippingWish
from monitor_site.watches.services import Wish, create_watch

NAME = "demo"

SAMPLES = (
    Wish(
        name="ルミナのフィルムカメラ",
        marketplace="mercari",
        must=("ルミナ", "フィルムカメラ"),
        none_of=("ジャンク", "訳あり"),
        price_max=90_000,
        interval_seconds=5,
        tell_existing=True,
    ),
    Wish(
        name="ポケリア 本体",
        marketplace="mercari",
        must=("ポケリア", "本体"),
        none_of=("ジャンク", "部品"),
        price_max=12_000,
        interval_seconds=5,
        tell_existing=True,
    ),
    Wish(
        name="もふもん",
        marketplace="mercari",
        must=("もふもん",),
        any_of=("ソフビ", "ぬいぐるみ"),
        interval_seconds=10,
    ),
    Wish(
        name="シティ・カナリヤのアナログ盤",
        marketplace="mercari",
        must=("シティ・カナリヤ",),
        price_max=15_000,
        interval_seconds=10,
    ),
    Wish(
        name="ノクタ 50mm",
        marketplace="mercari",
        must=("ノクタ", "50mm"),
        conditions=(Condition.NEW, Condition.LIKE_NEW, Condition.GOOD),
        interval_seconds=15,
    ),
    Wish(
        name="クロノア 腕時計",
        marketplace="mercari",
        must=("クロノア", "腕時計"),
        price_min=20_000,
        price_max=60_000,
        interval_seconds=10,
    ),
    Wish(
        name="墨香の万年筆",
        marketplace="mercari",
        must=("墨香", "万年筆"),
        shipping=ShippingWish.INCLUDED,
        interval_seconds=30,
    ),
    Wish(
        name="キーボード",
        marketplace="mercari",
        must=("キーボード",),
        any_of=("HHK", "Alice"),
        none_of=("ジャンク",),
        interval_seconds=20,
    ),
    Wish(
        name="ルミナ（オークション）",
        marketplace="yahoo_auctions",
        must=("ルミナ",),
        none_of=("ジャンク",),
        interval_seconds=10,
        tell_existing=True,
    ),
    Wish(
        name="もふもんカード",
        marketplace="yahoo_auctions",
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
            if wish.marketplace in catalog().plugins:
                create_watch(user=user, wish=wish, now=now)
    return user


def sign_in_link(user: User, address: str) -> str:
    """An address under ``address`` that signs ``user`` in once."""
    return address + reverse("sign-in-once", args=[make_token(user)])
