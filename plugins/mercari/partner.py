"""Buying by the partner API: a token, a look, one purchase, and what became of it."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import TypeVar

from monitor_site.contract import (
    AccountInfo,
    Answer,
    BuyRequest,
    ListingGone,
    Purchase,
    Receipt,
    RefusalKind,
    Refused,
    Session,
    Sighting,
    SignInNeeded,
)

from .after_buying import read_purchase
from .before_buying import fit_to_buy
from .parse_partner import Item, Token, read_nothing, read_partner_item, read_token, read_transaction
from .partner_account import PartnerAccount, access_of, fingerprint
from .partner_ask import (
    basic,
    item_address,
    places,
    purchase_body,
    signed,
    todo_address,
    token_form,
    transaction_address,
)

T = TypeVar("T")
UNAUTHORIZED = 401


class Partner:
    """One visit in the name of a partner. Its token is renewed when it must be, and once when it is not accepted.

    After the purchase was sent nothing is sent again, with another token neither.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._token = ""

    async def buy(self, request: BuyRequest, look: Sighting) -> Receipt:
        """Ask the partner API for the item, refuse what must be, then send the purchase once."""
        account = self._account()
        item = fit_to_buy(await self._item(request.external_id), look, request)
        body = purchase_body(account, item, request)
        headers = signed(account, await self._access())
        answer = await self._session.commit(f"{self._api()}/v1/items/purchase", json=body, headers=headers)
        return await self._session.read(partial(read_purchase, item=item), answer)

    async def find(self, external_id: str) -> Purchase | None:
        """What this account bought of a listing."""
        read = partial(read_transaction, external_id=external_id, now=self._session.now())
        return await self._asked(transaction_address(self._api(), external_id), read)

    async def verify(self) -> AccountInfo:
        """A new token, and something only a signed-in account is told."""
        await self._renew()
        await self._asked(todo_address(self._api()), partial(read_nothing, now=self._session.now()))
        return AccountInfo(label=self._account().client_id)

    async def _item(self, external_id: str) -> Item:
        url = item_address(self._api(), external_id, self._account())
        try:
            return await self._asked(url, partial(read_partner_item, external_id=external_id, now=self._session.now()))
        except ListingGone as error:
            raise Refused(RefusalKind.LISTING_GONE, error.detail) from error

    async def _asked(self, url: str, read: Callable[[Answer], T]) -> T:
        answer = await self._get(url)
        if answer.status == UNAUTHORIZED:
            await self._renew()
            answer = await self._get(url)
        return await self._session.read(read, answer)

    async def _get(self, url: str) -> Answer:
        return await self._session.get(url, headers=signed(self._account(), await self._access()))

    async def _access(self) -> str:
        self._token = self._token or self._account().token(self._session.now())
        return self._token or await self._renew()

    async def _renew(self) -> str:
        """Whoever comes second takes the token of the first: the refresh token may be good for one renewal only."""
        refused = self._token or self._account().token(self._session.now())
        async with self._session.renewing():
            newer = self._account().token(self._session.now())
            self._token = newer if newer not in {"", refused} else await self._renewed()
        return self._token

    async def _renewed(self) -> str:
        account, now = self._account(), self._session.now()
        url = f"{places(self._session.base, account).auth}/jp/v1/token"
        answer = await self._session.post(url, form=token_form(account), headers=basic(account))
        token = await self._session.read(partial(read_token, now=now), answer)
        await self._keep(token)
        return token.access

    async def _keep(self, token: Token) -> None:
        account = self._account()
        refresh = token.refresh or account.refresh_token
        whose = fingerprint(account.client_id, refresh)
        now = self._session.now()
        access = access_of(token.access, seconds=token.seconds, whose=whose, now=now)
        renewed = {"refresh_token": refresh} if refresh != account.refresh_token else {}
        await self._session.keep_secrets(now + timedelta(seconds=token.seconds), access=access, **renewed)

    def _api(self) -> str:
        return places(self._session.base, self._account()).api

    def _account(self) -> PartnerAccount:
        if not isinstance(self._session.settings, PartnerAccount):
            raise SignInNeeded("buying needs an account of the partner API")
        return self._session.settings
