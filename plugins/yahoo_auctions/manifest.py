"""What Yahoo! Auctions is, as data: addresses, pace, and the options of a question."""

from dataclasses import dataclass
from enum import StrEnum

from monitor_site.contract import CONTRACT_VERSION, Access, Capability, Manifest, Pace, SearchCriteria, option
from monitor_site.contract import gettext_noop as _

from .places import ABROAD, PREFECTURES

HOME = "https://auctions.yahoo.co.jp"
TOKYO = 13
GRADES = {
    1: _("Unused"),
    3: _("Like unused"),
    4: _("No visible damage or dirt"),
    5: _("Slight damage or dirt"),
    6: _("Damage or dirt"),
    7: _("Poor as a whole"),
    2: _("Used, any grade"),
}


class Order(StrEnum):
    """How results are sorted."""

    NEWEST = "newest"
    ENDING = "ending"
    ENDING_LAST = "ending last"
    CHEAPEST = "cheapest"
    DEAREST = "dearest"
    CHEAPEST_BUY_NOW = "cheapest buy-now"
    DEAREST_BUY_NOW = "dearest buy-now"
    MOST_BIDS = "most bids"
    FEWEST_BIDS = "fewest bids"
    POPULAR = "popular"
    FEATURED = "featured"
    RECOMMENDED = "recommended"


class Selling(StrEnum):
    """How a thing is sold."""

    ANY = "any"
    AUCTION = "auction"
    FIXED = "fixed price"


@dataclass(frozen=True, slots=True, kw_only=True)
class YahooCriteria(SearchCriteria):
    """A question to Yahoo! Auctions. Numbers are the site's own, as they stand in the address of a search."""

    selling: Selling = option(  # noqa: RUF009  a field
        label=_("Sold as"),
        choices={
            Selling.ANY: _("Auctions and fixed prices"),
            Selling.AUCTION: _("Auctions only"),
            Selling.FIXED: _("Fixed prices only"),
        },
        default=Selling.ANY,
    )
    deliver_to: int = option(
        label=_("Deliver to"),
        help=_("Shipping costs are those to this prefecture."),
        choices=PREFECTURES | ABROAD,
        default=TOKYO,
    )
    buy_now_from: int | None = option(label=_("Buy-now price from"), help=_("Whole yen."), default=None)
    buy_now_to: int | None = option(label=_("Buy-now price up to"), help=_("Whole yen."), default=None)
    category: int | None = option(
        label=_("Category"), help=_("The number in auccat= of a search address."), default=None
    )
    brand: int | None = option(label=_("Brand"), help=_("The number in brand_id= of a search address."), default=None)
    grades: tuple[int, ...] = option(
        label=_("Condition, as the seller states it"),
        help=_("The marketplace picks these itself; its list of results mostly does not tell the condition."),
        choices=GRADES,
        default=(),
    )
    seller: str = option(
        label=_("Seller"),
        help=_(
            "The id in the address of a seller's page. That page is read instead of the search; "
            "it knows no words, so they are checked on what it lists."
        ),
        default="",
    )
    sellers: tuple[int, ...] = option(
        label=_("Sellers"),
        choices={1: _("Stores"), 2: _("People on Yahoo! Auctions"), 3: _("Yahoo! Flea Market")},
        default=(),
    )
    prefectures: tuple[int, ...] = option(label=_("Sent from"), choices=PREFECTURES | ABROAD, default=())
    ending_soon: bool = option(label=_("Ends within an hour"), default=False)
    appraised: bool = option(label=_("Appraised only"), default=False)
    anonymous_delivery: bool = option(label=_("Anonymous delivery only"), default=False)
    store_pickup: bool = option(label=_("Convenience-store pick-up only"), default=False)
    # A watch asks these in its own words, or they would make it miss things.
    any_words: tuple[str, ...] = option(label="Any of these words", default=(), shown=False)
    without_words: tuple[str, ...] = option(
        label="None of these words", help="Needs a keyword; alone it is not asked.", default=(), shown=False
    )
    descriptions: bool = option(label="Search descriptions too", default=False, shown=False)
    fuzzy: bool = option(label="Fuzzy search", help="Finds related words too.", default=False, shown=False)
    price_from: int | None = option(label="Current price from", help="Whole yen.", default=None, shown=False)
    price_to: int | None = option(label="Current price up to", help="Whole yen.", default=None, shown=False)
    free_shipping: bool = option(label="Free shipping only", default=False, shown=False)
    new_only: bool = option(label="New listings only", default=False, shown=False)
    first_bid: bool = option(label="First-bid campaign only", default=False, shown=False)
    order: Order = option(  # noqa: RUF009  a field
        label="Order",
        help="Anything but newest first may miss new listings on busy searches.",
        default=Order.NEWEST,
        shown=False,
    )

    @property
    def asks_something(self) -> bool:
        """Whether there is a keyword, one of several words, a category or a seller."""
        words = " ".join((self.keyword, self.seller, *self.any_words))
        return bool(words.strip() or self.category)

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
    capabilities=frozenset({Capability.SEARCH, Capability.LOOK, Capability.SOLD_PRICES, Capability.LINK}),
    criteria=YahooCriteria,
    # No limit is published: one request at a time, with seconds between.
    pace=Pace(per_minute=12, ceiling_per_minute=20, floor_seconds=10, concurrency=1),
    access=Access.PUBLIC_PAGES,
    control=YahooCriteria(keyword="カメラ"),
    search_tells=frozenset(
        {"price", "buy_now", "kind", "shipping", "shipping_fee", "seller", "images", "created", "ends_at", "bids"}
    ),
    notes={
        "en": "The site is closed to the EEA and the United Kingdom. Shipping costs are for one prefecture.",
        "ja": "EEAと英国からは利用できません。送料は設定した都道府県あてのものです。",
        "zh-hans": "欧洲经济区和英国无法访问。运费按所设定的都道府县计算。",
    },
)
"""The face of the plugin."""
