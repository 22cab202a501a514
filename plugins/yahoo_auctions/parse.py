"""From an answer of the search to a page of sightings. Pure: same bytes, same sightings.

Order: status, charset, then the list of cards. A page without cards is "nothing found" only when it says so itself;
else it is asked what stands in the way. Promoted copies of cards are dropped by id and counted as padding.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from selectolax.lexbor import LexborHTMLParser, LexborNode

from monitor_site.contract import (
    Answer,
    BadRow,
    Kind,
    LayoutChanged,
    MarketplaceError,
    ReadBefore,
    SearchPage,
    Sighting,
)

from . import fields
from .ask import PAGE_SIZE
from .card import read_card
from .manifest import HOME, Order, YahooCriteria
from .page import check_whole, text_of, tree_of, word
from .refusals import GONE, refuse_status, wall

# A question that nothing happened to is answered byte for byte as before.
PAGES: ReadBefore[SearchPage] = ReadBefore(most=128)
ENOUGH_ROWS = 5
CARDS = ".Products__items > li.Product"
_FRAME = ".Result, .Products, [data-auction-id]"
_BUCKET = re.compile(r'"vTestId"\s*:\s*"([^"]{0,40})"|data-bucketid="([^"]{0,40})"')
_NOTHING = "見つかりませんでした"
_LABELS = {
    "新着順": Order.NEWEST,
    "残り時間の短い順": Order.ENDING,
    "残り時間の長い順": Order.ENDING_LAST,
    "現在価格の安い順(送料込み)": Order.CHEAPEST,
    "現在価格の高い順(送料込み)": Order.DEAREST,
    "即決価格の安い順(送料込み)": Order.CHEAPEST_BUY_NOW,
    "即決価格の高い順(送料込み)": Order.DEAREST_BUY_NOW,
    "入札件数の多い順": Order.MOST_BIDS,
    "入札件数の少ない順": Order.FEWEST_BIDS,
    "人気順": Order.POPULAR,
    "注目のオークション順": Order.FEATURED,
    "おすすめ順": Order.RECOMMENDED,
}
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


def read_search(
    answer: Answer, criteria: YahooCriteria, *, now: datetime, web: str = HOME, offset: int = 1
) -> SearchPage:
    """The page that ``answer`` holds for ``criteria``, asked from item ``offset``.

    ``now`` only resolves a ``Retry-After`` date; ``web`` is what the addresses of listings begin with.
    Raises: Unavailable, Throttled, Blocked, ChallengeRequired, SignInNeeded, LayoutChanged.
    """
    refuse_status(answer, now=now)
    declared = answer.headers.get("content-type", "")
    return PAGES.of(
        answer.body, declared, criteria, web, offset, read=lambda: _read(answer, criteria, web=web, offset=offset)
    )


def _read(answer: Answer, criteria: YahooCriteria, *, web: str, offset: int) -> SearchPage:
    text = text_of(answer)
    tree = tree_of(text)
    cards = tree.css(CARDS)
    if not cards:
        return _without_cards(tree, text)
    check_whole(text)
    _check_order(tree, criteria)
    return _page(tree, cards, criteria, web=web, offset=offset)


def _without_cards(tree: LexborHTMLParser, text: str) -> SearchPage:
    """Nothing found, where the page says so and its own count agrees; else the error that it is."""
    total = _total(tree)
    if _NOTHING in word(tree.css_first(".Empty__title")) and not total:
        check_whole(text)
        return SearchPage(sightings=(), about=0)
    raise _instead(tree, text, total)


def _instead(tree: LexborHTMLParser, text: str, total: int | None) -> MarketplaceError:
    if tree.css_first(_FRAME) is not None:
        ids = {node.attributes.get("data-auction-id") for node in tree.css("[data-auction-id]")}
        return LayoutChanged(f"no cards, yet {len(ids)} ids and a count of {total}; test bucket {_bucket(text)}")
    gone = GONE in text
    return wall(tree) or LayoutChanged("the search has moved" if gone else "neither results nor a word why")


def _bucket(text: str) -> str:
    found = _BUCKET.search(text)
    return (found[1] or found[2] or "none") if found else "none"


def _check_order(tree: LexborHTMLParser, criteria: YahooCriteria) -> None:
    """Unknown sort keys are ignored without a word, so the answer is compared with the question."""
    labels = (word(node) for node in tree.css(".Option__selected"))
    said = next((label for label in labels if label in _LABELS), None)
    if said is not None and _LABELS[said] != criteria.sorting:
        raise LayoutChanged(f"asked for {criteria.sorting}, sorted by {said}")


def _page(
    tree: LexborHTMLParser, cards: list[LexborNode], criteria: YahooCriteria, *, web: str, offset: int
) -> SearchPage:
    read = [read_card(card, criteria, web=web) for card in cards]
    _check_question(read)
    bad = tuple(BadRow(position=at, reason=found) for at, found in enumerate(read) if isinstance(found, str))
    sightings = _each_once(found for found in read if isinstance(found, Sighting))
    _check_nothing_is_gone(tree, sightings, bad)
    total = _total(tree)
    return SearchPage(
        sightings=_sorted(sightings, criteria),
        next_token=str(offset + PAGE_SIZE) if _has_next(tree, total, offset) else None,
        about=total,
        bad_rows=bad,
        padding=len(cards) - len(bad) - len(sightings),
    )


def _check_question(read: Sequence[Sighting | str | None]) -> None:
    """Unknown keys are ignored without a word too: then most cards are plainly not what was asked for."""
    others = read.count(None)
    if 2 * others > len(read):
        raise LayoutChanged(f"{others} of {len(read)} cards are not what was asked for")


def _each_once(found: Iterable[Sighting]) -> tuple[Sighting, ...]:
    first: dict[str, Sighting] = {}
    for sighting in found:
        first.setdefault(sighting.external_id, sighting)
    return tuple(first.values())


def _sorted(sightings: tuple[Sighting, ...], criteria: YahooCriteria) -> tuple[Sighting, ...]:
    """Promoted cards stand first whatever the order; asked for the newest, they go where they belong."""
    if criteria.sorting != Order.NEWEST:
        return sightings
    return tuple(sorted(sightings, key=lambda found: found.created or _LONG_AGO, reverse=True))


def _check_nothing_is_gone(tree: LexborHTMLParser, found: tuple[Sighting, ...], bad: tuple[BadRow, ...]) -> None:
    if not found:
        raise LayoutChanged(f"none of {len(bad)} cards can be read: {bad[0].reason}")
    # The quick view never had a count of bids.
    names = ("price", "ends_at") if tree.css_first(".Products--immersive") else ("price", "ends_at", "bids")
    auctions = [sighting for sighting in found if sighting.kind != Kind.FLEA]
    if len(auctions) < ENOUGH_ROWS:
        return
    if gone := [name for name in names if all(getattr(sighting, name) is None for sighting in auctions)]:
        raise LayoutChanged(f"gone from every card: {', '.join(gone)}")


def _total(tree: LexborHTMLParser) -> int | None:
    return fields.whole(word(tree.css_first(".Tab__item--current .Tab__subText")) or None)


def _has_next(tree: LexborHTMLParser, total: int | None, offset: int) -> bool:
    """Whether the pager leads on; a page without one is judged by its count."""
    if tree.css_first(".Pager__list--next") is None:
        return (total or 0) >= offset + PAGE_SIZE
    return tree.css_first(".Pager__list--next a[href]") is not None
