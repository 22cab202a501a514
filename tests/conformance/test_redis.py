"""What redis-py and the server do with a lost reply and with waiting."""

import socket
import statistics
import time
from typing import Any

import pytest
import redis as redis_library
from django.conf import settings

from monitor_site.connections import async_redis_client, redis_client
from monitor_site.engine import worker
from tests.conformance.wire import wire

PORT, PASSWORD = settings.REDIS_URL.rsplit(":", 1)[1].split("/")[0], settings.REDIS_URL.split(":")[2].split("@")[0]


def to_redis() -> socket.socket:
    return socket.create_connection(("127.0.0.1", int(PORT)))


def by_host(port: int) -> Any:
    return redis_library.Redis(host="127.0.0.1", port=port, password=PASSWORD)


def by_url(port: int) -> Any:
    return redis_library.Redis.from_url(f"redis://:{PASSWORD}@127.0.0.1:{port}/0")


def test_a_client_built_by_host_runs_a_command_twice_when_its_reply_is_lost(redis: Any) -> None:
    """So no client of ours is built that way, and ours say themselves that they repeat nothing."""
    with wire(to_redis, lose=b"INCR") as line, by_host(line.port) as client:
        assert client.incr("count") == 2
    assert client.get_retry()._retries == 10


def test_a_client_built_by_address_repeats_nothing(redis: Any) -> None:
    """So a lost reply is an error, the command has run once, and whoever called decides what follows."""
    with wire(to_redis, lose=b"INCR") as line, by_url(line.port) as client:
        with pytest.raises(redis_library.ConnectionError):
            client.incr("count")
        assert line.lost
    assert redis.get("count") == b"1"


def test_none_of_our_clients_repeats_a_command(settings: Any, redis: Any) -> None:
    """Scripts, enqueues and a worker's own commands are sent once, whatever the library's defaults become."""
    clients = [redis_client(), async_redis_client(), worker.build(lane="express", name="w").connection]
    for client in clients:
        arguments = client.connection_pool.connection_kwargs
        assert arguments["retry"]._retries == 0
        assert not arguments.get("retry_on_timeout")


def late(wait: Any, count: int = 20) -> float:
    """How many ms a wait of 50 ms comes back late, at the median."""
    found = []
    for _ in range(count):
        began = time.monotonic()
        wait()
        found.append((time.monotonic() - began) * 1000 - 50)
    return statistics.median(found)


def test_the_time_limit_of_a_blocking_pop_is_no_clock_and_that_of_a_subscription_is(redis: Any) -> None:
    """So the promoter waits on a subscription, with its own timer; nothing of ours waits by a pop's limit."""
    with redis.pubsub() as ear:
        ear.subscribe("nothing")
        ear.get_message(timeout=5)
        by_own_timer = late(lambda: ear.get_message(timeout=0.05))
    assert by_own_timer < 10 < late(lambda: redis.blpop("nothing", timeout=0.05))
