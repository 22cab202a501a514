"""One action on many watches: each watch is a small transaction of its own, and what was refused is told."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError

from .models import Watch

MOST_AT_ONCE = 500


@dataclass(slots=True, kw_only=True)
class Done:
    """How many watches an action changed, found so already, refused by which sentence, and did not come to."""

    changed: int = 0
    unchanged: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    left: int = 0


def act_on(*, watches: Iterable[Watch], act: Callable[[Watch], bool], enough: Callable[[], bool]) -> Done:
    """Do it to one after the other; ``act`` says whether it changed anything, or raises ``ValidationError``.

    A refusal concerns its watch alone. When ``enough`` says that time is up, the others are left. What is done stays
    done when the process ends in the middle.
    """
    done = Done()
    for watch in watches:
        if enough():
            done.left += 1
            continue
        try:
            changed = act(watch)
        except ValidationError as error:
            done.refused[" ".join(error.messages)] += 1
        else:
            done.changed += changed
            done.unchanged += not changed
    return done
