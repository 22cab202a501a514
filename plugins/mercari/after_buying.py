"""What the answer to a purchase means. Pure; whatever is neither a success nor a listed refusal leaves it unknown."""

from typing import Any

from monitor_site.contract import Answer, MarketplaceError, OutcomeUnknown, Receipt, RefusalKind, Refused

from . import fields
from .parse_partner import Item, paid, yen
from .refusals import object_of

# Codes that public clients have seen; what others mean is not public.
CODES = {
    "F0105": RefusalKind.SOLD_OUT,
    "F0104": RefusalKind.ADDRESS_INVALID,
    "F0017": RefusalKind.ACCOUNT_RESTRICTED,
    "VerificationRequiredException": RefusalKind.VERIFICATION_REQUIRED,
}
STATUSES = {401: RefusalKind.AUTH_EXPIRED, 402: RefusalKind.PAYMENT_REQUIRED}
# The marketplace may have taken the order before it answered so.
SAYS_NOTHING = {408, 409, 425, 429}


def read_purchase(answer: Answer, item: Item) -> Receipt:
    """The receipt. Raises: Refused (a listed refusal in a whole answer), OutcomeUnknown (anything else)."""
    if answer.status != 200:
        raise _refusal(answer)
    told = object_of(answer)
    details = fields.mapping(told.get("transaction_details"))
    number = fields.word(fields.first(details, "trx_id", "shop_order_id"))
    if told.get("transaction_status") != "success" or not number or details.get("item_id") != item.external_id:
        raise _refusal(answer)
    fee = yen(details.get("buyer_shipping_fee")) or item.fee
    return Receipt(external_id=item.external_id, transaction_id=number, paid=paid(details, fee), shipping=fee, at=None)


def _refusal(answer: Answer) -> MarketplaceError:
    error = object_of(answer)
    code = _code(error)
    if (
        not error
        or answer.status >= 500
        or answer.status in SAYS_NOTHING
        or error.get("transaction_status") == "success"
    ):
        return OutcomeUnknown(f"status {answer.status}")
    kind = CODES.get(code) or (STATUSES.get(answer.status) if not code.startswith("F") else None)
    return Refused(kind, code or str(answer.status)) if kind else OutcomeUnknown(f"status {answer.status}, {code[:40]}")


def _code(error: Any) -> str:
    """The code, wherever it stands."""
    inner = [fields.mapping(each) for each in fields.items(error.get("errors"))]
    found = fields.mapping(error.get("failure_details")).get("code") or (inner[0].get("code") if inner else "")
    return fields.word(found) or ""
