"""Pages of results in the shape of the real ones; what carries its facts as data is in ``data_pages``."""

import html
from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from . import cards
from .listing import SOLD, Listing

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
    more: int = 0

    @property
    def counted(self) -> int:
        """How many the page says there are: ``more`` than there are when the question was widened."""
        return len(self.found) + self.more

    @property
    def shown(self) -> Sequence[Listing]:
        """Those on this page."""
        return self.found[self.first - 1 : self.first - 1 + self.size]


def results(view: View) -> bytes:
    """The page of results from item ``first`` on; promoted copies stand before them on every page."""
    shown = view.shown
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
    return _HEAD.format(base=view.base, keyword=keyword, total=view.counted, order=view.order, size=view.size).encode()


def _tail(keyword: str) -> bytes:
    return _TAIL.format(keyword=script(keyword)).encode()


def _pager(view: View, shown: int, promoted: Sequence[Listing]) -> bytes:
    after = view.first + view.size
    link = _NEXT.format(base=view.base, b=after) if after <= len(view.found) else _LAST
    rows = [
        _RECOMMENDED.format(base=view.base, id=p.id, title=html.escape(p.title), price=p.bidding.price)
        for p in promoted
    ]
    text = _PAGER.format(next=link, first=view.first, last=view.first + shown - 1, recommended="".join(rows))
    return text.encode()


def script(value: object) -> str:
    """A value as a script on a page may hold it."""
    return orjson.dumps(value).decode().replace("</", "<\\/")


def sold(listings: Sequence[Listing]) -> list[Listing]:
    """Those that found a buyer, latest end first."""
    return sorted((found for found in listings if found.status == SOLD), key=lambda found: -found.ends)
