"""What Apprise delivers goes through a process of its own, which nobody's server can hold up, fill or lead astray."""

import asyncio
import gzip
import os
import signal
from collections.abc import Callable
from typing import Any

import psutil
import pytest

from monitor_site.alerts.ways.send import Way, send
from monitor_site.alerts.ways.values import Message, Outcome, Picture
from tests.marketplaces.loopback import Loopback, head

from .asking import closes, drips, hangs, json_address

Made = Callable[..., Message]


async def test_a_message_arrives_with_its_subject_and_its_text(way: Way, sink: Loopback, message: Made) -> None:
    sink.answer("/hook", b"taken")

    answer = await send(kind="other", settings=json_address(sink), message=message(), way=way)

    assert (answer.outcome, answer.status, answer.words) == (Outcome.ACCEPTED, 200, "")
    assert 0 < answer.seconds < 10
    told = sink.asked[0].body.decode()
    assert "A camera" in told
    assert "LUMINA" in told


@pytest.mark.parametrize(
    ("status", "headers", "outcome", "waits"),
    [
        (429, {"retry-after": "34"}, Outcome.THROTTLED, 34.0),
        (429, {"retry-after": "Fri, 01 May 2099 00:00:00 GMT"}, Outcome.THROTTLED, 86_400.0),
        (429, {}, Outcome.THROTTLED, None),
        (503, {"retry-after": "5"}, Outcome.THROTTLED, 5.0),
        (500, {}, Outcome.UNREACHABLE, None),
        (410, {}, Outcome.GONE, None),
        (401, {}, Outcome.FORBIDDEN, None),
        (404, {}, Outcome.FORBIDDEN, None),
        (400, {}, Outcome.REFUSED, None),
    ],
)
async def test_a_providers_status_becomes_an_outcome(
    way: Way, sink: Loopback, message: Made, status: int, headers: dict[str, str], outcome: Outcome, waits: float | None
) -> None:
    sink.answer("/hook", b"no", status=status, **headers)

    answer = await send(kind="other", settings=json_address(sink), message=message(), way=way)

    assert (answer.outcome, answer.status, answer.retry_after) == (outcome, status, waits)


async def test_a_redirect_is_not_followed(way: Way, sink: Loopback, message: Made) -> None:
    sink.answer("/hook", b"", status=307, location=f"{sink.base}/inside")
    sink.answer("/inside", b"reached")

    answer = await send(kind="other", settings=json_address(sink), message=message(), way=way)

    assert (answer.outcome, [asked.path for asked in sink.asked]) == (Outcome.FORBIDDEN, ["/hook"])


async def test_hanging_dripping_and_endless_answers_are_cut_at_the_deadline_while_others_go_on(
    short_way: Way, sink: Loopback, message: Made
) -> None:
    sink.answer("/good", b"taken")
    sink.routes |= {"/hang": hangs, "/drip": drips(b""), "/headers": endless_head}
    await send(kind="other", settings=json_address(sink, "/good"), message=message(), way=short_way)
    paths = ["/hang", "/drip", "/headers", *["/good"] * 5]

    found = await asyncio.gather(
        *(send(kind="other", settings=json_address(sink, path), message=message(), way=short_way) for path in paths)
    )

    assert [each.outcome for each in found[:3]] == [Outcome.UNREACHABLE] * 3
    assert all(each.seconds < 8 for each in found[:3])
    assert [each.outcome for each in found[3:]] == [Outcome.ACCEPTED] * 5
    assert max(each.seconds for each in found[3:]) < min(each.seconds for each in found[:3])


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


async def test_when_the_process_is_killed_the_next_message_starts_another(way: Way, sink: Loopback, message: Made) -> None:
    sink.answer("/hook", b"taken")
    await send(kind="other", settings=json_address(sink), message=message(), way=way)
    first = way.apprise.pid
    assert first
    os.kill(first, signal.SIGKILL)

    answer = await send(kind="other", settings=json_address(sink), message=message(), way=way)

    assert (answer.outcome, way.apprise.pid != first) == (Outcome.ACCEPTED, True)


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
    assert answer.seconds < 10


async def test_the_process_knows_no_secret_of_the_installation_and_ends_with_the_way(
    near: None, sink: Loopback, message: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRETS_KEYS", "canary-canary")
    sink.answer("/hook", b"taken")
    async with Way() as way:
        await send(kind="other", settings=json_address(sink), message=message(), way=way)
        process = psutil.Process(way.apprise.pid)
        assert set(process.environ()) <= {"PYTHONPATH", "PYTHONUTF8", "PYTHONDONTWRITEBYTECODE", "LC_CTYPE"}
        assert not [name for name in loaded(process) if "django" in name]
        folder = process.cwd()
        assert os.stat(folder).st_mode & 0o777 == 0o700

    assert not process.is_running()
    assert not os.path.exists(folder)


def loaded(process: psutil.Process) -> list[str]:
    return [each.path for each in process.memory_maps()]


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


@pytest.mark.parametrize("address", ["nonsense", "pover://", "syslog://", "file:///etc/passwd", ""])
async def test_an_address_that_apprise_cannot_use_is_forbidden(way: Way, message: Made, address: str) -> None:
    answer = await send(kind="other", settings={"address": address}, message=message(), way=way)

    assert answer.outcome in {Outcome.FORBIDDEN, Outcome.UNSAFE}


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
