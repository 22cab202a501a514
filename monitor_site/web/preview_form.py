"""From what stands in the form at this moment to the watch it would become. Nothing is saved."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.urls import reverse

from monitor_site.watches import services
from monitor_site.watches.models import Watch

from .watch_form import WatchForm, initial_of
from .watch_pace import NORMAL_SECONDS

# What a preview does not depend on may be wrong as yet.
ASIDE: Mapping[str, Any] = {"name": "", "interval_seconds": NORMAL_SECONDS, "pace": "normal"}
KEPT_ASIDE = "watch"


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The watch, or in ``problems`` the sentences why there is none yet; ``typed`` brings the same draft again."""

    watch: Watch | None = None
    typed: str = ""
    problems: tuple[str, ...] = ()


def draft_of(user: Any, typed: QueryDict, *, edited: Watch | None, now: datetime) -> Draft:
    """Read a form; ``edited`` is the saved watch that it is about, if it is about one."""
    form = WatchForm(typed, initial=initial_of(edited) if edited else {})
    form.is_valid()
    if set(form.errors) - set(ASIDE):
        return Draft(problems=tuple(_sentences(form.errors)))
    for name in set(form.errors) & set(ASIDE):
        form.cleaned_data[name] = ASIDE[name]
    form.cleaned_data["interval_seconds"] = form.cleaned_data.get("interval_seconds") or NORMAL_SECONDS
    try:
        watch = services.draft_watch(user=user, wish=form.wish(), now=now)
    except ValidationError as error:
        return Draft(problems=tuple(_sentences(error.message_dict)))
    return Draft(watch=watch, typed=_kept(form, typed, edited))


def _sentences(errors: Mapping[str, Any]) -> list[str]:
    return [str(sentence) for name, sentences in errors.items() if name not in ASIDE for sentence in sentences]


def _kept(form: WatchForm, typed: QueryDict, edited: Watch | None) -> str:
    kept = QueryDict(mutable=True)
    for name in form.fields:
        if name in typed:
            kept.setlist(name, typed.getlist(name))
    if edited:
        kept[KEPT_ASIDE] = str(edited.pk)
    return kept.urlencode()


def draft_again(user: Any, text: str, *, now: datetime) -> Draft:
    """The draft whose ``typed`` this is."""
    typed = QueryDict(text)
    pk = typed.get(KEPT_ASIDE)
    edited = Watch.objects.of(user).filter(pk=pk).first() if pk else None
    return draft_of(user, typed, edited=edited, now=now)


def typed_again(text: str) -> list[tuple[str, str]]:
    """Name and value of everything that was typed, to be sent once more."""
    return [(name, value) for name, values in QueryDict(text).lists() if name != KEPT_ASIDE for value in values]


def form_at(text: str) -> str:
    """Where the form stands from which this came."""
    pk = QueryDict(text).get(KEPT_ASIDE)
    return reverse("watch-edit", args=[pk]) if pk else reverse("watch-new")
