"""The only way out, against a server that misbehaves over real sockets."""

import asyncio
import gzip
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
import redis as redis_library
import redis.asyncio
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from monitor_site.contract import Answer, LayoutChanged, NoPace, Pace, PluginFault, Unavailable
from monitor_site.marketplaces.cookies import Cookies
from monitor_site.marketplaces.exchange import Exchange
from monitor_site.marketplaces.hosts import Reach
from monitor_site.marketplaces.pace import pace_key
from monitor_site.marketplaces.session import HttpSession
from monitor_site.marketplaces.tokens import Tokens
from monitor_site.marketplaces.transport import Limits, open_client
from tests.nowhere import closed_port

from .clock import LONG, let_time_pass
from .loopback import PACE, Loopback, Route, head

MEGABYTE = 1024 * 1024
SHORT = Limits(deadline_seconds=0.3)

Open = Callable[..., HttpSession]


@pytest.fixture
async def opened(loopback: Loopback, aredis: redis.asyncio.Redis) -> AsyncIterator[Open]:
    """Sessions at the practice market that the loopback server plays."""
    clients: list[httpx.AsyncClient] = []

    def session(**changes: Any) -> HttpSession:
        limits = changes.get("limits", Limits())
        reach = changes.get("reach", Reach.practising(loopback.base))
        clients.append(client := open_client(guarded=not reach.practice, limits=limits))
        usual = {
            "client": client,
            "tokens": Tokens(aredis),
            "marketplace": "bazaar",
            "base": loopback.base,
            "web": loopback.base,
            "cookies": Cookies(reach),
        }
        return HttpSession(**(usual | {"reach": reach, "pace": PACE} | changes))

    yield session
    for client in clients:
        await client.aclose()


async def test_an_answer_of_any_status_is_returned_with_lower_case_headers(opened: Open, loopback: Loopback) -> None:
    loopback.answer("/gone", b'{"no":1}', status=410, **{"Content-Type": "Application/JSON; charset=utf-8"})

    answer = await opened().get(f"{loopback.base}/gone")

    assert (answer.status, answer.body, answer.media_type) == (410, b'{"no":1}', "application/json")
    assert answer.url == f"{loopback.base}/gone"


async def test_json_is_posted_with_the_headers_of_the_plugin(opened: Open, loopback: Loopback) -> None:
    loopback.answer("/search", b"[]")

    await opened().post(f"{loopback.base}/search", json={"keyword": "カメラ"}, headers={"X-Platform": "web"})

    asked = loopback.asked[0]
    assert (asked.method, asked.body.decode(), asked.headers["x-platform"]) == ("POST", '{"keyword":"カメラ"}', "web")


async def test_we_say_who_we_are_unless_the_plugin_says_it(opened: Open, loopback: Loopback) -> None:
    loopback.answer("/", b"")
    session = opened()

    await session.get(f"{loopback.base}/")
    await session.get(f"{loopback.base}/", headers={"User-Agent": "Mozilla/5.0 (honest)"})

    agents = [asked.headers["user-agent"] for asked in loopback.asked]
    assert agents == ["Mozilla/5.0 (compatible; marketplace-monitor)", "Mozilla/5.0 (honest)"]


async def test_a_connection_is_used_again(opened: Open, loopback: Loopback) -> None:
    loopback.answer("/", b"once more")
    session = opened()

    for _ in range(3):
        await session.get(f"{loopback.base}/")

    assert loopback.connections == 1


@pytest.mark.parametrize("name", ["Host", "Content-Length", "accept-encoding", "Transfer-Encoding", "X-Forwarded-For"])
async def test_a_plugin_does_not_set_the_headers_that_guard_us(opened: Open, loopback: Loopback, name: str) -> None:
    with pytest.raises(PluginFault, match="not the plugin's"):
        await opened().get(f"{loopback.base}/", headers={name: "1"})

    assert not loopback.asked


