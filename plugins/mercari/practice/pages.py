"""The page of a listing, for people who follow a link into the practice market: plain, without script, escaped."""

import base64
import hashlib
import html
from urllib.parse import quote

from monitor_site.contract.practice import Reply, Request, UnknownListing

from .listing import Listing
from .world import World

ITEM, PURCHASE, PRODUCT = "/item/", "/purchase/", "/shops/product/"
ROOTS = (ITEM, PURCHASE, PRODUCT)
NOTE = "練習用の市場です。ここでは何も買えません。 Practice market: nothing here can be bought."
STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:30rem;margin:2rem auto;padding:0 1rem}"
    "img{max-width:100%;border-radius:8px}p.note{background:#fff3c4;color:#3a2e00;padding:.5rem 1rem;border-radius:8px}"
)
_DIGEST = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
HEADERS = {
    "content-security-policy": (
        f"default-src 'none'; img-src 'self'; style-src 'sha256-{_DIGEST}'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}


def page(world: World, request: Request) -> Reply:
    """A person's listing under ``/item/`` and ``/purchase/``, a shop's under ``/shops/product/``; 404 for all else."""
    root = next(root for root in ROOTS if request.path.startswith(root))
    try:
        listing = world.get(request.path.removeprefix(root))
    except UnknownListing:
        return _reply(404, "見つかりません Not found", "")
    if request.method != "GET" or bool(listing.shop) != (root == PRODUCT):
        return _reply(404, "見つかりません Not found", "")
    # Titles hold entities, which the marketplace undoes once when it shows them.
    return _reply(200, html.unescape(listing.title), _body(listing))


def _body(listing: Listing) -> str:
    price = "価格未定 no price" if listing.price is None else f"¥{listing.price:,}"
    picture = quote(f"/photos/{listing.art}/{listing.id}_1.webp")
    return f'<p><img src="{picture}" alt="" width="480" height="480"></p><p><strong>{price}</strong></p>'


def _reply(status: int, title: str, body: str) -> Reply:
    shown = html.escape(title)
    text = (
        f'<!DOCTYPE html><html lang="ja"><head><meta charset="utf-8"><title>{shown}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>'
        f'<body><p class="note">{NOTE}</p><h1>{shown}</h1>{body}</body></html>'
    )
    return Reply(status, text.encode("utf-8", "replace"), "text/html; charset=utf-8", HEADERS)
