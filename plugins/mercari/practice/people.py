"""The sellers of the practice market: everything about one follows from the number."""

from typing import Any

from monitor_site.contract.practice import random_for

NICKNAMES = (
    "ひだまり",
    "そらまめ",
    "あおい",
    "kuro",
    "みなと文庫",
    "のら猫",
    "たまゆら",
    "hoshi",
    "こもれび",
    "ゆずは",
)
# What a list of somebody's items says instead of the name.
NO_NAME = "dont-use-this"


def person(number: str, base: str) -> dict[str, Any]:
    """A seller as a look at a listing tells of them."""
    rng = random_for("seller", number)
    good, normal, bad = rng.randrange(1, 900), rng.randrange(4), rng.choice((0, 0, 0, 1, 2))
    return {
        "id": int(number),
        "name": f"{rng.choice(NICKNAMES)}{rng.randrange(100)}",
        "photo_url": f"{base}/photos/plush/{number}.webp",
        "photo_thumbnail_url": f"{base}/photos/plush/{number}.webp",
        "register_sms_confirmation": "yes",
        "register_sms_confirmation_at": "2024-02-03 04:05:06",
        "created": 1_700_000_000,
        "num_sell_items": rng.randrange(1, 400),
        "ratings": {"good": good, "normal": normal, "bad": bad},
        "num_ratings": good + normal + bad,
        "score": good - bad,
        "star_rating_score": 5 if bad < 2 else 4,
        "is_official": False,
        "quick_shipper": rng.random() < 0.3,
        "is_followable": True,
        "is_blocked": False,
        "is_inactive": False,
    }


def profile(number: str, base: str) -> dict[str, Any]:
    """A seller's own page."""
    known = person(number, base)
    ratings = known["ratings"]
    more = {
        "polarized_ratings": {"good": ratings["good"] + ratings["normal"], "bad": ratings["bad"]},
        "following_count": 0,
        "follower_count": 12,
        "introduction": "ご覧いただきありがとうございます。\r\n練習用の自己紹介です。",
        "is_organizational_user": False,
    }
    return known | more
