"""All checks in order. One that cannot be made says so, and the others go on."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import redis
from django.db import DatabaseError

from monitor_site.ops import figures, stored

from . import database_checks, engine_checks, redis_checks, site_checks
from .finding import Check, Finding, fail


def examine(client: redis.Redis) -> list[Finding]:
    """What every check says, in order."""
    there = _made(partial(redis_checks.reachable, client))
    kept = _made(database_checks.reachable)
    findings = [*there, *kept]
    if _well(there):
        findings += _of_redis(client)
    if _well(kept):
        findings += _of_the_database()
    if _well(there) and _well(kept):
        findings += _of_both(client)
    return findings + _run([site_checks.disk, site_checks.folders, site_checks.site_url, engine_checks.plugins])


def _well(findings: Iterable[Finding]) -> bool:
    return all(finding.level != "fail" for finding in findings)


def _of_redis(client: redis.Redis) -> list[Finding]:
    info = _info(client)
    on_info = (redis_checks.version, redis_checks.eviction, redis_checks.memory, redis_checks.persistence)
    now = figures.running(client)
    on_running = (
        engine_checks.promoters, engine_checks.workers, engine_checks.overdue, engine_checks.breakers,
        engine_checks.load, engine_checks.upkeep,
    )  # fmt: skip
    return _run([*(partial(check, info) for check in on_info), *(partial(check, now) for check in on_running)])


def _info(client: redis.Redis) -> Mapping[str, Any]:
    """What the server tells of itself; nothing where that is forbidden."""
    try:
        told: dict[str, Any] = client.info()
    except redis.RedisError:
        return {}
    return told


def _of_the_database() -> list[Finding]:
    checks = (
        database_checks.set_up, database_checks.migrations, site_checks.secrets, site_checks.mail,
        site_checks.time_zones, engine_checks.roll_up,
    )  # fmt: skip
    return _run(checks)


def _of_both(client: redis.Redis) -> list[Finding]:
    found = _run([partial(database_checks.clocks, client)])
    try:
        now = figures.running(client)
        kept = stored.stored(now=figures.moment(now))
    except (redis.RedisError, DatabaseError) as error:
        return [*found, _cannot("figures", error)]
    return found + _run(
        [
            partial(engine_checks.schedule, client, now),
            partial(engine_checks.demand, now, kept),
            partial(engine_checks.outbox, now, kept),
        ]
    )


def _run(checks: Iterable[Check]) -> list[Finding]:
    return [finding for check in checks for finding in _made(check)]


def _made(check: Check) -> list[Finding]:
    try:
        return list(check())
    except Exception as error:  # noqa: BLE001 - a check that breaks is a finding, whatever broke it
        return [_cannot(_name(check), error)]


def _name(check: Callable[[], Iterable[Finding]]) -> str:
    plain = check.func if isinstance(check, partial) else check
    return str(getattr(plain, "__name__", "check")).replace("_", " ")


def _cannot(name: str, error: BaseException) -> Finding:
    return fail(name, f"could not be looked at: {error}".splitlines()[0], "Mend what stands above it first.")


def lines(findings: Iterable[Finding]) -> Iterator[str]:
    """One line each; what to do stands at its end."""
    for one in findings:
        yield f"{one.level:5}{one.name:24}{one.words}" + (f". {one.advice}" if one.advice else "")
