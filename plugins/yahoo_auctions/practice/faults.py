"""What can go wrong in this practice market, and how it says so."""

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

ROUTES = ("search", "closed", "item", "pictures")


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
    "captcha": _page("確認", '<form action="/ncaptcha/check"><img src="/ncaptcha/image"></form>'),
    "not_found": _page("Yahoo!オークション", "<p>指定されたURLのページは存在しません。</p>", 404),
    "empty": _page("", ""),
    "json": Reply(200, b'{"error":"practice"}', "application/json"),
}
_LAYOUTS = {
    "list": ((b"Products__items", b"List__items"), (b'class="Product"', b'class="Entry"')),
    "cards": ((b"data-auction-id", b"data-item-id"),),
    "bids": ((b"Product__bid", b"Product__offers"),),
    "times": ((b"data-auction-endtime", b"data-auction-closing"), (b";end:", b";fin:")),
    "order": (("新着順".encode(), "おすすめ順".encode()),),
}


async def _layout(scene: Scene) -> None:
    """Another layout: ``part`` says what is renamed."""
    good = await scene.good()
    pairs = _LAYOUTS[str(scene.fault.options.get("part", "list"))]
    await send_reply(scene.send, html_reply(renamed(good.body, pairs), good.status))


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
}