async def test_a_body_that_drips_is_cut_at_the_deadline(opened: Open, loopback: Loopback) -> None:
    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(head(200, {"content-length": "200"}))
        for _ in range(200):
            writer.write(b".")
            await writer.drain()
            await asyncio.sleep(0.02)

    loopback.routes["/"] = drip

    with pytest.raises(Unavailable, match="no whole answer"):
        await opened(limits=SHORT).get(f"{loopback.base}/")


async def test_headers_that_drip_are_cut_at_the_deadline(opened: Open, loopback: Loopback) -> None:
    async def drip(writer: asyncio.StreamWriter) -> None:
        for letter in head(200, {"content-length": "0", "x-slow": "y" * 200}).decode():
            writer.write(letter.encode())
            await writer.drain()
            await asyncio.sleep(0.02)

    loopback.routes["/"] = drip

    with pytest.raises(Unavailable, match="no whole answer"):
        await opened(limits=SHORT).get(f"{loopback.base}/")


async def test_headers_and_then_silence_are_cut_at_the_deadline(opened: Open, loopback: Loopback) -> None:
    async def fall_silent(writer: asyncio.StreamWriter) -> None:
        writer.write(head(200, {"content-length": "10"}))
        await writer.drain()
        await asyncio.Event().wait()

    loopback.routes["/"] = fall_silent

    with pytest.raises(Unavailable, match="no whole answer"):
        await opened(limits=SHORT).get(f"{loopback.base}/")


async def test_an_endless_body_is_cut_at_the_cap(opened: Open, loopback: Loopback) -> None:
    async def flood(writer: asyncio.StreamWriter) -> None:
        writer.write(head(200, {"transfer-encoding": "chunked"}))
        while True:
            writer.write(b"10000\r\n" + bytes(0x10000) + b"\r\n")
            await writer.drain()

    loopback.routes["/"] = flood
    session = opened()

    with pytest.raises(LayoutChanged, match="more than"):
        await session.get(f"{loopback.base}/")

    assert 8 * MEGABYTE < session.bytes < 9 * MEGABYTE


async def test_fifty_announced_megabytes_are_not_even_begun(opened: Open, loopback: Loopback) -> None:
    async def heavy(writer: asyncio.StreamWriter) -> None:
        writer.write(head(200, {"content-length": str(50 * MEGABYTE)}))
        for _ in range(50):
            writer.write(bytes(MEGABYTE))
            await writer.drain()

    loopback.routes["/"] = heavy
    session = opened()

    with pytest.raises(LayoutChanged, match="announces"):
        await session.get(f"{loopback.base}/")

    assert session.bytes == 0


async def test_a_packed_answer_is_unpacked_and_its_packed_bytes_count(opened: Open, loopback: Loopback) -> None:
    packed = gzip.compress(b"x" * 100_000)
    loopback.answer("/", packed, content_encoding="gzip")
    session = opened()

    answer = await session.get(f"{loopback.base}/")

    assert answer.body == b"x" * 100_000
    assert session.bytes == len(packed)


