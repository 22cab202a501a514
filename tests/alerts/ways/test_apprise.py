"""What Apprise delivers goes through a process of its own, which nobody's server can hold up, fill or lead astray."""

import asyncio
import gzip
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from monitor_site.alerts.ways.send import Way, send
from monitor_site.alerts.ways.values import Answer, Message, Outcome, Picture
from tests.house.source import ROOT
from tests.marketplaces.loopback import Loopback, head
from tests.waiting import lives, until

from .asking import closes, drips, hangs, json_address

Made = Callable[..., Message]


async def test_a_message_arrives_with_its_subject_and_its_text(way: Way, sink: Loopback, message: Made) -> None:
    sink.answer("/hook", b"taken")

    answer = await send(kind="other", settings=json_address(sink), message=message(), way=way)

    assert (answer.outcome, answer.status, answer.words) == (Outcome.ACCEPTED, 200, "")
    assert answer.seconds > 0
    told = sink.asked[0].body.decode()
    assert "A camera" in told
    assert "LUMINA" in told


STATUSES: list[tuple[int, dict[str, str], Outcome, float | None]] = [
    (429, {"retry-after": "34"}, Outcome.THROTTLED, 34.0),
    (429, {"retry-after": "Fri, 01 May 2099 00:00:00 GMT"}, Outcome.THROTTLED, 86_400.0),
    (429, {}, Outcome.THROTTLED, None),
    (503, {"retry-after": "5"}, Outcome.THROTTLED, 5.0),
    (500, {}, Outcome.UNREACHABLE, None),
    (410, {}, Outcome.GONE, None),
    (401, {}, Outcome.FORBIDDEN, None),
    (404, {}, Outcome.FORBIDDEN, None),
    (400, {}, Outcome.REFUSED, None),
]


async def test_a_providers_status_becomes_an_outcome(way: Way, sink: Loopback, message: Made) -> None:
    for number, (status, headers, _, _) in enumerate(STATUSES):
        sink.answer(f"/{number}", b"no", status=status, **headers)

    found = await asyncio.gather(
        *(
            send(kind="other", settings=json_address(sink, f"/{number}"), message=message(), way=way)
            for number in range(len(STATUSES))
        )
    )

    understood = [(each.outcome, each.status, each.retry_after) for each in found]
    assert understood == [(outcome, status, waits) for status, _, outcome, waits in STATUSES]


async def test_a_redirect_is_not_followed(way: Way, sink: Loopback, message: Made) -> None:
    sink.answer("/hook", b"", status=307, location=f"{sink.base}/inside")
    sink.answer("/inside", b"reached")

    answer = await send(kind="other", settings=json_address(sink), message=message(), way=way)

    assert (answer.outcome, [asked.path for asked in sink.asked]) == (Outcome.FORBIDDEN, ["/hook"])


async def test_hanging_dripping_and_endless_answers_are_cut_at_the_deadline_while_others_go_on(
    way: Way, sink: Loopback, message: Made
) -> None:
    sink.answer("/good", b"taken")
    sink.routes |= {"/hang": hangs, "/drip": drips(b""), "/headers": endless_head}

    def sent(*paths: str) -> list[asyncio.Future[Answer]]:
        told = [send(kind="other", settings=json_address(sink, path), message=message(), way=way) for path in paths]
        return [asyncio.ensure_future(one) for one in told]

    stuck = sent("/hang", "/drip", "/headers")
    found = await asyncio.gather(*sent(*["/good"] * 5))
    assert [each.outcome for each in found] == [Outcome.ACCEPTED] * 5
    assert not any(one.done() for one in stuck)
    for one in stuck:
        one.cancel()
    await asyncio.gather(*stuck, return_exceptions=True)

    way.deadline_seconds = 1.0
    cut = await asyncio.gather(*sent("/hang", "/drip", "/headers"))
    assert [each.outcome for each in cut] == [Outcome.UNREACHABLE] * 3


async def endless_head(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0)


