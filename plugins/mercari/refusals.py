"""Which answers are no answer: decided by status first, then by media type, before anything is parsed. Pure."""

from collections.abc import Mapping
from datetime import datetime

from monitor_site.contract import (
    Answer,
    Blocked,
    LayoutChanged,
    MarketplaceError,
    SignInNeeded,
    Throttled,
    Unavailable,
    retry_after,
)

_UTF8 = ("", "utf-8", "utf8", "us-ascii", "ascii")
_BOM = b"\xef\xbb\xbf"


def refuse(answer: Answer, *, now: datetime) -> None:
    """Raise what ``answer`` means unless it is a JSON answer of status 200.

    Raises: SignInNeeded (401), Blocked (403, or no JSON where JSON belongs, whatever the status), Throttled (429),
    Unavailable (5xx), LayoutChanged (any other status: the search moved or no longer understands the question;
    no body; a charset other than UTF-8).
    """
    if error := _by_status(answer, now=now):
        raise error
    if not _is_json_type(answer.media_type) or _is_markup(answer.body):
        raise Blocked(f"{answer.status} with {answer.media_type or 'no type'} where JSON belongs")
    if answer.status != 200:
        raise LayoutChanged(f"unexpected status {answer.status}")
    if not answer.body.strip():
        raise LayoutChanged("empty body")
    if (charset := _charset(answer.headers)) not in _UTF8:
        raise LayoutChanged(f"charset {charset}")


def _by_status(answer: Answer, *, now: datetime) -> MarketplaceError | None:
    if answer.status >= 500:
        return Unavailable(f"status {answer.status}", retry_after=retry_after(answer.headers, now=now))
    if answer.status == 429:
        return Throttled("status 429", retry_after=retry_after(answer.headers, now=now))
    if answer.status == 403:
        return Blocked("status 403")
    return SignInNeeded("status 401: proof not accepted") if answer.status == 401 else None


def _is_json_type(media_type: str) -> bool:
    return media_type in {"", "application/json", "text/json"} or media_type.endswith("+json")


def _is_markup(body: bytes) -> bool:
    return body[:256].removeprefix(_BOM).lstrip().startswith(b"<")


def _charset(headers: Mapping[str, str]) -> str:
    parameters = headers.get("content-type", "").partition(";")[2].split(";")
    pairs = (parameter.strip().partition("=") for parameter in parameters)
    return next((value.strip(' "').lower() for name, _, value in pairs if name.lower() == "charset"), "")
