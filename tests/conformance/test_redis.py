"""What redis-py and the server do with a lost reply and with waiting."""

import signal
import socket
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import redis as redis_library
from django.conf import settings

from monitor_site.connections import async_redis_client, redis_client
from monitor_site.engine import worker
from tests.conformance.wire import wire
from tests.servers import free_port, start_redis, stop
from tests.waiting import PATIENCE_SECONDS

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


@pytest.fixture
def silent(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], Any]]:
    """A server that can be stopped, and a client of it."""
    port = free_port()
    server = start_redis(port=port, password=PASSWORD, folder=tmp_path)
    address = f"redis://:{PASSWORD}@127.0.0.1:{port}/0"
    with redis_library.Redis.from_url(address, socket_timeout=PATIENCE_SECONDS) as client:
        yield server, client
    server.send_signal(signal.SIGCONT)
    stop(server)


def test_the_time_limit_of_a_blocking_pop_is_the_servers_and_that_of_a_subscription_is_our_own(silent: Any) -> None:
    """So the promoter waits on a subscription, with its own timer; nothing of ours waits by a pop's limit."""
    server, client = silent
    with client.pubsub() as ear, ThreadPoolExecutor(1) as threads:
        ear.subscribe("nothing")
        assert ear.get_message(timeout=PATIENCE_SECONDS)["type"] == "subscribe"
        client.ping()
        server.send_signal(signal.SIGSTOP)
        assert ear.get_message(timeout=0.05) is None
        popped = threads.submit(client.blpop, "nothing", timeout=0.05)
        with pytest.raises(TimeoutError):
            popped.result(1)
        server.send_signal(signal.SIGCONT)
        assert popped.result(PATIENCE_SECONDS) is None
