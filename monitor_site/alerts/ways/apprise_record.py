"""What the providers answered, whatever Apprise makes of it, and how much may come back. One process, one message."""

from collections.abc import Callable, Mapping
from typing import Any

import requests
from urllib3.exceptions import HTTPError

REPLY_BYTES = 64 * 1024
KEPT_LETTERS = 2_000
LAST_WORDS = {429, 410}
"""Answers after which nothing more is sent, whoever the provider is: Apprise would try some of them again at once."""


class Record:
    """Collects the answers and reports once. ``hasty``: report as soon as one request was not taken."""

    def __init__(self, *, report: Callable[[dict[str, Any]], None], hasty: bool) -> None:
        self._report = report
        self._hasty = hasty
        self._calls: list[dict[str, Any]] = []

    def end(self, *, taken: bool | None, unsafe: bool = False) -> None:
        """Report."""
        self._report({"taken": taken, "unsafe": unsafe, "calls": self._calls})

    def unsafe(self) -> None:
        """Report at once that a forbidden place was wanted: nothing more is sent."""
        self.end(taken=False, unsafe=True)

    def watch_requests(self) -> None:
        """Every request of this process passes here: not redirected, through no proxy, its answer cut and noted."""
        record, send = self, requests.Session.send

        def watched(session: requests.Session, request: requests.PreparedRequest, **how: Any) -> requests.Response:
            session.trust_env = False
            request.headers["Accept-Encoding"] = "identity"
            try:
                response = send(session, request, **how | {"allow_redirects": False, "stream": True, "proxies": {}})
                return record.cut(response)
            except requests.RequestException:
                record.note(None, {}, b"")
                raise

        requests.Session.send = watched  # type: ignore[method-assign, assignment]

    def cut(self, response: requests.Response) -> requests.Response:
        """The answer with at most 64 KB of it."""
        try:
            body = response.raw.read(REPLY_BYTES, decode_content=True) or b""
        except (HTTPError, OSError) as error:
            raise requests.ConnectionError("the answer broke off") from error
        finally:
            response.raw.close()
        response._content, response._content_consumed = body, True  # noqa: SLF001 - no other door
        self.note(response.status_code, response.headers, body)
        return response

    def note(self, status: int | None, headers: Mapping[str, str], body: bytes) -> None:
        """Keep one answer, and report when it is the last that matters."""
        text = body[: KEPT_LETTERS * 4].decode("utf-8", "replace")[:KEPT_LETTERS]
        self._calls.append({"status": status, "retry_after": headers.get("Retry-After", "")[:60], "body": text})
        if status in LAST_WORDS or (self._hasty and (status is None or status >= 300)):
            self.end(taken=False)
