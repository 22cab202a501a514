"""One open page as the web process sees it: who listens, by which session, and what waits to be told."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

QUEUE = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """How the person of a page is signed in: the key of the session, and what changes with the password."""

    session_key: str
    auth_hash: str


@dataclass(eq=False, slots=True)
class Listener:
    """One open page. ``queue`` holds ``(kind, content)``: entries and figures; ``None`` ends the stream.

    ``page`` tells one rendered page from another, so that one that comes back takes the place it had.
    """

    user_id: int
    page: str = ""
    proof: Proof | None = None
    queue: "asyncio.Queue[tuple[str, Any] | None]" = field(default_factory=lambda: asyncio.Queue(QUEUE))

    def tell(self, kind: str, content: Any) -> None:
        """Put something into the queue; when it is full the page starts over."""
        if self.queue.full():
            while not self.queue.empty():
                self.queue.get_nowait()
            self.queue.put_nowait(("resync", None))
        self.queue.put_nowait((kind, content))

    def end(self) -> None:
        """Nothing comes after this."""
        while self.queue.full():
            self.queue.get_nowait()
        self.queue.put_nowait(None)
