"""The invented goods: brands and models that do not exist, and how listings of them are made."""

import string
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any

from monitor_site.contract.practice import fold, random_for

from .bidding import Bidding
from .listing import Listing

HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Family:
    """A line of goods: ``art`` is what its pictures show, ``price`` a usual price in yen."""

    art: str
    category: int
    name: str
    price: int


FAMILIES = (
    Family("camera", 23636001, "ルミナ T2 チタン フィルムカメラ", 68_000),
    Family("camera", 23636001, "ノクタ FE-10 一眼レフカメラ ボディ", 24_800),
    Family("camera", 23636002, "コハク ミニ90 インスタントカメラ", 7_800),
    Family("record", 22152001, "ミナモ楽団 夜の水面 LP レコード 帯付き", 4_800),
    Family("record", 22152001, "シティ・カナリヤ 真夜中のドライブ アナログ盤", 9_800),
    Family("record", 22152002, "電子惑星 サウンドトラック CD 2枚組", 3_200),
    Family("watch", 23140001, "クロノア ダイバー200 自動巻き 腕時計", 42_000),
    Family("watch", 23140001, "トキネ デジタル 80s クォーツ 腕時計", 6_800),
    Family("game", 25464001, "ポケリア アドバンス クリア 携帯ゲーム機 本体", 9_800),
    Family("game", 25464002, "ポケリア 竜と水晶 ソフト 箱説付き", 3_980),
    Family("card", 25464003, "モンスター戦記 青眼の古龍 SR トレーディングカード", 6_400),
    Family("card", 25464003, "もふもんカード ねむり AR 鑑定10相当", 18_800),
    Family("figure", 24242001, "もふもん レインボー ソフビ フィギュア", 4_500),
    Family("figure", 24242001, "機装兵ガルド 零式 合体ロボ 可動フィギュア", 12_800),
    Family("bowl", 20000001, "志野窯 茶碗 作家物 共箱付き", 8_800),
    Family("bowl", 20000001, "南部堂 鉄瓶 0.8L 南部鉄器", 14_800),
    Family("guitar", 22152003, "アルペジオ ST-62 エレキギター 国産 1980年代", 78_000),
    Family("guitar", 22152003, "木霊 D-28風 アコースティックギター", 45_000),
)
# Sellers of many things; all others have one each.
REGULARS = tuple(f"PracticeRegularSeller0000000{at}" for at in range(6))
RIVALS = ("rival_a", "rival_b", "rival_c", "rival_d")
REMARKS = (
    "", "美品", "未使用", "1円スタート", "動作確認済み", "ジャンク 部品取り", "送料無料", "希少", "まとめて", "現状品",
    "元箱あり", "【鑑定書付き】", "★即決あり★", "傷あり", 'レア "限定"', "A&B共通 <見本>", "型番F26171",
)  # fmt: skip


def auction_id(number: int, *, letter: str) -> str:
    """An id with a 0 as its first digit; ``letter`` may be empty, since some have none, and ``z`` is for flea items."""
    width = 8 if letter == "z" else 9
    return f"{letter}0{number % 10**width:0{width}d}"


def family_of(rng: Random, keyword: str) -> Family:
    """Goods whose name holds every word of the keyword, else goods called like it."""
    return rng.choice(_families(keyword))


@lru_cache(maxsize=2048)
def _families(keyword: str) -> tuple[Family, ...]:
    words = fold(keyword).split()
    if fitting := tuple(family for family in FAMILIES if all(word in fold(family.name) for word in words)):
        return fitting
    own = random_for("family", keyword)
    return (Family(own.choice(FAMILIES).art, 26084001, keyword, int(10 ** own.uniform(3.2, 4.8))),)


def make(rng: Random, *, family: Family, number: int, created: float, visible_at: float) -> Listing:
    """A listing of ``family``: mostly auctions, some with buy-now, at a fixed price, from flea market or store."""
    flea = rng.random() < 0.15
    return Listing(
        id=auction_id(number, letter="z" if flea else rng.choice(["", *string.ascii_lowercase[:24]])),
        title=f"{family.name} {rng.choice(REMARKS)}".strip(),
        bidding=_bidding(rng, family, fixed=flea or rng.random() < 0.15),
        created=created,
        ends=created + _duration(rng),
        visible_at=visible_at,
        art=family.art,
        category=family.category,
        flea=flea,
        **_looks(rng, flea=flea),
    )


def _duration(rng: Random) -> float:
    """Whole hours, as sellers choose them; one in five is a short one, so that endings can be watched."""
    return rng.choice((600.0, 900.0, HOUR)) if rng.random() < 0.2 else rng.randrange(24, 168) * HOUR


def _bidding(rng: Random, family: Family, *, fixed: bool) -> Bidding:
    usual = max(100, int(family.price * rng.uniform(0.5, 1.4)) // 100 * 100)
    if fixed:
        return Bidding(start=usual, price=usual, buy_now=usual)
    start = 1 if rng.random() < 0.3 else max(1, int(usual * rng.uniform(0.2, 0.7)) // 10 * 10)
    return Bidding(start=start, price=start, buy_now=usual * 2 if rng.random() < 0.25 else None)


def _looks(rng: Random, *, flea: bool) -> dict[str, Any]:
    store = not flea and rng.random() < 0.12
    letters = "".join(rng.choices(string.ascii_letters + string.digits, k=25))
    person = rng.choice(REGULARS) if rng.random() < 0.3 else f"Prac{letters}"
    return {
        "seller": f"p{rng.randrange(10**8):08d}" if flea else person,
        "fee": rng.choice((0, 0, 0, 230, 520, 1_100, None)),
        "unused": rng.random() < 0.25,
        "tax": 10 if store else 0,
        "extends": rng.random() < 0.8,
    }
