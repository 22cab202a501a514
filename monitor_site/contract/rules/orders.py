"""What a plugin promised of receipts and purchases. Pure; each raises :class:`PluginFault` for what is not so."""

from typing import Any

from ..errors import PluginFault
from ..orders import (
    AccountInfo,
    BuyRequest,
    CancelReceipt,
    CancelRequest,
    Purchase,
    PurchasePage,
    PurchaseStage,
    Receipt,
)
from .shape import LONGEST_ID, LONGEST_NAME, LONGEST_TOKEN, Holds, is_sum, is_text, is_time

LONGEST_TRANSACTION = 120


def receipt(found: object, *, request: BuyRequest, currency: str) -> Receipt:
    """A receipt for the very listing that was asked for, with a transaction id."""
    if not isinstance(found, Receipt):
        raise PluginFault(f"buy returned {type(found).__name__}")
    _demand(found, _SAME | {"paid": is_sum(currency), "shipping": is_sum(currency)})
    if found.external_id != request.external_id:
        raise PluginFault(f"was to buy {request.external_id}, told of {found.external_id}")
    return found


def cancel_receipt(found: object, *, request: CancelRequest) -> CancelReceipt:
    """A receipt for the very purchase that was to be cancelled."""
    if not isinstance(found, CancelReceipt):
        raise PluginFault(f"cancel returned {type(found).__name__}")
    _demand(found, _SAME)
    asked, told = (request.external_id, request.transaction_id), (found.external_id, found.transaction_id)
    if told != asked:
        raise PluginFault(f"was to cancel {asked}, told of {told}")
    return found


def purchase(found: object, *, external_id: str, currency: str) -> Purchase | None:
    """The purchase of that listing, or that there is none."""
    if found is None:
        return None
    known = _purchase(found, currency)
    if known.external_id != external_id:
        raise PluginFault(f"asked for the purchase of {external_id}, told of {known.external_id}")
    return known


def purchases(found: object, *, currency: str) -> PurchasePage:
    """A page of purchases."""
    if not isinstance(found, PurchasePage) or not isinstance(found.purchases, tuple):
        raise PluginFault(f"purchases returned {type(found).__name__}")
    for each in found.purchases:
        _purchase(each, currency)
    _demand(found, {"next_token": lambda value: value is None or is_text(value, LONGEST_TOKEN)})
    return found


def account_info(found: object) -> AccountInfo:
    """What an account is called."""
    if not isinstance(found, AccountInfo):
        raise PluginFault(f"verify returned {type(found).__name__}")
    _demand(found, {"label": lambda value: value == "" or is_text(value, LONGEST_NAME)})
    return found


def _purchase(found: object, currency: str) -> Purchase:
    if not isinstance(found, Purchase):
        raise PluginFault(f"told of a purchase as {type(found).__name__}")
    money = is_sum(currency)
    _demand(found, _SAME | {"stage": _is_stage, "price": money, "paid": money, "tracking": _is_note})
    _demand(found, {"reference": _is_note})
    return found


def _is_stage(value: object) -> bool:
    return isinstance(value, PurchaseStage)


def _is_note(value: object) -> bool:
    return value is None or is_text(value, LONGEST_TRANSACTION)


_SAME: dict[str, Holds] = {
    "external_id": lambda value: is_text(value, LONGEST_ID),
    "transaction_id": lambda value: is_text(value, LONGEST_TRANSACTION),
    "at": is_time,
}


def _demand(thing: object, fields: dict[str, Holds]) -> None:
    for name, holds in fields.items():
        value: Any = getattr(thing, name)
        if not holds(value):
            raise PluginFault(f"{name} is {value!r:.120}, not as promised")