async def test_a_small_bomb_never_becomes_large_in_memory(opened: Open, loopback: Loopback) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    first, again = (packer.compress(bytes(MEGABYTE)) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    bomb = first + again * 299
    loopback.answer("/", bomb, content_encoding="gzip")
    session = opened()

    tracemalloc.start()
    with pytest.raises(LayoutChanged, match="after unpacking"):
        await session.get(f"{loopback.base}/")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 64 * MEGABYTE


async def test_a_packed_answer_that_ends_in_the_middle_is_not_half_an_answer(opened: Open, loopback: Loopback) -> None:
    loopback.answer("/", gzip.compress(b"x" * 1000)[:-9], content_encoding="gzip")

    with pytest.raises(LayoutChanged, match="in the middle"):
        await opened().get(f"{loopback.base}/")


@pytest.mark.parametrize("encoding", ["br", "zstd", "deflate", "compress", "gzip, gzip", "gzip,"])
async def test_an_encoding_nobody_asked_for_is_not_read(opened: Open, loopback: Loopback, encoding: str) -> None:
    loopback.answer("/", b"???", content_encoding=encoding)

    with pytest.raises(LayoutChanged, match="nobody asked for"):
        await opened().get(f"{loopback.base}/")


@pytest.mark.parametrize("more", [gzip.compress(b"y" * 1000, mtime=0), b"plain"], ids=["packed", "plain"])
async def test_a_packed_answer_that_goes_on_after_its_end_is_not_read(
    opened: Open, loopback: Loopback, more: bytes
) -> None:
    loopback.answer("/", gzip.compress(b"x" * 1000) + more, content_encoding="gzip")

    with pytest.raises(LayoutChanged, match="after its end"):
        await opened().get(f"{loopback.base}/")


async def test_padding_after_a_packed_answer_is_no_part_of_it(opened: Open, loopback: Loopback) -> None:
    loopback.answer("/", gzip.compress(b"x" * 1000) + bytes(100), content_encoding="gzip")

    assert (await opened().get(f"{loopback.base}/")).body == b"x" * 1000


async def test_a_body_in_tiny_chunks_is_whole_and_takes_no_more_memory_than_it_has_bytes(
    opened: Open, loopback: Loopback
) -> None:
    async def crumbs(writer: asyncio.StreamWriter) -> None:
        writer.write(head(200, {"transfer-encoding": "chunked"}) + b"2\r\nxy\r\n" * 60_000 + b"0\r\n\r\n")

    loopback.routes["/"] = crumbs
    session = opened()

    assert (await session.get(f"{loopback.base}/")).body == b"xy" * 60_000
    assert session.bytes == 120_000


async def test_headers_without_end_are_cut_off(opened: Open, loopback: Loopback) -> None:
    async def flood(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 X\r\n")
        while True:
            writer.write(b"x-more: and more\r\n" * 1000)
            await writer.drain()

    loopback.routes["/"] = flood

    with pytest.raises(Unavailable, match="RemoteProtocolError"):
        await opened().get(f"{loopback.base}/")


async def test_headers_after_the_body_without_end_are_cut_off(opened: Open, loopback: Loopback) -> None:
    async def flood(writer: asyncio.StreamWriter) -> None:
        writer.write(head(200, {"transfer-encoding": "chunked"}) + b"1\r\nx\r\n0\r\n")
        while True:
            writer.write(b"x-more: and more\r\n" * 1000)
            await writer.drain()

    loopback.routes["/"] = flood

    with pytest.raises(Unavailable, match="RemoteProtocolError"):
        await opened().get(f"{loopback.base}/")


async def test_a_chunk_whose_size_never_ends_is_cut_off(opened: Open, loopback: Loopback) -> None:
    async def flood(writer: asyncio.StreamWriter) -> None:
        writer.write(head(200, {"transfer-encoding": "chunked"}) + b"1;")
        while True:
            writer.write(b"x" * 10_000)
            await writer.drain()

    loopback.routes["/"] = flood

    with pytest.raises(Unavailable, match="RemoteProtocolError"):
        await opened().get(f"{loopback.base}/")


async def test_an_answer_that_is_only_announced_for_ever_is_cut_at_the_deadline(
    opened: Open, loopback: Loopback
) -> None:
    async def flood(writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 50)
            await writer.drain()

    loopback.routes["/"] = flood

    with pytest.raises(Unavailable, match="no whole answer"):
        await opened(limits=SHORT).get(f"{loopback.base}/")


async def test_noise_that_claims_to_be_packed_is_not_read(opened: Open, loopback: Loopback) -> None:
    loopback.answer("/", b"not gzip at all", content_encoding="gzip")

    with pytest.raises(LayoutChanged, match="cannot be unpacked"):
        await opened().get(f"{loopback.base}/")


@pytest.mark.parametrize(
    "sent", [b"", b"HTTP/1.1 200 X\r\ncontent-length: 90\r\n\r\nhalf", b"\x16\x03\x01 not http\r\n\r\n"]
)
async def test_a_connection_cut_short_is_unavailable(opened: Open, loopback: Loopback, sent: bytes) -> None:
    async def cut(writer: asyncio.StreamWriter) -> None:
        writer.write(sent)
        await writer.drain()
        writer.transport.abort()

    loopback.routes["/"] = cut

    with pytest.raises(Unavailable):
        await opened().get(f"{loopback.base}/")


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_read_whose_connection_is_reset_before_an_answer_is_tried_once_more(
    opened: Open, loopback: Loopback, method: str
) -> None:
    loopback.routes["/"] = resetting(loopback, times=1)
    session = opened()

    asking = session.get(f"{loopback.base}/") if method == "GET" else session.post(f"{loopback.base}/", json={"q": 1})

    assert (await asking).body == b"at last"
    assert (loopback.connections, len(loopback.asked)) == (2, 2)
    assert loopback.asked[0].body == loopback.asked[1].body


async def test_a_read_is_not_tried_a_third_time(opened: Open, loopback: Loopback) -> None:
    loopback.routes["/"] = resetting(loopback, times=2)

    with pytest.raises(Unavailable):
        await opened().get(f"{loopback.base}/")

    assert len(loopback.asked) == 2


async def test_kept_connections_that_died_meanwhile_cost_nothing(opened: Open, loopback: Loopback) -> None:
    """All of the pool may be dead: the second try has a connection of its own."""
    loopback.answer("/", b"well")
    session = opened()
    await asyncio.gather(*(session.get(f"{loopback.base}/") for _ in range(3)))
    loopback.routes["/"] = resetting(loopback, times=1)

    assert (await session.get(f"{loopback.base}/")).body == b"at last"


async def test_an_answer_that_breaks_off_is_not_asked_for_again(opened: Open, loopback: Loopback) -> None:
    async def cut(writer: asyncio.StreamWriter) -> None:
        writer.write(head(200, {"content-length": "90"}) + b"half")
        await writer.drain()
        writer.transport.abort()

    loopback.routes["/"] = cut

    with pytest.raises(Unavailable):
        await opened().get(f"{loopback.base}/")

    assert len(loopback.asked) == 1


async def test_both_tries_share_one_deadline(opened: Open, loopback: Loopback) -> None:
    async def hold(writer: asyncio.StreamWriter) -> None:
        if len(loopback.asked) == 1:
            writer.transport.abort()
        await asyncio.Event().wait()

    loopback.routes["/"] = hold

    with pytest.raises(Unavailable, match=r"no whole answer in 0\.3"):
        await opened(limits=SHORT).get(f"{loopback.base}/")


async def test_a_request_that_may_not_be_sent_twice_is_not(opened: Open, loopback: Loopback) -> None:
    loopback.routes["/"] = resetting(loopback, times=1)
    session = opened()
    exchange = Exchange(client=session.client, limits=session.limits, count=lambda _: None)

    with pytest.raises(Unavailable):
        await exchange.ask("POST", httpx.URL(f"{loopback.base}/"), json={})

    assert len(loopback.asked) == 1


async def test_a_port_where_nobody_listens_is_unavailable(opened: Open) -> None:
    nowhere = f"http://127.0.0.1:{closed_port()}"

    with pytest.raises(Unavailable):
        await opened(reach=Reach.practising(nowhere)).get(f"{nowhere}/")


async def test_a_redirect_inside_the_marketplace_is_followed(opened: Open, loopback: Loopback) -> None:
    loopback.answer("/old", status=301, location="/new")
    loopback.answer("/new", b"here")

    answer = await opened().get(f"{loopback.base}/old", headers={"X-Platform": "web"})

    assert (answer.body, answer.url) == (b"here", f"{loopback.base}/new")
    assert loopback.asked[1].headers["x-platform"] == "web"


@pytest.mark.parametrize(
    "location", ["http://127.0.0.1:1/admin", "https://elsewhere.example/", "file:///etc/passwd", "http://[::1", "//[x"]
)
async def test_a_redirect_elsewhere_is_never_followed(opened: Open, loopback: Loopback, location: str) -> None:
    loopback.answer("/", status=302, location=location)
    session = opened()

    try:
        answer = await session.get(f"{loopback.base}/")
    except Unavailable:
        pass
    else:
        assert (answer.status, answer.headers["location"]) == (302, location)

    assert len(loopback.asked) == 1


async def test_redirects_in_a_circle_end(opened: Open, loopback: Loopback) -> None:
    loopback.answer("/", status=302, location="/")

    with pytest.raises(Unavailable, match="redirects"):
        await opened().get(f"{loopback.base}/")

    assert len(loopback.asked) == 4


async def test_a_redirected_post_is_not_sent_again(opened: Open, loopback: Loopback) -> None:
    loopback.answer("/", status=307, location="/again")

    answer = await opened().post(f"{loopback.base}/", json={})

    assert (answer.status, len(loopback.asked)) == (307, 1)


@pytest.mark.parametrize(
    "url",
    [
        "https://elsewhere.example/",
        "http://127.0.0.1:1/",
        "https://api.bazaar.example@elsewhere.example/",
        "file:///etc/passwd",
        "/relative",
        "",
        "http://[broken",
        None,
    ],
)
async def test_a_plugin_asks_its_practice_market_and_nobody_else(opened: Open, loopback: Loopback, url: Any) -> None:
    with pytest.raises(PluginFault):
        await opened().get(url)

    assert not loopback.connections


@pytest.mark.parametrize(
    "url",
    [
        "http://api.bazaar.example/",
        "https://bazaar.example/",
        "https://xapi.bazaar.example/",
        "https://api.bazaar.example.elsewhere.example/",
        "https://\u0430pi.bazaar.example/",
        "https://api.bazaar.example./",
        "https://api.bazaar.example%2eelsewhere.example/",
    ],
)
async def test_a_live_plugin_asks_its_hosts_encrypted_and_nobody_else(opened: Open, url: str) -> None:
    with pytest.raises(PluginFault, match="manifest"):
        await opened(reach=Reach.live(["api.bazaar.example"])).get(url)


async def test_a_live_host_on_a_private_address_is_not_asked(opened: Open, loopback: Loopback) -> None:
    session = opened(reach=Reach.live(["localhost"]))

    with pytest.raises(Unavailable, match="public"):
        await session.get(f"https://localhost:{loopback.port}/")

    assert not loopback.connections


async def test_a_request_waits_for_its_pace(opened: Open, loopback: Loopback, redis: redis_library.Redis) -> None:
    loopback.answer("/", b"in time")
    empty_bucket(redis)

    answer = await opened().get(f"{loopback.base}/")

    assert answer.body == b"in time"


async def test_a_request_that_would_wait_too_long_never_leaves(
    opened: Open, loopback: Loopback, redis: redis_library.Redis
) -> None:
    empty_bucket(redis)
    session = opened(pace=every(1))

    with pytest.raises(NoPace, match="no pace left"):
        await session.get(f"{loopback.base}/")

    assert not loopback.connections


async def test_a_heavy_request_pays_all_of_its_tokens(
    opened: Open, loopback: Loopback, redis: redis_library.Redis
) -> None:
    loopback.answer("/")
    session = opened(pace=every(40))

    await session.get(f"{loopback.base}/", weight=3)

    assert float(redis.hget(pace_key("bazaar"), "tokens") or 0) == 1


async def test_a_heavy_request_whose_second_token_comes_too_late_pays_nothing_at_all(
    opened: Open, loopback: Loopback, redis: redis_library.Redis
) -> None:
    # Of the future: until then no token comes back, however long all this takes.
    redis.hset(pace_key("bazaar"), mapping={"tokens": 1.5, "at": (redis.time()[0] + 3600) * 1000})
    session = opened(pace=every(20), limits=Limits(deadline_seconds=1))

    with pytest.raises(NoPace, match="no pace left"):
        await session.get(f"{loopback.base}/", weight=2)

    assert not loopback.connections
    assert float(redis.hget(pace_key("bazaar"), "tokens") or 0) == 1.5


@pytest.mark.parametrize("weight", [0, -1, 11, 1.5, None])
async def test_a_weight_that_is_none_is_the_plugins_fault(opened: Open, loopback: Loopback, weight: Any) -> None:
    with pytest.raises(PluginFault, match="weighs"):
        await opened().get(f"{loopback.base}/", weight=weight)

    assert not loopback.connections


async def test_a_persons_account_has_a_pace_of_its_own(
    opened: Open, loopback: Loopback, redis: redis_library.Redis
) -> None:
    loopback.answer("/", b"hers")
    empty_bucket(redis)

    answer = await opened(account=7, pace=every(1)).get(f"{loopback.base}/")

    assert answer.body == b"hers"
    assert redis.exists(pace_key("bazaar", 7))


async def test_every_hop_of_a_redirect_costs_its_pace(
    opened: Open, loopback: Loopback, redis: redis_library.Redis
) -> None:
    loopback.answer("/old", status=301, location="/new")
    session = opened(pace=every(1))

    with pytest.raises(NoPace, match="no pace left"):
        await session.get(f"{loopback.base}/old")

    assert [asked.path for asked in loopback.asked] == ["/old"]


async def test_nothing_is_asked_while_redis_is_away(opened: Open, loopback: Loopback) -> None:
    away = redis.asyncio.Redis(port=closed_port(), retry=Retry(NoBackoff(), 0))
    session = opened(tokens=Tokens(away))

    with pytest.raises(NoPace, match="Redis"):
        await session.get(f"{loopback.base}/")

    assert not loopback.connections


async def test_a_big_answer_is_read_in_a_thread_and_a_small_one_at_once(opened: Open) -> None:
    def reader(_: Answer) -> bool:
        try:
            return bool(asyncio.get_running_loop())
        except RuntimeError:
            return False

    session = opened()

    in_loop = [await session.read(reader, page(size)) for size in (128 * 1024, 128 * 1024 + 1)]

    assert in_loop == [True, False]


async def test_a_reader_that_raises_stop_iteration_keeps_nobody_waiting(opened: Open) -> None:
    with pytest.raises(RuntimeError, match="StopIteration"):
        await opened().read(lambda answer: next(iter(())), page(200_000))


async def test_being_cancelled_passes_through(opened: Open, loopback: Loopback) -> None:
    reached = asyncio.Event()

    async def hold(writer: asyncio.StreamWriter) -> None:
        reached.set()
        await asyncio.Event().wait()

    loopback.routes["/"] = hold
    asking = asyncio.create_task(opened().get(f"{loopback.base}/"))
    await reached.wait()

    asking.cancel()

    with pytest.raises(asyncio.CancelledError):
        await asking


async def test_a_time_out_around_us_is_not_taken_for_ours(opened: Open, loopback: Loopback) -> None:
    async def hold(writer: asyncio.StreamWriter) -> None:
        let_time_pass()
        await asyncio.Event().wait()

    loopback.routes["/"] = hold

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(LONG):
            await opened(limits=Limits(deadline_seconds=2 * LONG)).get(f"{loopback.base}/")


def resetting(loopback: Loopback, *, times: int) -> Route:
    """Reset the connection the first ``times`` times, then answer."""
    left = [times]

    async def route(writer: asyncio.StreamWriter) -> None:
        if left[0]:
            left[0] -= 1
            writer.transport.abort()
            return
        body = b"at last"
        writer.write(head(200, {"content-length": str(len(body))}) + body)

    return route


def every(per_minute: int) -> Pace:
    return Pace(per_minute=per_minute, ceiling_per_minute=per_minute, floor_seconds=1)


def empty_bucket(redis: redis_library.Redis) -> None:
    seconds, micros = redis.time()
    redis.hset(pace_key("bazaar"), mapping={"tokens": 0, "at": seconds * 1000 + micros // 1000})


def page(size: int) -> Answer:
    return Answer(status=200, headers={}, body=bytes(size), url="")
