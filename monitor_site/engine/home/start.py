"""The start, step by step, and the end."""

import asyncio
import os
import signal
from contextlib import suppress
from datetime import UTC, datetime

import httpx
from django.conf import settings

from monitor_site.marketplaces.catalog import catalog

from . import Trouble, broker, parts, running
from .console import Console
from .ports import HERE, listener, port_of, remember_ports, remembered_ports
from .supervisor import Supervisor

WEB_WITHIN = 60.0
EARLY_SECONDS = 5.0
"""So long after the start, a part that gives up means that it cannot run here at all."""


async def run(console: Console) -> None:
    """Start everything, wait for a signal, end everything; raises :class:`Trouble` when the start fails."""
    supervisor = Supervisor(console)
    work = asyncio.ensure_future(_work(supervisor, console))
    _obey_signals(work, supervisor, console)
    try:
        with suppress(asyncio.CancelledError):
            await work
    finally:
        await supervisor.stop()


def _obey_signals(work: "asyncio.Future[None]", supervisor: Supervisor, console: Console) -> None:
    def on_signal() -> None:
        if console.quiet:
            supervisor.kill()
            return
        console.quiet = True
        console.say("\nstopping ...")
        work.cancel()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, on_signal)


async def _work(supervisor: Supervisor, console: Console) -> None:
    start = asyncio.ensure_future(_start(supervisor, console))
    trouble = asyncio.ensure_future(supervisor.trouble())
    try:
        await asyncio.wait({start, trouble}, return_when=asyncio.FIRST_COMPLETED)
        if trouble.done():
            trouble.result()
        start.result()
        supervisor.settle()
        await asyncio.Event().wait()
    finally:
        start.cancel()
        trouble.cancel()


async def _start(supervisor: Supervisor, console: Console) -> None:
    redis_url = await _redis(supervisor, console)
    markets = {} if settings.LIVE else _practice_markets(supervisor, console)
    door = listener(settings.PORT)
    address = f"http://{HERE}:{port_of(door)}"
    if settings.PORT not in (0, port_of(door)):
        console.step("port", f"{settings.PORT} is taken by another program; using {port_of(door)}")
    running.tell(_facts(address, redis_url, markets))
    supervisor.add(parts.web(shares=door.detach()))
    link, _ = await asyncio.gather(_demo_link(address), _serves(address))
    supervisor.add(parts.promoter())
    supervisor.add(parts.workers())
    _show(console, address, link)
    await asyncio.sleep(EARLY_SECONDS)


def _facts(address: str, redis_url: str, markets: dict[str, str]) -> dict[str, object]:
    return {
        "pid": os.getpid(),
        "web_url": address,
        "redis_url": redis_url,
        "practice_markets": markets,
        "started_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "live": settings.LIVE,
    }


async def _redis(supervisor: Supervisor, console: Console) -> str:
    if settings.REDIS_GIVEN:
        if not await broker.answers(settings.REDIS_URL):
            raise Trouble("The Redis that REDIS_URL names does not answer.")
        console.step("redis", "the one that REDIS_URL names")
        return str(settings.REDIS_URL)
    url = await broker.start(supervisor)
    console.step("redis", f"{broker.binary()} on port {url.rsplit(':', 1)[1].split('/')[0]}")
    return url


def _practice_markets(supervisor: Supervisor, console: Console) -> dict[str, str]:
    """Start one for every plugin; nothing waits for them, since their sockets are open already."""
    markets = {}
    for name, why in catalog().broken.items():
        console.step("plugin", f"{name} does not work: {why}")
    before = remembered_ports()
    for name in catalog().plugins:
        door = listener(before.get(name, 0))
        markets[name] = f"http://{HERE}:{port_of(door)}"
        log = settings.DATA_DIR / "practice" / f"{name}.jsonl"
        supervisor.add(parts.practice_market(name, shares=door.detach(), truth_log=log))
        console.step("practice market", f"{name} at {markets[name]}")
    remember_ports(markets)
    return markets


async def _demo_link(address: str) -> str:
    """A one-time sign-in for the demo user; empty where there is none. Raises :class:`Trouble`."""
    if not settings.DEMO:
        return ""
    process = await asyncio.create_subprocess_exec(
        *parts.command("demo", "--address", address),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        out, complaints = await process.communicate()
    finally:
        with suppress(ProcessLookupError):
            process.kill()
    if process.returncode:
        raise Trouble(f"The demo user could not be made:\n{complaints.decode('utf-8', 'replace')[-2000:]}")
    return out.decode().strip()


async def _serves(address: str) -> None:
    """Return when the pages answer."""
    async with httpx.AsyncClient(trust_env=False, timeout=WEB_WITHIN) as client:
        while not await _answers(client, address):  # noqa: ASYNC110 - another process has no event to wait for
            await asyncio.sleep(0.1)


async def _answers(client: httpx.AsyncClient, address: str) -> bool:
    try:
        return (await client.get(f"{address}/healthz")).is_success
    except httpx.HTTPError:
        return False


def _show(console: Console, address: str, link: str) -> None:
    enter = link or "make your first user: .venv/bin/python manage.py createsuperuser"
    console.say()
    console.step("Open", address)
    console.step("Sign in", f"{enter}{'   (works once)' if link else ''}")
    console.step("Data and logs", str(settings.DATA_DIR))
    console.step("Stop", "Ctrl-C")
    console.say()
