"""What RQ's workers do when Redis goes away or is full."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis as redis_library
from rq import Queue
from rq.serializers import JSONSerializer

from monitor_site.engine import pool
from tests import servers
from tests.conformance.test_rq import JOBS, served
from tests.waiting import PATIENCE_SECONDS, until


class Server:
    """A Redis of its own that comes and goes."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, servers.free_port()
        self.url = f"redis://:word@127.0.0.1:{self.port}/0"
        self.start()

    def start(self) -> None:
        self.process = servers.start_redis(port=self.port, password="word", folder=self.folder)

    def stop(self) -> None:
        servers.stop(self.process)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    opened = Server(tmp_path)
    yield opened
    opened.stop()


@pytest.fixture
def client(server: Server) -> Iterator[Any]:
    with redis_library.Redis.from_url(server.url, socket_timeout=PATIENCE_SECONDS) as opened:
        yield opened


@pytest.fixture
def worker(server: Server, client: Any) -> Iterator[subprocess.Popen[bytes]]:
    process = served(server.url, ttl=16)  # looks again after a second
    until(lambda: client.smembers("rq:workers"), what="the worker is there")
    yield process
    process.kill()
    process.wait()


def test_a_worker_whose_job_ends_while_redis_is_away_ends_too(
    server: Server, client: Any, worker: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    """So whatever ends is started again within a second, and the job, which has run, may run once more."""
    one = Queue("one", connection=client, serializer=JSONSerializer)
    one.enqueue(f"{JOBS}.tell_and_wait", str(tmp_path / "job"))
    until((tmp_path / "job.began").exists, what="the job begins")
    server.stop()
    (tmp_path / "job.may_end").touch()
    worker.wait(PATIENCE_SECONDS)
    assert (tmp_path / "job.ended").exists()
    assert pool.RESTART_SECONDS <= 1


def test_an_idle_worker_waits_for_redis_and_works_on_though_redis_knows_it_no_more(
    server: Server, client: Any, worker: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    """So the list of RQ's workers proves nothing: ours are known by keys of their own that they renew."""
    server.stop()
    server.start()
    one = Queue("one", connection=client, serializer=JSONSerializer)
    one.enqueue(f"{JOBS}.tell_and_sleep", str(tmp_path / "job"), 0)
    until((tmp_path / "job.ended").exists, what="the job runs")
    assert worker.poll() is None
    assert client.smembers("rq:workers") == set()


def test_a_worker_whose_job_ends_when_redis_is_back_works_on_though_its_job_is_forgotten(
    server: Server, client: Any, worker: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    """So a worker that lives proves nothing about what its queue lost: outbox and schedule are made good from rows."""
    one = Queue("one", connection=client, serializer=JSONSerializer)
    one.enqueue(f"{JOBS}.tell_and_wait", str(tmp_path / "job"))
    until((tmp_path / "job.began").exists, what="the job begins")
    server.stop()
    server.start()
    (tmp_path / "job.may_end").touch()
    one.enqueue(f"{JOBS}.tell_and_sleep", str(tmp_path / "next"), 0)
    until((tmp_path / "next.ended").exists, what="the next job runs")
    assert worker.poll() is None


def test_a_full_redis_ends_idle_workers(client: Any, worker: subprocess.Popen[bytes]) -> None:
    """So workers are started again for as long as it lasts, and the outbox keeps what could not be enqueued."""
    client.config_set("maxmemory", "1")
    worker.wait(PATIENCE_SECONDS)
