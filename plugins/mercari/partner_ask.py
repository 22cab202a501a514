"""Requests to the partner API. Pure: values in; addresses, headers and bodies out."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from monitor_site.contract import BuyRequest, RefusalKind, Refused

from .manifest import API
from .parse_partner import Item
from .partner_account import PartnerAccount

SCOPE = "openapi:buy openid offline_access"
ZIP_DIGITS = 7
_LIVE = ("https://auth.mercari.com", "https://api.jp-mercari.com")
_SANDBOX = ("https://auth-sandbox.mercari.com", "https://api.mercari-sandbox.com")


@dataclass(frozen=True, slots=True)
class Places:
    """Where tokens are given and where the API is."""

    auth: str
    api: str


def places(base: str, account: PartnerAccount) -> Places:
    """A practice market plays both at its own address."""
    if base != API:
        return Places(base, base)
    return Places(*(_SANDBOX if account.place == "sandbox" else _LIVE))


def token_form(account: PartnerAccount) -> dict[str, str]:
    """The form that asks for a new access token."""
    return {"grant_type": "refresh_token", "refresh_token": account.refresh_token, "scope": SCOPE}


def basic(account: PartnerAccount) -> Mapping[str, str]:
    """The headers of that form."""
    pair = base64.b64encode(f"{account.client_id}:{account.client_secret}".encode()).decode()
    return {"Authorization": f"Basic {pair}", "Accept": "application/json"}


def signed(account: PartnerAccount, token: str) -> Mapping[str, str]:
    """The headers of all other requests."""
    value = token if account.authorization == "bare" else f"Bearer {token}"
    return {"Authorization": value, "Accept": "application/json"}


def item_address(api: str, external_id: str, account: PartnerAccount) -> str:
    """One listing, with what shipping costs to the account's prefecture."""
    return f"{api}/v1/items/{quote(external_id, safe='')}?{urlencode({'prefecture': account.prefecture})}"


def transaction_address(api: str, external_id: str) -> str:
    """What this account bought of a listing."""
    return f"{api}/v2/transactions/{quote(external_id, safe='')}"


def todo_address(api: str) -> str:
    """Something harmless that only a signed-in account is told."""
    return f"{api}/v1/todolist?limit=1"


def purchase_body(account: PartnerAccount, item: Item, request: BuyRequest) -> dict[str, Any]:
    """The body of a purchase. Raises :class:`Refused` when the account's address cannot be written so."""
    return (
        {"item_id": item.external_id, "checksum": item.checksum}
        | ({"variant_id": item.variant} if item.variant else {})
        | ({"shops_shipping_fee": item.fee.amount} if item.shop and item.fee else {})
        | _address(account)
        | ({"delivery_identifier": request.reference} if account.label == "yes" else {})
    )


def _address(account: PartnerAccount) -> dict[str, str]:
    code = "".join(filter(str.isdecimal, account.zip_code))
    if len(code) != ZIP_DIGITS:
        raise Refused(RefusalKind.ADDRESS_INVALID, "the postal code of the account has not seven digits")
    plain = ("family_name", "first_name", "family_name_kana", "first_name_kana", "telephone")
    place = ("prefecture", "city", "address1", "address2")
    told = {name: getattr(account, name) for name in (*plain, *place)}
    return told | {"zip_code1": code[:3], "zip_code2": code[3:], "country_code": "JP"}
