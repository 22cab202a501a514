"""What a person says of a thing they bought."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from .watch_fields import PriceField


class BoughtForm(forms.Form):
    """What was paid, with shipping and fees, and the marketplace's number for it."""

    paid = PriceField(label=_("Paid in all, with shipping"))
    reference = forms.CharField(label=_("Order number"), max_length=80, required=False)

    def __init__(self, *args: Any, currency: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["paid"].currency = currency  # type: ignore[attr-defined]
        self.fields["paid"].required = True
        self.fields["reference"].widget.attrs["class"] = "input"

    def clean_paid(self) -> int:
        """Nobody buys for nothing: an empty price is not 0, and 0 is none."""
        paid: int | None = self.cleaned_data["paid"]
        if not paid:
            raise ValidationError(gettext("Please say what you paid."))
        return paid
