"""A small HTTP client of the standard library, and a session over it that reaches a practice market."""

import asyncio
import json as json_text
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException
from typing import Any, TypeVar
from urllib.parse import urlencode, urlsplit

from ..errors import Unavailable
from ..fields import AccountSettings
from ..rules.spending import Spending
from ..values import Answer
from .secrets_kept import KeepsSecrets
from .session import Request

T = TypeVar("T")

SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Got:
    """What came back; header names are in lower case."""

    status_code: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return self.content.decode("utf-8", "replace")

    def json(self) -> Any:
        """The body as JSON."""
        return json_text.loads(self.content)


def fetch(  # noqa: PLR0913  all of them by name
    method: str,
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    json: Any = None,
    form: Mapping[str, str] | None = None,
    seconds: float = SECONDS,
) -> Got:
    """One request over plain HTTP, one answer of any status. Raises :class:`Unavailable` when none comes."""
    parts = urlsplit(url)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    body, named = _packed(json, form)
    connection = HTTPConnection(parts.hostname or "", parts.port or 80, timeout=seconds)
    try:
        connection.request(method, path, body=body, headers=_merged(named, headers or {}))
        answer = connection.getresponse()
        return Got(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
    except (OSError, HTTPException) as error:
        raise Unavailable(f"{type(error).__name__} at {parts.netloc}") from error
    finally:
        connection.close()


def _packed(json: Any, form: Mapping[str, str] | None) -> tuple[bytes | None, dict[str, str]]:
    if form is not None:
        return urlencode(form).encode(), {"content-type": "application/x-www-form-urlencoded"}
    if json is not None:
        return json_text.dumps(json).encode(), {"content-type": "application/json"}
    return None, {}


def _merged(ours: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    taken = {name.lower() for name in given}
    return {name: value for name, value in ours.items() if name not in taken} | dict(given)


@dataclass(slots=True)
class PlainSession(KeepsSecrets):
    """The contract's session without pace, caps and guards: only real HTTP; ``asked`` holds every request.

    A redirect is the answer: none is followed.
    """

    base: str
    settings: AccountSettings | None = None
    asked: list[Request] = field(default_factory=list)
    kept: dict[str, str] = field(default_factory=dict)
    kept_until: datetime | None = None
    spending: Spending = field(default_factory=Spending)
    commits: int = 0
    web: str = field(init=False)

    def __post_init__(self) -> None:
        self.web = self.base  # a practice market's pages are where its API is

    async def get(self, url: str, *, headers: Mapping[str, str] | None = None, weight: int = 1) -> Answer:
        """Fetch ``url``."""
        return await self._ask(Request(method="GET", url=url, headers=dict(headers or {}), weight=weight))

    async def post(
        self,
        url: str,
        *,
        json: Any = None,
        form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        weight: int = 1,
    ) -> Answer:
        """Post ``json`` or a ``form``."""
        named = dict(headers or {})
        return await self._ask(Request(method="POST", url=url, headers=named, weight=weight, json=json, form=form))

    async def commit(self, url: str, *, json: Any, headers: Mapping[str, str] | None = None) -> Answer:
        """Post the request that may spend; ``spending`` remembers how far it came."""
        self.commits, self.spending.begun = self.commits + 1, True
        self.spending.answer = None
        named = dict(headers or {})
        request = Request(method="POST", url=url, headers=named, weight=1, json=json, spends=True)
        self.spending.answer = await self._ask(request)
        return self.spending.answer

    async def read(self, parse: Callable[[Answer], T], answer: Answer) -> T:
        """Run a parser, here and now."""
        return parse(answer)

    def now(self) -> datetime:
        """The current time."""
        return datetime.now(UTC)

    async def _ask(self, request: Request) -> Answer:
        self.asked.append(request)
        got = await asyncio.to_thread(
            fetch, request.method, request.url, headers=request.headers, json=request.json, form=request.form
        )
        return Answer(status=got.status_code, headers=got.headers, body=got.content, url=request.url)
