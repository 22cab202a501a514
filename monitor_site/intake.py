"""How much a request may bring: no form here is large, and a body lies on the disk before anybody looks at it."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

MOST_BYTES = 1024 * 1024

Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[dict[str, Any], Receive, Send], Awaitable[Any]]


class TooLarge(Exception):
    """A body goes on beyond what is taken."""


class Intake:
    """Before the application: a body of more than ``most`` bytes gets 413, when it says so or when it gets there."""

    def __init__(self, application: App, *, most: int = MOST_BYTES) -> None:
        self._application = application
        self._most = most

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """One connection, as ASGI has it."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        try:
            self._refuse_announced(scope)
            await self._application(scope, self._counted(receive), send)
        except TooLarge:
            await _answer(send)

    def _refuse_announced(self, scope: Message) -> None:
        for name, value in scope["headers"]:
            if name == b"content-length" and (not value.isdigit() or len(value) > 18 or int(value) > self._most):
                raise TooLarge

    def _counted(self, receive: Receive) -> Receive:
        came = 0

        async def counted() -> Message:
            nonlocal came
            message = await receive()
            came += len(message.get("body", b""))
            if came > self._most:
                raise TooLarge
            return message

        return counted


async def _answer(send: Send) -> None:
    """Whole before a body is read: Django answers after it has all of it."""
    headers = [(b"content-type", b"text/plain"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": b"This is more than any form here takes."})
