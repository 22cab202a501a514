"""The form of a watch after a person has clicked a reason in its preview: one field wider, and nothing saved."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from monitor_site.watches.pages import currency_of

from .loosening import Step, loosened
from .watch_form import WatchForm
from .watch_limits import SECTIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class WiderForm:
    """``form`` shows what is ``typed`` now; ``said`` is what became wider, empty when nothing did.

    ``section`` is the title of the folded section in which it stands, if it stands in one.
    """

    form: WatchForm
    typed: QueryDict
    said: str
    section: str


def wider_form(typed: QueryDict, step: Step, *, initial: Mapping[str, Any]) -> WiderForm:
    """Take one step in what is typed, if it still loosens anything."""
    wider = loosened(typed, step, WatchForm(typed, initial=initial).fields)
    form = WatchForm(wider, initial=initial)
    form.is_valid()  # sections sum up what is typed, once it is read
    changed = wider != typed
    return WiderForm(
        form=form,
        typed=wider,
        said=step.words(_currency(typed)) if changed else "",
        section=_section(step.field) if changed else "",
    )


def _currency(typed: QueryDict) -> str:
    return currency_of(next(iter(typed.getlist("marketplaces")), ""))


def _section(field: str) -> str:
    return next((str(title) for title, lines in SECTIONS.values() for line in lines if field in line), "")
