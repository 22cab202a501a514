"""Pictures that are drawn when somebody first looks at them."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable

from .reply import Reply

HEADERS = {"cache-control": "public, max-age=86400"}


class Drawings:
    """Pictures by name as WebP, made by ``draw`` in a thread; the last ``kept`` that were drawn are remembered."""

    def __init__(self, draw: Callable[[str], bytes], *, kept: int) -> None:
        self._draw, self._most = draw, kept
        self._kept: OrderedDict[str, bytes] = OrderedDict()

    async def reply(self, name: str) -> Reply:
        """The picture called ``name``, drawn now or before."""
        picture = self._kept.get(name)
        if picture is None:
            picture = await asyncio.to_thread(self._draw, name)
            self._keep(name, picture)
        return Reply(200, picture, "image/webp", HEADERS)

    def _keep(self, name: str, picture: bytes) -> None:
        self._kept[name] = picture
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
