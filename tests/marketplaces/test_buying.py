"""Buying through the gateway: one request at most, and an honest word about how it ended, whatever the plugin says."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime
from typing import Any

import pytest
import redis.asyncio

from monitor_site.contract import (
    OutcomeUnknown,
    Receipt,
)
from monitor_site.marketplaces.gateway import Gateway
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.marketplaces.transport import Limits

from .keys import account
from .loopback import Loopback, shelf
from .shop import REQUEST, Buys, plain_buy, shop

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("_practice")]

SHORT = Limits(deadline_seconds=0.3)
TAKEN = b'{"item": "b1", "transaction": "t1"}'

Open = Callable[..., Gateway]


@pytest.fixture
async def opened(aredis: redis.asyncio.Redis) -> AsyncIterator[Open]:
    gateways: list[Gateway] = []

    def gateway(buys: Buys = plain_buy, **options: Any) -> Gateway:
        gateways.append(Gateway(redis=aredis, catalog=shelf(shop(buys)), **options))
        return gateways[-1]

    yield gateway
    for each in gateways:
        await each.close()


@pytest.fixture
def mine(now: datetime, alice: Any) -> MarketplaceAccount:
    return account(now, user=alice)


Buy = Callable[..., Awaitable[Receipt]]


@pytest.fixture
def buy(opened: Open, mine: MarketplaceAccount) -> Buy:
    async def bought(buys: Buys = plain_buy, *, before: Any = None, **options: Any) -> Receipt:
        gateway = opened(buys, **options)
        return await gateway.buy(marketplace="bazaar", account_id=mine.pk, request=REQUEST, before_commit=before)

    return bought


async def test_what_is_bought_is_told_with_its_transaction(buy: Buy, loopback: Loopback) -> None:
    loopback.answer("/buy", TAKEN)

    assert await buy() == Receipt(external_id="b1", transaction_id="t1")
    assert [(each.method, each.path, each.body) for each in loopback.asked] == [("POST", "/buy", b'{"item":"b1"}')]


async def _cut(writer: asyncio.StreamWriter) -> None:
    writer.close()


async def _hang(writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def _half(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 X\r\ncontent-length: 99\r\n\r\n" + TAKEN)
    writer.close()


@pytest.mark.parametrize("ending", [_cut, _hang, _half])
async def test_a_lost_answer_leaves_the_outcome_unknown_and_is_never_sent_again(
    buy: Buy, loopback: Loopback, ending: Any
) -> None:
    loopback.routes["/buy"] = ending

    with pytest.raises(OutcomeUnknown):
        await buy(limits=SHORT)
    assert len(loopback.asked) == 1
