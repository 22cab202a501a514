"""What can go wrong in this practice market, and how it says so."""

from monitor_site.contract.practice import (
    HTML,
    Kind,
    Reply,
    Scene,
    cut,
    fixed,
    generic_kinds,
    hang,
    html_reply,
    json_reply,
    renamed,
    send_reply,
)

from .partner import denied
from .search import empty_page

ROUTES = (
    "search",
    "items",
    "products",
    "sellers",
    "photos",
    "pages",
    "token",
    "partner_items",
    "purchase",
    "transactions",
    "todolist",
)
_BLOCK_PAGE = (
    b"<!DOCTYPE html><html><head><title>Access denied</title></head>"
    b"<body><h1>This practice market has blocked you</h1></body></html>"
)
_BY_CLOUDFLARE = {"server": "cloudflare"}
_PAGE = ((b'"items":', b'"entries":'), (b'"meta":', b'"page":'), (b'"data":', b'"body":'), (b'"displayName":', b'"t":'))
_ORDERS = (
    (b'"transaction_details":', b'"order":'),
    (b'"item_id":', b'"item":'),
    (b'"checksum":', b'"version":'),
    (b'"access_token":', b'"token":'),
)
_ROWS = ((b'"id":', b'"itemId":'), (b'"name":', b'"label":'))


def refusal(status: int, code: int, message: str) -> Reply:
    """An error as the real API words it."""
    return json_reply({"code": code, "message": message, "details": []}, status)


def unauthorized() -> Reply:
    """The reply to a proof that is not accepted; the real one gives no reason either."""
    error = {"code": "UnsupportedVersionException", "message": "practice"}
    return json_reply({"result": "error", "errors": [error], "meta": {}}, 401)


async def _layout(scene: Scene) -> None:
    """Another layout: ``part`` "page" renames what holds the rest, "rows" what every row or listing must have."""
    good = await scene.good()
    pairs = _ROWS if scene.fault.options.get("part") == "rows" else (*_PAGE, *_ORDERS)
    await send_reply(scene.send, Reply(good.status, renamed(good.body, pairs)))


async def _charset(scene: Scene) -> None:
    good = await scene.good()
    body = good.body.decode("utf-8").encode("cp932", "replace")
    await send_reply(scene.send, Reply(good.status, body, "application/json; charset=Shift_JIS"))


async def _lost(scene: Scene) -> None:
    """Does what is asked, then is silent for ``seconds`` and closes the connection."""
    await scene.good()
    await hang(scene.receive, seconds=scene.fault.number("seconds", 3600))
    await cut(scene.send, scene.receive, None)


async def _after(scene: Scene) -> None:
    """Does what is asked, then answers with a ``status`` as if it had failed."""
    await scene.good()
    status = int(scene.fault.number("status", 500))
    await send_reply(scene.send, json_reply({"code": status, "message": "practice fault"}, status))


async def _failure(scene: Scene) -> None:
    """Refuses a purchase with a ``code`` and a ``status``, and does nothing."""
    code, status = str(scene.fault.options.get("code", "F9999")), int(scene.fault.number("status", 400))
    await send_reply(scene.send, denied(code, "practice fault", status=status))


_VERIFICATION = {
    "code": "VerificationRequiredException",
    "message": "追加認証を行う必要があります",
    "details": {"unsatisfied_methods": ["FIDO_UV", "SMS"]},
}

KINDS: dict[str, Kind] = {
    **generic_kinds(
        error=refusal(500, 13, "practice fault"),
        throttled=refusal(429, 8, "practice fault"),
        maintenance=html_reply("<html><body>maintenance</body></html>", 503),
    ),
    "expired": fixed(unauthorized()),
    "block403": fixed(Reply(403, _BLOCK_PAGE, HTML, _BY_CLOUDFLARE)),
    "block200": fixed(Reply(200, _BLOCK_PAGE, HTML, _BY_CLOUDFLARE)),
    "lost": _lost,
    "after": _after,
    "failure": _failure,
    "verification": fixed(json_reply({"result": "error", "errors": [_VERIFICATION], "meta": {}}, 403)),
    "layout": _layout,
    "charset": _charset,
    "empty": fixed(Reply(200, empty_page())),
}
