"""Which answers are no answer: decided by status first, then by media type, before anything is parsed. Pure."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from monitor_site.contract import (
    Answer,
    Blocked,
    LayoutChanged,
    ListingGone,
    MarketplaceError,
    SignInNeeded,
    Throttled,
    Unavailable,
    retry_after,
)

from . import fields
from .body import is_markup, load

NOT_FOUND = "RecordNotFoundException"
_UTF8 = ("", "utf-8", "utf8", "us-ascii", "ascii")


def refuse(answer: Answer, *, now: datetime) -> None:
    """Raise what ``answer`` means unless it is a JSON answer of status 200.

    Raises: SignInNeeded (401), Blocked (403, or no JSON where JSON belongs, whatever the status), Throttled (429),
    Unavailable (5xx), LayoutChanged (any other status: the search moved or no longer understands the question;
    no body; a charset other than UTF-8).
    """
    if error := _by_status(answer, now=now):
        raise error
    if not _is_json(answer):
        raise Blocked(f"{answer.status} with {answer.media_type or 'no type'} where JSON belongs")
    if answer.status != 200:
        raise LayoutChanged(f"unexpected status {answer.status}")
    if not answer.body.strip():
        raise LayoutChanged("empty body")
    if (charset := _charset(answer.headers)) not in _UTF8:
        raise LayoutChanged(f"charset {charset}")


def refuse_look(answer: Answer, *, now: datetime) -> None:
    """As :func:`refuse`, for one listing.

    Raises: ListingGone, too: a 404 that names the missing record, or a 403 whose body is a JSON object, which is
    how a removed listing answers; a block comes as a page.
    """
    if answer.status == 404 and NOT_FOUND in _codes(answer):
        raise ListingGone("404: no such record")
    if answer.status == 403 and object_of(answer):
        raise ListingGone("403: removed")
    refuse(answer, now=now)


def _by_status(answer: Answer, *, now: datetime) -> MarketplaceError | None:
    if answer.status >= 500:
        return Unavailable(f"status {answer.status}", retry_after=retry_after(answer.headers, now=now))
    if answer.status == 429:
        return Throttled("status 429", retry_after=retry_after(answer.headers, now=now))
    if answer.status == 403:
        return Blocked("status 403")
    return SignInNeeded("status 401: proof not accepted") if answer.status == 401 else None


def _codes(answer: Answer) -> list[object]:
    """The codes of the errors that an answer names."""
    return [fields.mapping(error).get("code") for error in fields.items(object_of(answer).get("errors"))]


def object_of(answer: Answer) -> Mapping[str, Any]:
    """The JSON object in an answer of any status; empty when it holds none, or is a page posing as one."""
    if not answer.media_type or not _is_json(answer):
        return {}
    try:
        return fields.mapping(load(answer.body))
    except LayoutChanged:
        return {}


def _is_json(answer: Answer) -> bool:
    return _is_json_type(answer.media_type) and not is_markup(answer.body)


def _is_json_type(media_type: str) -> bool:
    return media_type in {"", "application/json", "text/json"} or media_type.endswith("+json")


def _charset(headers: Mapping[str, str]) -> str:
    parameters = headers.get("content-type", "").partition(";")[2].split(";")
    pairs = (parameter.strip().partition("=") for parameter in parameters)
    return next((value.strip(' "').lower() for name, _, value in pairs if name.lower() == "charset"), "")
