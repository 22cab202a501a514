"""The right of one visit to spend: once, and with a memory of how far it came, whatever the plugin says later."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from ..errors import MarketplaceError, NotSent, OutcomeUnknown, PluginFault, Refused
from ..values import Answer

SENDS_BYTES = ".send_request_headers.started"
SAYS_NOTHING_FROM = 500
REDIRECTS = range(300, 400)


@dataclass(frozen=True, slots=True, kw_only=True)
class WouldSend:
    """What a rehearsal would have sent; headers are left out, since they are the way to act as somebody."""

    url: str
    json: Any = field(repr=False)


class Rehearsed(NotSent):
    """All was made ready and recorded; nothing was sent."""


@dataclass(slots=True, kw_only=True)
class Spending:
    """One right to spend. ``before`` is asked last, when all is ready: it raises to keep the request back.

    ``rehearses``: what would be sent is recorded in ``recorded`` instead.
    """

    before: Callable[[], Awaitable[None]] | None = None
    rehearses: bool = False
    used: bool = False
    begun: bool = False
    answer: Answer | None = None
    recorded: WouldSend | None = None
    kept_back: MarketplaceError | None = None

    def use_up(self) -> None:
        """There is one; a second one is the plugin's fault."""
        if self.used:
            raise PluginFault("wanted to commit twice in one visit")
        self.used = True

    async def ask_leave(self, would_send: WouldSend) -> None:
        """Whether our own rules let it go, now that only sending is left. Raises :class:`MarketplaceError`."""
        if self.rehearses:
            self.recorded, self.kept_back = would_send, Rehearsed("all but sent")
            raise self.kept_back
        try:
            if self.before is not None:
                await self.before()
        except MarketplaceError as error:
            self.kept_back = error
            raise
        except Exception as error:
            self.kept_back = NotSent(f"the last check failed: {type(error).__name__}")
            raise self.kept_back from error

    async def notice(self, event: str, info: dict[str, Any]) -> None:
        """Hear what the connection does. From here on nobody can say that nothing was sent."""
        # Asking a proxy for a tunnel is not yet asking the marketplace.
        if event.endswith(SENDS_BYTES) and info["request"].method != b"CONNECT":
            self.begun = True

    def refuse_unanswered(self) -> None:
        """A receipt is believed only where a whole answer could have told it. Raises :class:`PluginFault`."""
        if self.kept_back is not None:
            raise self.kept_back
        if not self._is_answered():
            raise PluginFault("told of something that no answer tells of")

    def judge(self, error: MarketplaceError) -> MarketplaceError:
        """What a plugin's error means, given how far it came."""
        if not self.begun:
            return self.kept_back or error
        if isinstance(error, OutcomeUnknown) or (isinstance(error, Refused) and self._is_answered()):
            return error
        unknown = OutcomeUnknown(f"sent, then {error.code}: {error.detail}")
        unknown.__cause__ = error
        return unknown

    def _is_answered(self) -> bool:
        """Whether a whole answer came; a server that failed or points elsewhere has said nothing."""
        answer = self.answer
        return answer is not None and answer.status < SAYS_NOTHING_FROM and answer.status not in REDIRECTS
