"""A hundred mixed tasks that come at once: most ordinary and of very different length, a tenth short and critical."""

from dataclasses import dataclass

COUNT = 100
SECONDS = (0.05, 0.1, 0.2, 0.5, 1.0)
CRITICAL_EVERY = 10
CRITICAL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Task:
    """One of them."""

    number: int
    seconds: float
    critical: bool


def task(number: int) -> Task:
    """The task of that number, from 1 on; every tenth is critical."""
    if number % CRITICAL_EVERY == 0:
        return Task(number, CRITICAL_SECONDS, critical=True)
    return Task(number, SECONDS[number % len(SECONDS)], critical=False)


def tasks() -> list[Task]:
    """All, in the order in which they come."""
    return [task(number) for number in range(1, COUNT + 1)]
