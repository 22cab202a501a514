"""Buying through the gateway: one request at most, and an honest word about how it ended, whatever the plugin says."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
import redis as redis_library
import redis.asyncio
from asgiref.sync import sync_to_async

from monitor_site.contract import (
    Blocked,
    BuyRequest,
    CancelReceipt,
    CancelRequest,
    Capability,
    LayoutChanged,
    ListingGone,
    MarketplaceError,
    Money,
    NoPace,
    NotSent,
    OutcomeUnknown,
    Plugin,
    PluginFault,
    Receipt,
    RefusalKind,
    Refused,
    SearchCriteria,
    SearchPage,
    Session,
    SignInNeeded,
    Throttled,
    Unavailable,
)
from monitor_site.marketplaces.accounts import FOR_GOOD
from monitor_site.marketplaces.breaker import breaker_key
from monitor_site.marketplaces.gateway import Gateway
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.marketplaces.pace import pace_key
from monitor_site.marketplaces.proxies import ProxyRefused
from tests.nowhere import closed_port
from tests.waiting import until

from .asking import CAMERA, FIRST
from .clock import let_time_pass
from .keys import Keys, account
from .loopback import Loopback, head, shelf
from .proxy import SmallProxy
from .shop import ABLE, BOUGHT, REQUEST, Buys, Shop, plain_buy, shop

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("_practice")]

TAKEN = b'{"item": "b1", "transaction": "t1"}'

Open = Callable[..., Gateway]


@pytest.fixture
async def opened(aredis: redis.asyncio.Redis) -> AsyncIterator[Open]:
    gateways: list[Gateway] = []

    def gateway(buys: Buys = plain_buy, *, made: Plugin | None = None, **options: Any) -> Gateway:
        gateways.append(Gateway(redis=aredis, catalog=shelf(made or shop(buys)), **options))
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
    let_time_pass()
    await asyncio.Event().wait()


async def _half(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 X\r\ncontent-length: 99\r\n\r\n" + TAKEN)
    writer.close()


async def _broken(writer: asyncio.StreamWriter) -> None:
    writer.write(b"this is no HTTP")
    writer.close()


def answering(status: int, body: bytes = TAKEN, **headers: str) -> Any:
    async def route(writer: asyncio.StreamWriter) -> None:
        writer.write(head(status, {"content-length": str(len(body))} | headers) + body)

    return route


def then(error: BaseException) -> Buys:
    """Commits, and raises whatever the answer says."""

    async def buys(session: Session, request: BuyRequest) -> Receipt:
        with suppress(MarketplaceError):
            await session.commit(f"{session.base}/buy", json={})
        raise error

    return buys


def without(error: BaseException) -> Buys:
    async def buys(session: Session, request: BuyRequest) -> Receipt:
        raise error

    return buys


async def believing(session: Session, request: BuyRequest) -> Receipt:
    """Takes every end for a purchase."""
    with suppress(MarketplaceError):
        await session.commit(f"{session.base}/buy", json={})
    return Receipt(external_id=request.external_id, transaction_id="made up")


async def twice(session: Session, request: BuyRequest) -> Receipt:
    await session.commit(f"{session.base}/buy", json={})
    await session.commit(f"{session.base}/buy", json={})
    return Receipt(external_id=request.external_id, transaction_id="t1")


SOLD = Refused(RefusalKind.SOLD_OUT)


@pytest.mark.parametrize("buys", [plain_buy, believing, then(SOLD), then(Unavailable("x")), then(RuntimeError("bug"))])
@pytest.mark.parametrize(
    "ending",
    [_cut, _hang, _half, _broken, answering(500), answering(503), answering(302, location="/elsewhere")],
    ids=["cut", "hang", "half", "broken", "500", "503", "302"],
)
async def test_without_a_whole_answer_the_outcome_is_unknown_whatever_the_plugin_says_and_never_sent_again(
    buy: Buy, loopback: Loopback, ending: Any, buys: Buys
) -> None:
    loopback.routes["/buy"] = ending

    with pytest.raises(OutcomeUnknown):
        await buy(buys)
    assert [each.path for each in loopback.asked] == ["/buy"]


@pytest.mark.parametrize(
    "raised",
    [
        Unavailable("x"),
        Throttled("x"),
        LayoutChanged("x"),
        SignInNeeded("x"),
        ListingGone("x"),
        PluginFault("x"),
        NotSent("x"),
        OutcomeUnknown("x"),
        RuntimeError("bug"),
        TimeoutError(),
        SystemExit(1),
        asyncio.CancelledError(),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_whatever_is_raised_after_it_was_sent_leaves_the_outcome_unknown(
    buy: Buy, loopback: Loopback, raised: BaseException
) -> None:
    loopback.answer("/buy", TAKEN)

    with pytest.raises(OutcomeUnknown):
        await buy(then(raised))


@pytest.mark.parametrize("status", [200, 400, 403, 404])
async def test_a_listed_refusal_in_a_whole_answer_is_refused(buy: Buy, loopback: Loopback, status: int) -> None:
    loopback.answer("/buy", b"{}", status=status)

    with pytest.raises(Refused) as caught:
        await buy(then(SOLD))
    assert caught.value.kind == RefusalKind.SOLD_OUT


@pytest.mark.parametrize(
    "receipt",
    [
        Receipt(external_id="b2", transaction_id="t1"),
        Receipt(external_id="b1", transaction_id=""),
        Receipt(external_id="b1", transaction_id="t" * 500),
        Receipt(external_id="b1", transaction_id="t1", paid=Money(amount=1, currency="USD")),
        Receipt(external_id="b1", transaction_id="t1", at=datetime(2026, 1, 1)),  # noqa: DTZ001
        None,
        "bought",
    ],
    ids=["another listing", "no number", "endless number", "another currency", "no zone", "nothing", "text"],
)
async def test_a_receipt_that_is_none_leaves_the_outcome_unknown(buy: Buy, loopback: Loopback, receipt: Any) -> None:
    loopback.answer("/buy", TAKEN)

    async def buys(session: Session, request: BuyRequest) -> Any:
        await session.commit(f"{session.base}/buy", json={})
        return receipt

    with pytest.raises(OutcomeUnknown):
        await buy(buys)


async def test_a_second_commit_is_never_sent(buy: Buy, loopback: Loopback) -> None:
    loopback.answer("/buy", TAKEN)

    with pytest.raises(OutcomeUnknown, match="twice"):
        await buy(twice)
    assert len(loopback.asked) == 1


@pytest.mark.parametrize("raised", [SOLD, Unavailable("x"), NoPace("x"), ListingGone("x"), Blocked("x")])
async def test_what_is_raised_before_it_says_that_nothing_was_sent(
    buy: Buy, loopback: Loopback, raised: MarketplaceError
) -> None:
    with pytest.raises(type(raised)):
        await buy(without(raised))
    assert loopback.asked == []


async def test_a_receipt_without_a_commit_is_the_plugins_fault(buy: Buy) -> None:
    async def buys(session: Session, request: BuyRequest) -> Receipt:
        return Receipt(external_id="b1", transaction_id="t1")

    with pytest.raises(PluginFault, match="no answer"):
        await buy(buys)


async def test_where_nobody_listens_nothing_was_sent(buy: Buy, settings: Any) -> None:
    settings.PRACTICE_MARKETS = {"bazaar": f"http://127.0.0.1:{closed_port()}"}
    with pytest.raises(Unavailable):
        await buy()


@pytest.mark.parametrize("url", ["https://elsewhere.example/buy", "http://127.0.0.1:1/buy", "nonsense"])
async def test_money_is_spent_at_no_other_address(buy: Buy, loopback: Loopback, url: str) -> None:
    async def buys(session: Session, request: BuyRequest) -> Any:
        await session.commit(url, json={})

    with pytest.raises(PluginFault):
        await buy(buys)
    assert loopback.asked == []


async def test_a_purchase_takes_a_connection_of_its_own_and_follows_nothing(buy: Buy, loopback: Loopback) -> None:
    loopback.answer("/look", b"{}")
    loopback.answer("/buy", TAKEN)

    async def buys(session: Session, request: BuyRequest) -> Receipt:
        await session.get(f"{session.base}/look")
        return await plain_buy(session, request)

    await buy(buys)

    assert loopback.connections == 2
    assert loopback.asked[1].headers["x-key"] == "k"


async def test_the_last_check_keeps_it_back(buy: Buy, loopback: Loopback) -> None:
    async def switched_off() -> None:
        raise NotSent("the kill switch is on")

    for buys in (plain_buy, believing, then(SOLD), then(RuntimeError("bug"))):
        with pytest.raises(NotSent, match="kill switch"):
            await buy(buys, before=switched_off)
    assert loopback.asked == []


async def test_a_last_check_that_fails_keeps_it_back_too(buy: Buy, loopback: Loopback) -> None:
    async def broken() -> None:
        raise OSError("no database")

    with pytest.raises(NotSent, match="last check failed"):
        await buy(before=broken)
    assert loopback.asked == []


async def test_being_cancelled_passes(buy: Buy, loopback: Loopback) -> None:
    came = asyncio.Event()

    async def silent(writer: asyncio.StreamWriter) -> None:
        came.set()
        await asyncio.Event().wait()

    loopback.routes["/buy"] = silent
    task = asyncio.ensure_future(buy())
    await came.wait()

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


# -- who buys ---------------------------------------------------------------------------------------------------------


async def test_nothing_but_an_order_spends(opened: Open, mine: MarketplaceAccount, loopback: Loopback) -> None:
    class Greedy(Shop):
        async def search(self, criteria: SearchCriteria, *, page_token: str | None = None) -> SearchPage:
            await self.session.commit(f"{self.session.base}/buy", json={})
            return SearchPage(sightings=())

        async def find_purchase(self, external_id: str) -> Any:
            await self.session.commit(f"{self.session.base}/buy", json={})

        async def verify(self) -> Any:
            await self.session.commit(f"{self.session.base}/buy", json={})

    greedy = replace(shop(reads_signed_in=False), connect=lambda session: Greedy(session, plain_buy))
    gateway = opened(made=greedy)
    for asked in (
        gateway.search(marketplace="bazaar", criteria=CAMERA, history=FIRST),
        gateway.find_purchase(marketplace="bazaar", account_id=mine.pk, external_id="b1"),
        gateway.verify(marketplace="bazaar", account_id=mine.pk),
    ):
        with pytest.raises(PluginFault, match="only an order"):
            await asked
    assert loopback.asked == []


async def test_an_account_of_nobody_or_elsewhere_buys_nothing(
    opened: Open, mine: MarketplaceAccount, loopback: Loopback, now: datetime
) -> None:
    ours = await sync_to_async(account)(now)
    elsewhere = await sync_to_async(account)(now, user=mine.user, marketplace="flea")
    for number in (ours.pk, elsewhere.pk, 99_999):
        with pytest.raises(NotSent, match="no account"):
            await opened().buy(marketplace="bazaar", account_id=number, request=REQUEST)
    assert loopback.asked == []


async def test_a_lost_answer_stops_buying_and_no_question(
    buy: Buy, opened: Open, mine: MarketplaceAccount, loopback: Loopback
) -> None:
    loopback.routes["/buy"] = _cut
    loopback.answer("/purchase", b"{}")
    with pytest.raises(OutcomeUnknown):
        await buy()

    with pytest.raises(NotSent, match="paused: outcome_unknown"):
        await buy()

    found = await opened().find_purchase(marketplace="bazaar", account_id=mine.pk, external_id="b1")
    assert found == BOUGHT
    assert [each.path for each in loopback.asked] == ["/buy", "/purchase"]


async def test_an_account_whose_sign_in_is_not_accepted_is_asked_nothing_but_to_verify(
    buy: Buy, opened: Open, mine: MarketplaceAccount
) -> None:
    with pytest.raises(SignInNeeded):
        await buy(without(SignInNeeded("expired")))

    with pytest.raises(NotSent):
        await buy()
    with pytest.raises(SignInNeeded):
        await opened().find_purchase(marketplace="bazaar", account_id=mine.pk, external_id="b1")
    assert (await opened().verify(marketplace="bazaar", account_id=mine.pk)).label == "ours"


@pytest.mark.parametrize("raised", [Throttled("x"), Blocked("x"), SignInNeeded("x"), Unavailable("x")])
async def test_what_an_account_meets_stops_nobody_elses_questions(
    buy: Buy, redis: redis_library.Redis, raised: MarketplaceError
) -> None:
    with pytest.raises(type(raised)):
        await buy(without(raised))
    assert not redis.exists(breaker_key("bazaar"))


async def test_a_refusal_for_good_pauses_for_good(buy: Buy, mine: MarketplaceAccount) -> None:
    with pytest.raises(Refused):
        await buy(without(Refused(RefusalKind.ACCOUNT_RESTRICTED)))

    await sync_to_async(mine.refresh_from_db)()
    assert (mine.paused_until, mine.pause_reason) == (FOR_GOOD, "account_restricted")


async def test_each_account_has_a_pace_of_its_own(
    buy: Buy, mine: MarketplaceAccount, loopback: Loopback, redis: redis_library.Redis
) -> None:
    loopback.answer("/buy", TAKEN)
    await buy()
    assert redis.exists(pace_key("bazaar", mine.pk))
    assert not redis.exists(pace_key("bazaar"))


async def test_without_room_in_the_pace_nothing_is_sent(
    buy: Buy, mine: MarketplaceAccount, loopback: Loopback, redis: redis_library.Redis
) -> None:
    seconds, _ = redis.time()
    redis.hset(pace_key("bazaar", mine.pk), mapping={"tokens": -5_000_000, "at": int(seconds) * 1000})

    with pytest.raises(NoPace):
        await buy()
    assert loopback.asked == []


async def test_cookies_of_one_account_are_nobody_elses(
    opened: Open, mine: MarketplaceAccount, loopback: Loopback, now: datetime, bob: Any
) -> None:
    loopback.answer("/buy", TAKEN, set_cookie="who=alice")
    his = await sync_to_async(account)(now, user=bob)
    gateway = opened()

    for number in (mine.pk, his.pk, mine.pk):
        await gateway.buy(marketplace="bazaar", account_id=number, request=REQUEST)

    assert [each.headers.get("cookie") for each in loopback.asked] == [None, None, "who=alice"]


async def test_a_renewed_secret_is_kept_sealed_and_used_by_the_next_visit(
    buy: Buy, mine: MarketplaceAccount, loopback: Loopback
) -> None:
    loopback.answer("/buy", TAKEN)
    seen: list[str] = []

    async def renews(session: Session, request: BuyRequest) -> Receipt:
        assert isinstance(session.settings, Keys)
        seen.append(session.settings.second)
        await session.keep_secrets(second="renewed-canary")
        return await plain_buy(session, request)

    await buy(renews)
    await buy(renews)

    await sync_to_async(mine.refresh_from_db)()
    assert seen == ["", "renewed-canary"]
    assert "renewed-canary" not in mine.sealed


async def test_nobody_spends_for_real_without_leave(buy: Buy, mine: MarketplaceAccount, settings: Any) -> None:
    settings.LIVE, settings.PRACTICE_MARKETS = True, {}
    with pytest.raises(NotSent, match="for real"):
        await buy()


# -- rehearsals and proxies -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("buys", [plain_buy, believing, then(SOLD)])
async def test_a_rehearsal_records_and_sends_nothing(
    opened: Open, mine: MarketplaceAccount, loopback: Loopback, buys: Buys
) -> None:
    would = await opened(buys).rehearse(marketplace="bazaar", account_id=mine.pk, request=REQUEST)

    assert would.url == f"{loopback.base}/buy"
    assert loopback.asked == []


async def test_a_rehearsal_is_refused_as_the_purchase_would_be(opened: Open, mine: MarketplaceAccount) -> None:
    with pytest.raises(Refused):
        await opened(without(SOLD)).rehearse(marketplace="bazaar", account_id=mine.pk, request=REQUEST)


@pytest.mark.parametrize("status", ["407 Proxy Authentication Required", "502 Bad Gateway"])
async def test_a_proxy_that_leads_nowhere_means_that_nothing_was_sent(
    buy: Buy, mine: MarketplaceAccount, settings: Any, proxy: SmallProxy, now: datetime, status: str
) -> None:
    settings.LIVE, settings.PRACTICE_MARKETS = True, {}
    settings.PROXIES, proxy.status = f"bazaar={proxy.place}", status
    await sync_to_async(MarketplaceAccount.objects.filter(pk=mine.pk).update)(spends_since=now)

    with pytest.raises(ProxyRefused):
        await buy()
    assert proxy.asked == ["CONNECT api.bazaar.example:443 HTTP/1.1"]


async def test_a_handshake_that_never_ends_means_that_nothing_was_sent(
    buy: Buy, mine: MarketplaceAccount, settings: Any, proxy: SmallProxy, loopback: Loopback, now: datetime
) -> None:
    settings.LIVE, settings.PRACTICE_MARKETS = True, {}
    settings.PROXIES, proxy.to = f"bazaar={proxy.place}", loopback.port
    await sync_to_async(MarketplaceAccount.objects.filter(pk=mine.pk).update)(spends_since=now)

    task = asyncio.ensure_future(buy())
    await asyncio.to_thread(until, lambda: loopback.connections, what="the way through the proxy is open")
    let_time_pass()

    with pytest.raises(Unavailable):
        await task
    assert (len(proxy.asked), loopback.asked) == (1, [])


# -- cancelling -------------------------------------------------------------------------------------------------------

CANCELS = CancelRequest(external_id="b1", transaction_id="t1", reference="order-1")


class TakesBack(Shop):
    """A shop that cancels."""

    async def cancel(self, request: CancelRequest) -> CancelReceipt:
        await self.session.commit(f"{self.session.base}/cancel", json={"transaction": request.transaction_id})
        return CancelReceipt(external_id=request.external_id, transaction_id=request.transaction_id)


@pytest.fixture
def cancel(opened: Open, mine: MarketplaceAccount) -> Callable[..., Awaitable[CancelReceipt]]:
    async def cancelled(number: int | None = None, *, kind: type[Shop] = TakesBack) -> CancelReceipt:
        made = shop(capabilities=ABLE | {Capability.CANCEL})
        gateway = opened(made=replace(made, connect=lambda session: kind(session, plain_buy)))
        return await gateway.cancel(marketplace="bazaar", account_id=number or mine.pk, request=CANCELS)

    return cancelled


async def test_a_purchase_is_cancelled_by_one_request(cancel: Any, loopback: Loopback) -> None:
    loopback.answer("/cancel", b"{}")

    assert await cancel() == CancelReceipt(external_id="b1", transaction_id="t1")
    assert [(each.path, each.body) for each in loopback.asked] == [("/cancel", b'{"transaction":"t1"}')]


@pytest.mark.parametrize("route", [_cut, _half, _broken, answering(500), answering(302)])
async def test_without_a_whole_answer_nobody_knows_whether_it_was_cancelled(
    cancel: Any, loopback: Loopback, route: Any
) -> None:
    loopback.routes["/cancel"] = route
    with pytest.raises(OutcomeUnknown):
        await cancel()
    assert len(loopback.asked) == 1


async def test_a_receipt_without_a_request_or_after_a_second_one_is_none(cancel: Any, loopback: Loopback) -> None:
    class Believes(TakesBack):
        async def cancel(self, request: CancelRequest) -> CancelReceipt:
            return CancelReceipt(external_id=request.external_id, transaction_id=request.transaction_id)

    class Twice(TakesBack):
        async def cancel(self, request: CancelRequest) -> CancelReceipt:
            await super().cancel(request)
            return await super().cancel(request)

    loopback.answer("/cancel", b"{}")
    with pytest.raises(PluginFault, match="no answer tells of"):
        await cancel(kind=Believes)
    with pytest.raises(OutcomeUnknown):
        await cancel(kind=Twice)
    assert len(loopback.asked) == 1


async def test_nothing_is_cancelled_by_an_account_that_may_not_write(
    cancel: Any, mine: MarketplaceAccount, loopback: Loopback, now: datetime, settings: Any
) -> None:
    elsewhere = await sync_to_async(account)(now, user=mine.user, marketplace="flea")
    with pytest.raises(NotSent, match="no account"):
        await cancel(elsewhere.pk)
    rows = MarketplaceAccount.objects.filter(pk=mine.pk)
    await sync_to_async(rows.update)(paused_until=FOR_GOOD, pause_reason="by_hand")
    with pytest.raises(NotSent, match="paused"):
        await cancel()
    await sync_to_async(rows.update)(pause_reason="sign_in_needed")
    with pytest.raises(SignInNeeded):
        await cancel()
    await sync_to_async(rows.update)(paused_until=None, pause_reason="")
    settings.LIVE, settings.PRACTICE_MARKETS = True, {}
    with pytest.raises(NotSent, match="for real"):
        await cancel()
    assert loopback.asked == []


async def test_a_plugin_without_it_cancels_nothing(opened: Open, mine: MarketplaceAccount) -> None:
    with pytest.raises(PluginFault, match="no capability cancel"):
        await opened().cancel(marketplace="bazaar", account_id=mine.pk, request=CANCELS)
