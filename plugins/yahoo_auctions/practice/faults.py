"""What can go wrong in this practice market, and how it says so."""

import re
from dataclasses import replace

from monitor_site.contract.practice import (
    HTML,
    Kind,
    Reply,
    Scene,
    fixed,
    generic_kinds,
    html_reply,
    renamed,
    send_reply,
)

ROUTES = ("search", "closed", "seller", "item", "pictures")


def _page(title: str, body: str, status: int = 200) -> Reply:
    text = f'<!DOCTYPE html><html lang="ja"><head><title>{title}</title></head><body>{body}</body></html>'
    return html_reply(text, status)


BLOCK_PAGE = _page("ページが表示できません", "<main><h1>ページが表示できません</h1><p>しばらく時間をおいて…</p></main>")
_FORM = '<form method="post" action="https://login.yahoo.co.jp/config/login"><input name="handle"></form>'
_PAGES = {
    "maintenance200": _page("メンテナンス中", "<h1>ただいまメンテナンス中です</h1>"),
    "busy": _page("エラー", "<p>ただいま大変混み合っています。</p>"),
    "block200": BLOCK_PAGE,
    "block403": html_reply(BLOCK_PAGE.body, 403),
    "geo": _page("Yahoo! JAPAN", "<p>This service is no longer available in the EEA and the United Kingdom.</p>"),
    "login": _page("ログイン", _FORM),
    "to_login": Reply(302, b"", HTML, {"location": "https://login.yahoo.co.jp/config/login?.src=auc"}),
    "to_captcha": Reply(302, b"", HTML, {"location": "https://ncaptcha.yahoo.co.jp/check"}),
    "elsewhere": Reply(302, b"", HTML, {"location": "https://www.yahoo.co.jp/"}),
    "captcha": _page("確認", '<form action="/ncaptcha/check"><img src="/ncaptcha/image"></form>'),
    "not_found": _page("Yahoo!オークション", "<p>指定されたURLのページは存在しません。</p>", 404),
    "empty": _page("", ""),
    "json": Reply(200, b'{"error":"practice"}', "application/json"),
}
_COUNT = re.compile(rb'(class="Tab__subText">)([0-9,]+)\xe4\xbb\xb6')
_LAYOUTS = {
    "list": ((b"Products__items", b"List__items"), (b'class="Product"', b'class="Entry"')),
    "cards": ((b"data-auction-id", b"data-item-id"),),
    "bids": ((b"Product__bid", b"Product__offers"),),
    "times": ((b"data-auction-endtime", b"data-auction-closing"), (b";end:", b";fin:")),
    # The older view: no label of the current price, no count of bids, other seller ids.
    "quick": (
        (b"Products--grid", b"Products--immersive"),
        ('<span class="Product__label">現在</span>'.encode(), b""),
        (b'dd class="Product__bid"', b'dd class="Product__none"'),
        (b"data-auction-auc-seller-id", b"data-auction-sellerid"),
    ),
    "data": ((b"__NEXT_DATA__", b"__STATE__"),),
    "all": ((b"__NEXT_DATA__", b"__STATE__"), (b"var pageData", b"var pageFacts")),
    "rows": ((b'"listing":', b'"results":'),),
    "fields": ((b'"endTime":', b'"closesAt":'),),
    "order": (("新着順".encode(), "おすすめ順".encode()),),
}


async def _layout(scene: Scene) -> None:
    """Another layout: ``part`` says what is renamed."""
    good = await scene.good()
    pairs = _LAYOUTS[str(scene.fault.options.get("part", "list"))]
    await send_reply(scene.send, html_reply(renamed(good.body, pairs), good.status))


async def _totals(scene: Scene) -> None:
    """A count that is ``by`` too high."""
    good, by = await scene.good(), int(scene.fault.number("by", 2))
    body = _COUNT.sub(lambda found: b"%s%d\xe4\xbb\xb6" % (found[1], int(found[2].replace(b",", b"")) + by), good.body)
    await send_reply(scene.send, replace(good, body=body))


async def _charset(scene: Scene) -> None:
    """EUC-JP, and the header says so unless ``silent``."""
    good = await scene.good()
    body = good.body.decode().encode("euc_jp", "replace")
    said = HTML if scene.fault.options.get("silent") else "text/html; charset=EUC-JP"
    await send_reply(scene.send, Reply(good.status, body, said))


KINDS: dict[str, Kind] = {
    **generic_kinds(
        error=html_reply("エラーが発生しました", 500),
        throttled=html_reply("<html></html>", 429),
        maintenance=_page("メンテナンス中", "<h1>ただいまメンテナンス中です</h1>", 503),
    ),
    **{name: fixed(page) for name, page in _PAGES.items()},
    "layout": _layout,
    "charset": _charset,
    "totals": _totals,
}
