"""A session that answers from memory, so that a plugin can be asked anything without network."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

from ..fields import AccountSettings
from ..marketplace import Plugin
from ..values import Answer
from .secrets_kept import KeepsSecrets

T = TypeVar("T")

NOW = datetime(2026, 9, 21, 15, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a plugin asked."""

    method: str
    url: str
    headers: Mapping[str, str]
    weight: int
    json: Any = None
    form: Mapping[str, str] | None = None
    spends: bool = False


@dataclass(slots=True)
class ScriptedSession(KeepsSecrets):
    """Answers every request with what ``reply`` gives for it; ``asked`` holds the requests in order, ``reads`` counts.

    It stands where the live marketplace is: ``base`` is the plugin's API, ``web`` its home.
    """

    plugin: Plugin
    reply: Callable[[Request], Answer]
    settings: AccountSettings | None = None
    moment: datetime = NOW
    asked: list[Request] = field(default_factory=list)
    reads: int = 0
    kept: dict[str, str] = field(default_factory=dict)
    kept_until: datetime | None = None
    base: str = field(init=False)
    web: str = field(init=False)

    def __post_init__(self) -> None:
        self.base, self.web = self.plugin.api, self.plugin.manifest.home.rstrip("/")

    async def get(self, url: str, *, headers: Mapping[str, str] | None = None, weight: int = 1) -> Answer:
        """The scripted answer."""
        return self._answer(Request(method="GET", url=url, headers=dict(headers or {}), weight=weight))

    async def post(
        self,
        url: str,
        *,
        json: Any = None,
        form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        weight: int = 1,
    ) -> Answer:
        """The scripted answer."""
        return self._answer(
            Request(method="POST", url=url, headers=dict(headers or {}), weight=weight, json=json, form=form)
        )

    async def commit(self, url: str, *, json: Any, headers: Mapping[str, str] | None = None) -> Answer:
        """The scripted answer to the request that may spend."""
        return self._answer(
            Request(method="POST", url=url, headers=dict(headers or {}), weight=1, json=json, spends=True)
        )

    async def read(self, parse: Callable[[Answer], T], answer: Answer) -> T:
        """Run a parser, here and now."""
        self.reads += 1
        return parse(answer)

    def now(self) -> datetime:
        """The moment of this session; it stands still."""
        return self.moment

    def _answer(self, request: Request) -> Answer:
        self.asked.append(request)
        return self.reply(request)
