"""What the control end can do to the order side."""

from functools import partial
from typing import TYPE_CHECKING, Any

from monitor_site.contract.practice import Handler, Order

from .changes import CHANGES
from .deals import REFRESH, Buyer, Deal

if TYPE_CHECKING:
    from .app import MercariMarket

HAPPENS = ("change", "sell", "stop", "cancel", "edit", "remove", "stock")
BOOLEANS = ("banned", "address", "card", "known")


def _buyer(market: "MercariMarket", order: Order) -> Any:
    """How a buyer stands: ``banned``, ``address`` and ``card`` good or not, ``known``; ``sign_out`` ends its tokens,

    ``reset`` lets it renew with its first refresh token again.
    """
    buyer = market.deals.buyer(str(order["name"]))
    for name in BOOLEANS:
        setattr(buyer, name, bool(order.get(name, getattr(buyer, name))))
    if order.get("sign_out"):
        buyer.tokens.clear()
    if order.get("reset"):
        buyer.refresh_token = f"{REFRESH}{buyer.name}"
    return _shown(buyer)


def _shown(buyer: Buyer) -> dict[str, Any]:
    return {"name": buyer.name, "renewals": buyer.renewals} | {name: getattr(buyer, name) for name in BOOLEANS}


def _meanwhile(market: "MercariMarket", order: Order) -> Any:
    """Let something happen to a listing (``do`` and its own options) just before the next purchase is judged."""
    if order["do"] not in HAPPENS:
        raise ValueError(f"do is one of {', '.join(HAPPENS)}")
    listing = market.world.get(order["id"])
    market.deals.meanwhile[listing.id] = partial(CHANGES["POST", order["do"]], market, order)
    return {"id": listing.id, "do": order["do"]}


def _transaction(market: "MercariMarket", order: Order) -> Any:
    """Another ``status`` for the latest purchase of a listing, or that it was ``shipped``, with ``tracking``."""
    listing = market.world.get(order["id"])
    deals = [deal for deal in market.deals.deals if deal.listing is listing]
    status = str(order.get("status") or (deals[-1].status if deals else ""))
    deal = market.deals.move(listing, status, relist=bool(order.get("relist", True)))
    deal.shipped = bool(order.get("shipped", deal.shipped))
    deal.tracking = str(order.get("tracking", deal.tracking))
    return _told(deal)


def _orders(market: "MercariMarket", order: Order) -> Any:
    """How the order side behaves, and all purchases it took."""
    deals = market.deals
    deals.history_lag = float(order.get("history_lag", deals.history_lag))
    deals.rotates = bool(order.get("rotates", deals.rotates))
    deals.tells_paid = bool(order.get("tells_paid", deals.tells_paid))
    deals.fee_as_text = bool(order.get("fee_as_text", deals.fee_as_text))
    return {"history_lag": deals.history_lag, "purchases": [_told(deal) for deal in deals.deals]}


def _told(deal: Deal) -> dict[str, Any]:
    return {
        "id": deal.listing.id,
        "transaction": deal.number,
        "buyer": deal.buyer,
        "reference": deal.reference,
        "paid": deal.price + deal.fee,
        "status": deal.status,
    }


def _refusals(_: "MercariMarket", __: Order) -> Any:
    """What a purchase can be refused for, and the fault that brings it about."""
    return [{"kind": kind, "fault": fault} for kind, fault in REFUSALS.items()]


REFUSALS: dict[str, dict[str, Any]] = {
    "sold_out": {"kind": "failure", "code": "F0105"},
    "address_invalid": {"kind": "failure", "code": "F0104"},
    "account_restricted": {"kind": "failure", "code": "F0017", "status": 403},
    "payment_required": {"kind": "status", "status": 402},
    "auth_expired": {"kind": "status", "status": 401},
    "verification_required": {"kind": "verification"},
}

ORDERS: dict[tuple[str, str], Handler["MercariMarket"]] = {
    ("POST", "buyer"): _buyer,
    ("POST", "meanwhile"): _meanwhile,
    ("POST", "transaction"): _transaction,
    ("POST", "orders"): _orders,
    ("GET", "refusals"): _refusals,
}
