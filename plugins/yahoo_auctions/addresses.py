"""Addresses of the web site: what one that a person pastes asks for, and where a listing stands. Pure."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

from monitor_site.contract import ListingUrl, SearchUrl

from . import fields
from .ask import listing_url, plain
from .manifest import MANIFEST, YahooCriteria
from .page import EUC_JP
from .parameters import Told, is_noise, told_by, words

LONGEST = 8000
_SCHEME = re.compile(r"(?:https?:)?//", re.IGNORECASE)
_SELLER = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_LIMITS = ("any_of", "none_of", "price_min", "price_max", "conditions", "shipping_included")
# What the closed search is asked for is over; a watch asks for what is open.
_CLOSED = "closedsearch"

Pair = tuple[str, str, str]


def link(external_id: str, *, web: str) -> str:
    """The address at ``web`` where a person bids for or buys a listing by hand."""
    return listing_url(web, external_id)


def parse_url(url: str) -> ListingUrl | SearchUrl | None:
    """What an address of the site asks for: a listing, or a search, category, seller or closed search.

    ``None`` for anything else: other sites, other pages, questions that ask nothing, no address at all. Raises nothing.
    """
    found = _taken_apart(url)
    if found is None:
        return None
    path, query = found
    pairs = list(_pairs(query))
    if external_id := _listing_of(path, pairs):
        return ListingUrl(external_id=external_id)
    asked = _asked_by_path(path)
    return None if asked is None else _search(*asked, pairs)


def _taken_apart(url: str) -> tuple[list[str], str] | None:
    """The parts of the path, still quoted, and the query; ``None`` when it is no address of the site."""
    text = url.encode("utf-8", "ignore").decode().strip()[:LONGEST]
    bare = _SCHEME.match(text)
    try:
        parts = urlsplit(f"https://{text[bare.end() :] if bare else text}")
        port = parts.port
    except ValueError:
        return None
    if parts.hostname not in MANIFEST.hosts or "@" in parts.netloc or port not in {None, 80, 443}:
        return None
    return [part for part in parts.path.split("/") if part], parts.query


def _pairs(query: str) -> Iterator[Pair]:
    """Name, value and how they stand in the address, blank values left out."""
    for raw in query.split("&"):
        piece = raw.removeprefix("amp;")
        name, _, value = piece.partition("=")
        if text := _decoded(value.replace("+", " ")).strip():
            yield _decoded(name), text, piece


def _decoded(quoted: str) -> str:
    """Text out of percent signs: UTF-8, or the EUC-JP and Shift-JIS of older links."""
    raw = unquote_to_bytes(quoted)
    for charset in ("utf-8", *EUC_JP, "cp932"):
        try:
            return raw.decode(charset)
        except UnicodeDecodeError:
            continue
    return raw.decode("utf-8", "replace")


def _listing_of(path: list[str], pairs: list[Pair]) -> str | None:
    if len(path) >= 3 and path[:2] == ["jp", "auction"]:
        return fields.listing_id(path[2].lower())
    if path[:2] == ["jp", "show"]:
        return next((fields.listing_id(value) for name, value, _ in pairs if name == "aID"), None)
    return None


def _asked_by_path(path: list[str]) -> tuple[Told, list[str]] | None:
    """What the path itself asks, and which of its parts were not understood."""
    match path:
        case ["search", "advanced"]:
            return {}, []
        case ["search", "search", *rest]:
            return _asked_by_words(rest, [])
        case ["closedsearch", "closedsearch", *rest]:
            return _asked_by_words(rest, [_CLOSED])
        case ["category", "list", number, *rest] if number.isascii() and number.isdecimal():
            return told_by("auccat", number) or {}, rest
        case ["seller", seller, *rest] if _SELLER.fullmatch(seller):
            return {"seller": seller}, rest
    return None


def _asked_by_words(rest: list[str], leftovers: list[str]) -> tuple[Told, list[str]]:
    """The canonical form: the keyword, then a number of which only 0, for everything, is known."""
    keyword, unread = (_decoded(rest[0]), rest[1:]) if rest else ("", [])
    return words(keyword), leftovers + [part for part in unread if part != "0"]


def _search(told: Told, leftovers: list[str], pairs: list[Pair]) -> SearchUrl | None:
    by_bid = ("price_type", "bidorbuyprice") in {(name, value) for name, value, _ in pairs}
    # "p" overrides "va", so it is read after it.
    for name, value, raw in sorted(pairs, key=lambda pair: pair[0] == "p"):
        meant = told_by(name, unicodedata.normalize("NFKC", value), by_buy_now=by_bid)
        if meant is None and not is_noise(name):
            leftovers = [*leftovers, raw]
        told = _joined(told, meant or {})
    return _made(told, leftovers)


def _joined(told: Told, more: Told) -> Told:
    """Both; words to leave out add up."""
    none_of = dict.fromkeys((*told.get("none_of", ()), *more.get("none_of", ())))
    return told | more | ({"none_of": tuple(none_of)} if none_of else {})


def _made(told: Told, leftovers: list[str]) -> SearchUrl | None:
    limits: dict[str, Any] = {name: told[name] for name in _LIMITS if name in told}
    criteria = YahooCriteria(**{name: value for name, value in told.items() if name not in limits})
    if not criteria.asks_something and not any(map(plain, limits.get("any_of", ()))):
        return None
    return SearchUrl(criteria=criteria, **limits, leftovers=tuple(dict.fromkeys(leftovers)))
