"""How much one person may ask.

The person's row is held while it is counted: where the database has row locks (PostgreSQL) two tabs that save at once
wait for one another; where it has none (SQLite) every writing transaction is alone from its beginning. So nobody gets
past a limit by being quick.
"""

from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.utils.translation import ngettext

from .models import Watch, WatchTarget
from .questions import questions


def most_watches(user: Any) -> int:
    """How many watches a person may have."""
    limit: int = settings.WATCHES_PER_USER if user.watch_limit is None else user.watch_limit
    return limit


def most_questions(user: Any) -> int:
    """How many questions a person's watches may ask."""
    limit: int = settings.QUESTIONS_PER_USER if user.question_limit is None else user.question_limit
    return limit


def check(*, watch: Watch, asked: int | None) -> None:
    """Whether a person may have this watch with what they have already. Inside a transaction.

    ``asked`` is how many questions it asks already, ``None`` for a new one. Raises ``ValidationError`` with a sentence;
    a change that asks for no more than before always passes.
    """
    user = get_user_model().objects.select_for_update(no_key=True).get(pk=watch.user_id)
    if asked is None:
        _check_watches(user)
    wanted = len(questions(watch))
    if wanted > (asked or 0):
        _check_questions(watch, user, wanted)


def _check_watches(user: Any) -> None:
    most = most_watches(user)
    if Watch.objects.of(user).count() >= most:
        sentence = ngettext(
            "You may have %(n)d watch and no more. Delete it to make another one.",
            "You may have %(n)d watches and no more. Delete one that you no longer need.",
            most,
        )
        raise ValidationError({NON_FIELD_ERRORS: [sentence % {"n": most}]})


def _check_questions(watch: Watch, user: Any, wanted: int) -> None:
    most = most_questions(user)
    others = WatchTarget.objects.filter(watch__user=user).exclude(watch_id=watch.pk)
    if wanted + others.count() > most:
        sentence = ngettext(
            "Your watches may ask %(n)d question in all. Choose fewer words or marketplaces, or delete a watch.",
            "Your watches may ask %(n)d questions in all. Choose fewer words or marketplaces, or delete a watch.",
            most,
        )
        raise ValidationError({NON_FIELD_ERRORS: [sentence % {"n": most}]})
