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
    watches = forms.ModelMultipleChoiceField(
        label=_("Watches"), queryset=Watch.objects.none(), required=False, widget=forms.CheckboxSelectMultiple
    )
    tags = forms.ModelMultipleChoiceField(
        label=_("Tags"), queryset=Tag.objects.none(), required=False, widget=forms.CheckboxSelectMultiple
    )
    form_key = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def __init__(self, *args: Any, user: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        watches, tags = self.fields["watches"], self.fields["tags"]
        watches.queryset = Watch.objects.of(user).order_by("name", "pk")  # type: ignore[attr-defined]
        tags.queryset = Tag.objects.filter(user=user).order_by("name", "pk")  # type: ignore[attr-defined]
        for field in (watches, tags):
            field.label_from_instance = lambda one: one.name  # type: ignore[attr-defined]

    def wish(self) -> BudgetWish:
        """What the form says, once it is valid."""
        data = self.cleaned_data
        return BudgetWish(
            name=data["name"], limits=self.limits(), watches=list(data["watches"]), tags=list(data["tags"])
        )


def initial_of(budget: Budget | None) -> dict[str, Any]:
    """What the form shows first."""
    if budget is None:
        return {"form_key": secrets.token_urlsafe(12)}
    shared = {"watches": list(budget.watches.values_list("pk", flat=True))}
    shared["tags"] = list(budget.tags.values_list("pk", flat=True))
    return {name: getattr(budget, name) for name in ("name", *LIMITS)} | shared
