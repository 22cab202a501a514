"""What Yahoo! Auctions is, as data: addresses, pace, and the options of a question."""

from dataclasses import dataclass
from enum import StrEnum

from monitor_site.contract import CONTRACT_VERSION, Access, Capability, Manifest, Pace, SearchCriteria, option

HOME = "https://auctions.yahoo.co.jp"
TOKYO = 13


class Order(StrEnum):
    """How results are sorted."""

    NEWEST = "newest"
    ENDING = "ending"
    CHEAPEST = "cheapest"
    CHEAPEST_BUY_NOW = "cheapest buy-now"
    MOST_BIDS = "most bids"
    RECOMMENDED = "recommended"


class Selling(StrEnum):
    """How a thing is sold."""

    ANY = "any"
    AUCTION = "auction"
    FIXED = "fixed price"


@dataclass(frozen=True, slots=True, kw_only=True)
class YahooCriteria(SearchCriteria):
    """A question to Yahoo! Auctions. Numbers are the site's own, as they stand in the address of a search."""

    any_words: tuple[str, ...] = option(
        label="Any of these words", help="At least one of them is in the title.", default=()
    )
    without_words: tuple[str, ...] = option(
        label="None of these words", help="Needs a keyword; alone it is not asked.", default=()
    )
    descriptions: bool = option(label="Search descriptions too", default=False)
    fuzzy: bool = option(label="Fuzzy search", help="Finds related words too.", default=False)
    selling: Selling = option(label="Sold as", default=Selling.ANY)  # noqa: RUF009  a field
    category: int | None = option(label="Category", help="Number in auccat= of a search address.", default=None)
    brand: int | None = option(label="Brand", help="Number in brand_id= of a search address.", default=None)
    price_from: int | None = option(label="Current price from", help="Whole yen.", default=None)
    price_to: int | None = option(label="Current price up to", help="Whole yen.", default=None)
    buy_now_from: int | None = option(label="Buy-now price from", help="Whole yen.", default=None)
    buy_now_to: int | None = option(label="Buy-now price up to", help="Whole yen.", default=None)
    grades: tuple[int, ...] = option(
        label="Conditions",
        help="1 unused, 2 used, 3 like new, 4 no visible damage, 5 slight damage, 6 damage, 7 poor.",
        default=(),
    )
    sellers: tuple[int, ...] = option(
        label="Sellers", help="1 stores, 2 people on Yahoo! Auctions, 3 Yahoo! Flea Market.", default=()
    )
    prefectures: tuple[int, ...] = option(label="Sent from", help="Prefectures 1 to 47, 48 abroad.", default=())
    free_shipping: bool = option(label="Free shipping only", default=False)
    new_only: bool = option(label="New listings only", default=False)
    ending_soon: bool = option(label="Ends within an hour", default=False)
    appraised: bool = option(label="Appraised only", default=False)
    anonymous_delivery: bool = option(label="Anonymous delivery only", default=False)
    store_pickup: bool = option(label="Convenience-store pick-up only", default=False)
    first_bid: bool = option(label="First-bid campaign only", default=False)
    deliver_to: int = option(label="Deliver to", help="Prefecture 1 to 47 for shipping costs.", default=TOKYO)
    order: Order = option(  # noqa: RUF009  a field
        label="Order", help="Anything but newest first may miss new listings on busy searches.", default=Order.NEWEST
    )

    @property
    def sorting(self) -> Order:
        """The order that is asked for: newest first unless a known one is chosen."""
        return Order(self.order) if self.order in set(Order) else Order.NEWEST


MANIFEST = Manifest(
    name="yahoo_auctions",
    title={"en": "Yahoo! Auctions", "ja": "Yahoo!オークション", "zh-hans": "雅虎拍卖（日本）"},
    contract=CONTRACT_VERSION,
    home=HOME,
    hosts=("auctions.yahoo.co.jp", "page.auctions.yahoo.co.jp"),
    picture_hosts=("auc-pctr.c.yimg.jp", "auctions.c.yimg.jp"),
    currency="JPY",
    time_zone="Asia/Tokyo",
    capabilities=frozenset({Capability.SEARCH}),
    criteria=YahooCriteria,
    # No limit is published: one request at a time, with seconds between.
    pace=Pace(per_minute=12, ceiling_per_minute=20, floor_seconds=10, concurrency=1),
    access=Access.PUBLIC_PAGES,
    control=YahooCriteria(keyword="カメラ"),
    notes={
        "en": "The site is closed to the EEA and the United Kingdom. Shipping costs are for one prefecture.",
        "ja": "EEAと英国からは利用できません。送料は設定した都道府県あてのものです。",
        "zh-hans": "欧洲经济区和英国无法访问。运费按所设定的都道府县计算。",
    },
)
"""The face of the plugin."""
