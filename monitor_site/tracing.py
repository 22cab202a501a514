"""One word for all that is done in the course of one request, job, check or order: in the log and in the record."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import structlog


@contextmanager
def traced(trace: str = "") -> Iterator[str]:
    """What is done within has this trace; without one it gets a new one."""
    word = trace or new_trace()
    with structlog.contextvars.bound_contextvars(trace=word):
        yield word


def new_trace() -> str:
    """A word that nothing else has."""
    return secrets.token_hex(8)


def current_trace() -> str:
    """The word of what is going on, empty when nobody has given it one."""
    return str(structlog.contextvars.get_contextvars().get("trace", ""))
