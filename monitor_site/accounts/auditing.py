"""Who did what is written down in the transaction of the change itself, by the service that makes it.

Services know what changes; who asks for it is known at the door: pages, commands and workers say so by :func:`acting`.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from monitor_site.tracing import current_trace, new_trace

from .models import ActorKind, AuditEntry, AuditKind

LONGEST_VALUE = 200
MOST_ITEMS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who does something, how they are known to be it, from where, and in the course of what."""

    kind: str = ActorKind.SYSTEM
    name: str = ""
    way: str = ""
    source: str = ""
    trace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """What something was done to: its kind, its id, and what people call it."""

    kind: str
    id: object = ""
    words: str = ""


Values = Mapping[str, Any]
_SYSTEM = Actor()
_actor: ContextVar[Callable[[], Actor]] = ContextVar("actor", default=lambda: _SYSTEM)


def begin_acting(who: Callable[[], Actor]) -> None:
    """From now on ``who`` does what is done here, until :func:`end_acting`; it is asked only when something is."""
    _actor.set(who)


def end_acting() -> None:
    """What is done from now on the installation does by itself."""
    _actor.set(lambda: _SYSTEM)


@contextmanager
def acting(actor: Actor) -> Iterator[None]:
    """What is done within is done by ``actor``."""
    token = _actor.set(lambda: actor)
    try:
        yield
    finally:
        _actor.reset(token)


def by_command(name: str) -> Any:
    """What is done within, a command does for whoever runs it on the machine."""
    return acting(Actor(kind=ActorKind.COMMAND, name=name, trace=new_trace()))


def write(  # noqa: PLR0913  all of them by name
    *,
    kind: str,
    act: str,
    user_id: int | None,
    on: Thing,
    now: datetime,
    before: Values | None = None,
    after: Values | None = None,
    reason: str = "",
) -> AuditEntry | None:
    """Add an entry to the record of ``user_id``, within the transaction of the change.

    Of ``before`` and ``after`` only what differs is kept; where both are given and nothing does, nothing is written.
    Never give a secret.
    """
    was, became = _differing(before or {}, after or {})
    if before and after and not was and not became:
        return None
    who, what = _actor.get()(), {"thing": on.kind, "thing_id": str(on.id)[:32], "subject": _line(on.words)[:120]}
    change = {"before": was, "after": became, "reason": _line(reason)[:200]}
    return AuditEntry.objects.create(at=now, user_id=user_id, kind=kind, act=act, **what, **change, **_columns(who))


def note(*, user: Any, act: str, subject: str, reason: str, outcome: str, now: datetime) -> AuditEntry:  # noqa: PLR0913
    """Add what an operator does to the whole installation, which needs a reason; what came of it is ``outcome``."""
    who = _actor.get()()
    columns = _columns(who) | {"actor": ActorKind.PERSON, "name": user.get_username()}
    told = {"subject": subject[:120], "reason": reason[:200], "outcome": outcome[:80]}
    return AuditEntry.objects.create(at=now, user=user, kind=AuditKind.SYSTEM, act=act, **told, **columns)


def _columns(who: Actor) -> dict[str, str]:
    named = {"actor": who.kind, "name": _line(who.name)[:150], "way": who.way[:16]}
    return named | {"source": who.source[:45], "trace": (who.trace or current_trace())[:32]}


def _differing(before: Values, after: Values) -> tuple[dict[str, Any], dict[str, Any]]:
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    return _kept(before, names), _kept(after, names)


def _kept(values: Values, names: list[str]) -> dict[str, Any]:
    return {name: _small(values[name]) for name in names if name in values}


def _small(value: Any) -> Any:
    """Short enough to be read, and without what PostgreSQL takes in no text."""
    if isinstance(value, str):
        return _line(value)[:LONGEST_VALUE]
    if isinstance(value, list | tuple | set | frozenset):
        return [_small(one) for one in list(value)[:MOST_ITEMS]]
    return {str(key): _small(one) for key, one in value.items()} if isinstance(value, Mapping) else value


def _line(text: str) -> str:
    return str(text).replace("\x00", "")
