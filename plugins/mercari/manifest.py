"""What Mercari is, as data: addresses, pace, and the options of a question."""

from dataclasses import dataclass

from monitor_site.contract import CONTRACT_VERSION, Access, Capability, Manifest, Pace, SearchCriteria, option
from monitor_site.contract import gettext_noop as _

API = "https://api.mercari.jp"
HOME = "https://jp.mercari.com"


@dataclass(frozen=True, slots=True, kw_only=True)
class MercariCriteria(SearchCriteria):
    """A question to Mercari.

    An empty keyword with a category lists the whole category. Categories must be the deepest ones: rows carry
    only their own leaf, and rows of any other category are what Mercari pads its last pages with.
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


MANIFEST = Manifest(
    name="mercari",
    title={"en": "Mercari", "ja": "メルカリ", "zh-hans": "Mercari（煤炉）"},
    contract=CONTRACT_VERSION,
    home=HOME,
    hosts=("api.mercari.jp", "jp.mercari.com"),
    picture_hosts=("static.mercdn.net", "assets.mercari-shops-static.com"),
    currency="JPY",
    time_zone="Asia/Tokyo",
    capabilities=frozenset({Capability.SEARCH}),
    criteria=MercariCriteria,
    # The ceiling stays under the rate at which others met the first refusals; the default is less than half of it.
    pace=Pace(per_minute=20, ceiling_per_minute=45, floor_seconds=5, concurrency=4),
    access=Access.PUBLIC_PAGES,
    control=MercariCriteria(keyword="カメラ"),
    search_tells=frozenset(
        {"price", "kind", "condition", "shipping", "seller", "images", "created", "updated", "ends_at", "bids"}
    ),
    terms_url="https://static.jp.mercari.com/tos",
    index_lag=60,
)
"""The face of the plugin."""