async def test_a_huge_answer_is_cut_and_the_message_counts_as_taken(way: Way, sink: Loopback, message: Made) -> None:
    sink.routes["/hook"] = drips(b"x" * 65_536)

    answer = await send(kind="other", settings=json_address(sink), message=message(), way=way)

    assert (answer.outcome, answer.words) == (Outcome.ACCEPTED, "")


async def test_a_bomb_fills_nothing(way: Way, sink: Loopback, message: Made) -> None:
    bomb = gzip.compress(b"\0" * 50_000_000, compresslevel=1)
    sink.answer("/hook", bomb, content_encoding="gzip")

    answer = await send(kind="other", settings=json_address(sink), message=message(), way=way)

    assert answer.outcome in {Outcome.ACCEPTED, Outcome.UNREACHABLE}
    assert psutil.Process(way.apprise.pid).memory_info().rss < 200_000_000


async def test_a_server_that_hangs_up_early_is_unreachable(way: Way, sink: Loopback, message: Made) -> None:
    sink.routes["/hook"] = closes

    answer = await send(kind="other", settings=json_address(sink), message=message(), way=way)

    assert answer.outcome is Outcome.UNREACHABLE


async def test_when_the_process_is_killed_the_next_message_starts_another(
    way: Way, sink: Loopback, message: Made
) -> None:
    sink.answer("/hook", b"taken")
    await send(kind="other", settings=json_address(sink), message=message(), way=way)
    first = way.apprise.pid
    assert first
    os.kill(first, signal.SIGKILL)

    answer = await send(kind="other", settings=json_address(sink), message=message(), way=way)

    assert (answer.outcome, way.apprise.pid != first) == (Outcome.ACCEPTED, True)


async def test_a_swept_temporary_folder_does_not_silence_it(way: Way, sink: Loopback, message: Made) -> None:
    sink.answer("/hook", b"taken")
    await way.warm()
    shutil.rmtree(psutil.Process(way.apprise.pid).cwd())

    answer = await send(kind="other", settings=json_address(sink), message=message(), way=way)

    assert answer.outcome is Outcome.ACCEPTED


async def test_a_child_that_dies_without_a_word_is_unreachable(way: Way, sink: Loopback, message: Made) -> None:
    arrived = asyncio.Event()

    async def arrive(_writer: asyncio.StreamWriter) -> None:
        arrived.set()
        await asyncio.Event().wait()

    sink.routes["/hook"] = arrive
    sending = asyncio.ensure_future(send(kind="other", settings=json_address(sink), message=message(), way=way))
    await arrived.wait()
    (child,) = psutil.Process(way.apprise.pid).children()
    child.kill()

    answer = await sending

    assert answer.outcome is Outcome.UNREACHABLE
    assert answer.seconds < way.deadline_seconds


