"""What the marketplace is, as data: addresses, pace, and the options of a question."""

from dataclasses import dataclass

from monitor_site.contract import CONTRACT_VERSION, Access, Capability, Manifest, Pace, SearchCriteria, option
from monitor_site.contract import gettext_noop as _

DOMAIN = "sample-market.example"
API = f"https://api.{DOMAIN}"
HOME = f"https://www.{DOMAIN}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria(SearchCriteria):
    """A question: the keyword of every search, and what this marketplace can narrow it down by."""

    category: int | None = option(label=_("Category"), help=_("A number, as in its addresses."), default=None)

    @property
    def asks_something(self) -> bool:
        """A category alone is a question too."""
        return bool(self.keyword.strip()) or self.category is not None


MANIFEST = Manifest(
    name="sample_market",
    title={"en": "Sample market"},
    contract=CONTRACT_VERSION,
    home=HOME,
    hosts=(f"api.{DOMAIN}", f"www.{DOMAIN}"),
    picture_hosts=(f"pictures.{DOMAIN}",),
    currency="JPY",
    time_zone="Asia/Tokyo",
    capabilities=frozenset({Capability.SEARCH, Capability.LOOK, Capability.LINK}),
    criteria=Criteria,
    # Ask less often than you think you may; an operator can raise it up to the ceiling.
    pace=Pace(per_minute=12, ceiling_per_minute=30, floor_seconds=10, concurrency=1),
    access=Access.PUBLIC_PAGES,
    control=Criteria(keyword="カメラ"),
    search_tells=frozenset({"price", "kind", "condition", "seller", "created"}),
)
"""The face of the plugin."""
