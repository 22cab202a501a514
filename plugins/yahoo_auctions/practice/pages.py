"""Whole pages in the shapes of the real ones: results, nothing found, a listing, closed search."""

import html
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import orjson

from . import cards
from .listing import OPEN, SOLD, Listing

JST = timezone(timedelta(hours=9))
PROMOTED = 3

_HEAD = """<!DOCTYPE html>
<html lang="ja"><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8">
<title>Yahoo!オークション 練習場 -{keyword}</title></head>
<body><script type="text/javascript">var login_status = 'notLogin';</script>
<form id="sbn" action="{base}/search/search" name="sbn"><input id="yschsp" type="text" name="p" value="{keyword}">\
</form>
<div class="l-contentsBody"><div class="Result"><div class="Result__header"><div class="SearchMode"><div class="Tab">
<ul class="Tab__items"><li class="Tab__item Tab__item--current"><div class="Tab__itemInner">\
<span class="Tab__text">すべて</span><span class="Tab__subText">{total:,}件</span></div></li></ul></div></div>
<div class="Options js-menu"><div class="Option Option--sortWide"><button class="Option__trigger" type="button">\
<span class="Option__selected">{order}</span></button></div>
<div class="Option Option--count"><button class="Option__trigger" type="button">\
<span class="Option__selected">{size}件表示</span></button></div></div>
"""
_LIST = """</div><div class="Result__body"><div class="Products Products--grid"><div class="Products__list">
<ul class="Products__items">
"""
_PAGER = """</ul></div></div><div class="Pager"><ul class="Pager__lists">
<li class="Pager__list Pager__list--next">{next}</li></ul>
<p class="Pager__text">{first}件〜{last}件を表示</p></div></div>
<div class="Result__footer"><div class="Recommend js-recommend"><ul class="Recommend__items">{recommended}</ul>
</div></div>
"""
_NEXT = '<a class="Pager__link" href="{base}/search/search?b={b}">次へ</a>'
_LAST = '<span class="Pager__link Pager__link--disable">次へ</span>'
_RECOMMENDED = """<li class="Recommend__item"><a class="RecommendItem__link" href="{base}/jp/auction/{id}">\
<p class="RecommendItem__title">{title}</p><span class="RecommendItem__priceValue">{price:,}円</span></a></li>"""
_EMPTY = """<div class="Empty"><h2 class="Empty__title">条件に一致する商品は見つかりませんでした。</h2></div></div>
<div class="Result__body"></div><div class="Result__footer"></div>
"""
_TAIL = """</div></div><script type="text/javascript" async>
var pageData = {{
  "navigation" : {{ "pageName" : "LISTINGS", "keyword" : {keyword}, "device" : "PC", "vTestId" : "practice" }},
  "items" : [ ]
}};
</script></body></html>
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What a page of results shows: ``found`` are all that match, in order."""

    base: str
    keyword: str
    order: str
    found: Sequence[Listing]
    first: int
    size: int
    now: float


def results(view: View) -> bytes:
    """The page of results from item ``first`` on; promoted copies stand before them on every page."""
    shown = view.found[view.first - 1 : view.first - 1 + view.size]
    promoted = sorted(view.found, key=lambda listing: -listing.bidding.bids)[:PROMOTED] if len(view.found) > 9 else []
    copies = [cards.card(found, base=view.base, module="sfdu", now=view.now) for found in promoted]
    listed = [cards.card(found, base=view.base, module="aal", now=view.now) for found in shown]
    tail = _pager(view, len(shown), promoted) + _tail(view.keyword)
    return b"".join([_head(view), _LIST.encode(), *copies, *listed, tail])


def nothing(view: View) -> bytes:
    """The page that says nothing was found; it goes with status 404."""
    return _head(view) + _EMPTY.encode() + _tail(view.keyword)


def _head(view: View) -> bytes:
    keyword = html.escape(view.keyword)
    return _HEAD.format(
        base=view.base, keyword=keyword, total=len(view.found), order=view.order, size=view.size
    ).encode()


def _tail(keyword: str) -> bytes:
    return _TAIL.format(keyword=_script(keyword)).encode()


def _pager(view: View, shown: int, promoted: Sequence[Listing]) -> bytes:
    after = view.first + view.size
    link = _NEXT.format(base=view.base, b=after) if after <= len(view.found) else _LAST
    rows = [
        _RECOMMENDED.format(base=view.base, id=p.id, title=html.escape(p.title), price=p.bidding.price)
        for p in promoted
    ]
    text = _PAGER.format(next=link, first=view.first, last=view.first + shown - 1, recommended="".join(rows))
    return text.encode()


def closed(view: View) -> bytes:
    """The closed search: sold things of the last half year, latest first, as data inside a page."""
    shown = view.found[view.first - 1 : view.first - 1 + view.size]
    listing = {
        "isFetching": False,
        "items": [_closed_row(found, view.base) for found in shown],
        "totalResultsAvailable": len(view.found),
        "metadata": {"limit": view.size, "sort": "-END_TIME", "request": {"query": view.keyword}},
    }
    return _next_page(view.keyword, "", {"search": {"items": {"listing": listing}}})


