"""Pages that carry their facts as data, in the shapes of the real ones: closed search, a seller's, a listing's."""

import html
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from . import cards
from .listing import OPEN, Listing
from .pages import View, script

JST = timezone(timedelta(hours=9))


def closed(view: View) -> bytes:
    """The closed search: sold things of the last half year, latest first, as data inside a page."""
    return _next_page(view.keyword, "", {"search": _listed(view, "-END_TIME")})


def seller(view: View, seller: str) -> bytes:
    """The page of a seller: what is open there as data, recommended first, and who it is."""
    about = {
        "aucUserId": seller,
        "displayName": "練習 出品者",
        "isStore": any(found.store for found in view.found),
        "rating": {"total": 480, "goodRatio": 0.992},
    }
    return _next_page("出品リスト", "", {"search": _listed(view, "-RANKING"), "user": {"seller": about}})


def _listed(view: View, order: str) -> dict[str, Any]:
    listing = {
        "isFetching": False,
        "items": [_row(found, view.base) for found in view.shown],
        "totalResultsAvailable": view.counted,
        "metadata": {"limit": view.size, "sort": order, "request": {"query": view.keyword}},
        # The real page hands out the server's own cookies here.
        "setCookies": ["A=practice; domain=.example"],
    }
    return {"items": {"listing": listing}}


def _row(listing: Listing, base: str) -> dict[str, Any]:
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
        "categoryPath": [{"id": 0, "name": "オークション"}, {"id": listing.category, "name": listing.art}],
        "prefectureCode": "13",
        "isAppraisal": False,
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
    state = {"item": {"detail": {"item": _item_data(listing, base)}}}
    return _next_page(listing.title, body, state, head=_counter(listing))


def _counter(listing: Listing) -> str:
    """What the page tells its click counter; a store's prices are without tax there."""
    told = {
        "productID": listing.id,
        "productName": listing.title,
        "price": str(listing.bidding.price),
        "winPrice": str(listing.bidding.buy_now or 0),
        "bids": str(listing.bidding.bids),
        "starttime": iso(listing.created)[:19].replace("T", " "),
        "endtime": iso(listing.ends)[:19].replace("T", " "),
        "isStore": "1" if listing.store else "0",
        "isClosed": "0" if listing.status == OPEN else "1",
        "hasWinner": "0",
    }
    return f"<script>var pageData = {script({'navigation': {'isLogin': 0}, 'items': told})};</script>"


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


def _next_page(title: str, body: str, state: dict[str, Any], *, head: str = "") -> bytes:
    start = f'<!DOCTYPE html>\n<html lang="ja"><head><meta charset="utf-8"><title>{html.escape(title)}</title>{head}'
    data = script({"props": {"pageProps": {"initialState": state}}})
    return (
        f'{start}</head><body><div id="__next"><main>{body}</main></div>'
        f'<script id="__NEXT_DATA__" type="application/json">{data}</script></body></html>'
    ).encode()


def iso(moment: float) -> str:
    """Japanese time with its offset."""
    return datetime.fromtimestamp(int(moment), tz=UTC).astimezone(JST).isoformat()
