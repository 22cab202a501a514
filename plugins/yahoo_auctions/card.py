"""One result card, from its node to a sighting. Pure; what a card does not tell stays unknown.

Its links and a block of its own repeat the facts as ``data-`` attributes; the parameters of its click counter serve
as a fallback. The remaining time in words is coarse and never used.
"""

import re
from typing import Any

from selectolax.lexbor import LexborNode

from monitor_site.contract import Kind, Money, ReadBefore, Seller, Sighting, Status

from . import fields
from .manifest import YahooCriteria
from .meaning import condition_of, kind_of, shipping_of
from .narrow import fits
from .page import word

Facts = dict[str, str]

# The cards of about a hundred questions: from check to check most stay as they are.
CARDS: ReadBefore[Sighting | str] = ReadBefore(most=4096)
_COUNTERS = frozenset({"data-cl-params", "data-ylk"})
_COUNTED = re.compile(r"(?:^|;)(st|end|grat|atax|flm|apprsl):([^;]+)")


def read_card(card: LexborNode, criteria: YahooCriteria, *, web: str) -> Sighting | str | None:
    """The sighting, or why there is none; nothing at all for a card that does not answer the question.

    ``web`` is what the addresses of listings begin with.
    """
    found = CARDS.of((card.html or "").encode(), web, read=lambda: _read(card, web))
    if isinstance(found, str):
        return found
    return found if fits(lambda: _marks(card, _facts(card), found.kind), criteria) else None


def _read(card: LexborNode, web: str) -> Sighting | str:
    facts = _facts(card)
    external_id = fields.listing_id(facts.get("id"))
    name = fields.title(facts.get("title"))
    if external_id is None:
        return "no usable id"
    return "no title" if name is None else _sighting(card, facts, external_id, name, web)


def _marks(card: LexborNode, facts: Facts, kind: Kind) -> dict[str, Any]:
    """What a card is marked as, in the words of pages that carry their rows as data; what it does not say is left out.

    A mark that is there and empty says no. The path of categories begins with 0, which is everything.
    """
    marks: dict[str, Any] = {
        mark: facts.get(name) == "1"
        for mark, name in (("isShoppingItem", "isshoppingitem"), ("isFleamarketItem", "isflea"))
        if card.css_first(f"[data-auction-{name}]") is not None
    }
    if ":apprsl" in facts:
        marks["isAppraisal"] = facts[":apprsl"] == "1"
    path = [{"id": number} for number in facts.get("categoryidpath", "").split(",") if number not in {"", "0"}]
    return marks | {"categoryPath": path, "isFixedPrice": kind != Kind.AUCTION}


def _facts(card: LexborNode) -> Facts:
    """All ``data-auction-`` attributes of the card without that prefix, the click counter's first."""
    facts: Facts = {}
    counted: Facts = {}
    for node in card.css("[data-auction-id]"):
        for name, value in node.attributes.items():
            if not value:
                continue
            if name[:13] == "data-auction-":
                facts.setdefault(name[13:], value)
            elif name in _COUNTERS:
                counted = _counted(value) | counted
    return counted | facts


def _counted(text: str) -> Facts:
    """The click counter's parameters that are of use, each with a colon before it: ``end:1801403882;grat:95.1``."""
    return {f":{name}": value for name, value in _COUNTED.findall(text)}


def _sighting(card: LexborNode, facts: Facts, external_id: str, name: str, web: str) -> Sighting:
    price, buy_now = _prices(card, facts)
    flea = facts.get("isflea") == "1" or facts.get(":flm") == "1"
    bids = None if flea else fields.whole(word(card.css_first(".Product__bid")) or None)
    shipping, fee = shipping_of(free=facts.get("isfreeshipping") == "1", text=word(card.css_first(".Product__postage")))
    return Sighting(
        external_id=external_id,
        title=name,
        url=f"{web}/jp/auction/{external_id}",
        price=fields.money(price),
        kind=kind_of(flea=flea, price=price, buy_now=buy_now, bids=bids),
        status=Status.ENDED if word(card.css_first(".Product__time")) == "終了" else Status.ON_SALE,
        buy_now=fields.money(buy_now),
        shipping=shipping,
        shipping_fee=None if fee is None else Money(amount=fee, currency="JPY"),
        condition=condition_of(word(card.css_first(".Product__icon--unused"))),
        seller=_seller(facts),
        images=fields.addresses(facts.get("img"), _picture(card)),
        created=fields.unix_time(facts.get(":st")),
        ends_at=fields.unix_time(facts.get("endtime") or facts.get(":end")),
        bids=bids,
        extra=_extra(facts),
    )


def _prices(card: LexborNode, facts: Facts) -> tuple[int | None, int | None]:
    """Current and buy-now price as a buyer pays them, tax included: what is shown, else the attributes.

    The buy-now attribute of a store is the one number without tax.
    """
    shown = _shown(card)
    buy_now = shown.get("即決") or _with_store_tax(facts, fields.whole(facts.get("buynowprice")))
    current = shown.get("現在") or fields.whole(facts.get("price")) or buy_now
    return current or None, buy_now or None


def _shown(card: LexborNode) -> dict[str, int]:
    """Prices by their labels; a price without label is the current one."""
    found: dict[str, int] = {}
    for node in card.css(".Product__price"):
        label = word(node.css_first(".Product__label")) or "現在"
        if amount := fields.yen(word(node.css_first(".Product__priceValue"))):
            found.setdefault(label, amount)
    return found


def _with_store_tax(facts: Facts, amount: int | None) -> int | None:
    if facts.get("isshoppingitem") != "1":
        return amount
    return fields.with_tax(amount, fields.whole(facts.get(":atax")))


def _picture(card: LexborNode) -> str | None:
    node = card.css_first("img.Product__imageData")
    # Only where the attribute is missing: both are the same picture.
    return node.attributes.get("src") if node is not None and not card.css("[data-auction-img]") else None


def _seller(facts: Facts) -> Seller | None:
    known = facts.get("auc-seller-id") or facts.get("sellerid")
    return Seller(id=known, rating=fields.percent(facts.get(":grat"))) if known else None


def _extra(facts: Facts) -> dict[str, str]:
    found: dict[str, Any] = {
        "category": facts.get("category"),
        "store": "1" if facts.get("isshoppingitem") == "1" else None,
        "appraised": "1" if facts.get(":apprsl") == "1" else None,
        "tax_percent": facts.get(":atax") if facts.get(":atax") != "0" else None,
    }
    return {name: value for name, value in found.items() if value}
