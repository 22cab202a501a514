"""One check, from the lease to the result. Network only: nothing here touches the database."""

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import structlog

from monitor_site.contract import MarketplaceError, PluginFault, Unavailable, criteria_from
from monitor_site.marketplaces.catalog import UnknownMarketplace, catalog
from monitor_site.marketplaces.gateway import Found, Gateway, History
from monitor_site.watches.models import Target
from monitor_site.watches.results import Result

from .members import number_of
from .schedule import Lease

log = structlog.get_logger(__name__)

CUT_SECONDS = 25.0
UNKNOWN_MARKETPLACE = "plugin_missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checker:
    """Runs checks for a worker. ``server_now`` is Redis server time in epoch seconds, read from a local clock."""

    gateway: Gateway
    worker: str
    server_now: Callable[[], float]
    cut_seconds: float = CUT_SECONDS

    async def check(self, lease: Lease, target: Target) -> Result:
        """Ask the marketplace and say how it went; raises nothing but cancellation."""
        trace = secrets.token_hex(8)
        with structlog.contextvars.bound_contextvars(trace=trace, target=target.pk):
            started = self.server_now()
            found, error = await self._ask(target)
        return replace(self._blank(lease, trace, started), error=error, **_figures(found))

    async def _ask(self, target: Target) -> tuple[Found | None, str]:
        try:
            async with asyncio.timeout(self.cut_seconds):
                return await (self._look(target) if target.is_look else self._search(target)), ""
        except TimeoutError:
            return None, Unavailable.code
        except MarketplaceError as error:
            log.debug("check.failed", error=error.code, detail=error.detail)
            return None, error.code
        except (UnknownMarketplace, ValueError) as error:
            log.warning("check.cannot_ask", reason=str(error))
            return None, UNKNOWN_MARKETPLACE
        except Exception:
            log.exception("check.fault")
            return None, PluginFault.code

    async def _search(self, target: Target) -> Found:
        shape = catalog().get(target.marketplace).manifest.criteria
        history = History(known=frozenset(target.recent), usual=bool(target.recent), empty_streak=target.empty_streak)
        return await self.gateway.search(
            marketplace=target.marketplace, criteria=criteria_from(target.criteria, shape), history=history
        )

    async def _look(self, target: Target) -> Found:
        return await self.gateway.look(marketplace=target.marketplace, external_id=target.criteria)

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


def _figures(found: Found | None) -> dict[str, Any]:
    if found is None:
        return {}
    names = ("sightings", "pages", "bytes", "bad_rows", "gap")
    return {name: getattr(found, name) for name in names}