def _closed_row(listing: Listing, base: str) -> dict[str, Any]:
    bidding = listing.bidding
    return {
        "auctionId": listing.id,
        "title": listing.title,
        "price": listing.shown(bidding.price),
        # Flea sales bear a placeholder.
        "bidCount": 1 if listing.flea else bidding.bids,
        "buyNowPrice": listing.shown(bidding.buy_now) if bidding.buy_now else None,
        "initPriceNoTax": bidding.start,
        "isFixedPrice": listing.fixed,
        "isFleamarketItem": listing.flea,
        "isFreeShipping": listing.fee == 0,
        "isShoppingItem": listing.store,
        "itemCondition": "NEW" if listing.unused else "USED20",
        "imageUrl": cards.picture(listing, base),
        "startTime": iso(listing.created),
        "endTime": iso(listing.ends),
        "category": {"id": listing.category, "name": listing.art},
        "seller": {"userId": listing.seller, "goodRating": "99.2%", "displayName": "********"},
    }


def item(listing: Listing, base: str) -> bytes:
    """The page of one listing, its facts as data and under the stable ids."""
    shown = listing.shown(listing.bidding.price)
    title, end = html.escape(listing.title), iso(listing.ends)
    gate = (
        '<div id="bidButtonGroup"><button disabled type="button">入札する</button></div>'
        if listing.status == OPEN
        else '<div id="closedNotice">このオークションは終了しています</div>'
    )
    body = (
        f'<div id="itemTitle"><h1>{title}</h1></div>'
        f"<dl><dt>現在</dt><dd>{shown:,}<!-- -->円</dd></dl>"
        f'<div id="itemStatus">{listing.bidding.bids}<!-- -->件 {end}</div>{gate}'
        f'<div id="otherInfo"><table><tr><th>オークションID</th><td>{listing.id}</td></tr></table></div>'
        '<div id="description">練習用の説明文です。システムエラー、ログインしてください。</div>'
    )
    return _next_page(listing.title, body, {"item": {"detail": {"item": _item_data(listing, base)}}})


def _item_data(listing: Listing, base: str) -> dict[str, Any]:
    bidding = listing.bidding
    data: dict[str, Any] = {
        "auctionId": listing.id,
        "title": listing.title,
        "price": bidding.price,
        "initPrice": bidding.start,
        "bids": bidding.bids,
        "status": "open" if listing.status == OPEN else "closed",
        "startTime": iso(listing.created),
        "endTime": iso(listing.ends),
        "isFleaMarket": listing.flea,
        "isAutomaticExtension": listing.extends,
        "isExtendedAuction": False,  # as on the real page, even after an extension
        "chargeForShipping": "seller" if listing.fee == 0 else "winner",
        "conditionName": "未使用" if listing.unused else "目立った傷や汚れなし",
        "img": [{"image": cards.picture(listing, base)}],
        "seller": {"aucUserId": listing.seller, "displayName": "練習 出品者", "isStore": listing.store},
        "category": {"path": [{"id": str(listing.category)}]},
        "description": ["練習用の説明文です。"],
    }
    return data | _bought_now(listing) | _taxed(listing)


def _bought_now(listing: Listing) -> dict[str, Any]:
    return {"bidorbuy": listing.bidding.buy_now} if listing.bidding.buy_now else {}


def _taxed(listing: Listing) -> dict[str, Any]:
    if not listing.store:
        return {}
    buy_now = listing.bidding.buy_now
    found = {"taxRate": listing.tax, "taxinPrice": listing.shown(listing.bidding.price)}
    return found | ({"taxinBidorbuy": listing.shown(buy_now)} if buy_now else {})


def _next_page(title: str, body: str, state: dict[str, Any]) -> bytes:
    data = orjson.dumps({"props": {"pageProps": {"initialState": state}}}).decode().replace("</", "<\\/")
    return (
        f'<!DOCTYPE html>\n<html lang="ja"><head><meta charset="utf-8"><title>{html.escape(title)}</title></head><body>'
        f'<div id="__next"><main>{body}</main></div>'
        f'<script id="__NEXT_DATA__" type="application/json">{data}</script></body></html>'
    ).encode()


def _script(text: str) -> str:
    return orjson.dumps(text).decode().replace("</", "<\\/")


def iso(moment: float) -> str:
    """Japanese time with its offset."""
    return datetime.fromtimestamp(int(moment), tz=UTC).astimezone(JST).isoformat()


def sold(listings: Sequence[Listing]) -> list[Listing]:
    """Those that found a buyer, latest end first."""
    return sorted((found for found in listings if found.status == SOLD), key=lambda found: -found.ends)
