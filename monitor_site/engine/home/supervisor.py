"""Keeps children alive, and ends them together."""

import asyncio
import signal
import time
from collections.abc import Iterable

from . import Trouble
from .child import Child, Part
from .console import Console

FIRST_PAUSE, LONGEST_PAUSE, CALM_AFTER = 0.5, 10.0, 30.0
PATIENCE, LAST_PATIENCE = 2.5, 0.4


class Supervisor:
    """Until :meth:`settle`, a child that ends once too often fails the start; later it is always started again.

    ``patience`` is how many seconds children have to end when all stops, ``longest_pause`` how many seconds at most
    pass before one that ended starts again.
    """

    def __init__(self, console: Console, *, patience: float = PATIENCE, longest_pause: float = LONGEST_PAUSE) -> None:
        self._console = console
        self._patience = patience
        self._longest_pause = longest_pause
        self._keepers: dict[Child, asyncio.Task[None]] = {}
        self._settled = self._stopping = False
        self._trouble: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def add(self, part: Part) -> Child:
        """Start ``part`` and keep it alive."""
        child = Child(part, self._console)
        self._keepers[child] = asyncio.create_task(self._keep(child))
        return child

    def settle(self) -> None:
        """The start is over."""
        self._settled = True

    async def trouble(self) -> None:
        """Raises :class:`Trouble` as soon as a child fails the start."""
        await asyncio.shield(self._trouble)

    async def _keep(self, child: Child) -> None:
        pause = FIRST_PAUSE
        while True:
            started = time.monotonic()
            code = await child.run()
            if self._stopping or child.retired or self._fails_the_start(child, code):
                return
            pause = FIRST_PAUSE if time.monotonic() - started > CALM_AFTER else pause
            self._console.say(f"{child.part.name} ended ({reason(code)}); it starts again in {pause:g} s")
            await asyncio.sleep(pause)
            pause = min(pause * 2, self._longest_pause)

    def _fails_the_start(self, child: Child, code: int) -> bool:
        if self._settled or code < 0 or child.ends < child.part.tries:
            return False
        if not self._trouble.done():
            last = "\n".join(f"    {line}" for line in child.tail) or "    (it wrote nothing)"
            sentence = f"{child.part.name} could not start ({reason(code)}). Its last lines:\n{last}"
            self._trouble.set_exception(Trouble(sentence))
        return True

    async def retire(self, child: Child) -> None:
        """One child fewer: it may finish what it has within the patience, and is not started again."""
        child.retired = True
        child.ask_to_end()
        await self._wait_for([self._keepers[child]], self._patience)
        child.kill()
        del self._keepers[child]

    async def stop(self) -> None:
        """End all within five seconds: first whoever works, then whoever serves them."""
        self._stopping = self._console.quiet = True
        self._trouble.cancel()
        await self._end([child for child in self._keepers if not child.part.serves], self._patience)
        await self._end([child for child in self._keepers if child.part.serves], LAST_PATIENCE)
        self.kill()
        await self._wait_for(self._keepers.values(), LAST_PATIENCE)
        for keeper in self._keepers.values():
            keeper.cancel()
        await asyncio.gather(*self._keepers.values(), return_exceptions=True)

    def kill(self) -> None:
        """End all at once."""
        for child in self._keepers:
            child.kill()

    async def _end(self, children: list[Child], seconds: float) -> None:
        for child in children:
            if child.alive:
                child.ask_to_end()
            else:
                self._keepers[child].cancel()
        await self._wait_for([self._keepers[child] for child in children], seconds)

    async def _wait_for(self, keepers: Iterable[asyncio.Task[None]], seconds: float) -> None:
        if waiting := [keeper for keeper in keepers if not keeper.done()]:
            await asyncio.wait(waiting, timeout=seconds)


def reason(code: int) -> str:
    """An exit code in words."""
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"
