"""The question as an address of the search page. Pure: values in, an address and headers out."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from urllib.parse import quote, urlencode

from .manifest import TOKYO, Order, Selling, YahooCriteria

SEARCH_PATH = "/search/search"
CLOSED_PATH = "/closedsearch/closedsearch"
PAGE_SIZE = 50
SELLER_SIZE = 100
"""A seller's page cannot be sorted by age, so as much of it as it gives at once."""

STORE_PICKUP = "113,114,115,116"

# A phone's agent gets a page without results and status 200.
USER_AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

# Brackets, commas and quotes in the keyword made the site answer 500 or 404.
_TROUBLE = re.compile(r"""[()\[\]{}<>,、，"'`«»「」『』【】〔〕〈〉《》“”‘’|\\\x00-\x1f]""")

Pairs = list[tuple[str, str]]


def search_headers() -> Mapping[str, str]:
    """The headers of every request."""
    return {"User-Agent": USER_AGENT, "Accept": "text/html", "Accept-Language": "ja"}


def search_url(base: str, criteria: YahooCriteria, *, offset: int) -> str:
    """The address of one page of results; ``offset`` counts items from 1."""
    pairs = _words(criteria) + _switches(criteria) + _lists(criteria) + _numbers(criteria)
    pairs += [("is_postage_mode", "1"), ("dest_pref_code", str(criteria.deliver_to or TOKYO))]
    key, direction = _ORDERS[criteria.sorting]
    pairs += [("s1", key), ("o1", direction), ("b", str(offset)), ("n", str(PAGE_SIZE))]
    return f"{base}{SEARCH_PATH}?{urlencode(pairs)}"


def closed_url(base: str, criteria: YahooCriteria, *, offset: int) -> str:
    """The address of one page of what was sold; it is not known to take more than a keyword."""
    keyword = plain(criteria.keyword)
    pairs = [("p", keyword), ("va", keyword), ("b", str(offset)), ("n", str(PAGE_SIZE))]
    return f"{base}{CLOSED_PATH}?{urlencode(pairs)}"


def seller_url(base: str, criteria: YahooCriteria, *, offset: int) -> str:
    """The address of one page of what a seller offers."""
    return f"{base}/seller/{quote(seller_of(criteria), safe='')}?b={offset}&n={SELLER_SIZE}"


def seller_of(criteria: YahooCriteria) -> str:
    """The seller's id, also where somebody gave the address of the seller's page.

    >>> seller_of(YahooCriteria(seller=" https://auctions.yahoo.co.jp/seller/Abc123?user_type=c "))
    'Abc123'
    """
    return re.split(r"[/?#]", criteria.seller.strip().rpartition("/seller/")[2])[0]


def listing_url(web: str, external_id: str) -> str:
    """The address of one listing's page."""
    return f"{web}/jp/auction/{quote(external_id, safe='')}"


def plain(keyword: str) -> str:
    """A keyword that the site takes: NFKC, no brackets, commas or quotes, single spaces.

    >>> plain("カード（初期），鑑定")
    'カード 初期 鑑定'
    """
    return " ".join(_TROUBLE.sub(" ", unicodedata.normalize("NFKC", keyword)).split())


def _joined(words: Iterable[str]) -> str:
    return " ".join(filter(None, map(plain, words)))


def _words(criteria: YahooCriteria) -> Pairs:
    """``p`` would override the finer fields, so it is sent only when there are none."""
    keyword, any_of = plain(criteria.keyword), _joined(criteria.any_words)
    # "None of these" alone is not understood.
    none_of = _joined(criteria.without_words) if keyword or any_of else ""
    finer = [(name, value) for name, value in (("vo", any_of), ("ve", none_of)) if value]
    if finer:
        return [("va", keyword), *finer] if keyword else finer
    # A category alone is asked without words: nobody has written down what empty ones mean.
    return [("p", keyword), ("va", keyword)] if keyword else []


_SWITCHES = {
    "descriptions": ("f", "0x4"),
    "fuzzy": ("ngram", "1"),
    "free_shipping": ("pstagefree", "1"),
    "new_only": ("new", "1"),
    "ending_soon": ("auchours", "1"),
    "appraised": ("is_appraisal", "1"),
    "anonymous_delivery": ("privacy_delivery", "1"),
    "store_pickup": ("shipping", STORE_PICKUP),
    "first_bid": ("is_first_bid", "true"),
}
_LISTS = {"grades": "istatus", "sellers": "abatch", "prefectures": "loc_cd"}
_NUMBERS = {
    "category": "auccat",
    "brand": "brand_id",
    "price_from": "aucminprice",
    "price_to": "aucmaxprice",
    "buy_now_from": "aucmin_bidorbuy_price",
    "buy_now_to": "aucmax_bidorbuy_price",
}
_SELLING = {Selling.FIXED: "1", Selling.AUCTION: "2"}
_ORDERS = {
    Order.NEWEST: ("new", "d"),
    Order.ENDING: ("end", "a"),
    Order.ENDING_LAST: ("end", "d"),
    Order.CHEAPEST: ("tbids", "a"),
    Order.DEAREST: ("tbids", "d"),
    Order.CHEAPEST_BUY_NOW: ("tbidorbuy", "a"),
    Order.DEAREST_BUY_NOW: ("tbidorbuy", "d"),
    # Inverted on the site.
    Order.MOST_BIDS: ("bids", "a"),
    Order.FEWEST_BIDS: ("bids", "d"),
    Order.POPULAR: ("popular", "d"),
    Order.FEATURED: ("featured", "d"),
    Order.RECOMMENDED: ("score2", "d"),
}


def _switches(criteria: YahooCriteria) -> Pairs:
    kinds = [("fixed", _SELLING[criteria.selling])] if criteria.selling in _SELLING else []
    return kinds + [pair for name, pair in _SWITCHES.items() if getattr(criteria, name)]


def _lists(criteria: YahooCriteria) -> Pairs:
    chosen = ((key, getattr(criteria, name)) for name, key in _LISTS.items())
    return [(key, ",".join(map(str, sorted(numbers)))) for key, numbers in chosen if numbers]


def _numbers(criteria: YahooCriteria) -> Pairs:
    chosen = ((key, getattr(criteria, name)) for name, key in _NUMBERS.items())
    return [(key, str(number)) for key, number in chosen if number]
