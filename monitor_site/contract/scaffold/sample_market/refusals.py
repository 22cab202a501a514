"""Which answers are no answer: decided by status and media type, before anything is parsed. Pure."""

from datetime import datetime

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


def refuse(answer: Answer, *, now: datetime) -> None:
    """Raise what ``answer`` means unless it is JSON of status 200. ``now`` resolves a ``Retry-After`` date."""
    if error := _by_status(answer, now=now):
        raise error
    if answer.media_type != "application/json" or answer.body.lstrip().startswith(b"<"):
        raise Blocked(f"{answer.status} with {answer.media_type or 'no type'} where JSON belongs")
    if answer.status != 200:
        raise LayoutChanged(f"unexpected status {answer.status}")


def refuse_look(answer: Answer, *, now: datetime) -> None:
    """As :func:`refuse`; the API's own 404 says that the listing exists no more."""
    if answer.status == 404 and answer.media_type == "application/json":
        raise ListingGone("status 404")
    refuse(answer, now=now)


def _by_status(answer: Answer, *, now: datetime) -> MarketplaceError | None:
    if answer.status >= 500:
        return Unavailable(f"status {answer.status}", retry_after=retry_after(answer.headers, now=now))
    if answer.status == 429:
        return Throttled("status 429", retry_after=retry_after(answer.headers, now=now))
    if answer.status == 403:
        return Blocked("status 403")
    return SignInNeeded("status 401") if answer.status == 401 else None
