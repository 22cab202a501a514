"""Per marketplace: closed, open until a moment, half-open after it.

Open, nobody asks. Half-open, one at a time tries: a success closes it, a failure opens it for twice as long.
It opens when the marketplace says so (:func:`trip`) or when half of the last minute's requests fail (:func:`note`).
The log hears of an outage twice: when it begins and when it ends.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, TypedDict

import redis
import redis.asyncio
import structlog

from monitor_site.connections import key

from .scripts import run

SHORTEST = 1.0
USUAL = 60.0
LONGEST_DOUBLED = 30 * 60.0
LONGEST = 24 * 3600.0
SLOT_MS, SLOTS = 10_000, 6
FEWEST_RESULTS = 10
FAILED_SHARE = 0.5
RESUMED_SECONDS = 3600
SHARE_REASON = "failing"
# An operator said so: it has no end but theirs, see :mod:`.pausing`.
PAUSED = "paused"

log = structlog.get_logger(__name__)


class BreakerView(TypedDict):
    """What pages and ``status`` show of a breaker: ``until`` is an ISO time, ``None`` while it is closed or paused."""

    state: str
    until: str | None
    reason: str


def breaker_key(marketplace: str) -> str:
    """A hash: ``state`` is ``open``, ``until`` and ``opened`` are server ms, ``reason`` a code. Missing is closed."""
    return key("breaker", marketplace)


def tally_key(marketplace: str) -> str:
    """How requests of the last minute ended, in slots of ten seconds."""
    return key("tally", marketplace)


def good_key(marketplace: str) -> str:
    """Server ms of the last success that was noted; kept for a month."""
    return key("good", marketplace)


def resumed_key(marketplace: str) -> str:
    """Server ms at which its breaker closed last; kept for an hour. What was due before is not late for that."""
    return key("resumed", marketplace)


async def trip(
    redis: redis.asyncio.Redis, *, marketplace: str, seconds: float | None, reason: str, exact: bool = False
) -> None:
    """Stop asking a marketplace for ``seconds`` (``None``: a minute), longer when it was just being tried again.

    ``exact``: the marketplace itself said how long.
    """
    length = min(LONGEST, max(SHORTEST, USUAL if seconds is None else seconds))
    opened, stays_ms = await run(
        redis,
        "trip",
        keys=[breaker_key(marketplace), tally_key(marketplace)],
        args=[int(length * 1000), reason, int(LONGEST_DOUBLED * 1000), int(exact)],
    )
    if opened:
        log.warning("breaker.opened", marketplace=marketplace, reason=reason, seconds=int(stays_ms) / 1000)


def reset(client: redis.Redis, *, marketplace: str, by: str = "operator") -> bool:
    """Close the breaker at once, whatever it waits for: an operator's act. Whether there was anything to close.

    What is paused stays so until it is resumed.
    """
    paused = client.hget(breaker_key(marketplace), "reason") == PAUSED.encode()
    if paused or not client.delete(breaker_key(marketplace)):
        return False
    client.delete(tally_key(marketplace))
    seconds, micros = client.time()
    client.set(resumed_key(marketplace), seconds * 1000 + micros // 1000, ex=RESUMED_SECONDS)
    log.info("breaker.closed", marketplace=marketplace, by=by)
    return True


async def note(redis: redis.asyncio.Redis, *, marketplace: str, ok: bool, earlier: int = 0) -> None:
    """Count how a visit ended, and close or open the breaker when that decides it.

    ``earlier`` are successes before this one that nobody has noted yet.
    """
    verdict = await run(
        redis,
        "note",
        keys=[
            breaker_key(marketplace),
            tally_key(marketplace),
            good_key(marketplace),
            resumed_key(marketplace),
        ],
        args=[earlier + int(ok), int(not ok), SLOT_MS, SLOTS, FEWEST_RESULTS, FAILED_SHARE],
    )
    if verdict == b"closed":
        log.info("breaker.closed", marketplace=marketplace)
    elif verdict == b"trip":
        await trip(redis, marketplace=marketplace, seconds=USUAL, reason=SHARE_REASON)


def read_all(client: redis.Redis, names: Iterable[str]) -> dict[str, BreakerView]:
    """Where the breakers stand, for pages and ``status``."""
    wanted = list(names)
    with client.pipeline(transaction=False) as pipe:
        pipe.time()
        for name in wanted:
            pipe.hgetall(breaker_key(name))
        (seconds, micros), *rows = pipe.execute()
    now_ms = seconds * 1000 + micros // 1000
    return {name: _view(row, now_ms) for name, row in zip(wanted, rows, strict=True)}


def last_successes(client: redis.Redis, names: Iterable[str]) -> dict[str, datetime | None]:
    """When each marketplace last answered as it should, to the second or so; ``None`` when nobody remembers."""
    wanted = list(names)
    found: list[Any] = client.mget([good_key(name) for name in wanted]) if wanted else []
    return {name: _moment(int(ms)) if ms else None for name, ms in zip(wanted, found, strict=True)}


def _moment(ms: int) -> datetime:
    return datetime.fromtimestamp(ms / 1000, tz=UTC)


def _view(row: dict[bytes, Any], now_ms: int) -> BreakerView:
    if row.get(b"state") != b"open":
        return {"state": "closed", "until": None, "reason": ""}
    until, reason = int(row[b"until"]), row.get(b"reason", b"").decode()
    return {
        "state": "open" if until > now_ms else "half_open",
        "until": None if reason == PAUSED else _moment(until).isoformat(),
        "reason": reason,
    }
