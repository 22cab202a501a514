"""One action on many watches: each watch is a small transaction of its own, and what was refused is told."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError

from .models import Watch

MOST_AT_ONCE = 500


@dataclass(slots=True, kw_only=True)
class Done:
    """How many watches an action changed, how many it found so already, and how many it refused, by the sentence."""

    changed: int = 0
    unchanged: int = 0
    refused: Counter[str] = field(default_factory=Counter)


def act_on(*, watches: Iterable[Watch], act: Callable[[Watch], bool]) -> Done:
    """Do it to one after the other; ``act`` says whether it changed anything, or raises ``ValidationError``.

    A refusal concerns its watch alone. What is done stays done when the process ends in the middle.
    """
    done = Done()
    for watch in watches:
        try:
            changed = act(watch)
        except ValidationError as error:
            done.refused[" ".join(error.messages)] += 1
        else:
            done.changed += changed
            done.unchanged += not changed
    return done
