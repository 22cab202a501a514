"""What an address that a person pastes asks for. Pure; any text at all is answered, and nothing is raised."""

import re
from urllib.parse import SplitResult, parse_qsl, urlsplit

from monitor_site.contract import ListingUrl, SearchUrl

from .manifest import MercariCriteria
from .pasted_search import read_search_url

LONGEST = 4000
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_PERSONAL, _SHOP = "m[0-9]{1,20}", "[0-9A-Za-z]{1,64}"
_SITE = "jp.mercari.com"
# The old site, whose addresses still stand in many bookmarks.
_OLD_SITE = ("www.mercari.com", "mercari.com")
_SHOPS_SITE = ("mercari-shops.com", "www.mercari-shops.com")
_LISTINGS = (
    ((_SITE,), re.compile(rf"(?:/en)?/(?:item|purchase|transaction)/({_PERSONAL})/?")),
    ((_SITE,), re.compile(rf"(?:/en)?/shops/product/(?!{_PERSONAL}/?$)({_SHOP})/?")),
    (_OLD_SITE, re.compile(rf"/jp/items/({_PERSONAL})/?")),
)
_SEARCH = re.compile(r"(?:/en)?/search/?")
_SELLER = re.compile(r"(?:/en)?/user/profile/([1-9][0-9]{0,9})/?")
_SHOP_PAGE = re.compile(rf"/shops/({_SHOP})/?")


def parse_url(url: str) -> ListingUrl | SearchUrl | None:
    """What an address of Mercari's own site asks for, with or without its scheme, in any form in use.

    Read are the pages of a listing, of its purchase and of its trade, a person's profile, a shop, and a search.
    A shop cannot be asked for, so that its address names it as left over. ``None`` for any other text: another site,
    one that only looks like it, its sites for abroad.
    """
    parts = _parts(url)
    if parts is None:
        return None
    host, path = parts.hostname or "", parts.path
    for hosts, form in _LISTINGS:
        if host in hosts and (found := form.fullmatch(path)):
            return ListingUrl(external_id=found[1])
    if host in _SHOPS_SITE and (found := _SHOP_PAGE.fullmatch(path)):
        return SearchUrl(criteria=MercariCriteria(), leftovers=(f"shops/{found[1]}",))
    return _of_many(parts) if host == _SITE else None


def _of_many(parts: SplitResult) -> SearchUrl | None:
    if found := _SELLER.fullmatch(parts.path):
        return SearchUrl(criteria=MercariCriteria(seller=int(found[1])))
    return read_search_url(_pairs(parts.query)) if _SEARCH.fullmatch(parts.path) else None


def _parts(url: str) -> SplitResult | None:
    """The parts of a web address without user or odd port; ``None`` when it is none."""
    text = url.strip()
    if not text or len(text) > LONGEST or not text.isprintable():
        return None
    try:
        parts = urlsplit(text if _SCHEME.match(text) else f"https://{text.removeprefix('//')}")
        plain = parts.scheme in {"http", "https"} and parts.username is None and parts.port in {None, 80, 443}
    except ValueError:
        return None
    return parts if plain else None


def _pairs(query: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(query, keep_blank_values=False, max_num_fields=200)
    except ValueError:
        return []
