"""How long one promotion, lease and return of 100 ids takes while the schedule grows from a thousand to a million.

    .venv/bin/python benchmarks/growth.py [--sizes 1000 10000 100000 1000000] [--rounds 400] [--json]

Everything in the schedule is overdue, the worst case: each lease chooses its 100 among the 500 that wait longest. Each
id has an importance, a deadline and a cost of its own. Milliseconds as the client sees them, Redis on the same machine;
on one that is busy with other things the processor time of the server, for one lease, tells more.
"""

import argparse
import asyncio
import json
import random
import statistics
import time
from typing import Any

from bare import own_redis

IDS = 100
AT_ONCE = 10_000
GOAL_MS = 3.0


def fill(client: Any, size: int) -> None:
    """So many ids, overdue by up to a minute, of every rank."""
    from monitor_site.connections import key

    chance, now = random.Random(1), int(time.time() * 1000)
    for start in range(0, size, AT_ONCE):
        names = [str(number) for number in range(start, min(size, start + AT_ONCE))]
        pipe = client.pipeline(transaction=False)
        pipe.zadd(key("due", "market"), {name: now - chance.randrange(60_000) for name in names})
        ranks = {
            name: f"{chance.choice((20, 50, 80))}|{chance.choice((60, 300))}000|{chance.randrange(900)}"
            for name in names
        }
        pipe.hset(key("rank", "market"), mapping=ranks)
        pipe.execute()


def server_cpu() -> float:
    """Processor milliseconds that the server has used."""
    from monitor_site.connections import redis_client

    told: Any = redis_client().info("cpu")
    return 1000 * float(told["used_cpu_user"] + told["used_cpu_sys"])


class Turns:
    """One worker that asks, leases and returns 100 ids at a time, with a watch on each call."""

    def __init__(self, client: Any) -> None:
        from monitor_site.connections import redis_client
        from monitor_site.contract import Pace
        from monitor_site.engine.schedule import Leases, Schedule

        self.pace = Pace(per_minute=6_000_000, ceiling_per_minute=6_000_000, floor_seconds=1, concurrency=2000)
        self.schedule, self.leases = Schedule(redis_client()), Leases(client, worker="w1")
        self.took: dict[str, list[float]] = {"promotion": [], "lease": [], "return": []}
        self.lease_cpu: list[float] = []

    async def turn(self) -> None:
        """One turn."""
        from monitor_site.engine.schedule import Return
        from monitor_site.watches.results import Standing

        begun = time.perf_counter()
        self.schedule.ask(marketplace="market", pace=self.pace, ticket="t")
        self._note("promotion", begun)
        cpu, begun = server_cpu(), time.perf_counter()
        leased = await self.leases.lease(marketplace="market", pace=self.pace, slots=IDS, idle=True)
        self._note("lease", begun)
        self.lease_cpu.append(server_cpu() - cpu)
        standing = Standing(target_id=1, key="0" * 64, active=True, interval_seconds=60, rank="50|60000|80")
        back = [Return(lease=lease, how="beat", standing=standing) for lease in leased.leases]
        begun = time.perf_counter()
        await self.leases.give_back(marketplace="market", returns=back)
        self._note("return", begun)

    def _note(self, name: str, begun: float) -> None:
        self.took[name].append((time.perf_counter() - begun) * 1000)


async def turns(rounds: int) -> Turns:
    """So many turns."""
    from monitor_site.connections import async_redis_client

    async with async_redis_client() as client:
        found = Turns(client)
        for _ in range(rounds):
            await found.turn()
        return found


def measure(size: int, rounds: int) -> dict[str, Any]:
    """Median and p99 of each call at one size."""
    from monitor_site.connections import redis_client

    redis_client().flushall()
    fill(redis_client(), size)
    found = asyncio.run(turns(min(rounds, max(2, size // IDS // 2))))
    figures: dict[str, Any] = {"ids": size}
    for name, values in (*found.took.items(), ("lease cpu", found.lease_cpu)):
        ordered = sorted(values[1:])
        figures[f"{name} p50"] = round(statistics.median(ordered), 2)
        figures[f"{name} p99"] = round(ordered[int(len(ordered) * 0.99)], 2)
    return figures


def main() -> None:
    """Fill, call, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with own_redis():
        found = [measure(size, options.rounds) for size in options.sizes]
    kept = all(one["lease p99"] <= GOAL_MS and one["promotion p99"] <= GOAL_MS for one in found)
    if options.json:
        print(json.dumps({"milliseconds": found, "goal_ms": GOAL_MS, "kept": kept}))
    else:
        print("\n".join(", ".join(f"{name}: {value:,}" for name, value in one.items()) for one in found))
        print(f"goal of {GOAL_MS} ms for one promotion and one lease: {'kept' if kept else 'missed'}")


if __name__ == "__main__":
    main()
