"""The form of a budget: limits, and the watches and tags that share it."""

import secrets
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from monitor_site.purchasing.budgeting import BudgetWish, Limits
from monitor_site.purchasing.models import Budget
from monitor_site.watches.models import Tag, Watch

from .watch_fields import FigureField, PriceField

LIMITS = ("per_item", "per_day", "per_week", "per_month", "total", "units")


class OverallForm(forms.Form):
    """The limits of everything that a person spends."""

    per_item = PriceField(label=_("for one thing"))
    per_day = PriceField(label=_("a day"))
    per_week = PriceField(label=_("a week"))
    per_month = PriceField(label=_("a month"))
    total = PriceField(label=_("in all"))
    units = FigureField(label=_("things at most"))

    def limits(self) -> Limits:
        """What the form says, once it is valid."""
        return Limits(**{name: self.cleaned_data[name] for name in LIMITS})

    def limit_fields(self) -> list[forms.BoundField]:
        """The limits as the template draws them."""
        return [self[name] for name in LIMITS]


class BudgetForm(OverallForm):
    """A budget that watches and tags share."""

    name = forms.CharField(label=_("Name"), max_length=80, widget=forms.TextInput(attrs={"class": "input"}))
    watches = forms.MultipleChoiceField(label=_("Watches"), required=False, widget=forms.CheckboxSelectMultiple)
    tags = forms.MultipleChoiceField(label=_("Tags"), required=False, widget=forms.CheckboxSelectMultiple)
    form_key = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def __init__(self, *args: Any, user: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.theirs = {"watches": Watch.objects.of(user), "tags": Tag.objects.filter(user=user)}
        for name, rows in self.theirs.items():
            self.fields[name].choices = list(rows.order_by("name", "pk").values_list("pk", "name"))  # type: ignore[attr-defined]

    def wish(self) -> BudgetWish:
        """What the form says, once it is valid."""
        data = self.cleaned_data
        shared = {name: list(rows.filter(pk__in=data[name])) for name, rows in self.theirs.items()}
        return BudgetWish(name=data["name"], limits=self.limits(), **shared)

    def lets_go_of(self, budget: Budget) -> bool:
        """Whether a watch or a tag would not be guarded by the budget any more."""
        kept = {name: {int(pk) for pk in self.cleaned_data[name]} for name in self.theirs}
        return any(set(getattr(budget, name).values_list("pk", flat=True)) - pks for name, pks in kept.items())


def initial_of(budget: Budget | None) -> dict[str, Any]:
    """What the form shows first."""
    if budget is None:
        return {"form_key": secrets.token_urlsafe(12)}
    shared = {"watches": list(budget.watches.values_list("pk", flat=True))}
    shared["tags"] = list(budget.tags.values_list("pk", flat=True))
    return {name: getattr(budget, name) for name in ("name", *LIMITS)} | shared
