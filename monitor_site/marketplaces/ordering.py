"""Visits in the name of a person's account: to buy, and to ask what became of it."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol, TypeVar

from monitor_site.contract import (
    AccountInfo,
    BuyRequest,
    CancelReceipt,
    CancelRequest,
    Capability,
    MarketplaceError,
    Plugin,
    PluginFault,
    Purchase,
    PurchasePage,
    Receipt,
)
from monitor_site.contract.rules import orders
from monitor_site.contract.rules.spending import Rehearsed, Spending, WouldSend

from .accounts import Account, Accounts
from .consequences import Consequences
from .promises import kept

T = TypeVar("T")


class Opens(Protocol):
    """Connects a plugin in an account's name."""

    async def __call__(self, plugin: Plugin, account: Account, spending: Spending | None) -> Any:
        """What the plugin connected to. Raises :class:`MarketplaceError`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordering:
    """Orders at all marketplaces; ``is_real`` says whether a marketplace is the real one."""

    accounts: Accounts
    consequences: Consequences
    opened: Opens
    is_real: Callable[[str], bool]

    async def buy(
        self, plugin: Plugin, account_id: int, request: BuyRequest, before: Callable[[], Awaitable[None]] | None
    ) -> Receipt:
        """Buy once."""
        account = await self._account(plugin, account_id, Capability.BUY)
        account.refuse_spending(_now(), real=self.is_real(plugin.manifest.name))
        return await self._bought(plugin, account, request, Spending(before=before))

    async def cancel(
        self, plugin: Plugin, account_id: int, request: CancelRequest, before: Callable[[], Awaitable[None]] | None
    ) -> CancelReceipt:
        """Ask once to have a purchase cancelled."""
        account = await self._account(plugin, account_id, Capability.CANCEL)
        account.refuse_cancelling(_now(), real=self.is_real(plugin.manifest.name))
        spending = Spending(before=before)

        async def ask(market: Any) -> CancelReceipt:
            receipt = orders.cancel_receipt(await market.cancel(request), request=request)
            spending.refuse_unanswered()
            return receipt

        return await self._asked(plugin, account, spending, ask)

    async def rehearse(self, plugin: Plugin, account_id: int, request: BuyRequest) -> WouldSend:
        """All of a purchase but sending it."""
        account = await self._account(plugin, account_id, Capability.BUY)
        account.refuse_reading(_now())
        spending = Spending(rehearses=True)
        with suppress(Rehearsed):
            await self._bought(plugin, account, request, spending)
        # A receipt without a commit is no purchase: that was refused above.
        assert spending.recorded is not None  # noqa: S101
        return spending.recorded

    async def find_purchase(self, plugin: Plugin, account_id: int, external_id: str) -> Purchase | None:
        """What became of one."""
        currency = plugin.manifest.currency

        async def ask(market: Any) -> Purchase | None:
            found = await market.find_purchase(external_id)
            return orders.purchase(found, external_id=external_id, currency=currency)

        return await self._read(plugin, account_id, Capability.OUTCOME, ask)

    async def purchases(self, plugin: Plugin, account_id: int, page_token: str | None) -> PurchasePage:
        """The latest ones."""
        if not plugin.manifest.lists_purchases:
            raise PluginFault(f"{plugin.manifest.name} does not list purchases")

        async def ask(market: Any) -> PurchasePage:
            return orders.purchases(await market.purchases(page_token), currency=plugin.manifest.currency)

        return await self._read(plugin, account_id, Capability.OUTCOME, ask)

    async def verify(self, plugin: Plugin, account_id: int) -> AccountInfo:
        """Whether its credentials work; a paused account may be asked, since that may end the pause."""
        account = await self._account(plugin, account_id, Capability.BUY)

        async def ask(market: Any) -> AccountInfo:
            return orders.account_info(await market.verify())

        return await self._asked(plugin, account, None, ask)

    async def _bought(self, plugin: Plugin, account: Account, request: BuyRequest, spending: Spending) -> Receipt:
        async def ask(market: Any) -> Receipt:
            receipt = orders.receipt(await market.buy(request), request=request, currency=plugin.manifest.currency)
            spending.refuse_unanswered()
            return receipt

        return await self._asked(plugin, account, spending, ask)

    async def _read(self, plugin: Plugin, account_id: int, able: Capability, ask: Callable[[Any], Awaitable[T]]) -> T:
        account = await self._account(plugin, account_id, able)
        account.refuse_reading(_now())
        return await self._asked(plugin, account, None, ask)

    async def _account(self, plugin: Plugin, account_id: int, able: Capability) -> Account:
        manifest = plugin.manifest
        if able not in manifest.capabilities or manifest.settings is None:
            raise PluginFault(f"{manifest.name} has no capability {able}")
        return await self.accounts.by_id(manifest.name, account_id, manifest.settings)

    async def _asked(
        self, plugin: Plugin, account: Account, spending: Spending | None, ask: Callable[[Any], Awaitable[T]]
    ) -> T:
        try:
            market = await self.opened(plugin, account, spending)
            return await kept(lambda: ask(market))
        except MarketplaceError as error:
            judged = spending.judge(error) if spending else error
            await self.consequences.fail_account(plugin.manifest.name, judged, account=account)
            raise judged from judged.__cause__


def _now() -> datetime:
    return datetime.now(UTC)