async def test_the_process_knows_no_secret_of_the_installation_and_ends_with_the_way(
    near: None, sink: Loopback, message: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRETS_KEYS", "canary-canary")
    sink.answer("/hook", b"taken")
    async with Way() as way:
        await send(kind="other", settings=json_address(sink), message=message(), way=way)
        process = psutil.Process(way.apprise.pid)
        assert set(process.environ()) <= {"PYTHONPATH", "PYTHONUTF8", "PYTHONDONTWRITEBYTECODE", "LC_CTYPE"}
        folder = Path(process.cwd())
        assert is_private(folder)

    assert not process.is_running()
    assert is_gone(folder)


def is_private(folder: Path) -> bool:
    return folder.stat().st_mode & 0o777 == 0o700


def is_gone(folder: Path) -> bool:
    return not folder.exists()


def test_the_process_needs_neither_django_nor_the_database() -> None:
    names = "import sys, monitor_site.alerts.ways.apprise_server; print(*sys.modules)"
    loaded = ran(names).stdout.split()

    assert "apprise" in loaded
    assert not [name for name in loaded if name.split(".")[0] in {"django", "sqlite3", "psycopg", "redis"}]


async def test_no_proxy_of_the_environment_is_asked(
    near: None, sink: Loopback, message: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    sink.answer("/hook", b"taken")

    async with Way() as way:
        answer = await send(kind="other", settings=json_address(sink), message=message(), way=way)

    assert answer.outcome is Outcome.ACCEPTED


async def test_a_picture_that_is_refused_does_not_cost_the_message(
    way: Way, sink: Loopback, message: Made, picture: Picture
) -> None:
    """ntfy servers may take no attachments."""
    asked = []

    async def route(writer: asyncio.StreamWriter) -> None:
        asked.append(sink.asked[-1])
        status = 400 if b"picture" in asked[-1].body else 200
        writer.write(head(status, {"content-length": "2"}) + b"{}")

    sink.routes = Anywhere(route)
    settings = {"server": sink.base, "topic": "mm"}

    answer = await send(kind="ntfy", settings=settings, message=message(picture=picture), way=way)

    assert answer.outcome is Outcome.ACCEPTED
    assert len(asked) == 2
    assert "A camera" in asked[1].body.decode()


class Anywhere(dict[str, Any]):
    """One route for every path."""

    def __init__(self, route: Any) -> None:
        super().__init__()
        self.route = route

    def __getitem__(self, _path: str) -> Any:
        return self.route


async def test_an_own_servers_words_are_not_repeated(way: Way, sink: Loopback, message: Made) -> None:
    """They could be those of a machine that only we can reach."""
    sink.routes = Anywhere(route_of(403, b'{"error":"internal words"}'))
    settings = {"server": sink.base, "token": "AeXmVlF3gDqVhKZ"}

    answer = await send(kind="gotify", settings=settings, message=message(), way=way)

    assert (answer.outcome, answer.status, answer.words) == (Outcome.FORBIDDEN, 403, "")


def route_of(status: int, body: bytes) -> Any:
    async def route(writer: asyncio.StreamWriter) -> None:
        writer.write(head(status, {"content-length": str(len(body))}) + body)

    return route


async def test_bark_shows_a_repeat_in_place_of_the_first(way: Way, sink: Loopback, message: Made) -> None:
    sink.answer("/push", b'{"code":200,"message":"success"}')
    settings = {"server": sink.base, "key": "yZ6hzfq3iWqmDkKpnT9vQe"}

    answer = await send(kind="bark", settings=settings, message=message(), way=way)

    assert answer.outcome is Outcome.ACCEPTED
    assert '"id": "event-7"' in sink.asked[0].body.decode()


async def test_a_code_of_refusal_in_an_answer_of_200_is_no_success(way: Way, sink: Loopback, message: Made) -> None:
    sink.answer("/push", b'{"code":400,"message":"failed to get device token"}')
    settings = {"server": sink.base, "key": "yZ6hzfq3iWqmDkKpnT9vQe"}

    answer = await send(kind="bark", settings=settings, message=message(), way=way)

    assert answer.outcome is Outcome.REFUSED


async def test_an_address_that_apprise_cannot_use_is_forbidden(way: Way, message: Made) -> None:
    addresses = ["nonsense", "pover://", "syslog://", "file:///etc/passwd", ""]

    found = [await send(kind="other", settings={"address": each}, message=message(), way=way) for each in addresses]

    assert {each.outcome for each in found} <= {Outcome.FORBIDDEN, Outcome.UNSAFE}


async def test_a_way_can_be_warmed_before_the_first_message(way: Way, sink: Loopback, message: Made) -> None:
    sink.answer("/hook", b"taken")
    await way.warm()
    started = way.apprise.pid
    await way.warm()

    answer = await send(kind="other", settings=json_address(sink), message=message(), way=way)

    assert (answer.outcome, way.apprise.pid) == (Outcome.ACCEPTED, started)


KEEPS_A_WAY = """
import asyncio, django
django.setup()
from monitor_site.alerts.ways.send import Way

async def main():
    way = Way()
    await way.warm()
    print(way.apprise.pid, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


def test_the_process_ends_when_its_parent_is_killed() -> None:
    environment = dict(os.environ) | {"DJANGO_SETTINGS_MODULE": "tests.settings"}
    command = (sys.executable, "-c", KEEPS_A_WAY)
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        pid = int(parent.stdout.readline())
        assert psutil.pid_exists(pid)
        parent.kill()

    until(lambda: not lives(pid), what="the process ended with its parent")


SWALLOWS_ALL = """
from monitor_site.alerts.ways.apprise_server import limit
limit(0.2)
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
"""
EATS_MEMORY = """
import psutil
from monitor_site.alerts.ways.apprise_server import SPARE_BYTES, limit_rights
limit_rights(psutil.Process().memory_info().vms + SPARE_BYTES)
try:
    bytearray(2 * SPARE_BYTES)
except MemoryError:
    print("held")
"""


def ran(program: str) -> subprocess.CompletedProcess[str]:
    """A program in a process of its own, run to its end."""
    command = (sys.executable, "-W", "ignore", "-c", program)
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_no_code_can_swallow_the_deadline() -> None:
    assert ran(SWALLOWS_ALL).returncode == -signal.SIGALRM


def test_memory_is_held() -> None:
    assert ran(EATS_MEMORY).stdout.strip() == "held"


GUARDED = """
import ctypes, os, socket, subprocess, sys
from monitor_site.alerts.ways.apprise_guard import Guard
from monitor_site.networks import Networks
violations = []
Guard(networks=Networks(), violated=lambda: violations.append(1)).begin()
deeds = {
    "connect": lambda: socket.socket().connect(("127.0.0.1", 80)),
    "connect_ex": lambda: socket.socket().connect_ex(("10.0.0.1", 443)),
    "create": lambda: socket.create_connection(("127.0.0.1", 443)),
    "name": lambda: socket.socket().connect(("localhost", 443)),
    "udp": lambda: socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 53)),
    "unix": lambda: socket.socket(socket.AF_UNIX).connect("/tmp/socket"),
    "bind": lambda: socket.socket().bind(("127.0.0.1", 0)),
    "read": lambda: open("/etc/passwd"),
    "write": lambda: open("/tmp/alert-guard-canary", "w"),
    "low": lambda: os.open("/etc/hostname", os.O_RDONLY),
    "list": lambda: os.listdir("/"),
    "run": lambda: subprocess.run(["true"]),
    "shell": lambda: os.system("true"),
    "fork": lambda: os.fork(),
    "exec": lambda: os.execv("/bin/true", ["true"]),
    "library": lambda: ctypes.CDLL(None),
    "kill": lambda: os.kill(os.getppid(), 0),
}
for name, deed in deeds.items():
    try:
        deed()
    except PermissionError:
        print(name)
import json.tool, wave
print("imports", len(violations))
"""


def test_in_the_real_process_the_guard_stops_each_deed_and_imports_go_on() -> None:
    done = ran(GUARDED)

    stopped = done.stdout.split()
    assert stopped[:17] == [
        *("connect", "connect_ex", "create", "name", "udp", "unix", "bind", "read", "write", "low", "list"),
        *("run", "shell", "fork", "exec", "library", "kill"),
    ], done.stderr
    assert stopped[17:] == ["imports", "13"]


async def test_thirty_two_messages_go_at_once(way: Way, sink: Loopback, message: Made) -> None:
    waiting, all_here = 0, asyncio.Event()

    async def together(writer: asyncio.StreamWriter) -> None:
        nonlocal waiting
        waiting += 1
        if waiting == 32:
            all_here.set()
        await all_here.wait()
        writer.write(head(200, {"content-length": "0"}))

    sink.routes["/hook"] = together
    settings = json_address(sink)

    found = await asyncio.gather(
        *(send(kind="other", settings=settings, message=message(), way=way) for _ in range(32))
    )

    assert {each.outcome for each in found} == {Outcome.ACCEPTED}
