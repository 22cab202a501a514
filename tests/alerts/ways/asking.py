"""What tests of the ways say again and again."""

import asyncio
from collections.abc import Callable

from monitor_site.marketplaces.transport import Resolve
from tests.marketplaces.loopback import Loopback, Route, head

NEAR = "127.0.0.0/8"
SECRET = "whsec_" + "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWY="


def json_address(sink: Loopback, path: str = "/hook") -> dict[str, str]:
    """The settings of a channel of the kind ``other`` that posts JSON to the sink."""
    return {"address": f"json://127.0.0.1:{sink.port}{path}"}


def hook(sink: Loopback, path: str = "/hook") -> dict[str, str]:
    """The settings of a webhook to the sink."""
    return {"url": f"{sink.base}{path}", "secret": SECRET}


def answers(*addresses: str) -> Resolve:
    """A resolver that says the same of every name."""

    async def resolver(_host: str, _port: int) -> list[str]:
        return list(addresses)

    return resolver


def says(*addresses: str) -> Callable[[str, int], list[str]]:
    """The same, for the moment in which a form is checked."""
    return lambda _host, _port: list(addresses)


def drips(content: bytes) -> Route:
    """An answer whose body never ends, a piece at a time."""

    async def route(writer: asyncio.StreamWriter) -> None:
        writer.write(head(200, {"content-type": "text/plain"}))
        while True:
            writer.write(content)
            await writer.drain()
            await asyncio.sleep(0)

    return route


async def hangs(_writer: asyncio.StreamWriter) -> None:
    """Never answers."""
    await asyncio.Event().wait()


async def closes(writer: asyncio.StreamWriter) -> None:
    """Hangs up in the middle of an answer."""
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf")
    await writer.drain()
    writer.close()
