"""What Mercari is, as data: addresses, pace, and the options of a question."""

from dataclasses import dataclass

from monitor_site.contract import CONTRACT_VERSION, Access, Capability, Kind, Manifest, Pace, SearchCriteria, option
from monitor_site.contract import gettext_noop as _

from .partner_account import PartnerAccount

API = "https://api.mercari.jp"
HOME = "https://jp.mercari.com"


@dataclass(frozen=True, slots=True, kw_only=True)
class MercariCriteria(SearchCriteria):
    """A question to Mercari.

    An empty keyword with a category lists the whole category. Categories must be the deepest ones: rows carry
    only their own leaf, and rows of any other category are what Mercari pads its last pages with. With a seller the
    list of that person's items is read instead of the search: all of it, whatever the keyword and the numbers say.
    """

    category_ids: tuple[int, ...] = option(
        label=_("Categories"),
        help=_("Numbers of the deepest categories, as in category_id= of a search address."),
        default=(),
    )
    brand_ids: tuple[int, ...] = option(
        label=_("Brands"),
        help=_("Numbers of brands, as in brand_id= of a search address."),
        default=(),
    )
    seller: int | None = option(
        label=_("Seller"),
        help=_(
            "The number at the end of a profile's address. Everything this person sells is read, and your words are "
            "looked for in it; categories and brands do not narrow it, and it tells neither condition nor shipping."
        ),
        default=None,
    )
    sold_as: tuple[Kind, ...] = option(
        label=_("Sold as"),
        help=_("Everything, when nothing is chosen."),
        choices={
            Kind.FLEA: _("By a person, at a fixed price"),
            Kind.AUCTION: _("By a person, in an auction"),
            Kind.SHOP: _("By a shop"),
        },
        default=(),
    )

    @property
    def asks_something(self) -> bool:
        """A category, a brand or a seller asks for something without a keyword, too."""
        return bool(self.keyword.strip() or self.category_ids or self.brand_ids or self.seller)

    def takes(self, kind: Kind) -> bool:
        """Whether a thing sold so is wanted."""
        return not self.sold_as or kind in self.sold_as


MANIFEST = Manifest(
    name="mercari",
    title={"en": "Mercari", "ja": "メルカリ", "zh-hans": "Mercari（煤炉）"},
    contract=CONTRACT_VERSION,
    home=HOME,
    hosts=(
        "api.mercari.jp",
        "jp.mercari.com",
        # The partner API, for accounts that buy.
        "auth.mercari.com",
        "api.jp-mercari.com",
        "auth-sandbox.mercari.com",
        "api.mercari-sandbox.com",
    ),
    picture_hosts=("static.mercdn.net", "assets.mercari-shops-static.com"),
    currency="JPY",
    time_zone="Asia/Tokyo",
    capabilities=frozenset(
        {
            Capability.SEARCH,
            Capability.LOOK,
            Capability.LINK,
            Capability.SOLD_PRICES,
            Capability.BUY,
            Capability.OUTCOME,
        }
    ),
    criteria=MercariCriteria,
    # The ceiling stays under the rate at which others met the first refusals; the default is less than half of it.
    pace=Pace(per_minute=20, ceiling_per_minute=45, floor_seconds=5, concurrency=4),
    access=Access.PUBLIC_PAGES,
    control=MercariCriteria(keyword="カメラ"),
    search_tells=frozenset(
        {"price", "kind", "condition", "shipping", "seller", "images", "created", "updated", "ends_at", "bids"}
    ),
    settings=PartnerAccount,
    ordered_kinds=frozenset({Kind.FIXED, Kind.FLEA, Kind.SHOP}),
    reads_signed_in=False,
    terms_url="https://static.jp.mercari.com/tos",
    index_lag=60,
)
"""The face of the plugin."""
