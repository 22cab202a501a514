"""Asks marketplaces what became of orders, in a thread of its own, so that its lane goes on at once.

The network sleeps while the database works: first what is to be asked is read, then all of it is asked, then what was
seen is written down, order by order.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

import structlog
from django.db import close_old_connections

from monitor_site.connections import async_redis_client
from monitor_site.contract import Purchase, PurchasePage, Unavailable
from monitor_site.marketplaces.catalog import catalog
from monitor_site.marketplaces.gateway import Gateway
from monitor_site.purchasing import asking, reconciling, sweeping
from monitor_site.purchasing.asking import Answer, Census, Purchases, Question
from monitor_site.purchasing.evidence import Seen
from monitor_site.purchasing.sweeping import Round

log = structlog.get_logger(__name__)

CUT_SECONDS = 60.0
AT_ONCE = 4
Way = Callable[[str, int], Purchases]
Opened = Callable[[], AbstractAsyncContextManager[Way]]
Asked = TypeVar("Asked", Question, Round)
Told = TypeVar("Told", Answer, Census)


@dataclass(frozen=True, slots=True)
class OfAccount:
    """The purchases of one account, through the gateway."""

    gateway: Gateway
    marketplace: str
    account_id: int

    @property
    def lists(self) -> bool:
        """Whether the marketplace lists them."""
        plugin = catalog().plugins.get(self.marketplace)
        return bool(plugin and plugin.manifest.lists_purchases)

    async def find(self, external_id: str) -> Purchase | None:
        """What was bought of one listing."""
        names = {"marketplace": self.marketplace, "external_id": external_id}
        return await self.gateway.find_purchase(account_id=self.account_id, **names)

    async def page(self, token: str | None) -> PurchasePage:
        """The latest ones."""
        asked = {"marketplace": self.marketplace, "account_id": self.account_id, "page_token": token}
        return await self.gateway.purchases(**asked)  # type: ignore[arg-type]


@asynccontextmanager
async def _through_gateway():  # type: ignore[no-untyped-def]
    async with async_redis_client() as client:
        gateway = Gateway(redis=client)
        try:
            yield lambda marketplace, account_id: OfAccount(gateway, marketplace, account_id)
        finally:
            await gateway.close()


def ask(order_ids: Collection[int], *, opened: Opened = _through_gateway, now: datetime | None = None) -> None:
    """Ask what became of these orders, as far as they are due, and draw the conclusions."""
    questions = reconciling.questions(order_ids=order_ids, now=now or _now())
    answers = _all(questions, opened, asking.ask, lambda code: Answer(seen=Seen.FAILED, error=code))
    for question, answer in zip(questions, answers, strict=True):
        settled = reconciling.settle(order_id=question.order_id, answer=answer, now=now or _now())
        log.info("order.asked", order=question.order_id, seen=answer.seen, error=answer.error, settled=repr(settled))


def sweep(account_ids: Collection[int], *, opened: Opened = _through_gateway, now: datetime | None = None) -> None:
    """Compare the purchases of these accounts with our orders, as far as they are due."""
    rounds = sweeping.rounds(account_ids=account_ids, now=now or _now())
    for one, census in zip(rounds, _all(rounds, opened, _census, lambda code: Census(error=code)), strict=True):
        moved = sweeping.record(account_id=one.account_id, census=census, now=now or _now())
        log.info("account.swept", account=one.account_id, purchases=len(census.purchases), moved=moved)


async def _census(one: Round, purchases: Purchases) -> Census:
    return await asking.sweep(purchases, known=one.known, followed=one.followed)


def _all(
    asked: Sequence[Asked],
    opened: Opened,
    ask_one: Callable[[Asked, Purchases], Awaitable[Told]],
    failed: Callable[[str], Told],
) -> list[Told]:
    """Ask all of it, a few at once; what takes too long has failed, and so has what nobody foresaw."""
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(way: Way, question: Asked) -> Told:
        try:
            async with gate, asyncio.timeout(CUT_SECONDS):
                return await ask_one(question, way(question.marketplace, question.account_id))
        except TimeoutError:
            return failed(Unavailable.code)
        except Exception:
            log.exception("order.asking_failed")
            return failed("fault")

    async def every() -> list[Told]:
        async with opened() as way:
            return await asyncio.gather(*(one(way, question) for question in asked))

    return asyncio.run(every()) if asked else []


def _now() -> datetime:
    return datetime.now(UTC)


_threads: list[ThreadPoolExecutor] = []


def begin(work: Callable[[Collection[int]], None], ids: Collection[int]) -> None:
    """Have :func:`ask` or :func:`sweep` run by this process, one after the other, and return at once.

    What is lost with the process is due again.
    """
    if not _threads:
        _threads.append(ThreadPoolExecutor(max_workers=1, thread_name_prefix="outcomes"))
    _threads[0].submit(_run, work, ids)


def _run(work: Callable[[Collection[int]], None], ids: Collection[int]) -> None:
    close_old_connections()
    try:
        work(ids)
    except Exception:
        log.exception("order.asking_failed")
    finally:
        close_old_connections()


def close() -> None:
    """Let what runs finish, and drop the rest; it is due again."""
    while _threads:
        _threads.pop().shutdown(wait=True, cancel_futures=True)
