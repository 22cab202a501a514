"""Pages of single listings and of the closed search, with invented values in the shapes of the site."""

import json
from dataclasses import replace
from typing import Any

from monitor_site.contract import Answer
from tests.plugins.yahoo_auctions.samples import answer

ID = "r0900000031"
ITEM_URL = f"https://auctions.yahoo.co.jp/jp/auction/{ID}"
ITEM: dict[str, Any] = {
    "auctionId": ID,
    "title": "ルミナ 90mm マクロ",
    "price": 15200,
    "initPrice": 1000,
    "bids": 9,
    "status": "open",
    "startTime": "2026-10-01T20:00:00+09:00",
    "endTime": "2026-10-08T21:05:00+09:00",
    "isFleaMarket": False,
    "isAutomaticExtension": True,
    "isExtendedAuction": False,
    "chargeForShipping": "winner",
    "conditionName": "目立った傷や汚れなし",
    "quantity": 1,
    "img": [{"image": "https://auctions.c.yimg.jp/a.jpg"}, {"image": "https://auctions.c.yimg.jp/b.jpg"}],
    "seller": {
        "aucUserId": "SampleSellerLong",
        "displayName": "見本の出品者",
        "isStore": False,
        "rating": {"goodRating": "97.1%", "summary": 210},
    },
    "category": {"path": [{"id": "0"}, {"id": "2500"}]},
    "description": ["一行目。", "注意：システムエラー、ログインしてください。"],
}
SELLER: dict[str, Any] = {
    "aucUserId": "SoldSeller",
    "displayName": "見本の出品者",
    "isStore": False,
    "rating": {"total": 77, "goodRatio": 0.993},
}
STORE: dict[str, Any] = {
    "price": 2237,
    "bidorbuy": 3000,
    "taxRate": 10,
    "taxinPrice": 2460,
    "taxinBidorbuy": 3300,
    "seller": {"aucUserId": "StoreSeller", "displayName": "見本の店", "isStore": True},
}
ROW: dict[str, Any] = {
    "auctionId": "c0900000041",
    "title": "売れた品",
    "price": 8800,
    "bidCount": 12,
    "buyNowPrice": None,
    "isFixedPrice": False,
    "isFleamarketItem": False,
    "isFreeShipping": True,
    "isShoppingItem": False,
    "itemCondition": "NEW",
    "startTime": "2026-09-20T21:00:00+09:00",
    "endTime": "2026-09-27T21:10:00+09:00",
    "imageUrl": "https://auc-pctr.c.yimg.jp/c.jpg",
    "category": {"id": 2500},
    "seller": {"userId": "SoldSeller", "goodRating": "98.5%", "displayName": "********"},
}


def data_page(state: dict[str, Any], *, status: int = 200, body: str = "") -> Answer:
    """A page whose initial state is ``state``."""
    data = json.dumps({"props": {"pageProps": {"initialState": state}}}, ensure_ascii=True)
    return answer(
        f'<!DOCTYPE html><html><body><main>{body}</main><script id="__NEXT_DATA__" type="application/json">{data}'
        "</script></body></html>",
        status=status,
    )


def item_page(**changes: Any) -> Answer:
    """The page of a listing."""
    item = {name: value for name, value in (ITEM | changes).items() if value is not ...}
    carousel = '<div class="Carousel"><span>77,700円</span></div>'
    return at(data_page({"item": {"detail": {"item": item}}}, body=f'<div id="itemTitle"></div>{carousel}'))


def counted_page(*, closed: bool = False, **changes: str) -> Answer:
    """The page of a listing whose own data is gone; the click counter's is there."""
    told = {
        "productID": "r0900000031",
        "productName": "ルミナ 90mm マクロ",
        "price": "15200",
        "winPrice": "0",
        "bids": "9",
        "starttime": "2026-10-01 20:00:00",
        "endtime": "2026-10-08 21:05:00",
        "isStore": "0",
        "isClosed": "0",
    }
    data = json.dumps({"navigation": {"isLogin": 0}, "items": told | changes}, ensure_ascii=False)
    notice = '<div id="closedNotice">このオークションは終了しています</div>' if closed else ""
    made = (
        f'<!DOCTYPE html><html><head><script>var pageData = {data};</script></head><body><div id="itemTitle"></div>'
        f'{notice}<div id="itemInfo"><dl><dt>商品の状態</dt><dd>未使用に近い</dd></dl></div></body></html>'
    )
    return at(answer(made))


def at(made: Answer, url: str = ITEM_URL) -> Answer:
    """The same answer from another address."""
    return replace(made, url=url)


def cut_off(made: Answer) -> Answer:
    """The same page without its end, its data whole."""
    return replace(made, body=made.body.removesuffix(b"</body></html>"))


def closed_page(*rows: Any, total: int | None = None, status: int = 200, order: str = "-END_TIME") -> Answer:
    """A page of the closed search, with the cookies that the real one carries too."""
    return data_page(_listed(rows, total, order), status=status)


def seller_page(*rows: Any, total: int | None = None, status: int = 200, limit: int = 100, **about: Any) -> Answer:
    """The page of a seller."""
    return data_page(_listed(rows, total, "-RANKING", limit) | {"user": {"seller": SELLER | about}}, status=status)


def _listed(rows: tuple[Any, ...], total: int | None, order: str, limit: int = 50) -> dict[str, Any]:
    listing = {
        "items": list(rows),
        "totalResultsAvailable": len(rows) if total is None else total,
        "metadata": {"sort": order, "limit": limit},
        "setCookies": ["A=secret; domain=.yahoo.co.jp"],
    }
    return {"search": {"items": {"listing": listing}}}


def sold(**changes: Any) -> dict[str, Any]:
    return ROW | changes
