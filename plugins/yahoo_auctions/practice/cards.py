"""The result card of a listing, in the shape of the real page; made once for each state it can be seen in."""

import html
import math

from .listing import Listing

DAY, HOUR, MINUTE = 86_400.0, 3_600.0, 60.0

_LINK = (
    'data-auction-id="{id}" data-auction-category="{category}" data-auction-title="{title}" data-auction-img="{img}" '
    'data-auction-price="{price}" data-auction-isflea="{flea}" data-auction-isfreeshipping="{free}" '
    'href="{base}/jp/auction/{id}" target="_blank" rel="noopener" '
    'data-cl-params="_cl_vmodule:{module};_cl_link:{{link}};'
    "sfst:now;atax:{tax};catid:{category};cid:{id};{{etc}}st:{st};end:{end};prat:0;grat:{grat};seltyp:1;apprsl:0;"
    'flm:{flm};fbcp:0;"'
)
_CARD = """<li class="Product">
<div class="Product__image"><a class="Product__imageLink js-browseHistory-add" {image_link}>
<img class="Product__imageData" src="{img}" width="100" height="100" loading="lazy" alt="{title}">
<div class="Product__iconWrap">{free_icon}</div></a>
<div class="Product__button js-watch-button notlogin"><a class="Button Button--watch is-off" rel="nofollow" \
href="#dummy" data-addurl="{base}/watchlist/add?aID={id}&amp;.crumb=">ウォッチ</a></div></div>
<div class="Product__detail"><div class="Product__bonus " data-auction-id="{id}" data-auction-endtime="{end}" \
data-auction-buynowprice="{buy_now}" data-auction-categoryidpath="0,{category}" data-auction-caneasypayment="1" \
data-auction-price="{price}" data-auction-auc-seller-id="{seller}" data-auction-startprice="{start}" \
data-auction-isshoppingitem="{store}"></div>
<h3 class="Product__title"><a class="Product__titleLink js-browseHistory-add" {title_link} title="{title}">
{title}
</a></h3>
<div class="Product__priceInfo">
<span class="Product__price"><span class="Product__label">現在</span>\
<span class="Product__priceValue u-textRed">{price:,}円</span></span>{buy_now_price}
<p class="Product__postage">{postage}</p></div>
<dl class="Product__otherInfo">
<div class="Product__bidWrap"><dt class="Product__label"></dt><dd class="Product__bid">{bids}</dd></div>
<div class="Product__timeWrap"><dt class="Product__label"></dt><dd class="Product__time">{time}</dd></div></dl>
<div class="Product__icons">{unused}</div><div class="Product__foot">{featured}</div></div></li>
"""
_BUY_NOW = '<span class="Product__price"><span class="Product__label">即決</span>\
<span class="Product__priceValue">{:,}円</span></span>'
_FEATURED = '<div class="Product__featured"><span class="u-fontSize10">注目度 No.1</span></div>'
_UNUSED = '<span class="Product__icon Product__icon--unused">未使用</span>'
_FREE = '<span class="Product__icon Product__icon--freeShipping">送料無料</span>'


def card(listing: Listing, *, base: str, module: str, now: float) -> bytes:
    """The card; ``module`` is ``aal`` in the list and ``sfdu`` for a promoted copy."""
    time = time_left(listing.ends - now)
    state = (listing.version, time, base)
    kept = listing.cards.get(module)
    if kept is None or kept[0] != state:
        kept = listing.cards[module] = (state, _made(listing, base, module, time).encode())
    return kept[1]


def time_left(seconds: float) -> str:
    """The remaining time as the page words it: days rounded down, hours and minutes up."""
    if seconds <= 0:
        return "終了"
    if seconds >= DAY:
        return f"{int(seconds // DAY)}日"
    return f"{math.ceil(seconds / HOUR)}時間" if seconds >= HOUR else f"{math.ceil(seconds / MINUTE)}分"


def picture(listing: Listing, base: str) -> str:
    """The address of a listing's picture."""
    return f"{base}/pictures/{listing.art}/{listing.id}.webp"


def _made(listing: Listing, base: str, module: str, time: str) -> str:
    facts = _facts(listing, base) | {"module": module}
    link = _LINK.format_map(facts)
    etc = f"etc:p={facts['price']},b={facts['bids']},etm={facts['end']},stm={facts['st']};"
    own = {
        "time": time,
        "image_link": link.replace("{link}", "ic").replace("{etc}", ""),
        "title_link": link.replace("{link}", "tc").replace("{etc}", etc),
        "featured": _FEATURED if module == "sfdu" else "",
    }
    return _CARD.format_map(facts | own)


def _facts(listing: Listing, base: str) -> dict[str, object]:
    bidding = listing.bidding
    return {
        "base": base,
        "id": listing.id,
        "title": html.escape(listing.title),
        "img": picture(listing, base),
        "category": listing.category,
        "price": listing.shown(bidding.price),
        # As on the real page, this attribute is the one number without tax.
        "buy_now": bidding.buy_now or 0,
        "buy_now_price": _BUY_NOW.format(listing.shown(bidding.buy_now)) if bidding.buy_now else "",
        "start": bidding.start,
        "bids": bidding.bids,
        "seller": listing.seller,
        "tax": listing.tax,
        "store": "1" if listing.store else "",
        "flea": "1" if listing.flea else "",
        "flm": int(listing.flea),
        "grat": "99.2",
        "st": int(listing.created),
        "end": int(listing.ends),
        **_extras(listing),
    }


def _extras(listing: Listing) -> dict[str, str]:
    postage = "送料未定" if listing.fee is None else f"＋送料{listing.fee:,}円" if listing.fee else ""
    return {
        "free": "1" if listing.fee == 0 else "",
        # The icon is missing now and then, as on the real page.
        "free_icon": _FREE if listing.fee == 0 and int(listing.created) % 3 else "",
        "postage": postage,
        "unused": _UNUSED if listing.unused else "",
    }
