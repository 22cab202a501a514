"""Folded sections of a form that sum themselves up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.forms.boundfield import BoundField
from django.utils.functional import Promise

from .rule_words import summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Fields side by side, or one field to choose from."""

    fields: list[BoundField]

    @property
    def is_choice(self) -> bool:
        """One field with everything that can be chosen."""
        return isinstance(self.fields[0].field, forms.ChoiceField)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One section: its title, itself in one line, whether something in it is refused, and its lines."""

    title: str
    summary: str
    refused: bool
    lines: list[Line]


class SectionedForm(forms.Form):
    """A form some of whose fields stand in sections."""

    def section(self, name: str, title: "str | Promise", lines: Sequence[Sequence[str]]) -> Section:
        """The section of this name, with these fields line by line."""
        return Section(
            title=str(title),
            summary=summary(name, self._values()),
            refused=any(field in self.errors for line in lines for field in line),
            lines=[Line(fields=[self[field] for field in line]) for line in lines],
        )

    def _values(self) -> Mapping[str, Any]:
        """What stands in the form, without what is refused."""
        return self.cleaned_data if self.is_bound and hasattr(self, "cleaned_data") else self.initial
