"""One check, from the lease to the result. Network only: nothing here touches the database."""

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import structlog

from monitor_site.contract import MarketplaceError, Pauses, PluginFault, SearchCriteria, Unavailable, criteria_from
from monitor_site.marketplaces.catalog import UnknownMarketplace, catalog
from monitor_site.marketplaces.gateway import Found, Gateway, History, remembered
from monitor_site.watches.models import Target
from monitor_site.watches.results import Result

from .members import number_of
from .schedule import Lease

log = structlog.get_logger(__name__)

# A check is cut at twice what the last ones of its target took, within these bounds; before there were any, at the
# longest.
EXPECTED_TIMES = 2
SHORTEST_CUT, LONGEST_CUT = 10.0, 25.0
# The gateway cuts, so that the marketplace is held to it; this is for what it waits for before it asks.
GRACE_SECONDS = 5.0
UNKNOWN_MARKETPLACE = "plugin_missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checker:
    """Runs checks for a worker. ``server_now`` is Redis server time in epoch seconds, read from a local clock."""

    gateway: Gateway
    worker: str
    server_now: Callable[[], float]

    async def check(self, lease: Lease, target: Target) -> Result:
        """Ask the marketplace and say how it went; raises nothing but cancellation."""
        trace = secrets.token_hex(8)
        with structlog.contextvars.bound_contextvars(trace=trace, target=target.pk):
            started = self.server_now()
            outcome = await self._ask(target)
        return replace(self._blank(lease, trace, started), **outcome)

    async def _ask(self, target: Target) -> dict[str, Any]:
        """The figures of a result."""
        try:
            async with asyncio.timeout(cut_after(target) + GRACE_SECONDS):
                return _figures(await self._found(target, cut_after(target)))
        except TimeoutError:
            return {"error": Unavailable.code}
        except MarketplaceError as error:
            log.debug("check.failed", error=error.code, detail=error.detail)
            return {"error": error.code, "usual": remembered(error), "wait_seconds": _wait(error)}
        except (UnknownMarketplace, ValueError) as error:
            log.warning("check.cannot_ask", reason=str(error))
            return {"error": UNKNOWN_MARKETPLACE}
        except Exception:
            log.exception("check.fault")
            return {"error": PluginFault.code}

    async def _found(self, target: Target, within: float) -> Found:
        if target.is_look:
            return await self._look(target, within)
        return await (self._search(target, within) if target.is_search else self._sold(target, within))

    async def _search(self, target: Target, within: float) -> Found:
        history = History(
            known=frozenset(target.recent),
            usual=bool(target.recent),
            empty_streak=target.empty_streak,
            answered=target.succeeded_at is not None,
            before=target.usual,
        )
        criteria = _criteria(target)
        return await self.gateway.search(
            marketplace=target.marketplace, criteria=criteria, history=history, within=within
        )

    async def _sold(self, target: Target, within: float) -> Found:
        criteria = _criteria(target)
        return await self.gateway.sold_prices(marketplace=target.marketplace, criteria=criteria, within=within)

    async def _look(self, target: Target, within: float) -> Found:
        return await self.gateway.look(marketplace=target.marketplace, external_id=target.criteria, within=within)

    def _blank(self, lease: Lease, trace: str, started: float) -> Result:
        return Result(
            target_id=number_of(lease.id),
            fence=lease.fence,
            due_ms=lease.due_ms,
            trace=trace,
            worker=self.worker,
            started_at=datetime.fromtimestamp(started, tz=UTC),
            finished_at=datetime.fromtimestamp(self.server_now(), tz=UTC),
            lateness_ms=round(started * 1000 - lease.due_ms),
        )


def cut_after(target: Target) -> float:
    """In how many seconds a check of this target is cut. One that was cut counts too: what stays slow gets more."""
    if not target.spent:
        return LONGEST_CUT
    expected: float = sum(ms for ms, _pages in target.spent) / len(target.spent) / 1000
    return min(LONGEST_CUT, max(SHORTEST_CUT, EXPECTED_TIMES * expected))


def _criteria(target: Target) -> SearchCriteria:
    return criteria_from(target.criteria, catalog().get(target.marketplace).manifest.criteria)


def _wait(error: MarketplaceError) -> float | None:
    """How long the question itself should rest: a marketplace or an account that pauses waits by itself."""
    return error.retry_after if error.pauses in {Pauses.NOTHING, Pauses.TARGET} else None


def _figures(found: Found) -> dict[str, Any]:
    names = ("sightings", "pages", "bytes", "bad_rows", "gap", "usual")
    return {name: getattr(found, name) for name in names}
