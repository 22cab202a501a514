"""Inventing listings: everything a listing is follows from the random source it is given."""

from functools import lru_cache
from random import Random
from typing import Any

from monitor_site.contract.practice import fold, random_for

from .listing import TRADING, Auction, Listing
from .words import FAMILIES, ODDITIES, REMARKS, SHOPS, SIZES, Family

BASE57 = "23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
DAY = 86_400.0
ARTS = tuple(dict.fromkeys(family.art for family in FAMILIES))


def personal_id(number: int) -> str:
    """The id of a person's listing; real ones never begin with ``m0``."""
    return f"m0{number % 10**10:010d}"


def shop_id(rng: Random) -> str:
    """The id of a shop or its product: base57, mostly 22 characters and now and then 21."""
    return "".join(rng.choices(BASE57, k=22 if rng.random() < 0.9 else 21))


def another_id(taken: str) -> str:
    """What a listing is called when its id is taken: asked again and again, always something new."""
    return personal_id(int(taken[1:]) + 1) if taken[1:].isdecimal() else shop_id(random_for("another", taken))


def price_near(rng: Random, usual: int) -> int:
    """A price a seller would write: around ``usual``, ending in 0s or 80s, within what the market allows."""
    raw = max(300, int(usual * rng.uniform(0.45, 1.5)))
    step = 100 if raw < 10_000 else 1000
    return min(9_999_900, max(300, raw // step * step - (20 if rng.random() < 0.4 else 0)))


def looks(rng: Random) -> dict[str, Any]:
    """Condition, payer, seller and kind; a few are shops, auctions, buyer-pays or sized."""
    return {
        "condition": rng.choices((1, 2, 3, 4, 5, 6), weights=(14, 22, 34, 18, 9, 3))[0],
        "payer": 1 if rng.random() < 0.12 else 2,
        "seller": str(900_000_000 + rng.randrange(40_000)),
        "shop": shop_id(random_for("shop", rng.choice(SHOPS))) if rng.random() < 0.12 else "",
        "size": rng.choice(SIZES) if rng.random() < 0.15 else "",
    }


def make(rng: Random, *, title: str, family: Family, created: float, visible_at: float) -> Listing:
    """A listing of ``family`` called ``title``."""
    kind = looks(rng)
    listing = Listing(
        id=shop_id(rng) if kind["shop"] else personal_id(rng.randrange(10**10)),
        title=title,
        price=None if rng.random() < 0.02 else price_near(rng, family.price),
        created=created,
        updated=created,
        visible_at=visible_at,
        art=family.art,
        category=family.category,
        brand=family.brand if rng.random() < 0.5 else 0,
        **kind,
    )
    if not listing.shop and rng.random() < 0.07:
        listing.auction = Auction(ends=created + rng.uniform(1, 3) * DAY, bids=rng.randrange(12))
    return listing


def age(rng: Random) -> float:
    """How many seconds ago an old listing was made: from ten minutes to a month, recent ones more often."""
    return 600 + 30 * DAY * rng.random() ** 3


def catalogue(seed: int, now: float, *, per_family: int = 8) -> list[Listing]:
    """The stock at opening: a few of every family, and some oddly titled ones."""
    made = [_stocked(random_for(seed, family.maker, family.what, n), family, n, now) for family in FAMILIES
            for n in range(per_family)]  # fmt: skip
    return made + [_odd(random_for(seed, title), title, price, now) for title, price in ODDITIES]


def _stocked(rng: Random, family: Family, n: int, now: float) -> Listing:
    created = now - age(rng)
    title = family.title(n, REMARKS[0] if n == 0 else rng.choice(REMARKS))
    listing = make(rng, title=title, family=family, created=created, visible_at=created)
    if n > 5 and rng.random() < 0.5:
        listing.status = TRADING
    return listing


def _odd(rng: Random, title: str, price: int, now: float) -> Listing:
    created = now - age(rng)
    listing = make(rng, title=title, family=rng.choice(FAMILIES), created=created, visible_at=created)
    listing.price, listing.auction = price, None
    return listing


def family_for(rng: Random, keyword: str) -> Family:
    """What a keyword no family knows looks like: always the same art and price range for the same keyword."""
    usual = int(10 ** rng.uniform(3.1, 4.8))
    return Family(rng.choice(ARTS), 9000 + rng.randrange(900), 0, keyword, ("",), "", usual)


_GOODS = [(family, model, fold(family.title(model, ""))) for family in FAMILIES for model in range(len(family.models))]


def title_with(rng: Random, keyword: str) -> tuple[str, Family]:
    """A title that holds every word of ``keyword``: of goods that have them by themselves where there are such."""
    if fitting := _fitting(keyword):
        family, model = rng.choice(fitting)
        return family.title(model, rng.choice(REMARKS)), family
    return f"{keyword} {rng.choice(REMARKS)}".strip(), family_for(random_for("family", keyword), keyword)


@lru_cache(maxsize=4096)
def _fitting(keyword: str) -> tuple[tuple[Family, int], ...]:
    words = fold(keyword).split()
    return tuple((family, model) for family, model, name in _GOODS if all(word in name for word in words))
